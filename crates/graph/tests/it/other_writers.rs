//! Graphs that WebGraph itself writes, with parameters that nobody here uses.

use dsi_bitstream::prelude::{BE, Codes, LE};
use graph::{BvGraph, Csr, Error, LinkGraph};
use webgraph::prelude::{BvComp, CompFlags, VecGraph};

/// Lists that are alike, with runs and a few wild targets; some are empty.
fn arcs() -> Vec<(usize, usize)> {
    let list = |node: usize| {
        let near = (0..node % 9).map(move |place| (node / 5 * 3 + place * (1 + node % 2)) % 400);
        let far = (0..node % 3).map(move |place| node * node * (place + 7) % 400);
        near.chain(far).map(move |target| (node, target))
    };
    (0..400).flat_map(list).chain([(399, 0), (0, 399)]).collect()
}

#[test]
fn graphs_with_any_codes_windows_and_chains_are_read() {
    let plain = Csr::from_arcs(400, arcs().into_iter().map(|(from, to)| (from as u32, to as u32)));
    let standard = CompFlags::default();
    let rows = [
        standard,
        CompFlags { outdegrees: Codes::Delta, blocks: Codes::Delta, intervals: Codes::Delta, ..standard },
        CompFlags { references: Codes::Gamma, blocks: Codes::Unary, residuals: Codes::Gamma, ..standard },
        CompFlags { references: Codes::Delta, residuals: Codes::Delta, ..standard },
        CompFlags { residuals: Codes::Zeta(5), outdegrees: Codes::Zeta(5), ..standard },
        CompFlags {
            residuals: Codes::Pi(3),
            intervals: Codes::Zeta(2),
            outdegrees: Codes::Pi(1),
            ..standard
        },
        CompFlags { compression_window: 0, max_ref_count: 0, ..standard },
        CompFlags { compression_window: 70, max_ref_count: 1000, ..standard },
        CompFlags { compression_window: 1, min_interval_length: 0, ..standard },
        CompFlags { min_interval_length: 2, ..standard },
    ];
    let scratch = tempfile::tempdir().unwrap();
    for (row, flags) in rows.into_iter().enumerate() {
        let basename = scratch.path().join(row.to_string());
        let written = VecGraph::from_arcs(arcs());
        BvComp::with_basename(&basename).comp_flags(flags).comp_graph::<BE>(&written).unwrap();
        let graph = BvGraph::open(&basename).unwrap();
        assert_eq!(Csr::from_graph(&graph), plain, "{flags:?}");
        let mut targets = Vec::new();
        for node in (0..400).rev() {
            graph.successors(node, &mut targets);
            assert_eq!(targets, plain.targets(node), "{flags:?}");
        }
    }
}

#[test]
fn what_cannot_be_read_of_webgraph_is_refused_by_name() {
    let scratch = tempfile::tempdir().unwrap();
    let written = VecGraph::from_arcs(arcs());
    let omega = CompFlags { residuals: Codes::Omega, ..CompFlags::default() };
    let (little, other) = (scratch.path().join("little"), scratch.path().join("omega"));
    BvComp::with_basename(&little).comp_graph::<LE>(&written).unwrap();
    BvComp::with_basename(&other).comp_flags(omega).comp_graph::<BE>(&written).unwrap();
    for (basename, word) in [(little, "big-endian"), (other, "OMEGA")] {
        let error = BvGraph::open(&basename).unwrap_err();
        assert!(matches!(error, Error::Unsupported { .. }) && error.to_string().contains(word), "{error}");
        assert!(error.hint().is_some());
    }
}

#[test]
fn a_small_file_cannot_claim_many_nodes_or_arcs() {
    let scratch = tempfile::tempdir().unwrap();
    let basename = scratch.path().join("graph");
    BvComp::with_basename(&basename).comp_graph::<BE>(&VecGraph::from_arcs(arcs())).unwrap();
    let properties = std::fs::read_to_string(basename.with_extension("properties")).unwrap();
    let arcs = format!("arcs={}", BvGraph::open(&basename).unwrap().arcs());
    for (from, to) in [
        ("nodes=400", "nodes=4294967295"),
        ("nodes=400", "nodes=4294967296"),
        ("nodes=400", "nodes=3000"),
        ("nodes=400", "nodes=399"),
        (&arcs, "arcs=160000"),
        (&arcs, "arcs=18446744073709551615"),
        ("windowsize=7", "windowsize=4000000000"),
    ] {
        std::fs::write(basename.with_extension("properties"), properties.replace(from, to)).unwrap();
        // A larger window than there is need for changes nothing.
        let opened = BvGraph::open(&basename);
        assert_eq!(opened.is_ok(), from.starts_with("window"), "{to}: {:?}", opened.err());
    }
}
