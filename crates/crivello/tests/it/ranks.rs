//! Ranks flow on: into the order of a crawl, into the choice among copies, and into the results of a search.

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use graph::{Csr, PageRank};
use lab::LabConfig;
use serde_json::Value;

use crate::browser::Server;
use crate::command::{Lab, crivello, succeeds, succeeds_with_json};
use crate::tiny_web::{GOOD, LEAVES, TinyWeb};

/// How many pages of each host a crawl of the tiny web stores, and how many of them are good.
fn crawled(web: &TinyWeb, hosts: u8, options: &[&str]) -> Vec<(usize, usize)> {
    let dir = tempfile::tempdir().unwrap();
    let collection = dir.path().join("tiny.crivello");
    let mut command = crivello();
    command.arg("crawl").arg(&collection).args((1..=hosts).map(|host| web.home(host))).args(options);
    command.args(["--allow-net", "127.0.0.0/8", "--quiet", "--delay", "1ms", "--ip-delay", "1ms"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", crate::command::errors_of(&output));
    let exported = succeeds(&["export", collection.to_str().unwrap(), "pages"]);
    let urls: BTreeSet<String> = exported
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["url"].as_str().unwrap().to_owned())
        .collect();
    let of_host = |host: u8| {
        let pages = urls.iter().filter(|url| url.starts_with(&web.home(host)));
        (pages.clone().count(), pages.filter(|url| url.contains("/good/")).count())
    };
    (1..=hosts).map(of_host).collect()
}

#[test]
fn a_budget_spent_by_rank_buys_more_of_it_and_without_budget_all_is_the_same() {
    let web = TinyWeb::start();
    let all = 1 + LEAVES + GOOD;
    let by = |priority: &str, hosts: u8, options: &[&str]| {
        crawled(&web, hosts, &[&["--priority", priority], options].concat())
    };
    // The good pages come last in the order of arrival, and first by links, as soon as some leaves have been read: all
    // addresses are weighed anew when a sixteenth has been taken.
    assert_eq!(by("breadth", 1, &["--max-pages", "100"]), [(100, 0)]);
    assert_eq!(by("rank", 1, &["--max-pages", "100"]), [(100, GOOD)]);
    // The same for budgets of hosts, while both are crawled.
    assert_eq!(by("breadth", 2, &["--max-per-host", "100"]), [(100, 0); 2]);
    assert_eq!(by("rank", 2, &["--max-per-host", "100"]), [(100, GOOD); 2]);
    for priority in ["breadth", "rank"] {
        assert_eq!(by(priority, 1, &[]), [(all, GOOD)], "{priority}");
    }
}

#[test]
fn a_crawl_of_the_lab_by_rank_finds_all_of_it() {
    let config = LabConfig { seed: 51, hosts: 12, pages: 2000, hosts_per_address: 1, ..LabConfig::clean() };
    let lab = Lab::start(config, Duration::from_millis(1));
    let pages = lab.truth.pages.len();
    let ranks = PageRank::default().of(&Csr::from_arcs(pages, lab.truth.arc_positions.iter().copied()));
    let ranks: HashMap<&str, f64> = lab.truth.pages.iter().map(String::as_str).zip(ranks.scores).collect();
    for priority in ["breadth", "rank"] {
        let _ = std::fs::remove_dir_all(lab.collection());
        let mut crawl = lab.crawl();
        crawl.args(["--priority", priority, "--max-pages", &(pages / 5).to_string()]);
        assert!(crawl.output().unwrap().status.success());
        let exported = succeeds(&["export", lab.collection().to_str().unwrap(), "pages"]);
        let rank_of =
            |line: &str| ranks[serde_json::from_str::<Value>(line).unwrap()["url"].as_str().unwrap()];
        let bought: f64 = exported.lines().map(rank_of).sum();
        // How much depends on who answers first; it is not judged here.
        println!("a fifth of the pages by {priority} has {bought:.4} of their PageRank");
        assert_eq!(exported.lines().count(), pages / 5, "the budget is met exactly");
    }
    // The budget is remembered until it is taken back.
    let all = ["--priority", "rank", "--unset", "max-pages"];
    assert!(lab.crawl().args(all).output().unwrap().status.success());
    lab.assert_truth();
    lab.assert_polite();
}

#[test]
fn every_priority_and_combination_finds_the_same_in_its_own_order() {
    let web = TinyWeb::start();
    for priority in ["keywords", "topic", "keywords,short", "topic,rank"] {
        let options = ["--priority", priority, "--topic", "good ones", "--max-pages", "100"];
        assert_eq!(crawled(&web, 1, &options), [(100, GOOD)], "{priority}");
    }
    let lab = Lab::start(
        LabConfig { seed: 54, hosts: 8, pages: 300, ..LabConfig::default() },
        Duration::from_millis(1),
    );
    for priority in ["short", "offsite", "keywords", "topic", "topic,offsite,short"] {
        let _ = std::fs::remove_dir_all(lab.collection());
        // A restart in between: what was learnt is learnt again from what is stored.
        for options in [&["--max-pages", "100"][..], &["--unset", "max-pages"]] {
            let mut crawl = lab.crawl();
            let output =
                crawl.args(["--priority", priority, "--topic", "1 a"]).args(options).output().unwrap();
            assert!(output.status.success(), "{priority}: {}", crate::command::errors_of(&output));
        }
        lab.assert_truth();
    }
    let output = lab.crawl().args(["--priority", "topic", "--unset", "topic"]).output().unwrap();
    let told = crate::command::errors_of(&output);
    assert!(output.status.code() == Some(2) && told.contains("--topic \"rust book\""), "{told}");
}

#[test]
fn a_crawl_by_rank_that_is_stopped_and_limited_by_host_ends_with_the_same() {
    let lab = Lab::start(
        LabConfig { seed: 53, hosts: 8, pages: 600, ..LabConfig::default() },
        Duration::from_millis(1),
    );
    for pages_max in ["50", "120", "300"] {
        let limits = ["--priority", "rank", "--max-pages", pages_max, "--max-per-host", "60"];
        let output = lab.crawl().args(limits).output().unwrap();
        assert!(output.status.success(), "{}", crate::command::errors_of(&output));
    }
    let exported = succeeds(&["export", lab.collection().to_str().unwrap(), "pages"]);
    let mut per_host = HashMap::new();
    for line in exported.lines() {
        let page: Value = serde_json::from_str(line).unwrap();
        let host = page["url"].as_str().unwrap().split('/').nth(2).unwrap().to_owned();
        *per_host.entry(host).or_insert(0) += 1;
    }
    assert!(per_host.values().all(|count| *count <= 60), "{per_host:?}");
    // One run by the other order in between changes nothing either.
    for (priority, unset) in [("breadth", "max-pages"), ("rank", "max-per-host")] {
        let all = ["--priority", priority, "--unset", unset];
        assert!(lab.crawl().args(all).output().unwrap().status.success());
    }
    lab.assert_truth();
    lab.assert_polite();
}

/// A collection of one site: which page has which text and which links.
fn imported(pages: &[(&str, &str, &[&str])]) -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("site")).unwrap();
    for (name, text, links) in pages {
        let links: String = links.iter().map(|link| format!("<a href='{link}.html'>{link}</a> ")).collect();
        let html = format!("<title>{name}</title><main><p>{text}</p></main>{links}");
        std::fs::write(dir.path().join("site").join(name).with_extension("html"), html).unwrap();
    }
    let collection = dir.path().join("site.crivello").to_str().unwrap().to_owned();
    succeeds(&["import", &collection, dir.path().join("site").to_str().unwrap()]);
    (dir, collection)
}

fn names(answer: &Value) -> Vec<String> {
    let name = |result: &Value| {
        let url = result["url"].as_str().unwrap();
        url.rsplit('/').next().unwrap().trim_end_matches(".html").to_owned()
    };
    answer["results"].as_array().unwrap().iter().map(name).collect()
}

const COPY: &str =
    "the old harbour has a stone bridge and a ferry that leaves every morning at nine for the islands";

#[test]
fn the_copy_with_the_best_rank_stands_for_its_group() {
    let (_dir, collection) = imported(&[
        ("b", COPY, &[]),
        ("much-linked-copy", COPY, &[]),
        ("c", "the first page about ships", &["much-linked-copy"]),
        ("d", "a second page about sails", &["much-linked-copy"]),
        ("e", "one more page about ropes", &["much-linked-copy", "b"]),
    ]);
    succeeds(&["build", &collection, "--quiet"]);
    let answer = succeeds_with_json(&["search", &collection, "harbour", "--json"]);
    assert_eq!(names(&answer), ["much-linked-copy"], "not the one with the shorter address");
    assert_eq!(answer["results"][0]["similar"], 1);
    let again = succeeds_with_json(&["build", &collection, "--quiet", "--json"]);
    assert_eq!((&again["up_to_date"], &again["dedup"]["up_to_date"]), (&true.into(), &true.into()));
    // Whoever asks for the groups is told the same, also when they are found in another way than those that are folded.
    let addresses = |answer: &Value| answer["group_list"].as_array().unwrap().clone();
    for options in [&[][..], &["--threshold", "0.7"]] {
        let asked = [&["dedup", &collection, "--groups", "--json", "--quiet"], options].concat();
        let groups = addresses(&succeeds_with_json(&asked));
        assert_eq!((groups.len(), &groups[0][0]), (1, &answer["results"][0]["url"]), "{options:?}");
    }
}

#[test]
fn links_decide_among_pages_with_the_same_words_unless_they_have_no_weight() {
    let (_dir, collection) = imported(&[
        ("a", "a sieve of brass", &[]),
        ("b", "a sieve of stone", &[]),
        ("c", "nothing about it", &["b"]),
        ("d", "nothing of the kind", &["b"]),
    ]);
    succeeds(&["build", &collection, "--quiet"]);
    let search = |options: &[&str]| {
        let output =
            crivello().args(["search", &collection, "sieve", "--json"]).args(options).output().unwrap();
        assert!(output.status.success(), "{}", crate::command::errors_of(&output));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    assert_eq!(names(&search(&[])), ["b", "a"]);
    assert_eq!(names(&search(&["--rank-weight", "0"])), ["a", "b"]);
    let explained = search(&["--explain", "--rank-weight", "3"]);
    let rank = &explained["results"][0]["explanation"]["rank"];
    assert_eq!(rank["weight"], 3.0);
    assert!(rank["rank"].as_f64().unwrap() > 1.0, "{rank}");
    // The same from an index that `build` has not seen: then documents are looked up one by one.
    succeeds(&["index", &collection, "--quiet"]);
    let looked_up = search(&["--explain", "--rank-weight", "3"]);
    assert_eq!(names(&looked_up), names(&explained));
    let score = |answer: &Value| answer["results"][0]["score"].as_f64().unwrap();
    assert!((score(&looked_up) - score(&explained)).abs() < 1e-3, "kept ranks are rounded, but not by more");
}

#[test]
fn damaged_ranks_are_told_by_whoever_needs_them_and_repaired_by_the_next_build() {
    let (_dir, collection) = imported(&[
        ("a", "a sieve of brass", &[]),
        ("b", "a sieve of stone", &[]),
        ("c", "nothing about it", &["b"]),
    ]);
    succeeds(&["index", &collection, "--quiet"]);
    let run = |args: &[&str]| {
        let output = crivello().args(args).output().unwrap();
        (output.status.code().unwrap(), crate::command::errors_of(&output))
    };
    let search = ["search", &collection, "sieve"];
    assert_eq!(run(&search), (0, String::new()), "that there are no ranks yet is no damage");
    succeeds(&["build", &collection, "--quiet"]);
    let graph = std::path::Path::new(&collection).join("graph");
    for (command, name) in [
        ("build", "manifest.json"),
        ("graph", "graph.graph"),
        ("build", "addresses"),
        ("build", "pagerank.rank"),
        ("graph", "harmonic.rank"),
    ] {
        let manifest = std::fs::read(graph.join("manifest.json")).unwrap();
        let build = serde_json::from_slice::<Value>(&manifest).unwrap()["build"].as_str().unwrap().to_owned();
        let path = if name == "manifest.json" { graph.join(name) } else { graph.join(build).join(name) };
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        // Without what a build gathered for searches they look for themselves.
        std::fs::remove_dir_all(std::path::Path::new(&collection).join("known")).unwrap();
        let (code, said) = run(&search);
        assert!(code == 0 && said.matches("warning: links do not count").count() == 1, "{name}: {said}");
        assert!(said.contains(&format!("crivello build {collection}")), "{name}: {said}");
        assert_eq!(run(&["stats", &collection]).0, 1, "{name}");
        let (code, said) = run(&[command, &collection]);
        assert!(code == 0 && said.contains("damaged") && said.contains("anew"), "{name}: {said}");
        assert_eq!(run(&search), (0, String::new()), "{name}");
        succeeds(&["build", &collection, "--quiet"]);
    }
}

#[test]
fn stats_say_that_a_graph_is_older_than_the_newest_pages() {
    let (dir, collection) = imported(&[("a", "a sieve of brass", &["b"]), ("b", "a sieve of stone", &["a"])]);
    let later = dir.path().join("later.txt");
    std::fs::write(&later, "one more sieve").unwrap();
    for (args, is_new) in [
        (&["build", &collection, "--quiet"][..], true),
        (&["import", &collection, later.to_str().unwrap(), "--quiet"], false),
        (&["graph", &collection, "--quiet"], true),
    ] {
        succeeds(args);
        assert_eq!(succeeds_with_json(&["stats", &collection, "--json"])["graph"]["up_to_date"], is_new);
        let text = succeeds(&["stats", &collection]);
        assert_eq!(text.contains("it is older than the newest pages"), !is_new, "{text}");
    }
}

#[test]
fn a_graph_without_links_has_no_sizes_and_no_tables_of_hosts() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let line =
        |host: &str| format!("{{\"url\":\"http://{host}.test/\",\"title\":\"{host}\",\"text\":\"a\"}}\n");
    for (pages, hosts) in [("none", &[][..]), ("one", &["a"]), ("two", &["a", "b"])] {
        let (lines, collection) = (path(&format!("{pages}.jsonl")), path(&format!("{pages}.crivello")));
        std::fs::write(&lines, hosts.iter().map(|host| line(host)).collect::<String>()).unwrap();
        succeeds(&["import", &collection, &lines, "--quiet"]);
        let built = succeeds(&["build", &collection, "--quiet"]);
        let shown = succeeds(&["graph", &collection, "--filter", "same-host", "--quiet"]);
        let stats = succeeds(&["stats", &collection]);
        for text in [&built, &shown, &stats] {
            assert!(!text.contains("bits") && !text.contains("first hosts"), "{pages}: {text}");
        }
        assert!(shown.contains("ranked on  links between hosts: 0 of them"), "{shown}");
        assert!(
            !std::fs::read_to_string(path(&format!("{pages}.crivello/graph/report.html")))
                .unwrap()
                .contains("per link")
        );
    }
}

/// Asks a running server until its answer is the expected one.
fn wait_for(server: &Server, expected: &[&str]) {
    let begun = Instant::now();
    loop {
        let found = names(&server.get_json("api/search?q=sieve"));
        if found == expected {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{found:?} instead of {expected:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_running_server_takes_new_ranks_from_graph_and_from_build() {
    let (dir, collection) = imported(&[
        ("a", "a sieve of brass", &[]),
        ("b", "a sieve of stone", &[]),
        ("c", "nothing about it", &["b"]),
        ("d", "nothing of the kind", &["b"]),
    ]);
    let nofollow = "<title>e</title><p>links to the first one</p><a rel=nofollow href=a.html>a</a>";
    for name in ["e", "f", "g"] {
        std::fs::write(
            dir.path().join("site").join(name).with_extension("html"),
            format!("{nofollow}{name}"),
        )
        .unwrap();
    }
    let site = dir.path().join("site");
    succeeds(&["import", &collection, site.to_str().unwrap(), "--quiet"]);
    succeeds(&["build", &collection, "--quiet"]);
    let server = Server::start(&collection);
    wait_for(&server, &["b", "a"]);
    // Other settings: only the ranks change.
    succeeds(&["graph", &collection, "--filter", "none", "--quiet"]);
    wait_for(&server, &["a", "b"]);
    succeeds(&["graph", &collection, "--quiet"]);
    wait_for(&server, &["b", "a"]);
    // More pages: a new graph and a new index.
    for name in ["h", "i", "j", "k"] {
        // In other words, or it would be navigation.
        let page = format!("<title>{name}</title><p>{name} links too</p><a href=a.html>by {name}</a>");
        std::fs::write(site.join(name).with_extension("html"), page).unwrap();
    }
    succeeds(&["import", &collection, site.to_str().unwrap(), "--quiet"]);
    succeeds(&["build", &collection, "--quiet"]);
    wait_for(&server, &["a", "b"]);
}
