//! How long does `webgraph-algo` take? The peer of `crivello bench graph`, which looks for this program beside itself:
//! `cargo build --release -p graph --example webgraph_algo`.
//!
//! Given the basenames of a graph and of its transpose, in a folder where the library may add its own files, it prints the
//! CPU seconds of PageRank to 10⁻⁶ and of HyperBall with 64 registers of 8 bits, the best of three.

use std::error::Error;
use std::path::{Path, PathBuf};

use dsi_bitstream::prelude::BE;
use dsi_progress_logger::no_logging;
use rand::SeedableRng as _;
use rand::rngs::SmallRng;
use webgraph::graphs::bvgraph::{parse_properties, store_ef_with_data};
use webgraph::prelude::{BvGraph, RandomAccessGraph, SequentialLabeling};
use webgraph_algo::distances::hyperball::HyperBallBuilder;
use webgraph_algo::rank::PageRank;
use webgraph_algo::rank::preds::L1Norm;

fn main() -> Result<(), Box<dyn Error>> {
    let basenames: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    let [graph, transpose] = &basenames[..] else {
        return Err("give the basenames of a graph and of its transpose".into());
    };
    let (graph, transpose) = (open(graph)?, open(transpose)?);
    let pagerank = best(|| {
        let mut rank = PageRank::new(&transpose);
        rank.alpha(0.85).run(L1Norm::try_from(1e-6)?);
        Ok(())
    })?;
    let degrees = transpose.build_dcf();
    // Without weights the library ignores the seed.
    let ones = vec![1usize; transpose.num_nodes()];
    let hyperball = best(|| {
        let builder =
            HyperBallBuilder::with_hyper_log_log8(&transpose, Some(&graph), &degrees, 6, Some(&ones))?;
        let mut balls = builder.sum_of_inverse_distances(true).sum_of_distances(true).build(no_logging![]);
        balls.run_until_done(SmallRng::seed_from_u64(42), no_logging![])?;
        Ok(())
    })?;
    println!("{pagerank} {hyperball}");
    Ok(())
}

fn open(basename: &Path) -> Result<impl RandomAccessGraph + Sync + use<>, Box<dyn Error>> {
    let with = |extension| basename.with_extension(extension);
    let (nodes, ..) = parse_properties::<BE>(with("properties"))?;
    store_ef_with_data(nodes, with("graph"), with("offsets"), with("ef"), no_logging![])?;
    Ok(BvGraph::with_basename(basename).endianness::<BE>().load()?)
}

/// The least CPU time of three.
fn best(mut work: impl FnMut() -> Result<(), Box<dyn Error>>) -> Result<f64, Box<dyn Error>> {
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let before = cpu_seconds()?;
        work()?;
        best = best.min(cpu_seconds()? - before);
    }
    Ok(best)
}

/// The CPU time of all threads so far, in hundredths of a second (Linux).
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = stat.rsplit_once(')').ok_or("the kernel counts")?;
    let ticks: Result<Vec<u64>, _> =
        fields.split_ascii_whitespace().skip(11).take(2).map(str::parse).collect();
    Ok(ticks?.iter().sum::<u64>() as f64 / 100.0)
}
