//! Who matters, judged by links.

mod hits;
mod in_degree;
mod memory;
mod pagerank;
mod rank_array;
mod relaxation;

pub use hits::{Hits, HubsAndAuthorities};
pub use in_degree::in_degrees;
pub use memory::{RankMemory, RankMode};
pub use pagerank::{DeadEnds, PageRank, PageRanks};
pub use rank_array::{ABOUT_BYTES_MAX, RankArray};
