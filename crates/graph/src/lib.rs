//! Who links to whom, and who matters?
//!
//! ```
//! use graph::{Csr, LinkGraph};
//! let graph = Csr::from_arcs(3, [(0, 2), (0, 1), (2, 0), (0, 1)]);
//! assert_eq!((graph.nodes(), graph.arcs()), (3, 3));
//! assert_eq!(graph.targets(0), [1, 2]);
//! ```
#![forbid(unsafe_code)]

mod addresses;
mod bit_buffer;
mod build;
mod bv;
mod component;
mod copy_list;
mod csr;
mod distance;
mod ef_graph;
mod elias_fano;
mod error;
mod exchange;
mod filtered;
mod flag_filter;
mod folder;
mod from_arcs;
mod labels;
mod link_flags;
mod link_graph;
mod rank;
mod sealed;
mod sort;
mod steps;
mod watcher;
mod weighted;
mod weighted_csr;

pub use addresses::{AddressList, address_of, key_of, reversed};
pub use build::{BuildOptions, GraphBuilder, LinkRecord};
pub use bv::{BvGraph, BvOptions, BvReport, BvWriter, write_bv};
pub use component::{BowTie, BowTiePart, Components};
pub use copy_list::CopyList;
pub use csr::Csr;
pub use distance::{
    DistanceErrors, Distances, EXACT_NODES_MAX, HyperBall, Neighbourhood, RegisterForm, exact_distances,
    shortest_path,
};
pub use ef_graph::EfGraph;
pub use error::Error;
pub use exchange::{ImportReport, export_arcs, export_graphml, import_arcs};
pub use filtered::{Filtered, KeepArcs};
pub use flag_filter::FlagFilter;
pub use folder::{GraphFolder, LabelledArc, Manifest, SCRATCH_LOCK, SCRATCH_PREFIX, remove_leftovers};
pub use from_arcs::{write_bv_from_arcs, write_transpose};
pub use link_flags::{ArcFilter, LinkFlags};
pub use link_graph::LinkGraph;
pub use rank::{
    ABOUT_BYTES_MAX, DeadEnds, Hits, HubsAndAuthorities, PageRank, PageRanks, RankArray, RankMemory,
    RankMode, in_degrees,
};
pub use sealed::{FORMAT_VERSION, GRAPH_FORMAT, check_sealed};
pub use sort::{ArcSorter, SortedArcs};
pub use steps::{CompressionStep, compression_steps};
pub use watcher::Watcher;
pub use weighted::WeightedGraph;
pub use weighted_csr::WeightedCsr;
