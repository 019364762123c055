//! Graphs in BV format: what others publish is read and written, and damage is told.

use std::fs;
use std::path::Path;

use graph::{BvGraph, BvOptions, Csr, Error, LinkGraph, write_bv};
use proptest::prelude::*;

use crate::data::shared;

fn extended(basename: &Path, extension: &str) -> std::path::PathBuf {
    basename.with_extension(extension)
}

/// Whether two files are the same but for some zeros at the end.
fn same_up_to_padding(one: &Path, other: &Path, padding_max: usize) -> bool {
    let (one, other) = (fs::read(one).unwrap(), fs::read(other).unwrap());
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let (same, padding) = long.split_at(short.len());
    same == short && padding.len() <= padding_max && padding.iter().all(|byte| *byte == 0)
}

#[test]
fn a_published_graph_is_read_and_written_byte_for_byte() {
    let Some(folder) = shared("graphs/cnr-2000") else { return };
    let scratch = tempfile::tempdir().unwrap();
    let graph = BvGraph::open(&folder.join("cnr-2000")).unwrap();
    assert_eq!((graph.nodes(), graph.arcs(), graph.bits()), (325_557, 3_216_152, 9_318_741));

    let copy = scratch.path().join("copy");
    let report = write_bv(&graph, &copy, &BvOptions::standard()).unwrap();
    assert_eq!(report.bits, 9_318_741);
    assert!(same_up_to_padding(&extended(&copy, "graph"), &folder.join("cnr-2000.graph"), 0));
    assert!(same_up_to_padding(&extended(&copy, "offsets"), &folder.join("cnr-2000.offsets"), 8));

    let transposed = Csr::from_graph(&graph).transpose();
    let published = BvGraph::open(&folder.join("cnr-2000-t")).unwrap();
    assert_eq!(Csr::from_graph(&published), transposed);
    write_bv(&transposed, &copy, &BvOptions::standard()).unwrap();
    assert!(same_up_to_padding(&extended(&copy, "graph"), &folder.join("cnr-2000-t.graph"), 8));
}

#[test]
fn an_optimised_graph_is_smaller_and_the_same() {
    let Some(folder) = shared("graphs/cnr-2000") else { return };
    let scratch = tempfile::tempdir().unwrap();
    let graph = BvGraph::open(&folder.join("cnr-2000")).unwrap();
    let basename = scratch.path().join("small");
    let report = write_bv(&graph, &basename, &BvOptions::optimised()).unwrap();
    assert!(report.bits_per_link() <= 2.80, "{} bits per link", report.bits_per_link());
    let small = BvGraph::open_sealed(&basename).unwrap();
    assert!(Csr::from_graph(&small) == Csr::from_graph(&graph));
}

#[test]
fn every_list_can_be_read_by_itself() {
    let Some(folder) = shared("graphs/cnr-2000") else { return };
    let graph = BvGraph::open(&folder.join("cnr-2000")).unwrap();
    let plain = Csr::from_graph(&graph);
    let mut targets = Vec::new();
    for node in (0..graph.nodes() as u32).rev() {
        graph.successors(node, &mut targets);
        assert_eq!(targets, plain.targets(node));
        assert_eq!(graph.outdegree(node), targets.len());
    }
    graph.scan(1000..1100, &mut |node, targets| assert_eq!(targets, plain.targets(node)));
}

#[test]
fn with_only_every_jth_start_every_list_is_the_same() {
    let arcs = (0..6000u64).map(|arc| ((arc * arc % 400) as u32, (arc * 2_654_435_761 % 401) as u32));
    // Every other list is similar, so that most copy from two back.
    let rows = (0..400u32).flat_map(|node| {
        let first = node / 10 * 10 + node % 2 * 50;
        (first..first + 30).map(move |near| (node, near % 400))
    });
    let plain = Csr::from_arcs(401, arcs.chain(rows));
    let scratch = tempfile::tempdir().unwrap();
    let basename = scratch.path().join("some");
    for options in [BvOptions::standard(), BvOptions::optimised()] {
        write_bv(&plain, &basename, &options).unwrap();
        let all = BvGraph::open(&basename).unwrap();
        for jump in [1, 2, 7, 64, 1000].map(|jump| std::num::NonZeroUsize::new(jump).unwrap()) {
            let graph = all.clone().with_jump(jump);
            assert_eq!(Csr::from_graph(&graph), plain, "{jump}");
            let mut targets = Vec::new();
            for node in (0..401).rev() {
                graph.successors(node, &mut targets);
                assert_eq!(targets, plain.targets(node), "{jump}, node {node}");
                assert_eq!(graph.outdegree(node), targets.len());
            }
            for start in 0..400 {
                graph.scan(start..start + 2, &mut |node, targets| assert_eq!(targets, plain.targets(node)));
            }
            assert_eq!(graph.bits(), all.bits());
            assert!(jump.get() < 64 || graph.starts_bytes() < all.starts_bytes(), "{jump}");
            graph.check_offsets(&extended(&basename, "offsets")).unwrap();
        }
    }
}

fn options() -> impl Strategy<Value = BvOptions> {
    let numbers = (
        0usize..9,
        0usize..4,
        prop_oneof![Just(0usize), 2usize..6],
        any::<bool>(),
        any::<bool>(),
        1usize..60,
    );
    numbers.prop_map(
        |(window, reference_chain_max, min_interval, use_pi_codes, plan_references, stretch_arcs)| {
            BvOptions {
                window,
                reference_chain_max,
                min_interval,
                use_pi_codes,
                plan_references,
                stretch_arcs,
            }
        },
    )
}

/// Graphs with lists that are alike, long runs, and empty lists.
fn arcs() -> impl Strategy<Value = Vec<(u32, u32)>> {
    let runs = (0u32..50, 0u32..50, 1u32..12, 1u32..4);
    prop::collection::vec(runs, 0..40).prop_map(|runs| {
        let arcs = runs.into_iter().flat_map(|(source, start, length, step)| {
            (0..length).map(move |place| (source, (start + place * step) % 50))
        });
        arcs.collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read_with_any_options(arcs in arcs(), options in options()) {
        let scratch = tempfile::tempdir().unwrap();
        let basename = scratch.path().join("graph");
        let plain = Csr::from_arcs(50, arcs);
        write_bv(&plain, &basename, &options).unwrap();
        for graph in [BvGraph::open_sealed(&basename).unwrap(), {
            fs::remove_file(extended(&basename, "starts")).unwrap();
            BvGraph::open(&basename).unwrap()
        }] {
            prop_assert_eq!(&Csr::from_graph(&graph), &plain);
            let mut targets = Vec::new();
            for node in 0..50 {
                graph.successors(node, &mut targets);
                prop_assert_eq!(&targets, plain.targets(node));
                graph.scan(node..50, &mut |node, targets| assert_eq!(targets, plain.targets(node)));
            }
        }
    }

    #[test]
    fn damage_is_an_error_that_names_the_file_or_harmless(
        arcs in arcs(), options in options(), which in 0usize..3, place in any::<prop::sample::Index>(), flip in 1u8.., cut in any::<bool>(),
    ) {
        let scratch = tempfile::tempdir().unwrap();
        let basename = scratch.path().join("graph");
        write_bv(&Csr::from_arcs(50, arcs), &basename, &options).unwrap();
        let path = extended(&basename, ["graph", "properties", "starts"][which]);
        let mut bytes = fs::read(&path).unwrap();
        let place = place.index(bytes.len());
        if cut { bytes.truncate(place) } else { bytes[place] ^= flip }
        fs::write(&path, &bytes).unwrap();
        // A sealed graph is exactly what was written, or refused.
        let error = BvGraph::open_sealed(&basename).unwrap_err();
        prop_assert!(error.to_string().contains("graph."), "{}", error);
        // An unknown one is read if all of its lists make sense.
        match BvGraph::open(&basename) {
            Ok(graph) => { Csr::from_graph(&graph); }
            Err(error) => prop_assert!(error.hint().is_some() || matches!(error, Error::TooMany { .. }), "{}", error),
        }
    }
}

#[test]
fn files_that_are_missing_or_of_others_are_named() {
    let scratch = tempfile::tempdir().unwrap();
    let basename = scratch.path().join("x");
    let error = BvGraph::open(&basename).unwrap_err();
    assert!(error.to_string().contains("x.properties"), "{error}");
    fs::write(extended(&basename, "properties"), "a letter").unwrap();
    assert!(matches!(BvGraph::open(&basename), Err(Error::Foreign { .. })));
    write_bv(&Csr::from_arcs(0, []), &basename, &BvOptions::standard()).unwrap();
    assert_eq!(BvGraph::open(&basename).unwrap().nodes(), 0);
    fs::remove_file(extended(&basename, "graph")).unwrap();
    assert!(BvGraph::open(&basename).unwrap_err().to_string().contains("x.graph"));
}
