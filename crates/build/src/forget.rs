//! Forgetting pages on request: they are taken out of results, graph and copies at once, and stay in the archive, unless they
//! are to be removed from it too.
//!
//! What is forgotten is written to its journal first ([`crate::gone`]). Then each part that is there takes it out; a part
//! that could not, because the process was killed, is brought up to date by the next build.
//!
//! What is removed goes from the WARC files first ([`store::purge`]), then from the documents, which are read anew from what is
//! left, and from the index, whose segments are merged without what is dead. Whoever was killed meanwhile asks again: what was
//! done is passed over. That an address was asked for and what it linked to stays known, in the table and in `links.log`.

use std::time::Instant;

use index::Index;
use page::{PageKey, PageUrl, Timestamp};
use serde::Serialize;
use store::{Collection, Purged, StoreReader};

use crate::gone::{Gone, Request, forgotten, remember};
use crate::graphs::{self, for_search, open_graph};
use crate::known::{self, known_path};
use crate::reading::{self, open_documents};
use crate::{Covered, Error, Watcher, copies, indexing, spaces};

/// What forgetting came to.
#[derive(Debug, Default, Serialize)]
pub struct ForgetSummary {
    /// Pages that were forgotten now.
    pub pages: u64,
    /// Pages that match and were forgotten before.
    pub already_forgotten: u64,
    /// Documents of the index that are not found any more.
    pub documents: u64,
    /// The graph was made anew without them.
    pub graph_made: bool,
    /// What was removed from the archive, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purged: Option<Purged>,
    /// How long it took.
    pub elapsed_seconds: f64,
}

/// Forgets all stored pages whose address matches. `rule` says which, for people.
pub fn forget(
    collection: &Collection,
    rule: &str,
    matches: &dyn Fn(&PageUrl) -> bool,
    at: Timestamp,
    memory_bytes: u64,
    watcher: &dyn Watcher,
) -> Result<ForgetSummary, Error> {
    let started = Instant::now();
    let (keys, already_forgotten) = matching(collection, matches)?;
    let mut summary = ForgetSummary { pages: keys.len() as u64, already_forgotten, ..Default::default() };
    if !keys.is_empty() {
        remember(collection, &Request { at, rule: rule.to_owned(), keys })?;
    }
    // Also what an earlier request, which was killed, did not.
    summary.documents = take_out_of_index(collection)?;
    copies::take_out(collection)?;
    if open_graph(collection).is_ok() {
        let covered = Covered::now(collection)?;
        summary.graph_made =
            !graphs::bring_up_to_date(collection, covered, memory_bytes, watcher)?.up_to_date;
        // What is forgotten does not speak for other pages either.
        if let Some(documents) = open_documents(collection)? {
            indexing::follow_links(collection, &documents, memory_bytes, watcher)?;
        }
        if let Ok(index) = Index::open(&collection.part("index")?) {
            for_search::keep(collection, &index)?;
        }
    }
    if collection.part("index")?.exists() {
        follow_index(collection, memory_bytes, watcher)?;
    }
    summary.elapsed_seconds = started.elapsed().as_secs_f64();
    Ok(summary)
}

/// Removes what was kept of all addresses that match: from the archive, which this process may write, and from what was made
/// of it. What is there has been forgotten.
pub fn purge(
    archive: &Collection,
    collection: &Collection,
    matches: &dyn Fn(&PageUrl) -> bool,
    at: Timestamp,
    memory_bytes: u64,
    watcher: &dyn Watcher,
) -> Result<Purged, Error> {
    let (mut pages, mut keys, mut places) = (StoreReader::open(collection)?.pages()?, Vec::new(), Vec::new());
    while let Some((key, record)) = pages.next()? {
        if matches(&record.url) {
            keys.push(key);
            places.extend(record.warc);
        }
    }
    let purged = store::purge(archive, &places, at)?;
    if let Some(documents) = open_documents(collection)? {
        let has_text = |key: &PageKey| {
            let document = documents.get(*key)?;
            Ok::<_, Error>(
                document.is_some_and(|document| !document.title.is_empty() || !document.text.is_empty()),
            )
        };
        let mut must_read_anew = false;
        for key in &keys {
            must_read_anew |= has_text(key)?;
        }
        drop(documents);
        if must_read_anew {
            reading::remove(collection)?;
            reading::bring_up_to_date(collection, memory_bytes, watcher)?;
        }
    }
    let index = collection.part("index")?;
    if Index::open(&index).is_ok_and(|index| index.report().dead > 0) {
        index::merge_all(&index)?;
        let index = Index::open(&index)?;
        if open_graph(collection).is_ok() {
            for_search::keep(collection, &index)?;
        }
        follow_index(collection, memory_bytes, watcher)?;
    }
    Ok(purged)
}

/// Brings up to date what is there of each document of the index.
fn follow_index(collection: &Collection, memory_bytes: u64, watcher: &dyn Watcher) -> Result<(), Error> {
    if known_path(collection.dir()).exists() {
        known::bring_up_to_date(collection, watcher)?;
    }
    if spaces::space_path(collection.dir()).exists() {
        spaces::bring_up_to_date(collection, memory_bytes, watcher)?;
    }
    Ok(())
}

/// The pages that match and are not forgotten yet, increasing, and how many are.
fn matching(
    collection: &Collection,
    matches: &dyn Fn(&PageUrl) -> bool,
) -> Result<(Vec<PageKey>, u64), Error> {
    let mut known = forgotten(collection)?;
    known.sort_unstable();
    let (mut pages, mut keys, mut already) = (StoreReader::open(collection)?.pages()?, Vec::new(), 0);
    while let Some((key, record)) = pages.next()? {
        if record.is_page() && matches(&record.url) {
            match known.binary_search(&key) {
                Ok(_) => already += 1,
                Err(_) => keys.push(key),
            }
        }
    }
    Ok((keys, already))
}

fn take_out_of_index(collection: &Collection) -> Result<u64, Error> {
    let dir = collection.part("index")?;
    let index = match Index::open(&dir) {
        Err(index::Error::Missing { .. }) => return Ok(0),
        index => index?,
    };
    // An index of other pages is made anew by the next build.
    let Some(covered) = Covered::parse(index.source_stamp()) else { return Ok(0) };
    if covered.table != collection.table() {
        return Ok(0);
    }
    let gone = Gone::of(collection, covered)?;
    let died = index::bury(&dir, gone.keys(), gone.stamp())?;
    index::merge_tiers(&dir)?;
    Ok(died)
}
