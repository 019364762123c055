//! Who links to whom, and who matters?
//!
//! ```
//! use graph::{Csr, LinkGraph};
//! let graph = Csr::from_arcs(3, [(0, 2), (0, 1), (2, 0), (0, 1)]);
//! assert_eq!((graph.nodes(), graph.arcs()), (3, 3));
//! assert_eq!(graph.targets(0), [1, 2]);
//! ```
#![forbid(unsafe_code)]

mod component;
mod csr;
mod distance;
mod filtered;
mod link_graph;
mod rank;
mod watcher;
mod weighted_csr;

pub use component::{BowTie, BowTiePart, Components};
pub use csr::Csr;
pub use distance::{
    DistanceErrors, Distances, EXACT_NODES_MAX, HyperBall, Neighbourhood, RegisterForm, exact_distances,
    shortest_path,
};
pub use filtered::{ArcFilter, Filtered};
pub use link_graph::LinkGraph;
pub use rank::{DeadEnds, Hits, HubsAndAuthorities, PageRank, PageRanks, RankMemory, RankMode, in_degrees};
pub use watcher::Watcher;
pub use weighted_csr::WeightedCsr;
