//! Any bytes are a graph in BV format or an error, and a graph that was accepted can be read in every way.
#![no_main]

use graph::{BvGraph, Csr, EfGraph, LinkGraph};
use libfuzzer_sys::fuzz_target;

const FLAGS: [&str; 4] =
    ["", "RESIDUALS_PI2", "OUTDEGREES_DELTA|BLOCKS_DELTA", "INTERVALS_UNARY|RESIDUALS_ZETA5"];

fuzz_target!(|data: &[u8]| {
    let dir = tempfile::tempdir().unwrap();
    let basename = dir.path().join("graph");
    let (properties, bits) = match data {
        // Properties of any bytes, as far as the first zero.
        [0xff, rest @ ..] => {
            let end = rest.iter().position(|byte| *byte == 0).unwrap_or(rest.len());
            (rest[..end].to_vec(), &rest[end..])
        }
        [nodes, arcs, parameters, rest @ ..] => {
            let (window, interval) = (parameters & 7, parameters >> 3 & 7);
            let flags = FLAGS[usize::from(parameters >> 6)];
            let text = format!(
                "graphclass=it.unimi.dsi.webgraph.BVGraph\nnodes={nodes}\narcs={arcs}\nwindowsize={window}\n\
                 minintervallength={interval}\ncompressionflags={flags}\n"
            );
            (text.into_bytes(), rest)
        }
        _ => return,
    };
    std::fs::write(basename.with_extension("properties"), properties).unwrap();
    std::fs::write(basename.with_extension("graph"), bits).unwrap();
    std::fs::write(basename.with_extension("offsets"), bits).unwrap();
    let Ok(graph) = BvGraph::open(&basename) else { return };
    let _ = graph.check_offsets(&basename.with_extension("offsets"));
    let plain = Csr::from_graph(&graph);
    let mut targets = Vec::new();
    for node in 0..graph.nodes() as u32 {
        graph.successors(node, &mut targets);
        assert_eq!(targets, plain.targets(node));
    }
    assert_eq!(Csr::from_graph(&EfGraph::from_graph(&graph)), plain);
});
