//! Lists of arcs as users have them, against what they mean.

use std::io::Write;

use super::super::export_arcs;
use super::*;
use crate::{BvGraph, Csr, LinkGraph};
use flate2::Compression;
use flate2::write::GzEncoder;

fn import(bytes: &[u8]) -> Result<(ImportReport, Csr), Error> {
    let scratch = tempfile::tempdir().unwrap();
    let (arcs, basename) = (scratch.path().join("arcs.tsv"), scratch.path().join("graph"));
    std::fs::write(&arcs, bytes).unwrap();
    let report = import_arcs(&arcs, &basename, &BvOptions::standard(), 0)?;
    Ok((report, Csr::from_graph(&BvGraph::open(&basename)?)))
}

fn zipped(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn numbers_stay_and_names_are_sorted() {
    type Row<'a> = (&'a str, usize, Option<&'a [&'a str]>, &'a [(u32, u32)], bool, u64);
    // Text; nodes; names; arcs; whether there is a header; how many arcs have more columns.
    let rows: [Row; 21] = [
        ("", 0, None, &[], false, 0),
        ("# nothing\n% nor here\n\n", 0, None, &[], false, 0),
        ("0 0", 1, None, &[(0, 0)], false, 0),
        ("# comment\n1\t3\n\n3 1 7\n1\t3\n", 4, None, &[(1, 3), (3, 1)], false, 1),
        ("2 0\r\n0 1 \r\n\r\n  1\t2\t\r\n", 3, None, &[(0, 1), (1, 2), (2, 0)], false, 0),
        ("\u{feff}0 1\n", 2, None, &[(0, 1)], false, 0),
        ("007 +2\n", 8, None, &[(7, 2)], false, 0),
        ("0,1\n1, 2\n2;0\n", 3, None, &[(0, 1), (1, 2), (2, 0)], false, 0),
        ("b\ta\na\t5\n", 3, Some(&["5", "a", "b"]), &[(2, 1), (1, 0)], false, 0),
        (
            "New York\tBoston\nBoston\tRome\n",
            3,
            Some(&["Boston", "New York", "Rome"]),
            &[(1, 0), (0, 2)],
            false,
            0,
        ),
        ("Source,Target,Weight\n0,1,5\n1,0,5\n", 2, None, &[(0, 1), (1, 0)], true, 2),
        ("# ids\nfrom to\n4000000000 7\n", 2, Some(&["7", "4000000000"]), &[(1, 0)], true, 0),
        ("source target\n", 0, None, &[], true, 0),
        ("Src\tDst\nb\ta\n", 2, Some(&["a", "b"]), &[(1, 0)], true, 0),
        ("sources targets\n", 2, Some(&["sources", "targets"]), &[(0, 1)], false, 0),
        ("a b\na 1\n", 3, Some(&["1", "a", "b"]), &[(1, 0), (1, 2)], false, 0),
        ("10 9\n-1 10\n-01 +10\n", 3, Some(&["-1", "9", "10"]), &[(0, 2), (2, 1)], false, 0),
        ("-0 -1\n00 0\n", 2, Some(&["-1", "0"]), &[(1, 0), (1, 1)], false, 0),
        ("4294967295 1\n", 2, Some(&["1", "4294967295"]), &[(1, 0)], false, 0),
        ("18446744073709551616 20\n", 2, Some(&["20", "18446744073709551616"]), &[(1, 0)], false, 0),
        ("1.0 2.0\n", 2, Some(&["1.0", "2.0"]), &[(0, 1)], false, 0),
    ];
    for (text, nodes, names, arcs, has_header, arcs_with_more) in rows {
        for bytes in [text.as_bytes().to_vec(), zipped(text)] {
            let (report, graph) = import(&bytes).unwrap();
            assert_eq!(graph, Csr::from_arcs(nodes, arcs.iter().copied()), "{text}");
            let names = names.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
            assert_eq!(report.names, names, "{text}");
            assert_eq!((report.has_header, report.arcs_with_more), (has_header, arcs_with_more), "{text}");
            let mut exported = Vec::new();
            export_arcs(&graph, &mut exported).unwrap();
            assert_eq!(import(&exported).unwrap().1.arcs(), graph.arcs());
        }
    }
}

#[test]
fn a_line_that_is_no_arc_is_named() {
    let long = format!("1 2\n3 {}\n", "4".repeat(2 << 20));
    let torn = zipped(&"12345 54321\n".repeat(1000));
    for (bytes, words) in [
        (b"1 2\n3\n".as_slice(), "line 2: an arc has two ends"),
        (b"1 2\n3,\n", "line 2"),
        (b"\xff\xfe\x00 \x01\n", "not text"),
        (b"%%MatrixMarket matrix coordinate\n3 3 2\n1 2\n", "sizes"),
        (long.as_bytes(), "line 2"),
        (&torn[..torn.len() / 2], "arcs.tsv"),
    ] {
        let error = import(bytes).unwrap_err();
        assert!(error.to_string().contains(words), "{words}: {error}");
        assert_eq!(error.hint().is_some(), matches!(error, Error::Line { .. }), "{error}");
    }
}
