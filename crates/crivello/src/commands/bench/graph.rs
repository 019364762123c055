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
use clap::Args;

use super::dedup::data_folder;
use super::{Report, machine};
use crate::commands::Context;
use crate::output::hinted;

/// Compression, building, ranks and distances.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct GraphBenchArgs {
    /// The folder of real collections, with graphs/cnr-2000 [default: CRIVELLO_DATA or ../shared/data]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// A Python in which igraph and networkit are installed
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    pub python: String,
    /// The program that `cargo build --release -p graph --example webgraph_algo` makes [default: where cargo puts it]
    #[arg(long, value_name = "PROGRAM")]
    pub webgraph_algo: Option<PathBuf>,
    /// Measure the addresses and the words of links of this collection, too (may be repeated)
    #[arg(long, value_name = "DIR")]
    pub collection: Vec<PathBuf>,
    /// Addresses that are made up and looked up, in thousands; 0 leaves it out
    #[arg(long, value_name = "N", default_value_t = 2500)]
    pub addresses: u64,
    /// Raw arcs that are sorted and compressed, in millions; 0 leaves it out
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub arcs: u64,
    /// For internal use: builds so many million arcs and prints what it took
    #[arg(long, hide = true)]
    pub build_only: bool,
    /// For internal use: the arcs of --build-only are pairs of addresses in a file
    #[arg(long, hide = true)]
    pub named: bool,
}

const EXAMPLES: &str = "\
Examples:
  crivello bench graph";

/// Measures everything.
pub fn run(context: Context, args: &GraphBenchArgs) -> anyhow::Result<Report> {
    let machine = machine();
    if args.build_only {
        return Ok(Report { machine, rows: building::measure(args.arcs, args.named)? });
    }
    let basename = data_folder(args.data.as_deref()).join("graphs/cnr-2000/cnr-2000");
    let graph = BvGraph::open(&basename)
        .map_err(|error| hinted(error.to_string(), "give the folder of real collections with --data"))?;
    let scratch = tempfile::tempdir()?;
    context.showing.say("sizes and access");
    let mut rows = sizes::rows(&graph, &basename, scratch.path())?;
    context.showing.say("ranks and distances");
    rows.extend(ranks::rows(&graph, &basename, &args.python)?);
    let algo = args.webgraph_algo.clone().unwrap_or_else(webgraph_algo::default_program);
    rows.extend(webgraph_algo::rows(&graph, &algo, scratch.path())?);
    if args.addresses > 0 {
        context.showing.say("look-ups of made addresses");
        rows.extend(addresses::made_rows(args.addresses * 1000)?);
    }
    for collection in &args.collection {
        context.showing.say("addresses and words of links");
        rows.extend(addresses::rows(collection)?);
    }
    if args.arcs > 0 {
        context.showing.say("from raw arcs to a graph");
        rows.extend(building::rows(args.arcs)?);
    }
    Ok(Report { machine, rows })
}
