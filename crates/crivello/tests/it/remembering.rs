//! A crawl that remembers what it was told, says why, and writes down what it asked.

use std::path::Path;
use std::process::Output;
use std::time::Duration;

use lab::{AuditPolicy, Reply, ScriptedHost, ScriptedWeb};
use serde_json::Value;

use crate::command::{crivello, errors_of, skipped, succeeds, succeeds_with_json};

/// Two hosts that link to each other, with a little of everything.
fn web() -> ScriptedWeb {
    let audit = AuditPolicy { error_rest: Duration::from_secs(1), ..AuditPolicy::default() };
    ScriptedWeb::start(audit, |port| {
        let b = format!("http://b.test:{port}/");
        let a = ScriptedHost::new("a.test", 0, move |path, _| match path {
            "/robots.txt" => Reply::text("User-agent: *\nDisallow: /forbidden"),
            "/" => {
                let mut page = Reply::links(["/1", "/2", "/skip/3", "/forbidden/x", "/moved", "/gone", &b]);
                page.body += "<a rel=nofollow href=/hidden>x</a><p>the front page of all pages";
                page
            }
            "/moved" => Reply::moved("/1"),
            "/gone" => Reply::status(404),
            "/2" => Reply::links(["/deep", "/2"]),
            _ => Reply::page("the same words on several pages of this host"),
        });
        let b = ScriptedHost::new("b.test", 1, |path, _| match path {
            "/robots.txt" => Reply::status(404),
            _ => Reply::page("elsewhere"),
        });
        vec![a, b]
    })
    .unwrap()
}

fn crawl(dir: &Path, more: &[&str]) -> Output {
    crivello().arg("crawl").arg(dir.join("c.crivello")).args(more).output().unwrap()
}

fn stored(dir: &Path) -> Vec<String> {
    let pages = succeeds(&["export", dir.join("c.crivello").to_str().unwrap(), "pages"]);
    let url = |line: &str| serde_json::from_str::<Value>(line).unwrap()["url"].as_str().unwrap().to_owned();
    let mut paths: Vec<String> =
        pages.lines().map(|line| url(line).splitn(4, '/').skip(2).collect::<Vec<_>>().join("/")).collect();
    paths.iter_mut().for_each(|path| {
        *path = path
            .split_once(':')
            .map_or(path.clone(), |(host, rest)| format!("{host}{}", &rest[rest.find('/').unwrap_or(0)..]))
    });
    paths.sort();
    paths
}

#[test]
fn a_crawl_goes_on_as_it_was_told_and_says_what_is_new() {
    let (web, dir) = (web(), tempfile::tempdir().unwrap());
    let table = dir.path().join("hosts.tsv");
    std::fs::write(&table, web.hosts_tsv()).unwrap();
    let seed = web.url("a.test", "/");
    let first =
        [&*seed, "--resolve", table.to_str().unwrap(), "--allow-net", "127.0.0.0/8", "--delay", "1ms"];
    let first = [&first[..], &["--exclude", "/skip/", "--max-pages", "1"]].concat();
    let output = crawl(dir.path(), &first);
    assert!(output.status.success(), "{}", errors_of(&output));
    assert_eq!(stored(dir.path()), ["a.test/"]);
    // The user's own table may be gone tomorrow.
    std::fs::remove_file(&table).unwrap();

    let output = crawl(dir.path(), &["--max-pages", "2"]);
    let told = errors_of(&output);
    assert!(output.status.success() && told.contains("new: --max-pages 2 (it was 1)"), "{told}");
    assert!(told.contains("as before: 1 start address") && told.contains("--exclude /skip/"), "{told}");
    assert_eq!(stored(dir.path()).len(), 2);

    let output = crawl(dir.path(), &["--unset", "max-pages"]);
    assert!(errors_of(&output).contains("no longer: --max-pages 2"), "{}", errors_of(&output));
    assert_eq!(stored(dir.path()), ["a.test/", "a.test/1", "a.test/2", "a.test/deep"], "/skip/ stays out");

    let collection = dir.path().join("c.crivello");
    let stats = succeeds_with_json(&["stats", collection.to_str().unwrap(), "--json"]);
    assert_eq!(stats["crawl"]["seeds"], serde_json::json!([seed]));
    assert_eq!(stats["crawl"]["options"]["exclude"], serde_json::json!(["/skip/"]));
    assert!(stats["crawl"]["options"].get("max-pages").is_none(), "{stats}");
    assert_eq!((&stats["sites"][0]["pages"], &stats["sites"][0]["forbidden"]), (&4.into(), &1.into()));
    let text = succeeds(&["stats", collection.to_str().unwrap()]);
    assert!(text.contains("--exclude /skip/") && text.contains(&seed), "{text}");

    let file = collection.join("crawl.json");
    let inspected = succeeds_with_json(&["inspect", file.to_str().unwrap(), "--json"]);
    assert_eq!((&inspected["seeds"], &inspected["version"]), (&1.into(), &1.into()), "{inspected}");

    let output = crawl(dir.path(), &["--unset", "scope"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors_of(&output).contains("allow-net, delay, exclude, resolve"), "{}", errors_of(&output));
    assert_eq!(web.audit().violations, 0, "{:?}", web.audit().examples);
}

#[test]
fn every_reason_has_an_address_that_it_is_told_of() {
    let (web, dir) = (web(), tempfile::tempdir().unwrap());
    let table = dir.path().join("hosts.tsv");
    std::fs::write(&table, web.hosts_tsv()).unwrap();
    let seed = web.url("a.test", "/");
    let told =
        [&*seed, "--resolve", table.to_str().unwrap(), "--allow-net", "127.0.0.0/8", "--delay", "20ms"];
    let told = [&told[..], &["--exclude", "/skip/", "--max-depth", "1"]].concat();
    let reasons = |subject: &str| -> Vec<String> {
        let collection = dir.path().join("c.crivello");
        let answer = succeeds_with_json(&["why", collection.to_str().unwrap(), subject, "--json"]);
        let code = |reason: &Value| reason["code"].as_str().unwrap().to_owned();
        answer["reasons"].as_array().unwrap().iter().map(code).collect()
    };
    assert!(crawl(dir.path(), &[&told[..], &["--max-pages", "1"]].concat()).status.success());
    assert_eq!(reasons(&web.url("a.test", "/1")), ["queue", "budget"]);
    assert!(crawl(dir.path(), &["--unset", "max-pages"]).status.success());
    let rows: &[(&str, &[&str])] = &[
        ("/", &["stored"]),
        ("/moved", &["redirect"]),
        ("/gone", &["answered"]),
        ("/forbidden/x", &["robots"]),
        ("/forbidden/never-linked", &["never met", "robots"]),
        ("/skip/3", &["pattern"]),
        ("/hidden", &["nofollow"]),
        ("/deep", &["depth"]),
        ("/nobody", &["never met"]),
    ];
    for (path, expected) in rows {
        assert_eq!(reasons(&web.url("a.test", path)), *expected, "{path}");
    }
    assert_eq!(reasons(&web.url("b.test", "/")), ["scope"]);
    assert_eq!(reasons("a.test"), ["stored", "queue"]);
    assert_eq!(reasons("c.test"), ["scope"]);
    let output =
        crivello().args(["why", dir.path().join("c.crivello").to_str().unwrap(), "no/thing"]).output();
    assert_eq!(output.unwrap().status.code(), Some(2));
    let flat = tempfile::tempdir().unwrap();
    assert!(crawl(flat.path(), &[&told[..6], &["1ms", "--max-depth", "0"]].concat()).status.success());
    let collection = flat.path().join("c.crivello");
    let text = succeeds(&["why", collection.to_str().unwrap(), &web.url("a.test", "/1")]);
    assert!(text.contains("it is 1 link from a start address"), "{text}");
}

#[test]
fn what_was_imported_hidden_folded_or_forgotten_is_told_as_that() {
    let dir = tempfile::tempdir().unwrap();
    let (pages, collection) = (dir.path().join("pages"), dir.path().join("c.crivello"));
    let collection = collection.to_str().unwrap();
    std::fs::create_dir(&pages).unwrap();
    let words: Vec<String> = (0..200).map(|number| format!("word{number}")).collect();
    for (name, head, body) in [
        ("plain.html", "", "a plain page about ferries"),
        ("named.html", "<link rel=canonical href=plain.html>", "one that names another about harbours"),
        ("hidden.html", "<meta name=robots content=noindex>", "a hidden page about bridges"),
        ("one.html", "", &*words.join(" ")),
        ("two.html", "", &*words.join(" ")),
        ("gone.html", "", "a page about quays that is gone"),
        ("purged.html", "", "a page about lighthouses that is gone"),
    ] {
        std::fs::write(pages.join(name), format!("<title>{name}</title>{head}<body><p>{body}</p>")).unwrap();
    }
    let base = ["--base", "http://a.test/", "--quiet"];
    succeeds(&[&["import", collection, pages.to_str().unwrap()], &base[..]].concat());
    succeeds(&["build", collection, "--quiet"]);
    succeeds(&["forget", collection, "http://a.test/pages/gone.html", "--quiet"]);
    succeeds(&["forget", collection, "http://a.test/pages/purged.html", "--purge", "--quiet"]);
    let told = |subject: &str| {
        let answer = succeeds_with_json(&["why", collection, subject, "--json"]);
        let reasons = answer["reasons"].as_array().unwrap().clone();
        let of = |name: &str| -> Vec<String> {
            reasons.iter().map(|reason| reason[name].as_str().unwrap().to_owned()).collect()
        };
        (of("code").join(", "), of("text").join("; "))
    };
    for (subject, codes, words) in [
        ("http://a.test/pages/plain.html", "stored", "it was imported"),
        (
            "http://a.test/pages/named.html",
            "stored, folded",
            "links to it count for http://a.test/pages/plain.html",
        ),
        ("http://a.test/pages/hidden.html", "stored, noindex", "it asks not to be indexed"),
        ("http://a.test/pages/one.html", "stored", "it was imported"),
        (
            "http://a.test/pages/two.html",
            "stored, copy, folded",
            "in results http://a.test/pages/one.html stands for it",
        ),
        ("http://a.test/pages/gone.html", "forgotten", "its answer is still in the archive"),
        ("http://a.test/pages/purged.html", "forgotten", "its answer is not in the archive"),
        (
            "http://a.test/nobody",
            "imported, forgotten, never met",
            "no address of this host was ever asked for",
        ),
        (
            "a.test",
            "imported, forgotten, never met",
            "5 pages of its host imported; 2 pages of its host forgotten",
        ),
        ("http://b.test/", "never met", "nothing has been crawled into this collection"),
        ("b.test", "never met", "nothing has been crawled into this collection"),
    ] {
        let (told_codes, text) = told(subject);
        assert!(told_codes == codes && text.contains(words), "{subject}: {told_codes}: {text}");
    }
    assert_eq!(succeeds_with_json(&["stats", collection, "--json"])["forgotten"], 2);
    assert!(succeeds(&["stats", collection]).contains("forgotten  2"));
}

#[test]
fn the_gate_before_the_sieve_is_named_with_its_option_and_counted() {
    let (web, dir) = (web(), tempfile::tempdir().unwrap());
    let table = dir.path().join("hosts.tsv");
    std::fs::write(&table, web.hosts_tsv()).unwrap();
    let seed = web.url("a.test", "/");
    let told = [&*seed, "--resolve", table.to_str().unwrap(), "--allow-net", "127.0.0.0/8", "--delay", "0"];
    let gate = ["--max-links-per-page", "4", "--max-site-depth", "1", "--max-url-repeats", "2", "--json"];
    let output = crawl(dir.path(), &[&told[..], &gate].concat());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["left_out"], serde_json::json!({"place": 2, "shape": 0, "site_depth": 2, "full": 0}));
    let collection = dir.path().join("c.crivello");
    let why = |path: &str| {
        let url = web.url("a.test", path);
        let answer = succeeds_with_json(&["why", collection.to_str().unwrap(), &url, "--json"]);
        let reason = &answer["reasons"][0];
        (reason["code"].as_str().unwrap().to_owned(), reason["text"].as_str().unwrap().to_owned())
    };
    let rows = [
        ("/gone", "place", "--max-links-per-page"),
        ("/deep", "site depth", "--max-site-depth"),
        ("/x/x/x/y", "shape", "--max-url-repeats 2"),
    ];
    for (path, code, option) in rows {
        let (told_code, text) = why(path);
        assert!(told_code == code && text.contains(option), "{path}: {told_code}: {text}");
    }
    // It is remembered, and what is given anew replaces it.
    let output = crawl(dir.path(), &["--max-links-per-page", "6", "--max-per-domain", "9"]);
    assert!(errors_of(&output).contains("--max-links-per-page 6 (it was 4)"), "{}", errors_of(&output));
    assert_eq!(why("/gone").0, "answered");
    assert_eq!(why("/deep").0, "site depth");
    let output = crawl(dir.path(), &["--unset", "max-site-depth", "--max-per-domain", "3"]);
    assert!(output.status.success(), "{}", errors_of(&output));
    let (code, text) = why("/deep");
    assert!(code == "budget" && text.contains("--max-per-domain 3"), "{code}: {text}");
}

#[test]
fn stats_tell_what_waits_while_a_crawl_goes_on_and_after_it() {
    let dir = tempfile::tempdir().unwrap();
    let web = ScriptedWeb::start(AuditPolicy::default(), |port| {
        let many: Vec<String> = (0..40).map(|page| format!("/{page}")).collect();
        let tired = format!("http://tired.test:{port}/");
        let many = ScriptedHost::new("many.test", 0, move |path, _| match path {
            "/robots.txt" => Reply::text("User-agent: *\nCrawl-delay: 5"),
            _ => Reply::links(many.iter().map(String::as_str).chain([&*tired])),
        });
        let tired = ScriptedHost::new("tired.test", 1, |path, _| match path {
            "/robots.txt" => Reply::status(404),
            _ => Reply::status(503).with("Retry-After: 600"),
        });
        vec![ScriptedHost { crawl_delay: Duration::from_secs(5), ..many }, tired]
    })
    .unwrap();
    let (table, collection) = (dir.path().join("hosts.tsv"), dir.path().join("c.crivello"));
    std::fs::write(&table, web.hosts_tsv()).unwrap();
    let mut crawl = crivello();
    crawl.arg("crawl").arg(&collection).args([&*web.url("many.test", "/"), "--scope", "all", "--delay", "0"]);
    crawl.arg("--resolve").arg(&table).args(["--allow-net", "127.0.0.0/8", "--quiet"]);
    let mut child = crawl.stdout(std::process::Stdio::null()).spawn().unwrap();
    let stats = || succeeds_with_json(&["stats", collection.to_str().unwrap(), "--json"]);
    let begun = std::time::Instant::now();
    // Its robots.txt, five seconds, its front page, and then forty pages wait, five seconds each.
    let found = loop {
        std::thread::sleep(Duration::from_millis(300));
        assert!(begun.elapsed() < Duration::from_secs(30), "it was not told in time");
        let found = if collection.join("frontier/status").exists() {
            stats()["frontier"].clone()
        } else {
            Value::Null
        };
        if found["live"]["hosts_resting"] == 2 {
            break found;
        }
    };
    let text = succeeds(&["stats", collection.to_str().unwrap()]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!((&found["hosts"], &found["hosts_paused"]), (&2.into(), &1.into()), "{found}");
    assert_eq!((&found["live"]["hosts_ready"], &found["live"]["addresses_on_disk"]), (&0.into(), &0.into()));
    let left = found["live"]["seconds_left"].as_u64().unwrap();
    assert!((5 * 38..=5 * 40).contains(&left), "{found}");
    assert!(text.contains("0 hosts ready, 2 resting") && text.contains("minutes or more"), "{text}");
    // A crawl that ends in order leaves no picture of a moment behind.
    let told = [&*web.url("many.test", "/"), "--max-pages", "1", "--quiet"];
    let output = crivello().arg("crawl").arg(&collection).args(told).output().unwrap();
    assert!(output.status.success(), "{}", errors_of(&output));
    let after = stats();
    assert!(
        after["frontier"]["live"].is_null() && after["frontier"]["addresses"].as_u64() >= Some(40),
        "{after}"
    );
}

#[test]
fn the_log_of_requests_passes_a_checker_that_is_not_ours() {
    let data = std::env::var_os("CRIVELLO_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        std::path::PathBuf::from,
    );
    let checker = data.join("tools/check_politeness.py");
    if !checker.exists() {
        return skipped("check_politeness.py is absent (set CRIVELLO_DATA)");
    }
    let (web, dir) = (web(), tempfile::tempdir().unwrap());
    let (table, log) = (dir.path().join("hosts.tsv"), dir.path().join("requests.tsv"));
    std::fs::write(&table, web.hosts_tsv()).unwrap();
    let seed = web.url("a.test", "/");
    let told =
        [&*seed, "--resolve", table.to_str().unwrap(), "--allow-net", "127.0.0.0/8", "--delay", "50ms"];
    let told = [&told[..], &["--scope", "all", "--audit", log.to_str().unwrap()]].concat();
    for more in [&["--max-pages", "2"][..], &["--unset", "max-pages"]] {
        let told = if more[0] == "--unset" { more.to_vec() } else { [&told[..], more].concat() };
        assert!(crawl(dir.path(), &told).status.success());
    }
    let check = |delay: &str| {
        std::process::Command::new("python3").arg(&checker).arg(&log).arg(delay).output().unwrap()
    };
    let output = check("0.05");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("hosts=2"), "{said}{}", errors_of(&output));
    assert!(!check("30").status.success(), "it can see a violation");
    let heard = web.audit().requests;
    assert!(said.contains(&format!("requests={heard}")), "{said} but {heard} were heard");
}
