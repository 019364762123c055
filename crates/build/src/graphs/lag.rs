//! How far behind the pages a build may leave the graph.
//!
//! Problem: ranks are those of the whole graph, and one new page moves the numbers of all nodes behind it, so a graph is
//! made from all links or not at all. To do that for every few pages makes a build cost the same whether a page is new or
//! ten thousand are.
//!
//! Method: what costs as much as the whole is done when the whole has grown by a share of itself, as tiers of segments are
//! merged. A graph that is sound, and that is what would be made from the pages that it covers, stays while it lacks at
//! most one page in [`Lag::share`]. So each page is paid for at most `share` times, however small the steps are. Small
//! collections have no lag: there the graph is made in a second.
//!
//! What it means: a page that the graph does not have yet is found, folded with its copies and shown like any other, but
//! has no rank and no words of links, and its own links do not count yet. `crivello graph` makes the graph of all pages at
//! any time, and so do pages that are forgotten: what must be gone is gone at once.

use std::time::Instant;

use store::Collection;

use super::{GraphSummary, Stamp, check_offsets, graph_dir, is_up_to_date, open_graph, ranks};
use crate::documents::DocumentStore;
use crate::{Covered, Error};

/// By how much a graph may be behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lag {
    /// A graph of fewer pages is never behind.
    pub pages_min: u64,
    /// It lacks at most one page in so many of those that it covers.
    pub share: u64,
}

impl Default for Lag {
    fn default() -> Self {
        Self { pages_min: 10_000, share: 16 }
    }
}

impl Lag {
    /// Whether a graph that was made from some pages may lack some.
    fn admits(self, covered: u64, behind: u64) -> bool {
        covered >= self.pages_min && behind <= covered / self.share.max(1)
    }
}

/// The graph of a collection if it is behind its documents, and may be.
pub fn left_behind(
    collection: &Collection,
    documents: &DocumentStore,
    lag: Lag,
) -> Result<Option<GraphSummary>, Error> {
    let started = Instant::now();
    // What cannot be opened or is of another kind is made anew by who makes graphs, and told.
    let Ok(folder) = open_graph(collection) else { return Ok(None) };
    let Some(stamp) = Stamp::of(&folder) else { return Ok(None) };
    let covered = Covered::of(collection, stamp.table_bytes);
    let covers = documents.keys().take_while(|key| *key < covered.end()).count() as u64;
    let behind = documents.len() - covers;
    let is_behind = stamp.table_bytes < documents.covered();
    let is_sound = || {
        ranks::settings_of(collection, &folder).is_some() && check_offsets(collection.dir(), &folder).is_ok()
    };
    let stays =
        is_behind && lag.admits(covers, behind) && is_up_to_date(collection, &folder, covered)? && is_sound();
    if !stays {
        return Ok(None);
    }
    graph::remove_leftovers(&graph_dir(collection.dir()))?;
    Ok(Some(GraphSummary::of(folder.manifest(), false, behind, started)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_graph_may_lack_one_page_in_so_many_and_a_small_one_none() {
        let lag = Lag { pages_min: 100, share: 16 };
        for (covered, behind, expected) in [
            (99, 1, false),
            (100, 0, true),
            (100, 6, true),
            (100, 7, false),
            (1600, 100, true),
            (1600, 101, false),
        ] {
            assert_eq!(lag.admits(covered, behind), expected, "{behind} behind {covered}");
        }
    }
}
