//! The steps of chapter 10 of the notes as sizes: what each idea of the compression is worth on a graph.

use crate::bv::size_in_bits;
use crate::copy_list;
use crate::{BvOptions, EfGraph, LinkGraph};

/// A way to keep a graph, and its size.
#[derive(Debug, Clone, PartialEq)]
pub struct CompressionStep {
    /// What was added to the step before.
    pub name: &'static str,
    /// The bits of all lists, without what finds a list.
    pub bits_per_link: f64,
}

/// Compresses a graph step by step. Takes as long as writing it six times.
pub fn compression_steps(graph: &dyn LinkGraph) -> Vec<CompressionStep> {
    let arcs = graph.arcs().max(1) as f64;
    let standard = BvOptions::standard();
    let gaps = BvOptions { window: 0, min_interval: 0, ..standard.clone() };
    let bv = |options: &BvOptions| size_in_bits(graph, options) as f64;
    let sizes = [
        ("naive lists, 64 bits a number", 64.0 * (arcs + graph.nodes() as f64)),
        ("naive lists, 32 bits a number", 32.0 * (arcs + graph.nodes() as f64)),
        ("Elias–Fano lists", EfGraph::from_graph(graph).bits() as f64),
        ("gaps", bv(&gaps)),
        ("gaps and intervals", bv(&BvOptions { window: 0, ..standard.clone() })),
        ("gaps and references, by plain copy lists", copy_list::size_in_bits(graph, &standard) as f64),
        ("gaps and references, by copy blocks", bv(&BvOptions { min_interval: 0, ..standard.clone() })),
        ("gaps, references and intervals (BV)", bv(&standard)),
        ("BV, optimised", bv(&BvOptions::optimised())),
    ];
    sizes.into_iter().map(|(name, bits)| CompressionStep { name, bits_per_link: bits / arcs }).collect()
}
