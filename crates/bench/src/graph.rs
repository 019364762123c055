//! The graph: how small, how fast, how exact?
//!
//! On cnr-2000, a real crawl whose compressed form, ranks and distances are published or were computed by other programs.
//! One thread and CPU time, the best of some rounds. The claims: byte for byte the published graph, and smaller on request;
//! PageRank at least three times as fast as NetworKit and igraph at the error that they have; HyperBall within two percent, and 2.5 times as fast as
//! webgraph-algo; 130 ns from a raw arc, a pair of numbers or of addresses, to the compressed graph, within the budget of
//! memory and 64 MiB. Look-ups of addresses are measured on so many that they do not fit into a cache. What addresses and
//! words of links take is measured on collections that are given: no made-up ones would do. One should be of many small
//! sites, which are as the web is, and not only of one large manual, which is kind.

mod addresses;
mod building;
mod ranks;
mod sizes;
mod webgraph_algo;

use std::path::PathBuf;

use ::graph::BvGraph;

pub use self::building::GraphBuilding;
use crate::{Error, Row, Surroundings, Yardstick};

/// Compression, building, ranks and distances.
#[derive(Debug)]
pub struct GraphBench {
    /// The folder of real collections, with graphs/cnr-2000.
    pub data: PathBuf,
    /// A Python in which igraph and networkit are installed.
    pub python: String,
    /// Collections whose addresses and words of links are measured.
    pub collections: Vec<PathBuf>,
    /// Addresses that are made up and looked up; 0 leaves it out.
    pub addresses: u64,
    /// Raw arcs that are sorted and compressed, in millions; 0 leaves it out.
    pub million_arcs: u64,
}

impl Yardstick for GraphBench {
    fn measure(&self, surroundings: &Surroundings<'_>) -> Result<Vec<Row>, Error> {
        let basename = self.data.join("graphs/cnr-2000/cnr-2000");
        let graph = BvGraph::open(&basename).map_err(Error::NoGraph)?;
        let scratch = tempfile::tempdir()?;
        surroundings.say("sizes and access");
        let mut rows = sizes::rows(&graph, &basename, scratch.path())?;
        surroundings.say("ranks and distances");
        rows.extend(ranks::rows(&graph, &basename, &self.python));
        rows.extend(webgraph_algo::rows(&graph, scratch.path()));
        if self.addresses > 0 {
            surroundings.say("look-ups of made addresses");
            rows.extend(addresses::made_rows(self.addresses)?);
        }
        for collection in &self.collections {
            surroundings.say("addresses and words of links");
            rows.extend(addresses::rows(collection)?);
        }
        if self.million_arcs > 0 {
            surroundings.say("from raw arcs to a graph");
            rows.extend(building::rows(self.million_arcs, surroundings.program)?);
        }
        Ok(rows)
    }
}
