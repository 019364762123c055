//! Who links to whom, and who matters?
//!
//! ```text
//!  pages, links, redirects ──► build ──► folder: graph.*, transpose.* (bv)   who links to whom, in 2 to 3 bits a link
//!  as GraphBuilder is given     │                addresses, aliases          which address is which node, and back
//!  them, in any order           │                labels, anchors             what is known of a link, and its words
//!                               │                hosts, domains (weighted)   how many links there are between them
//!  arcs of others ──► exchange  └─ sort          what does not fit into memory is sorted on disk
//!                                      │
//!                LinkGraph: any of these forms, or Csr in memory, seen through a filter (filtered, flag_filter)
//!                                      │
//!      rank: PageRank, HITS, in-degree │ distance: HyperBall, exact, paths │ component: SCC, bow tie
//! ```
//!
//! Where to begin: [`GraphBuilder`] and [`GraphFolder`] for the graph of a collection, [`LinkGraph`] for what algorithms
//! need of any graph, [`BvGraph`] for the compressed form, [`AddressList`] for addresses, [`PageRank`] and [`HyperBall`] for
//! who matters. Below them lie plain parts that know nothing of links: `bit_buffer`, `elias_fano`, `sealed`.
//!
//! | module | the idea | after |
//! |---|---|---|
//! | `bv` | a list copies from one before it; what is left is intervals and gaps | Boldi, Vigna (2004) |
//! | `ef_graph` | lists in Elias–Fano, which say at once whether there is an arc | Vigna (2013) |
//! | `addresses` | front coding, and a monotone minimal perfect hash function from static functions | Belazzougui and others (2009) |
//! | `labels` | the words of a link are those that its target is mostly called by | |
//! | `rank` | Gauss–Seidel or power iteration, with a bound of the error | Gleich, Gray, Greif, Lau (2010) |
//! | `distance` | a HyperLogLog counter for each node, grown along the arcs | Boldi, Rosa, Vigna (2011) |
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
pub use distance::{
    DistanceErrors, Distances, EXACT_NODES_MAX, HyperBall, Neighbourhood, RegisterForm, exact_distances,
    shortest_path,
};
pub use ef_graph::EfGraph;
pub use error::Error;
pub use exchange::{ForeignGraph, ImportReport, NodeNames, export_arcs, export_graphml, import_arcs};
pub use filtered::{Filtered, KeepArcs};
pub use flag_filter::FlagFilter;
pub use folder::{GraphFolder, LabelledArc, Manifest, SCRATCH_LOCK, SCRATCH_PREFIX, remove_leftovers};
pub use from_arcs::{write_bv_from_arcs, write_transpose};
pub use labels::WordReader;
pub use link_flags::{ArcFilter, LinkFlags};
pub use link_graph::{Csr, LinkGraph};
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
