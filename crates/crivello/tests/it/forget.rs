//! What is forgotten is out of results, graph, copies and exports at once, and stays so.

use crate::command::{crivello, errors_of, succeeds, succeeds_with_json};

#[test]
fn what_is_forgotten_is_out_of_results_graph_copies_and_exports() {
    let dir = tempfile::tempdir().unwrap();
    let (file, collection) = (dir.path().join("pages.jsonl"), dir.path().join("c.crivello"));
    let (path, collection) = (file.to_str().unwrap(), collection.to_str().unwrap());
    let words = "one two three four five six seven eight nine ten harbour bridge ferry quay lighthouse";
    let page = |url: &str| format!("{{\"url\": \"{url}\", \"title\": \"T\", \"text\": \"{words}\"}}\n");
    let urls = ["http://a.test/1", "http://a.test/2", "http://b.test/1", "http://b.test/draft/2"];
    std::fs::write(&file, urls.map(page).concat()).unwrap();
    succeeds(&["import", collection, path, "--quiet"]);
    succeeds(&["build", collection, "--quiet"]);
    let seen = || {
        let total = |query: &str| {
            succeeds_with_json(&["search", collection, query, "--copies", "--json"])["total"]
                .as_u64()
                .unwrap()
        };
        let stats = succeeds_with_json(&["stats", collection, "--json"]);
        let exported = succeeds(&["export", collection, "text"]).lines().count() as u64;
        (
            [total("harbour"), total("harbour -absent"), exported],
            [&stats["graph"]["nodes"], &stats["dedup"]["copies"]].map(|count| count.as_u64()),
        )
    };
    let forget = |what: &[&str]| {
        let args = [&["forget", collection, "--json", "--quiet"], what].concat();
        let told = succeeds_with_json(&args);
        [&told["pages"], &told["already_forgotten"], &told["documents"]].map(|count| count.as_u64().unwrap())
    };
    let (all, parts) = seen();
    assert_eq!((all, parts[0]), ([4; 3], Some(4)));
    assert_eq!(forget(&["http://a.test/1"]), [1, 0, 1]);
    assert_eq!((seen().0, seen().1[0]), ([3; 3], Some(3)));
    assert_eq!(forget(&["--match", "/draft/"]), [1, 0, 1]);
    assert_eq!(forget(&["a.test"]), [1, 1, 1]);
    let last = seen();
    assert_eq!((last.0, last.1[0]), ([1; 3], Some(1)));
    // Later builds keep it, and one that makes everything anew does too.
    succeeds(&["build", collection, "--quiet"]);
    assert_eq!(seen(), last);
    succeeds(&["index", collection, "--quiet"]);
    assert_eq!(seen(), last);
    for part in ["documents", "graph", "dedup", "index"] {
        std::fs::remove_dir_all(dir.path().join("c.crivello").join(part)).unwrap();
    }
    succeeds(&["build", collection, "--quiet"]);
    assert_eq!((seen().0, seen().1[0]), (last.0, last.1[0]));
    // What is brought in once more is found again.
    succeeds(&["import", collection, path, "--quiet"]);
    succeeds(&["build", collection, "--quiet"]);
    assert_eq!((seen().0, seen().1[0]), (all, parts[0]));
    for (args, words) in [
        (&["c.test"][..], "no stored page is of the host `c.test`"),
        (&["http://a.test/", "--purge"], "cannot be removed from the archive yet"),
        (&["http://"], "http://"),
    ] {
        let output = crivello().args(["forget", collection]).args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let errors = errors_of(&output);
        assert!(errors.contains(words) && errors.contains("hint:"), "{errors}");
    }
}
