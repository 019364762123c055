//! Which part is made from which, and making those that are out of date.

use index::Index;
use serde::Serialize;
use store::Collection;

use crate::copies::{self, CopiesSummary};
use crate::graphs::{self, GraphSummary, for_search};
use crate::indexing::{self, IndexSummary};
use crate::{Covered, Error, Watcher};

/// How a build is wanted.
#[derive(Debug, Clone, Copy)]
pub struct BuildSettings {
    /// Pages are copies when their similarity is at least this; `None`: as before.
    pub threshold: Option<f64>,
    /// Memory that each part may use.
    pub memory_bytes: u64,
}

/// Everything that was made from stored pages.
#[derive(Debug, Serialize)]
pub struct Built {
    /// About the index; its numbers stand at the top.
    #[serde(flatten)]
    pub index: IndexSummary,
    /// About copies.
    pub dedup: CopiesSummary,
    /// About the graph.
    pub graph: GraphSummary,
}

/// Brings graph, copies and index up to date, each if it is not. Ranks decide which page stands for its copies, so the
/// graph comes first, unless it folds copies and needs to know them.
pub fn bring_up_to_date(
    collection: &Collection,
    settings: &BuildSettings,
    watcher: &dyn Watcher,
) -> Result<Built, Error> {
    let BuildSettings { threshold, memory_bytes } = *settings;
    let covered = Covered::now(collection)?;
    let make_graph = || graphs::bring_up_to_date(collection, covered, memory_bytes, watcher);
    let find_copies = || copies::bring_up_to_date(collection, threshold, memory_bytes, watcher);
    let (graph, dedup) = if graphs::folds_copies(collection) {
        let dedup = find_copies()?;
        (make_graph()?, dedup)
    } else {
        (make_graph()?, find_copies()?)
    };
    let index = indexing::bring_up_to_date(collection, covered, memory_bytes, watcher)?;
    for_search::keep(collection, &Index::open(&collection.part("index")?)?)?;
    Ok(Built { index, dedup, graph })
}
