//! webgraph-algo: PageRank and HyperBall.

use std::error::Error;
use std::path::Path;

use dsi_bitstream::prelude::BE;
use dsi_progress_logger::no_logging;
use rand::SeedableRng as _;
use rand::rngs::SmallRng;
use webgraph::graphs::bvgraph::{parse_properties, store_ef_with_data};
use webgraph::prelude::{BvGraph, RandomAccessGraph, SequentialLabeling};
use webgraph_algo::distances::hyperball::HyperBallBuilder;
use webgraph_algo::rank::PageRank;
use webgraph_algo::rank::preds::L1Norm;

use crate::clock::process_seconds;

/// CPU seconds of PageRank to 10⁻⁶ and of HyperBall with 64 registers of 8 bits, the best of three, with one thread. Both
/// names are basenames, in a folder where the library may add its own files.
pub fn webgraph_algo(graph: &Path, transpose: &Path) -> Result<[f64; 2], String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| error.to_string())?;
    pool.install(|| measure(graph, transpose).map_err(|error| format!("it failed: {error}")))
}

fn measure(graph: &Path, transpose: &Path) -> Result<[f64; 2], Box<dyn Error>> {
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
    Ok([pagerank, hyperball])
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
        let before = process_seconds();
        work()?;
        best = best.min(process_seconds() - before);
    }
    Ok(best)
}
