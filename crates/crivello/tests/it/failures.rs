//! A crawl that fails says what failed, and why: in its report, in its log, and whenever somebody asks later.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use serde_json::Value;

use crate::command::{crivello, errors_of, succeeds, succeeds_with_json};

/// A site that is half broken, until it is repaired.
struct BrokenSite {
    port: u16,
    is_repaired: Arc<AtomicBool>,
}

impl BrokenSite {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let is_repaired = Arc::new(AtomicBool::new(false));
        let repaired = is_repaired.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let repaired = repaired.load(Relaxed);
                std::thread::spawn(move || answer(stream, repaired));
            }
        });
        Self { port, is_repaired }
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

fn answer(mut stream: TcpStream, is_repaired: bool) -> Option<()> {
    let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
    let path = lines.next()?.ok()?.split(' ').nth(1)?.to_owned();
    while !lines.next()?.ok()?.is_empty() {}
    let (status, body) = match path.as_str() {
        "/robots.txt" => ("200 OK", "User-agent: *\nDisallow: /private\n"),
        "/" => ("200 OK", "<title>home</title><a href=/dead-link>a link to nothing</a>"),
        "/missing" if is_repaired => ("200 OK", "<title>found</title>"),
        "/moved" => ("302 Found\r\nLocation: /also-missing", ""),
        "/circle" => ("302 Found\r\nLocation: mailto:nobody", ""),
        _ => ("404 Not Found", "nothing"),
    };
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n");
    stream.write_all(format!("{head}Connection: close\r\n\r\n{body}").as_bytes()).ok()
}

fn crawl(collection: &Path, seeds: &[String], options: &[&str]) -> Output {
    let mut command = crivello();
    command.arg("crawl").arg(collection).args(seeds).args(["--allow-net", "127.0.0.0/8", "--delay", "0"]);
    command.args(options).output().unwrap()
}

/// A port that nobody listens on.
fn closed_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[test]
fn what_failed_is_told_with_its_reason_until_it_is_had() {
    let site = BrokenSite::start();
    let dir = tempfile::tempdir().unwrap();
    let collection = dir.path().join("c.crivello");
    let closed = format!("http://127.0.0.2:{}/", closed_port());
    let paths = ["/", "/missing", "/moved", "/circle", "/private/x"];
    let mut seeds: Vec<String> = paths.iter().map(|path| site.url(path)).collect();
    seeds.push(closed.clone());
    let mut expected = vec![
        (site.url("/missing"), "HTTP 404"),
        (site.url("/also-missing"), "HTTP 404"),
        (site.url("/circle"), "HTTP 302, which leads nowhere"),
        (site.url("/private/x"), "forbidden by robots.txt"),
        (closed, "connection refused"),
    ];

    let first = crawl(&collection, &seeds, &["-vv"]);
    let (report, log) = (String::from_utf8_lossy(&first.stdout), errors_of(&first));
    assert_eq!(first.status.code(), Some(1), "{report}{log}");
    assert!(report.contains("1 page in the collection") && report.contains("5 failed"), "{report}");
    for (url, reason) in &expected {
        assert!(report.contains(&format!("failed: {url}: {reason}\n")), "{url}: {report}");
        let line = log.lines().find(|line| line.contains("failed") && line.contains(url)).unwrap();
        assert!(line.contains("INFO") && line.contains(reason), "{line}");
    }
    let home =
        log.lines().find(|line| line.contains("status=200") && line.contains(&site.url("/\""))).unwrap();
    assert!(home.contains("bytes=") && home.contains("fetched"), "{home}");
    assert!(log.contains("status=404") && !report.contains("dead-link"), "a dead link is no failure: {log}");

    assert_eq!(listed(&collection), sorted(&expected, 1));
    site.is_repaired.store(true, Relaxed);
    let second = crawl(&collection, &seeds, &["--json", "--quiet", "-v"]);
    let report: Value = serde_json::from_slice(&second.stdout).unwrap();
    assert_eq!((second.status.code(), &report["failed"]), (Some(1), &4.into()), "{report}");
    assert_eq!(report["failures_by_reason"]["HTTP 404"], 1, "{report}");
    assert_eq!(report["failures"].as_array().unwrap().len(), 4, "{report}");
    assert_eq!((&report["pages_stored"], &report["pages_this_run"]), (&2.into(), &1.into()), "{report}");
    assert!(!errors_of(&second).contains("fetched"), "-v tells failures only");
    expected.remove(0);
    assert_eq!(listed(&collection), sorted(&expected, 2));
    let stats = succeeds_with_json(&["stats", collection.to_str().unwrap(), "--json"]);
    assert_eq!(stats["failed"], 4);
}

/// Address, reason and tries, by `export failed`, which agrees with `stats --failed`.
fn listed(collection: &Path) -> Vec<(String, String, u64)> {
    let collection = collection.to_str().unwrap();
    let mut exported = Vec::new();
    for line in succeeds(&["export", collection, "failed"]).lines() {
        let [url, reason, at, tries] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        assert!(at.starts_with("20") && at.ends_with('Z'), "{line}");
        exported.push((url.to_owned(), reason.to_owned(), tries.parse().unwrap()));
    }
    let list = succeeds_with_json(&["stats", collection, "--failed", "--json"]);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let of_stats =
        |line: &Value| (text(&line["url"]), text(&line["reason"]), line["tries"].as_u64().unwrap());
    assert_eq!(list["addresses"].as_array().unwrap().iter().map(of_stats).collect::<Vec<_>>(), exported);
    let shown = succeeds(&["stats", collection, "--failed"]);
    assert!(exported.iter().all(|(url, reason, _)| shown.contains(&format!("{url}: {reason} ("))), "{shown}");
    exported.sort();
    exported
}

fn sorted(expected: &[(String, &str)], tries: u64) -> Vec<(String, String, u64)> {
    let row = |(url, reason): &(String, &str)| (url.clone(), (*reason).to_owned(), tries);
    let mut rows: Vec<_> = expected.iter().map(row).collect();
    rows.sort();
    rows
}

#[test]
fn many_failures_are_named_up_to_ten_and_then_counted_by_reason() {
    let site = BrokenSite::start();
    let dir = tempfile::tempdir().unwrap();
    let collection = dir.path().join("c.crivello");
    let mut seeds: Vec<String> = (0..14).map(|number| site.url(&format!("/{number}"))).collect();
    seeds.extend((0..3).map(|number| site.url(&format!("/private/{number}"))));
    let output = crawl(&collection, &seeds, &[]);
    let report = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{report}");
    assert_eq!(report.lines().filter(|line| line.starts_with("failed: ")).count(), 10, "{report}");
    let rest = report.lines().find(|line| line.starts_with("failed too: ")).unwrap();
    assert!(rest.contains("HTTP 404") && rest.contains("--failed"), "{report}");
    assert_eq!(listed(&collection).len(), 17);
}
