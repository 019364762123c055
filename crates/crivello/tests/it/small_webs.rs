//! `crivello graph` on webs of a few pages: what each option makes of them, and what is done about damage.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use graph::{BvGraph, LinkGraph};
use serde_json::{Value, json};

use crate::command::{crivello, errors_of, succeeds, succeeds_with_json};

/// A collection of some pages: address, what its head says beside a title, words, and links.
struct Web {
    dir: tempfile::TempDir,
}

type Page<'a> = (&'a str, &'a str, &'a str, &'a [&'a str]);

impl Web {
    fn new(pages: &[Page]) -> Self {
        let web = Self { dir: tempfile::tempdir().unwrap() };
        web.add(pages);
        web
    }

    fn add(&self, pages: &[Page]) {
        let line = |(url, head, words, links): &Page| {
            let links: String = links.iter().map(|link| format!("<a {link}>{link}</a> ")).collect();
            let html = format!("<title>{url}</title>{head}<main><p>{words}</p></main>{links}");
            json!({ "url": url, "html": html }).to_string() + "\n"
        };
        let file = self.dir.path().join("pages.jsonl");
        std::fs::write(&file, pages.iter().map(line).collect::<String>()).unwrap();
        succeeds(&["import", &self.path(), file.to_str().unwrap(), "--quiet"]);
    }

    fn path(&self) -> String {
        self.dir.path().join("web.crivello").to_str().unwrap().to_owned()
    }

    fn graph(&self, options: &[&str]) -> Value {
        succeeds_with_json(&[&["graph", &self.path()], options, &["--json", "--quiet"]].concat())
    }

    /// Nodes and arcs as other tools see them, in short: `b/x` is `http://b.test/x`.
    fn exported(&self) -> (BTreeSet<String>, BTreeSet<(String, String)>) {
        let basename = self.dir.path().join("exported");
        succeeds(&["export", &self.path(), "graph", "-o", basename.to_str().unwrap(), "--quiet"]);
        let urls = std::fs::read_to_string(basename.with_extension("urls")).unwrap();
        let names: Vec<String> =
            urls.lines().map(|url| url.replace("http://", "").replace(".test", "")).collect();
        let graph = BvGraph::open(&basename).unwrap();
        let mut arcs = BTreeSet::new();
        graph.scan(0..graph.nodes() as u32, &mut |node, targets| {
            let name = |node: u32| names[node as usize].clone();
            arcs.extend(targets.iter().map(|target| (name(node), name(*target))));
        });
        (names.into_iter().collect(), arcs)
    }

    /// The build that is in use.
    fn build(&self) -> PathBuf {
        let folder = Path::new(&self.path()).join("graph");
        let manifest: Value =
            serde_json::from_slice(&std::fs::read(folder.join("manifest.json")).unwrap()).unwrap();
        folder.join(manifest["build"].as_str().unwrap())
    }

    fn refuses(&self, options: &[&str], words: &[&str]) {
        let output = crivello().args(["graph", &self.path()]).args(options).output().unwrap();
        let errors = errors_of(&output);
        assert_eq!(output.status.code(), Some(2), "{options:?}: {errors}");
        assert!(words.iter().all(|word| errors.contains(word)), "{options:?}: {errors}");
    }
}

const STORY: &str = "the ferry leaves the old harbour every morning at nine and is back from the islands before the sun goes down";

fn web_of_aliases() -> Web {
    let canonical = |target: &str| format!("<link rel=canonical href='{target}'>");
    let (same, chain, host) = (canonical("/x"), canonical("/same"), canonical("http://a.test/"));
    let (theft, outside) = (canonical("http://a.test/"), canonical("http://a.test/never"));
    Web::new(&[
        (
            "http://a.test/",
            "",
            "a page of its own",
            &["href=/x", "href=/same", "href=/never", "href=http://b.test/copy"],
        ),
        ("http://a.test/x", "", STORY, &["href=/"]),
        ("http://a.test/same", &same, "another name of x", &["href=http://b.test/"]),
        ("http://a.test/chain", &chain, "another name of another name", &[]),
        ("http://www.a.test/", &host, "the same site under another host", &["href=http://a.test/x"]),
        (
            "http://b.test/",
            &theft,
            "names a page of others",
            &["href=http://www.a.test/", "rel=nofollow href=/copy"],
        ),
        ("http://b.test/copy", &outside, STORY, &["href=/"]),
    ])
}

#[test]
fn a_page_that_only_sends_its_readers_on_is_folded_and_one_with_more_to_say_is_not() {
    let to = |target: &str| format!("<meta http-equiv=refresh content='0; url={target}'>");
    let (moved, elsewhere, gone, itself) = (to("/new"), to("http://b.test/"), to("/never"), to("/itself"));
    let web = Web::new(&[
        (
            "http://a.test/",
            "",
            "a page",
            &["href=/stub", "href=/news", "href=/gone", "href=/itself", "href=/away"],
        ),
        ("http://a.test/new", "", "a page", &["href=/"]),
        ("http://b.test/", "", "a page of others", &["href=http://a.test/"]),
        ("http://a.test/stub", &moved, "this page has moved", &["href=/new"]),
        ("http://a.test/news", &moved, "what is new", &["href=/", "href=/new", "href=http://b.test/"]),
        ("http://a.test/away", &elsewhere, "a page of others cannot inherit", &[]),
        ("http://a.test/gone", &gone, "to a page that is not there", &[]),
        ("http://a.test/itself", &itself, "renewed now and then", &[]),
    ]);
    web.graph(&[]);
    let (nodes, arcs) = web.exported();
    let expected = ["a/", "a/away", "a/gone", "a/itself", "a/new", "a/news", "b/"];
    assert_eq!(nodes.into_iter().collect::<Vec<_>>(), expected);
    assert!(arcs.contains(&("a/".into(), "a/new".into())), "through the stub");
}

#[test]
fn what_most_pages_repeat_is_navigation_and_no_vote() {
    let urls: Vec<String> = (0..10).map(|number| format!("http://a.test/{number}")).collect();
    let links = |number: usize| -> &'static [&'static str] {
        if number < 2 { &["href=/menu", "href=/star"] } else { &["href=/menu"] }
    };
    let mut pages: Vec<Page> =
        urls.iter().enumerate().map(|(number, url)| (url.as_str(), "", "a page", links(number))).collect();
    pages.push(("http://a.test/menu", "", "what every page links to", &["href=/0"]));
    pages.push(("http://a.test/star", "", "what two pages speak of", &["href=/1"]));
    let web = Web::new(&pages);
    succeeds(&["build", &web.path(), "--quiet"]);
    let shown = web.graph(&["--links", &urls[0]]);
    let marks: Vec<(&Value, &Value)> =
        shown["links"].as_array().unwrap().iter().map(|link| (&link["url"], &link["navigation"])).collect();
    let (menu, star) = ("http://a.test/menu".into(), "http://a.test/star".into());
    assert_eq!(marks, [(&menu, &true.into()), (&star, &false.into())]);
    // So it counts by default, whoever computes ranks.
    let votes = |name: &Value| -> String {
        let ranks = succeeds(&["export", &web.path(), "ranks", "--quiet"]);
        let line = ranks.lines().find(|line| line.split('\t').next() == name.as_str()).unwrap();
        line.split('\t').nth(3).unwrap().to_owned()
    };
    assert_eq!([votes(&menu), votes(&star)], ["0", "2"]);
    web.graph(&[]);
    assert_eq!([votes(&menu), votes(&star)], ["0", "2"]);
    web.graph(&["--filter", "none"]);
    assert_eq!([votes(&menu), votes(&star)], ["10", "2"]);
}

#[test]
fn links_of_a_page_to_itself_are_no_votes() {
    let web = Web::new(&[
        ("http://a.test/", "", "a page", &["href=/x", "href=/y"]),
        ("http://a.test/x", "", "a page with chapters", &["href=#one", "href=#two"]),
        ("http://a.test/y", "", "a page without", &[]),
    ]);
    let votes_for_x = |options: &[&str]| {
        let summary = web.graph(options);
        let tops = summary["top_pages"]["in_degree"].as_array().unwrap();
        tops.iter().find(|top| top["name"] == "http://a.test/x").unwrap()["score"].as_f64().unwrap()
    };
    assert_eq!([votes_for_x(&[]), votes_for_x(&["--filter", "none"])], [1.0, 2.0]);
}

#[test]
fn each_option_makes_the_graph_that_it_promises() {
    let web = web_of_aliases();
    let all = ["a/", "a/x", "a/same", "a/chain", "www.a/", "b/", "b/copy"];
    let folded = ["a/", "a/x", "b/", "b/copy"];
    let arcs = [
        ("a/", "a/x"),
        ("a/", "b/copy"),
        ("a/x", "a/"),
        // What the pages that are folded link to.
        ("a/x", "b/"),
        ("b/", "a/"),
        ("b/", "b/copy"),
        ("b/copy", "b/"),
    ];
    let kept = [
        ("a/", "a/x"),
        ("a/", "a/same"),
        ("a/", "b/copy"),
        ("a/x", "a/"),
        ("a/same", "b/"),
        ("www.a/", "a/x"),
        ("b/", "www.a/"),
        ("b/", "b/copy"),
        ("b/copy", "b/"),
    ];
    let without =
        |arc: (&'static str, &'static str)| arcs.iter().copied().filter(|other| *other != arc).collect();
    let copies_folded = vec![("a/", "a/x"), ("a/x", "a/"), ("a/x", "b/"), ("b/", "a/"), ("b/", "a/x")];
    let off_crawl = [&arcs[..], &[("a/", "a/never")]].concat();
    succeeds(&["dedup", &web.path(), "--quiet"]);
    type Row<'a> = (&'a [&'a str], Vec<&'a str>, Vec<(&'a str, &'a str)>);
    let rows: [Row; 7] = [
        (&[], folded.to_vec(), arcs.to_vec()),
        (&["--optimise"], folded.to_vec(), arcs.to_vec()),
        (&["--format", "ef"], folded.to_vec(), arcs.to_vec()),
        (&["--off-crawl"], [&folded[..], &["a/never"]].concat(), off_crawl),
        (&["--drop-nofollow"], folded.to_vec(), without(("b/", "b/copy"))),
        (&["--keep-canonicals"], all.to_vec(), kept.to_vec()),
        (&["--fold-copies"], vec!["a/", "a/x", "b/"], copies_folded),
    ];
    for (options, nodes, arcs) in rows {
        let summary = web.graph(options);
        let found = web.exported();
        assert_eq!(found.0, nodes.iter().map(|node| (*node).to_owned()).collect(), "{options:?}");
        let arcs: BTreeSet<(String, String)> =
            arcs.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned())).collect();
        assert_eq!(found.1, arcs, "{options:?}");
        assert_eq!((&summary["nodes"], &summary["arcs"]), (&nodes.len().into(), &arcs.len().into()));
        assert_eq!(summary["sizes"]["ef_bits_per_link"].is_number(), options.contains(&"ef"), "{options:?}");
        // Asked again, nothing is made; a build keeps the options.
        assert_eq!(web.graph(options)["up_to_date"], true, "{options:?}");
        succeeds(&["build", &web.path(), "--quiet"]);
        assert_eq!(web.graph(options)["up_to_date"], true, "{options:?}");
    }
}

#[test]
fn names_that_were_folded_lead_to_the_page_and_unknown_ones_nowhere() {
    let web = web_of_aliases();
    web.graph(&[]);
    let path = |from: &str, to: &str| web.graph(&["--path", from, to]);
    for name in ["http://a.test/x", "http://a.test/same", "http://a.test/chain"] {
        assert_eq!(
            path(name, "http://a.test/")["path"],
            json!(["http://a.test/x", "http://a.test/"]),
            "{name}"
        );
        assert_eq!(path(name, name)["hops"], 0, "{name}");
        assert_eq!(web.graph(&["--backlinks", name])["url"], "http://a.test/x", "{name}");
    }
    let of_host = web.graph(&["--links", "http://www.a.test/"]);
    assert_eq!(
        (&of_host["url"], &of_host["ranks"]["component_size"]),
        (&"http://a.test/".into(), &4.0.into())
    );
    // Nothing is said to be known that was never seen, or was linked to and never fetched.
    for unknown in ["http://a.test/never", "http://a.test/y", "http://c.test/", "https://a.test/"] {
        web.refuses(&["--links", unknown], &[unknown, "not in the graph", "hint:"]);
        web.refuses(&["--backlinks", unknown], &[unknown, "not in the graph"]);
        web.refuses(&["--path", "http://a.test/", unknown], &[unknown, "not in the graph"]);
    }
    web.refuses(&["--path", "/x", "http://a.test/"], &["`/x` is no address", "hint:"]);
}

#[test]
fn whether_a_page_links_to_another_is_answered_by_either_format() {
    let web = web_of_aliases();
    for format in ["bv", "ef"] {
        web.graph(&["--format", format]);
        let (nodes, arcs) = web.exported();
        let address = |name: &String| format!("http://{}", name.replacen('/', ".test/", 1));
        for (from, to) in nodes.iter().flat_map(|from| nodes.iter().map(move |to| (from, to))) {
            let answer = web.graph(&["--linked", &address(from), &address(to)]);
            assert_eq!(answer["linked"], arcs.contains(&(from.clone(), to.clone())), "{from} {to}");
            assert_eq!(answer["link"].is_object(), answer["linked"], "{from} {to}");
            assert_eq!(answer["answered_by"], format);
        }
        // Names that were folded are the page that they stand for, and a link has its words.
        let answer = web.graph(&["--linked", "http://a.test/chain", "http://b.test/"]);
        assert_eq!((&answer["from"], &answer["to"]), (&"http://a.test/x".into(), &"http://b.test/".into()));
        assert_eq!(answer["link"]["anchor"], "href=http://b.test/");
        let text = |from: &str, to: &str| succeeds(&["graph", &web.path(), "--linked", from, to, "--quiet"]);
        let nofollow = text("http://b.test/", "http://b.test/copy");
        assert_eq!(nofollow, "yes\trel=nofollow href=/copy\tnofollow\n");
        assert_eq!(text("http://b.test/copy", "http://a.test/"), "no\n");
        web.refuses(
            &["--linked", "http://a.test/", "http://a.test/never"],
            &["a.test/never", "not in the graph"],
        );
    }
}

#[test]
fn where_there_is_no_path_it_is_said() {
    let web = Web::new(&[("http://a.test/", "", "a", &["href=/end"]), ("http://a.test/end", "", "b", &[])]);
    let none = ["--path", "http://a.test/end", "http://a.test/"];
    assert_eq!(web.graph(&none), json!({ "hops": null, "path": null }));
    let text = succeeds(&[&["graph", &web.path(), "--quiet"], &none[..]].concat());
    assert_eq!(text, "there is no path\n");
    assert_eq!(web.graph(&["--links", "http://a.test/end"])["count"], 0);
}

#[test]
fn a_damaged_build_is_named_by_who_reads_and_made_again_by_who_builds() {
    let web = web_of_aliases();
    succeeds(&["build", &web.path(), "--quiet"]);
    let mut names: Vec<String> = std::fs::read_dir(web.build())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    for name in names.iter().filter(|name| !name.ends_with(".offsets")) {
        let file = web.build().join(name);
        let mut bytes = std::fs::read(&file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x10;
        std::fs::write(&file, bytes).unwrap();
        if name.ends_with(".rank") {
            // Ranks are not needed to look at links, nor to search.
            assert_eq!(web.graph(&["--links", "http://a.test/"])["count"], 2, "{name}");
        } else {
            web.refuses(&["--links", "http://a.test/"], &[name.split('.').next().unwrap(), "hint:"]);
        }
        assert!(succeeds(&["search", &web.path(), "ferry", "--quiet"]).contains("a.test/x"), "{name}");
        let again = succeeds_with_json(&["build", &web.path(), "--json", "--quiet"]);
        assert_eq!(again["graph"]["up_to_date"], name.starts_with("documents"), "{name}: {again}");
        let links = web.graph(&["--links", "http://a.test/"]);
        assert_eq!(links["count"], 2, "{name}");
        assert!(links["ranks"]["pagerank"].is_number(), "{name}");
    }
}

#[test]
fn a_graph_of_an_older_format_is_no_damage_and_made_anew() {
    let web = web_of_aliases();
    succeeds(&["build", &web.path(), "--quiet"]);
    let manifest = web.build().parent().unwrap().join("manifest.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(
        &manifest,
        text.replace(&format!("\"format\": {}", graph::FORMAT_VERSION), "\"format\": 3"),
    )
    .unwrap();
    let stats = succeeds(&["stats", &web.path()]);
    assert!(stats.contains("of an older format; `crivello build` makes it anew"), "{stats}");
    web.refuses(&["--links", "http://a.test/"], &["format 3", "crivello build"]);
    let again = succeeds_with_json(&["build", &web.path(), "--json", "--quiet"]);
    assert_eq!(again["graph"]["up_to_date"], false);
    assert_eq!(web.graph(&["--links", "http://a.test/"])["count"], 2);
}

#[test]
fn an_index_of_an_older_version_is_no_damage_and_made_anew() {
    let web = web_of_aliases();
    succeeds(&["build", &web.path(), "--quiet"]);
    let manifest = std::path::Path::new(&web.path()).join("index/manifest.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let versions = [
        (format!("\"version\": {},", index::FORMAT_VERSION), "\"version\": 1,"),
        ("\"analysis_version\": 2".to_owned(), "\"analysis_version\": 1"),
    ];
    for (now, older) in versions {
        assert!(text.contains(&now), "{now} {text}");
        std::fs::write(&manifest, text.replacen(&now, older, 1)).unwrap();
        let stats = succeeds(&["stats", &web.path()]);
        assert!(stats.contains("of an older format; `crivello build` makes it anew"), "{stats}");
        succeeds(&["build", &web.path(), "--quiet"]);
        assert!(!succeeds(&["stats", &web.path()]).contains("older format"), "{older}");
    }
}

#[test]
fn what_does_not_fit_into_memory_has_the_same_ranks() {
    let web = web_of_aliases();
    for filter in ["none", "nofollow,navigation", "same-host"] {
        let summary = |memory: &str| {
            let mut summary = web.graph(&["--filter", filter, "--memory", memory]);
            summary["up_to_date"] = Value::Null;
            summary
        };
        assert_eq!(summary("0"), summary("1GiB"), "{filter}");
    }
    // A graph that is large enough for estimates, too.
    let arcs: String = (0..40_000u64)
        .map(|arc| format!("{}\t{}\n", arc * arc % 20_011, arc * 2_654_435_761 % 20_021))
        .collect();
    let file = web.dir.path().join("arcs.tsv");
    std::fs::write(&file, arcs).unwrap();
    let ranks = |memory: &str, jump: &[&str]| {
        let args = ["graph", "--from", file.to_str().unwrap(), "--ranks", "-", "--quiet", "--runs", "2"];
        succeeds(&[&args[..], &["--registers", "4", "--memory", memory], jump].concat())
    };
    let expected = ranks("1GiB", &[]);
    assert_eq!(ranks("0", &[]), expected);
    // Nor do they change with fewer places where lists start.
    assert_eq!(ranks("0", &["--jump", "16"]), expected);
}
