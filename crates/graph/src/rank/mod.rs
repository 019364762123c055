//! Who matters, judged by links.

mod memory;
mod pagerank;
mod relaxation;

pub use memory::{RankMemory, RankMode};
pub use pagerank::{DeadEnds, PageRank, PageRanks};
