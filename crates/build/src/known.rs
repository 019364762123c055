//! What is known of the documents of an index beside their words: gathered by a build, kept, and mapped by searches.
//!
//! ```text
//! known/documents    hosts, languages, kinds, dates, copies and ranks by document of the index; replaced by a rename
//! known/words        the more frequent words of the index, by which queries are corrected; replaced by a rename
//! ```
//!
//! Gathering takes a scan of the page table and of all but the texts of the documents, two microseconds a page, so that a
//! search that had to do it would wait longer the more pages there are. What is kept says what it was gathered from: the
//! index, the groups of copies and the ranks, each by its identity. Where one of them is another by now, as after
//! `crivello index` alone, and where several collections are searched together, it is gathered then and there. The words are
//! those of one state of the index, known by its manifest.

use std::path::{Path, PathBuf};

use dedup::GroupsFile;
use index::{Index, IndexMember};
use journal::SealedFile;
use search::{Known, Vocabulary};
use store::Collection;
use xxhash_rust::xxh3::xxh3_64;

use crate::across::PageTables;
use crate::copies::{self, groups_path};
use crate::graphs::for_search::{self, Kept};
use crate::reading::open_documents;
use crate::standing::ranks_of_graphs;
use crate::{Error, Notice, ShelfEntry, Watcher, anchors, editions};

/// Where it is kept in the folder of a collection.
pub(crate) fn known_path(dir: &Path) -> PathBuf {
    dir.join("known").join("documents")
}

/// Where the words of the index are kept.
pub(crate) fn words_path(dir: &Path) -> PathBuf {
    dir.join("known").join("words")
}

/// Gathers and keeps what is known of the present index and its documents, if it is not there.
pub(crate) fn bring_up_to_date(collection: &Collection, watcher: &dyn Watcher) -> Result<(), Error> {
    let state = state_of_index(collection)?;
    let index = Index::open(&collection.part("index")?)?;
    fs_err::create_dir_all(collection.dir().join("known"))?;
    keep_words(collection, &index, &state, watcher)?;
    keep_documents(collection, &index, watcher)
}

/// Which state of the index is there now, in words.
pub(crate) fn state_of_index(collection: &Collection) -> Result<String, Error> {
    let manifest = fs_err::read(collection.dir().join("index/manifest.json"))?;
    Ok(format!("index {:016x}", xxh3_64(&manifest)))
}

fn keep_words(
    collection: &Collection,
    index: &Index,
    state: &str,
    watcher: &dyn Watcher,
) -> Result<(), Error> {
    let path = words_path(collection.dir());
    match path.exists().then(|| Vocabulary::open(&path, state)) {
        Some(Ok(Some(_))) => return Ok(()),
        Some(Err(error)) => {
            watcher.tell(Notice::MadeAnew { what: "the words for corrections are", why: &error });
        }
        _ => {}
    }
    Vocabulary::read(index)?.write(&path, state).map_err(Error::Known)
}

fn keep_documents(collection: &Collection, index: &Index, watcher: &dyn Watcher) -> Result<(), Error> {
    let [member] = index.members() else { return Ok(()) };
    let path = known_path(collection.dir());
    let made_from = made_from(collection, member)?;
    match path.exists().then(|| Known::open(&path)) {
        Some(Ok(known)) if known.made_from == made_from => return Ok(()),
        Some(Err(error)) => {
            watcher.tell(Notice::MadeAnew { what: "what is known of documents is", why: &error });
        }
        _ => {}
    }
    let mut known = gather(&[collection], index, true, watcher)?;
    known.made_from = made_from;
    known.write(&path).map_err(Error::Known)
}

/// What is known of the documents of an index of these collections: what was kept, if it is of this index, or else gathered
/// now. Facts are what documents say of themselves.
pub(crate) fn of(
    entries: &[ShelfEntry],
    index: &Index,
    with_facts: bool,
    watcher: &dyn Watcher,
) -> Result<Known, Error> {
    if let ([entry], [member]) = (entries, index.members())
        && let Some(known) = kept(&entry.collection, member, watcher)?
    {
        return Ok(known);
    }
    let collections: Vec<&Collection> = entries.iter().map(|entry| &entry.collection).collect();
    gather(&collections, index, with_facts, watcher)
}

/// What was kept, if it was gathered from what is there now.
fn kept(
    collection: &Collection,
    member: &IndexMember,
    watcher: &dyn Watcher,
) -> Result<Option<Known>, Error> {
    let path = known_path(collection.dir());
    if !path.exists() {
        return Ok(None);
    }
    let known = match Known::open(&path) {
        Ok(known) => known,
        Err(error) => {
            watcher.tell(Notice::Failed(&Error::Known(error)));
            return Ok(None);
        }
    };
    Ok((known.made_from == made_from(collection, member)?).then_some(known))
}

/// What it is gathered from, in words.
fn made_from(collection: &Collection, member: &IndexMember) -> Result<String, Error> {
    let groups = GroupsFile::identity(&groups_path(collection.dir()))?;
    let [_, ranks, of_documents] = for_search::watched_files(collection);
    // One that cannot be opened is told by who reads it.
    let identity = |path: &Path| {
        let file = SealedFile::open_any(path, graph::GRAPH_FORMAT).ok()?;
        Some(file.identity())
    };
    Ok(format!(
        "index {} of table {}, copies {groups:x?}, ranks {:x?} and {:x?}, parser {}, rules {}, names {}",
        member.set_id().to_digits(),
        collection.table().to_digits(),
        identity(&ranks),
        identity(&of_documents),
        parse::VERSION,
        editions::RULES,
        anchors::RULES,
    ))
}

/// Reads page tables, documents, ranks and groups of copies.
fn gather(
    collections: &[&Collection],
    index: &Index,
    with_facts: bool,
    watcher: &dyn Watcher,
) -> Result<Known, Error> {
    let (mut tables, mut groups) = (PageTables::new(index), Vec::new());
    for (collection, member) in collections.iter().zip(index.members()) {
        tables.read(collection, index, member)?;
        groups.extend(copies::for_search(collection, index, member, watcher)?);
        if with_facts {
            let read = open_documents(collection).and_then(|documents| match documents {
                Some(documents) => tables.read_documents(&documents, index, member),
                None => Ok(()),
            });
            // A search that does not know in which language a page is is better than none.
            read.unwrap_or_else(|error| watcher.tell(Notice::Failed(&error)));
        }
    }
    let ranks = ranks_of_graphs(Kept::PageRank, collections, index, watcher)?;
    Ok(tables.into_known(groups, ranks.map(Into::into), index))
}
