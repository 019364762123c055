//! What is forgotten is out of results, graph, copies and exports at once, and stays so.

use std::io::Read;
use std::time::Duration;

use lab::LabConfig;

use crate::command::{Lab, crivello, errors_of, succeeds, succeeds_with_json, warc_files};

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
    for (args, words) in
        [(&["c.test"][..], "no stored page is of the host `c.test`"), (&["http://"], "http://")]
    {
        let output = crivello().args(["forget", collection]).args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let errors = errors_of(&output);
        assert!(errors.contains(words) && errors.contains("hint:"), "{errors}");
    }
}

/// All records of the archive, without compression.
fn archived(collection: &std::path::Path) -> String {
    let mut text = Vec::new();
    for file in warc_files(collection) {
        let bytes = std::fs::read(file).unwrap();
        flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut text).unwrap();
    }
    String::from_utf8_lossy(&text).into_owned()
}

#[test]
fn what_is_purged_leaves_the_archive_and_a_kill_leaves_the_old_or_the_new_one() {
    let dir = tempfile::tempdir().unwrap();
    let (file, path) = (dir.path().join("pages.jsonl"), dir.path().join("c.crivello"));
    let collection = path.to_str().unwrap();
    let page = |number: usize| {
        let (host, word) = if number.is_multiple_of(3) { ("a", "confidential") } else { ("b", "harbour") };
        let text = format!("{word} {}", format!("{word} number {number} of all ").repeat(1 + number % 50));
        format!("{{\"url\": \"http://{host}.test/{number}\", \"title\": \"{word}\", \"text\": \"{text}\"}}\n")
    };
    std::fs::write(&file, (0..300).map(page).collect::<String>()).unwrap();
    succeeds(&["import", collection, file.to_str().unwrap(), "--quiet"]);
    succeeds(&["build", collection, "--quiet"]);
    let total = |query: &str| {
        succeeds_with_json(&["search", collection, query, "--copies", "--json"])["total"].clone()
    };
    let bytes =
        || warc_files(&path).iter().map(|file| std::fs::metadata(file).unwrap().len()).collect::<Vec<_>>();
    let (before, text) = (bytes(), archived(&path));
    assert!(text.contains("confidential number 3 ") && total("confidential") == 100);
    for pause_ms in [0, 20, 40, 60, 80, 120] {
        let mut command = crivello();
        let mut purging =
            command.args(["forget", collection, "a.test", "--purge", "--quiet"]).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(pause_ms));
        purging.kill().unwrap();
        purging.wait().unwrap();
        // Whatever it had done: all of the archive can be read, and other pages are found.
        assert!(archived(&path).contains("harbour number 1 "));
        assert_eq!((total("harbour"), bytes()), (200.into(), before.clone()));
    }
    let copy = path.join("store/warc/9.warc.gz.tmp");
    std::fs::write(&copy, "what a kill may leave").unwrap();
    let told = succeeds(&["forget", collection, "a.test", "--purge"]);
    assert!(told.contains("removed ") && told.contains("WARC file"), "{told}");
    assert!(!copy.exists());
    let again = succeeds_with_json(&["forget", collection, "a.test", "--purge", "--json", "--quiet"]);
    assert_eq!((&again["purged"]["records"], &again["purged"]["already"]), (&0.into(), &100.into()));
    let text = archived(&path);
    assert!(!text.contains("confidential") && text.contains("harbour number 1 "));
    assert_eq!((text.matches("WARC-Type: metadata").count(), bytes()), (100, before));
    assert_eq!((total("confidential"), total("harbour")), (0.into(), 200.into()));
    assert!(succeeds(&["index", collection, "--check"]).contains("200 documents"));
    assert!(!succeeds(&["export", collection, "text"]).contains("confidential"));
    let warc = succeeds_with_json(&["inspect", warc_files(&path)[0].to_str().unwrap(), "--json"]);
    assert_eq!(warc["types"]["metadata"], 100, "{warc}");
    // Everything can be made anew from what is left, and what comes later is taken.
    for part in ["documents", "graph", "dedup", "index"] {
        std::fs::remove_dir_all(path.join(part)).unwrap();
    }
    succeeds(&["build", collection, "--quiet"]);
    assert_eq!((total("confidential"), total("harbour")), (0.into(), 200.into()));
    succeeds(&["import", collection, file.to_str().unwrap(), "--quiet"]);
    succeeds(&["build", collection, "--quiet"]);
    assert_eq!((total("confidential"), total("harbour")), (100.into(), 200.into()));
}

#[test]
fn what_is_forgotten_to_be_fetched_again_passes_the_sieve_again() {
    let lab = Lab::start(
        LabConfig { seed: 41, hosts: 3, pages: 40, slow_ms: 1, ..LabConfig::default() },
        Duration::from_millis(1),
    );
    assert!(lab.crawl().output().unwrap().status.success());
    let collection = lab.collection();
    let collection = collection.to_str().unwrap();
    let pages = || succeeds(&["export", collection, "pages"]).lines().count();
    let before = pages();
    let url = lab.truth.pages.iter().find(|url| !lab.truth.seeds.contains(url)).unwrap();
    let seen = || succeeds_with_json(&["stats", collection, "--json"])["sieve"]["seen"].as_u64().unwrap();
    let all = seen();
    let told = succeeds_with_json(&["forget", collection, url, "--again", "--json", "--quiet"]);
    assert_eq!((&told["pages"], &told["unseen"], seen()), (&1.into(), &1.into(), all - 1), "{told}");
    assert_eq!(pages(), before - 1);
    // Nobody names it: nothing happens. Then somebody does.
    assert!(lab.crawl().output().unwrap().status.success());
    assert_eq!((pages(), seen()), (before - 1, all - 1));
    assert!(lab.crawl().arg(url).output().unwrap().status.success());
    assert_eq!((pages(), seen()), (before, all));
}
