//! The ranks of pages as a search takes them: by document of the index, in multiples of the average.
//!
//! A document is a page is a node, but each has another number. `build` looks all of them up once and keeps the PageRank and
//! the harmonic centrality of each document, two bytes each, beside the graph:
//!
//! ```text
//! graph/build-N/documents.rank  documents-harmonic.rank    rank arrays; they say of which index, by identity
//! ```
//!
//! It is used as long as it is of the index that is open, and not of one that has as many documents. Otherwise, as after `crivello index` alone, the pages are looked
//! up then and there, which takes a scan of the table.

use std::path::PathBuf;

use graph::{Manifest, RankArray};
use index::{Index, IndexMember};
use page::{NodeId, PageUrl};
use store::{Collection, StoreReader};

use super::fronts::Standings;
use super::graph_dir;
use super::ranks::{PageRanks, RANKS_FILE, page_ranks};
use crate::{Error, Notice, Watcher};

/// What is kept of each document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// PageRank, where front pages stand as the best pages of their sites do.
    PageRank,
    /// Harmonic centrality.
    Harmonic,
}

impl Kept {
    fn file(self) -> &'static str {
        match self {
            Self::PageRank => FILE,
            Self::Harmonic => "documents-harmonic.rank",
        }
    }

    fn path(self, collection: &Collection, ranks: &PageRanks) -> PathBuf {
        graph_dir(collection.dir()).join(&ranks.graph().manifest().build).join(self.file())
    }

    /// What the file must say of its scores to be used.
    fn about(self, ranks: &PageRanks) -> String {
        match self {
            Self::PageRank => {
                format!("{}, by document of the index, front pages as the best of their sites", ranks.about())
            }
            Self::Harmonic => {
                format!("harmonic centrality beside {}, by document of the index", ranks.about())
            }
        }
    }
}

/// The ranks of all documents of the index that `member` is of a collection; `None` if it has no graph yet. If they are
/// damaged there are none either, which is said once: a search without them is better than no search.
pub fn ranks_of(
    kept: Kept,
    collection: &Collection,
    index: &Index,
    member: &IndexMember,
    watcher: &dyn Watcher,
) -> Result<Option<Vec<f32>>, Error> {
    let ranks = page_ranks(collection).unwrap_or_else(|error| {
        watcher.tell(Notice::NoRanks { why: &error, dir: collection.dir() });
        None
    });
    let Some(ranks) = ranks else { return Ok(None) };
    let scores = match open_kept(kept, collection, &ranks, member) {
        Some(kept) => (0..count(member)).map(|doc| kept.score(doc).unwrap_or_default() as f32).collect(),
        None => {
            look_up(kept, collection, ranks, index, member)?.into_iter().map(|rank| rank as f32).collect()
        }
    };
    Ok(Some(scores))
}

/// Keeps the ranks of all documents of an index for its searches, if they are not there yet.
pub fn keep(collection: &Collection, index: &Index) -> Result<(), Error> {
    // PageRank comes last, as searches watch it.
    for kept in [Kept::Harmonic, Kept::PageRank] {
        if let (Some(ranks), [member]) = (page_ranks(collection)?, index.members())
            && open_kept(kept, collection, &ranks, member).is_none()
        {
            let (path, about) = (kept.path(collection, &ranks), kept.about(&ranks));
            let scores = look_up(kept, collection, ranks, index, member)?;
            RankArray::write(&path, index.set_id(), &about, &scores)?;
        }
    }
    Ok(())
}

/// The files that change when ranks do: with a new graph, with other settings, and when documents are looked up anew.
pub fn watched_files(collection: &Collection) -> [PathBuf; 3] {
    let folder = graph_dir(collection.dir());
    let manifest = folder.join("manifest.json");
    let build =
        std::fs::read(&manifest).ok().and_then(|bytes| serde_json::from_slice::<Manifest>(&bytes).ok());
    let build = folder.join(build.map_or_else(String::new, |manifest| manifest.build));
    [manifest, build.join(RANKS_FILE), build.join(FILE)]
}

const FILE: &str = "documents.rank";

fn open_kept(
    kept: Kept,
    collection: &Collection,
    ranks: &PageRanks,
    member: &IndexMember,
) -> Option<RankArray> {
    let array = RankArray::open(&kept.path(collection, ranks)).ok()?;
    let fits = array.whose() == Some(member.set_id()) && array.about() == kept.about(ranks);
    fits.then_some(array)
}

/// Ranks in multiples of the average. A page that the graph does not have yet has none.
fn look_up(
    kept: Kept,
    collection: &Collection,
    ranks: PageRanks,
    index: &Index,
    member: &IndexMember,
) -> Result<Vec<f64>, Error> {
    let nodes = ranks.graph().manifest().nodes;
    let average = match kept {
        Kept::PageRank => 1.0 / nodes as f64,
        Kept::Harmonic => {
            (0..nodes as u32).map(|node| ranks.harmonic(NodeId::new(node))).sum::<f64>() / nodes as f64
        }
    };
    let standings = Standings::of(ranks);
    let rank = |page: &PageUrl| match kept {
        Kept::PageRank => standings.standing(page),
        Kept::Harmonic => {
            let ranks = standings.ranks();
            ranks.graph().node(page).map_or(0.0, |node| ranks.harmonic(node))
        }
    };
    let mut by_document = vec![0.0; count(member) as usize];
    let mut pages = StoreReader::open(collection)?.pages()?;
    while let Some((key, record)) = pages.next()? {
        if record.is_page()
            && let Some(doc) = index.find_key(member.key(key))
        {
            let place = doc.index() - member.documents().start.index();
            by_document[place] = rank(&record.url) / average.max(f64::MIN_POSITIVE);
        }
    }
    Ok(by_document)
}

fn count(member: &IndexMember) -> u32 {
    member.documents().end.get() - member.documents().start.get()
}
