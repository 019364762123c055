//! The demo checks itself against the lab's truth; here its machine-readable form is checked.

use crate::command::succeeds_with_json;

#[test]
fn the_demo_finds_the_truth_on_several_webs() {
    // On the fourth, a page links to its parent, and also by way of a redirect that nobody may follow.
    let webs = [
        ("1", "400", "10", "0"),
        ("2", "1", "1", "0"),
        ("3", "900", "50", "0.3"),
        ("3", "500", "10", "0"),
        ("7", "300", "3", "0.5"),
    ];
    for (seed, pages, hosts, unmarked) in webs {
        let demo = succeeds_with_json(&[
            "demo",
            "--once",
            "--json",
            "--quiet",
            "--seed",
            seed,
            "--pages",
            pages,
            "--hosts",
            hosts,
            "--delay",
            "10ms",
            "--unmarked-navigation",
            unmarked,
        ]);
        let zeros = [
            "missing",
            "extra",
            "stored_twice",
            "arcs_missing",
            "arcs_extra",
            "graph_arcs_missing",
            "graph_arcs_extra",
            "navigation_missing",
            "navigation_extra",
            "words_wrong",
            "copies_missing",
            "copies_extra",
            "politeness_violations",
        ];
        for key in zeros {
            assert_eq!(demo[key], 0, "{key} with seed {seed}: {demo}");
        }
        for key in [
            "pages_stored",
            "requests",
            "failed",
            "bytes_fetched",
            "elapsed_seconds",
            "cpu_seconds",
            "peak_memory_bytes",
        ] {
            assert!(demo["crawl"][key].is_number(), "crawl.{key}");
        }
        assert_eq!(demo["crawl"]["finished"], true);
    }
}
