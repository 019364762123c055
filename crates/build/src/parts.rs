//! Which part is made from which, and making those that are out of date.

use index::Index;
use serde::Serialize;
use store::Collection;

use crate::copies::{self, CopiesSummary};
use crate::documents::DocumentStore;
use crate::graphs::lag::{Lag, left_behind};
use crate::graphs::{self, GraphSummary, for_search};
use crate::indexing::{self, IndexSettings, IndexSummary, Means};
use crate::known;
use crate::reading::{self, DocumentsSummary};
use crate::spaces::{self, SpaceSummary};
use crate::{Covered, Error, Notice, Watcher};

/// What a collection holds beside its pages. Each is made from the stored pages and from other parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// What was read of each page.
    Documents,
    /// Who links to whom, and the ranks.
    Graph,
    /// Which pages are copies.
    Copies,
    /// Which words are where.
    Index,
    /// The ranks of the graph by document of the index.
    DocumentRanks,
    /// What is known of documents of the index beside their words.
    Known,
    /// What documents of the index speak of.
    Space,
}

impl Part {
    const ALL: [Self; 7] = [
        Self::Documents,
        Self::Graph,
        Self::Copies,
        Self::Index,
        Self::DocumentRanks,
        Self::Known,
        Self::Space,
    ];

    /// The parts that it is made from. Ranks decide which page stands for its copies, so copies need the graph; but a
    /// graph that folds copies needs to know them, and then the shortest address decides.
    pub fn inputs(self, graph_folds_copies: bool) -> &'static [Self] {
        match self {
            Self::Documents => &[],
            Self::Graph if graph_folds_copies => &[Self::Copies],
            Self::Graph => &[Self::Documents],
            Self::Copies if graph_folds_copies => &[Self::Documents],
            Self::Copies => &[Self::Documents, Self::Graph],
            // The words of links are those of the graph.
            Self::Index => &[Self::Documents, Self::Graph],
            Self::DocumentRanks => &[Self::Graph, Self::Index],
            Self::Known => &[Self::Documents, Self::Copies, Self::Index, Self::DocumentRanks],
            Self::Space => &[Self::Index],
        }
    }

    /// All parts, each behind those that it is made from.
    pub fn in_order(graph_folds_copies: bool) -> Vec<Self> {
        let mut order = Vec::new();
        while order.len() < Self::ALL.len() {
            let is_next = |part: &Self| {
                let inputs = part.inputs(graph_folds_copies);
                !order.contains(part) && inputs.iter().all(|input| order.contains(input))
            };
            let next = Self::ALL.into_iter().find(is_next).expect("no part is made from itself");
            order.push(next);
        }
        order
    }
}

/// How a build is wanted.
#[derive(Debug, Clone, Copy)]
pub struct BuildSettings {
    /// Pages are copies when their similarity is at least this; `None`: as before.
    pub threshold: Option<f64>,
    /// Memory that each part may use.
    pub memory_bytes: u64,
    /// By how much the graph may be behind the pages.
    pub lag: Lag,
}

/// Everything that was made from stored pages.
#[derive(Debug, Serialize)]
pub struct Built {
    /// About the index; its numbers stand at the top.
    #[serde(flatten)]
    pub index: IndexSummary,
    /// About what was read of the pages.
    pub read: DocumentsSummary,
    /// About copies.
    pub dedup: CopiesSummary,
    /// About the graph.
    pub graph: GraphSummary,
    /// About the latent space.
    pub space: SpaceSummary,
}

/// Brings every part up to date that is not, each behind those that it is made from. All of them then cover the pages that
/// were there when the build began, but for the newest that a large graph may lack ([`Lag`]); a crawl may go on meanwhile.
pub fn bring_up_to_date(
    collection: &Collection,
    settings: &BuildSettings,
    watcher: &dyn Watcher,
) -> Result<Built, Error> {
    match build_once(collection, settings, watcher) {
        Err(Error::Documents(error)) if error.is_helped_by_making_anew() => {
            watcher.tell(Notice::MadeAnew { what: "the documents are", why: &error });
            reading::remove(collection)?;
            build_once(collection, settings, watcher)
        }
        built => built,
    }
}

fn build_once(
    collection: &Collection,
    settings: &BuildSettings,
    watcher: &dyn Watcher,
) -> Result<Built, Error> {
    let (documents, read) = reading::bring_up_to_date(collection, settings.memory_bytes, watcher)?;
    let mut build = Build {
        collection,
        settings,
        watcher,
        documents,
        graph: None,
        dedup: None,
        index: None,
        space: None,
    };
    for part in Part::in_order(graphs::folds_copies(collection)) {
        build.bring_up_to_date(part)?;
        build.documents.let_go();
        watcher.memory_is_free();
    }
    let made = "every part was brought up to date";
    Ok(Built {
        index: build.index.expect(made),
        read,
        dedup: build.dedup.expect(made),
        graph: build.graph.expect(made),
        space: build.space.expect(made),
    })
}

/// Makes the index in any case, by these settings; what it is made from is brought up to date before, and the space after it.
pub fn make_index_anew(
    collection: &Collection,
    means: Means,
    settings: IndexSettings,
    watcher: &dyn Watcher,
) -> Result<(IndexSummary, DocumentsSummary), Error> {
    let (documents, read) = reading::bring_up_to_date(collection, means.memory_bytes, watcher)?;
    // The words of links are those of the graph.
    let covered = Covered::of(collection, documents.covered());
    graphs::bring_up_to_date(collection, covered, means.memory_bytes, watcher)?;
    let index = indexing::make_anew(collection, &documents, means, settings, watcher)?;
    spaces::bring_up_to_date(collection, means.memory_bytes, watcher)?;
    Ok((index, read))
}

/// A build that goes on.
struct Build<'b> {
    collection: &'b Collection,
    settings: &'b BuildSettings,
    watcher: &'b dyn Watcher,
    documents: DocumentStore,
    graph: Option<GraphSummary>,
    dedup: Option<CopiesSummary>,
    index: Option<IndexSummary>,
    space: Option<SpaceSummary>,
}

impl Build<'_> {
    fn bring_up_to_date(&mut self, part: Part) -> Result<(), Error> {
        let Self { collection, watcher, documents, .. } = self;
        let BuildSettings { threshold, memory_bytes, lag } = *self.settings;
        let covered = Covered::of(collection, documents.covered());
        match part {
            // They were read before: who else knows what there is to cover?
            Part::Documents => {}
            Part::Graph => {
                self.graph = Some(match left_behind(collection, documents, lag)? {
                    Some(graph) => graph,
                    None => graphs::bring_up_to_date(collection, covered, memory_bytes, *watcher)?,
                });
            }
            Part::Copies => {
                let made =
                    copies::bring_up_to_date(collection, documents, threshold, memory_bytes, *watcher)?;
                self.dedup = Some(made);
            }
            Part::Index => {
                let made = indexing::bring_up_to_date(collection, documents, memory_bytes, *watcher)?;
                self.index = Some(made);
            }
            Part::DocumentRanks => {
                for_search::keep(collection, &Index::open(&collection.part("index")?)?)?;
            }
            Part::Known => known::bring_up_to_date(collection, *watcher)?,
            Part::Space => self.space = Some(spaces::bring_up_to_date(collection, memory_bytes, *watcher)?),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_comes_behind_those_that_it_is_made_from() {
        for folds_copies in [false, true] {
            let order = Part::in_order(folds_copies);
            assert_eq!(order.len(), Part::ALL.len());
            let place = |part: &Part| order.iter().position(|other| other == part);
            for part in &order {
                for input in part.inputs(folds_copies) {
                    assert!(place(input) < place(part), "{part:?} is made from {input:?}: {order:?}");
                }
            }
        }
    }
}
