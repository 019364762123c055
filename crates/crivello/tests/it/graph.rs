//! `crivello graph` on a crawl of the lab, on graphs with known truths, and on input that is wrong.

use std::io::Write;
use std::path::PathBuf;

use crate::command::{crivello, errors_of, skipped, succeeds, succeeds_with_json};

fn demo(dir: &std::path::Path) -> String {
    let collection = dir.join("demo.crivello");
    let keep = collection.to_str().unwrap().to_owned();
    succeeds(&[
        "demo", "--once", "--json", "--quiet", "--pages", "300", "--hosts", "6", "--delay", "1ms", "--keep",
        &keep,
    ]);
    keep
}

#[test]
fn the_graph_of_a_collection_can_be_looked_at_and_exported() {
    let scratch = tempfile::tempdir().unwrap();
    let dir = demo(scratch.path());
    let summary = succeeds_with_json(&["graph", &dir, "--json", "--quiet"]);
    let stats = succeeds_with_json(&["stats", &dir, "--json"]);
    assert_eq!(summary["up_to_date"], true, "the demo has built it");
    for key in ["nodes", "arcs"] {
        assert_eq!(summary[key], stats["graph"][key], "{key}");
    }
    assert_eq!(summary["nodes"], stats["pages"]);
    let report = std::fs::read_to_string(summary["report"].as_str().unwrap()).unwrap();
    assert!(report.starts_with("<!doctype html>") && !report.contains("<script"), "no script");
    assert!(report.matches("<svg").count() == 4 && !report.contains("NaN"));

    // Arcs that are exported are links that are shown, and the other way around.
    let arcs = succeeds(&["export", &dir, "arcs", "--nofollow"]);
    let (source, target) = arcs.lines().next().unwrap().split_once('\t').unwrap();
    assert!(succeeds(&["graph", &dir, "--links", source]).contains(target));
    assert!(succeeds(&["graph", &dir, "--backlinks", target]).contains(source));
    let path = succeeds_with_json(&["graph", &dir, "--path", source, target, "--json"]);
    assert_eq!((&path["hops"], &path["path"][1]), (&1.into(), &target.into()));

    let near = succeeds_with_json(&["graph", &dir, "--near", source, "--filter", "none", "--json"]);
    let near = near["near"].as_array().unwrap();
    assert!(
        !near.is_empty() && near.iter().all(|page| page["name"] != source),
        "what is near, and not itself"
    );

    // The exported graph is the same graph: other nodes' names, the same ranks.
    let basename = scratch.path().join("exported");
    let basename = basename.to_str().unwrap();
    succeeds(&["export", &dir, "graph", "-o", basename]);
    succeeds(&["graph", &dir, "--filter", "none", "--quiet"]);
    let by_address = succeeds(&["export", &dir, "ranks", "--quiet"]);
    let by_number = succeeds(&["graph", "--from", basename, "--ranks", "-", "--quiet"]);
    let addresses = std::fs::read_to_string(format!("{basename}.urls")).unwrap();
    for ((of_address, of_number), address) in by_address.lines().zip(by_number.lines()).zip(addresses.lines())
    {
        assert_eq!(of_address.split_once('\t').unwrap().0, address);
        assert_eq!(of_address.split_once('\t').unwrap().1, of_number.split_once('\t').unwrap().1);
    }
    assert!(succeeds(&["export", &dir, "hosts"]).contains("<graphml"));
    // Settings stay until others are given.
    assert!(
        succeeds_with_json(&["stats", &dir, "--json"])["graph"]["ranks"]
            .as_str()
            .unwrap()
            .contains("on all links")
    );
}

#[test]
fn what_a_killed_build_left_behind_is_removed_and_what_is_in_use_is_not() {
    let scratch = tempfile::tempdir().unwrap();
    let dir = demo(scratch.path());
    let graph = PathBuf::from(&dir).join("graph");
    let manifest: serde_json::Value =
        serde_json::from_slice(&std::fs::read(graph.join("manifest.json")).unwrap()).unwrap();
    let used = graph.join("scratch-used");
    std::fs::create_dir(&used).unwrap();
    let held = std::fs::File::create(used.join("lock")).unwrap();
    held.lock().unwrap();
    for command in ["build", "graph"] {
        let leftovers = ["building", "scratch-killed", "build-99"].map(|name| graph.join(name));
        for folder in &leftovers {
            std::fs::create_dir(folder).unwrap();
            std::fs::write(folder.join("links.tmp"), "some").unwrap();
        }
        std::fs::write(leftovers[1].join("lock"), "").unwrap();
        let before = succeeds_with_json(&["stats", &dir, "--json"]);
        succeeds(&[command, &dir, "--quiet"]);
        assert!(leftovers.iter().all(|folder| !folder.exists()), "{command}: {leftovers:?}");
        assert!(used.exists() && graph.join(manifest["build"].as_str().unwrap()).exists(), "{command}");
        assert_eq!(succeeds_with_json(&["stats", &dir, "--json"])["graph"], before["graph"]);
    }
}

#[test]
fn damage_that_only_other_tools_would_see_is_repaired_as_inspect_says() {
    let scratch = tempfile::tempdir().unwrap();
    let dir = demo(scratch.path());
    let mut build = PathBuf::from(&dir).join("graph/build-1");
    for (number, name) in [(2, "graph.offsets"), (3, "transpose.offsets")] {
        let path = build.join(name);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[9] ^= 4;
        std::fs::write(&path, bytes).unwrap();
        let inspect = || crivello().arg("inspect").arg(&path).output().unwrap();
        assert!(errors_of(&inspect()).contains("made again with `crivello build DIR`"));
        let said = errors_of(&crivello().args(["graph", &dir]).output().unwrap());
        assert!(said.contains(name) && said.contains("made anew"), "{said}");
        build.set_file_name(format!("build-{number}"));
        succeeds(&["inspect", build.join(name).to_str().unwrap()]);
    }
}

/// The folder of a graph with a truth, if the shared data is there.
fn data(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("CRIVELLO_DATA")
        .map(PathBuf::from)
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"));
    let folder = root.join("graphs").join(name);
    if !folder.is_dir() {
        skipped(&format!("{} is absent (set CRIVELLO_DATA)", folder.display()));
        return None;
    }
    Some(folder)
}

fn doubles(path: PathBuf) -> Vec<f64> {
    let bytes = std::fs::read(path).unwrap();
    bytes.chunks(8).map(|number| f64::from_le_bytes(number.try_into().unwrap())).collect()
}

fn columns(ranks: &str) -> Vec<Vec<f64>> {
    ranks.lines().map(|line| line.split('\t').map(|number| number.parse().unwrap()).collect()).collect()
}

#[test]
fn ranks_of_known_graphs_are_the_known_ones() {
    for (name, graph, harmonic_rms_max) in [("hollins", "hollins.txt", 1e-12), ("cnr-2000", "cnr-2000", 0.02)]
    {
        let Some(folder) = data(name) else { continue };
        let from = folder.join(graph);
        let ranks =
            columns(&succeeds(&["graph", "--from", from.to_str().unwrap(), "--ranks", "-", "--quiet"]));
        let (pagerank, harmonic) =
            (doubles(folder.join("truth/pagerank.f64le")), doubles(folder.join("truth/harmonic.f64le")));
        assert_eq!(ranks.len(), pagerank.len(), "{name}");
        let l1: f64 = ranks.iter().zip(&pagerank).map(|(row, truth)| (row[1] - truth).abs()).sum();
        assert!(l1 <= 1e-9, "{name}: PageRank is off by {l1}");
        let known = ranks.iter().zip(&harmonic).filter(|(_, truth)| **truth > 0.0);
        let squares: Vec<f64> = known.map(|(row, truth)| (row[2] / truth - 1.0).powi(2)).collect();
        let rms = (squares.iter().sum::<f64>() / squares.len() as f64).sqrt();
        assert!(rms <= harmonic_rms_max, "{name}: harmonic centrality is off by {rms}");
    }
}

#[test]
fn any_list_of_arcs_has_ranks() {
    let scratch = tempfile::tempdir().unwrap();
    let arcs = scratch.path().join("arcs.tsv");
    let star: String = (1..5000).map(|node| format!("0\t{node}\n{node}\t0\n")).collect();
    // Arcs, lines of ranks, in-degree and component of the first node.
    let rows = [
        ("", 0, None),
        ("# nothing\n\n", 0, None),
        ("0 0\n", 1, Some((1.0, 0.0))),
        ("2 1\n0\t2\n2 1\n1 0\n", 3, Some((1.0, 0.0))),
        ("1 2\n", 3, Some((0.0, 0.0))),
        (star.as_str(), 5000, Some((4999.0, 0.0))),
    ];
    for (text, lines, first) in rows {
        std::fs::write(&arcs, text).unwrap();
        let ranks =
            columns(&succeeds(&["graph", "--from", arcs.to_str().unwrap(), "--ranks", "-", "--quiet"]));
        assert_eq!(ranks.len(), lines, "{text:.40}");
        assert_eq!(ranks.first().map(|row| (row[3], row[4])), first, "{text:.40}");
        let sum: f64 = ranks.iter().map(|row| row[1]).sum();
        assert!(lines == 0 || (sum - 1.0).abs() < 1e-9, "{text:.40}");
    }
}

#[test]
fn pagerank_can_be_seen_from_some_nodes() {
    let scratch = tempfile::tempdir().unwrap();
    let arcs = scratch.path().join("arcs.tsv");
    let from = arcs.to_str().unwrap();
    // Whoever begins on one of two pages that link to each other is there 1 / (1 + α) of the time, and never on others.
    for (text, names) in [("0 1\n1 0\n2 0\n", ["0", "1", "2"]), ("a b\nb a\nc a\n", ["a", "b", "c"])] {
        std::fs::write(&arcs, text).unwrap();
        let ranks = |near: &[&str]| -> Vec<f64> {
            let given = near.iter().flat_map(|near| ["--near", near]);
            let arguments = ["graph", "--from", from, "--ranks", "-", "--quiet"].into_iter().chain(given);
            let lines = succeeds(&arguments.collect::<Vec<_>>());
            lines.lines().map(|line| line.split('\t').nth(1).unwrap().parse().unwrap()).collect()
        };
        let (most, least) = (1.0 / 1.85, 0.85 / 1.85);
        for (near, expected) in [
            (&names[..1], [most, least, 0.0]),
            (&names[1..2], [least, most, 0.0]),
            (&names[..2], [0.5, 0.5, 0.0]),
        ] {
            for (found, expected) in ranks(near).iter().zip(expected) {
                assert!((found - expected).abs() < 1e-9, "{near:?}: {found} instead of {expected}");
            }
        }
        let said = errors_of(&crivello().args(["graph", "--from", from, "--near", "9"]).output().unwrap());
        assert!(said.contains("`9` is no node of this graph"), "{said}");
    }
}

#[test]
fn lists_of_arcs_as_people_have_them_are_understood_and_surprises_are_told() {
    let scratch = tempfile::tempdir().unwrap();
    let arcs = scratch.path().join("arcs");
    // Arcs, names of the nodes, and what is said about them.
    let rows = [
        ("b a\na c\n", vec!["a", "b", "c"], ""),
        ("1,0\r\n0,2\r\n", vec!["0", "1", "2"], ""),
        ("Source,Target\n1,0\n", vec!["0", "1"], "the first line was taken for a header"),
        ("source\ttarget\nb\ta\n", vec!["a", "b"], "the first line was taken for a header"),
        ("from,to\n", vec![], "the first line was taken for a header"),
        ("0 1 0.5\n1 0 0.25\n", vec!["0", "1"], "there are more on 2 lines"),
        ("4000000000 1\n1 5000000000\n", vec!["1", "4000000000", "5000000000"], ""),
        ("-1 1\n", vec!["-1", "1"], ""),
        ("http://a/x,y http://b/\n", vec!["http://a/x,y", "http://b/"], ""),
    ];
    for (text, names, told) in rows {
        let mut zipped = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        zipped.write_all(text.as_bytes()).unwrap();
        for bytes in [text.as_bytes(), &zipped.finish().unwrap()] {
            std::fs::write(&arcs, bytes).unwrap();
            // The file, and standard input, which can be read only once.
            for from in [arcs.to_str().unwrap(), "-", "/dev/stdin"] {
                let mut command = crivello();
                command.args(["graph", "--from", from, "--ranks", "-", "--quiet"]);
                let input = std::fs::File::open(&arcs).unwrap();
                let output = command.stdin(input).output().unwrap();
                let errors = errors_of(&output);
                assert!(output.status.success(), "{text}: {errors}");
                let ranks = String::from_utf8(output.stdout).unwrap();
                let found: Vec<&str> = ranks.lines().map(|line| line.split('\t').next().unwrap()).collect();
                assert_eq!(found, names, "{text} from {from}");
                assert!(if told.is_empty() { errors.is_empty() } else { errors.contains(told) }, "{errors}");
            }
        }
    }
}

#[test]
fn a_graph_in_bv_format_goes_by_any_of_its_names() {
    let scratch = tempfile::tempdir().unwrap();
    let basename = scratch.path().join("some.graph-2");
    let plain = graph::Csr::from_arcs(3, [(0, 1), (1, 2), (2, 0)]);
    graph::write_bv(&plain, &basename, &graph::BvOptions::standard()).unwrap();
    let basename = basename.to_str().unwrap();
    // What was changed since it was written is noticed as long as `.starts` is there.
    let properties = std::fs::read_to_string(format!("{basename}.properties")).unwrap();
    std::fs::write(format!("{basename}.properties"), format!("{properties}\n# more\n")).unwrap();
    let said = errors_of(&crivello().args(["graph", "--from", basename]).output().unwrap());
    assert!(said.contains("those beside it have changed"), "{said}");
    std::fs::write(format!("{basename}.properties"), properties).unwrap();
    // Other tools need offsets and the like; here they follow from the lists.
    for extension in ["", "offsets", "starts"] {
        let _ = std::fs::remove_file(format!("{basename}.{extension}"));
        for end in ["", ".graph", ".properties", ".offsets", "."] {
            let from = format!("{basename}{end}");
            assert_eq!(succeeds(&["graph", "--from", &from, "--ranks", "-", "--quiet"]).lines().count(), 3);
        }
    }
}

#[test]
fn a_name_that_ends_like_a_file_is_found_again_and_a_file_is_kept_until_something_is_written() {
    let scratch = tempfile::tempdir().unwrap();
    let path = |name: &str| scratch.path().join(name).to_str().unwrap().to_owned();
    let (basename, out) = (path("two.graph"), path("ranks.tsv"));
    let plain = graph::Csr::from_arcs(2, [(0, 1)]);
    graph::write_bv(&plain, basename.as_ref(), &graph::BvOptions::standard()).unwrap();
    let long = "precious\n".repeat(100);
    std::fs::write(&out, &long).unwrap();
    let refused = crivello().args(["graph", "--from", &basename, "--ranks", &out, "--near", "7"]).output();
    assert_eq!(refused.unwrap().status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(&out).unwrap(), long);
    succeeds(&["graph", "--from", &basename, "--ranks", &out, "--quiet"]);
    assert_eq!(
        std::fs::read_to_string(&out).unwrap().lines().count(),
        2,
        "nothing of the old is left behind it"
    );
}

#[test]
fn mistakes_with_graphs_are_told() {
    let scratch = tempfile::tempdir().unwrap();
    let dir = demo(scratch.path());
    let file = |name: &str, bytes: &[u8]| {
        let path = scratch.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let arcs = file("arcs.tsv", b"0 1\n");
    let one_end = file("one-end.tsv", b"1 2\n3\n");
    let binary = file("binary.tsv", b"\xff\xfe\x00 \x01\n");
    let basename = scratch.path().join("g");
    let basename = basename.to_str().unwrap();
    succeeds(&["export", &dir, "graph", "-o", basename]);
    let lists = std::fs::read(format!("{basename}.graph")).unwrap();
    std::fs::remove_file(format!("{basename}.starts")).unwrap();
    std::fs::write(format!("{basename}.graph"), &lists[..lists.len() / 2]).unwrap();
    let rows: [(&[&str], &str); 8] = [
        (&["graph", "--from", &one_end], "line 2"),
        (&["graph", "--from", &binary], "not text"),
        (&["graph", "--from", "no-such-graph"], "no-such-graph"),
        (&["graph", "--from", &arcs, "--ranks", "/no/such/folder/out.tsv"], "/no/such/folder/out.tsv"),
        (&["graph", "--from", basename, "--ranks", "-"], "g.graph"),
        (&["graph", &dir, "--links", "http://nobody.test/"], "not in the graph"),
        (&["graph", &dir, "--links", "nonsense"], "no address"),
        (&["export", &dir, "graph"], "-o BASENAME"),
    ];
    for (args, words) in rows {
        let output = crivello().args(args).output().unwrap();
        let errors = errors_of(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {errors}");
        assert!(errors.contains(words) && !errors.contains("panicked"), "{args:?}: {errors}");
    }
}
