//! Forgetting pages on request: they are taken out of results, graph and copies at once, and stay in the archive.
//!
//! What is forgotten is written to its journal first ([`crate::gone`]). Then each part that is there takes it out; a part
//! that could not, because the process was killed, is brought up to date by the next build.

use std::time::Instant;

use index::Index;
use page::{PageKey, PageUrl, Timestamp};
use serde::Serialize;
use store::{Collection, StoreReader};

use crate::gone::{Gone, Request, forgotten, remember};
use crate::graphs::{self, for_search, open_graph};
use crate::reading::open_documents;
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
    if spaces::space_path(collection.dir()).exists() && collection.part("index")?.exists() {
        spaces::bring_up_to_date(collection, watcher)?;
    }
    summary.elapsed_seconds = started.elapsed().as_secs_f64();
    Ok(summary)
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
