//! What a site asked for, and a crawl that does not live long enough to keep it.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use frontier::{HOSTS_FORMAT, HostFact, decode_host_fact};
use journal::JournalReader;
use lab::{AuditPolicy, Reply, ScriptedHost, ScriptedWeb};

use crate::command::{crivello, errors_of, succeeds};

const DELAY: Duration = Duration::from_millis(20);

/// `busy.test` asks for three seconds on its second page, `slow.test` for one and a half between all of them.
fn hosts() -> Vec<ScriptedHost> {
    let busy = ScriptedHost::new("busy.test", 0, |path, times| match (path, times) {
        ("/robots.txt", _) => Reply::status(404),
        ("/", _) => Reply::links(["/busy", "/1", "/2"]),
        ("/busy", 1) => Reply::status(503).with("Retry-After: 3"),
        _ => Reply::page("page"),
    });
    let slow = ScriptedHost::new("slow.test", 1, |path, _| match path {
        "/robots.txt" => Reply::text("User-agent: *\nCrawl-delay: 1.5"),
        "/" => Reply::links(["/1"]),
        _ => Reply::page("page"),
    });
    vec![busy, ScriptedHost { crawl_delay: Duration::from_millis(1500), ..slow }]
}

#[test]
fn a_pause_that_a_site_asked_for_holds_after_a_kill() {
    let policy = AuditPolicy { host_delay: DELAY, address_delay: DELAY, ..AuditPolicy::default() };
    let web = ScriptedWeb::start(policy, |_| hosts()).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let collection = dir.path().join("p.crivello");
    std::fs::write(dir.path().join("hosts.tsv"), web.hosts_tsv()).unwrap();
    let crawl = || {
        let mut command = crivello();
        command.arg("crawl").arg(&collection).args([
            "--allow-net",
            "127.0.0.0/8",
            "--delay",
            "20ms",
            "--quiet",
        ]);
        command.arg("--resolve").arg(dir.path().join("hosts.tsv"));
        command.args(["busy.test", "slow.test"].map(|host| web.url(host, "/")));
        command
    };
    // Killed as soon as both have said what they want.
    let log = collection.join("frontier/hosts.log");
    let has_both = || pauses_in(&log) > 0 && web.count("slow.test", "/") > 0;
    kill_when(&mut crawl(), Duration::from_secs(20), has_both);
    assert!(has_both(), "they were never asked");
    kill_when(&mut crawl(), Duration::from_millis(300), || false);
    let output = crawl().output().unwrap();
    assert!(output.status.success(), "{}", errors_of(&output));

    let audit = web.audit();
    assert_eq!(audit.violations, 0, "{:?}", audit.examples);
    let pages = succeeds(&["export", collection.to_str().unwrap(), "pages"]);
    assert_eq!(pages.lines().count(), 4 + 2);
    assert_eq!(web.count("busy.test", "/busy"), 2);
}

/// Kills a run when something has happened, or after some time.
fn kill_when(command: &mut Command, patience: Duration, has_happened: impl Fn() -> bool) {
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let begin = Instant::now();
    while !has_happened() && begin.elapsed() < patience {
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// How many pauses a log of hosts knows of.
fn pauses_in(log: &Path) -> usize {
    let Ok(mut reader) = JournalReader::open(log, HOSTS_FORMAT) else { return 0 };
    let mut pauses = 0;
    while let Ok(Some(record)) = reader.next_record() {
        let fact = decode_host_fact(record.payload).map(|(_, _, fact)| fact);
        pauses += usize::from(matches!(fact, Ok(HostFact::PauseUntil(_))));
    }
    pauses
}

#[test]
fn a_site_that_was_asked_just_before_a_kill_has_its_rest_after_it() {
    let delay = Duration::from_millis(600);
    let policy = AuditPolicy { host_delay: delay, address_delay: delay, ..AuditPolicy::default() };
    let host = ScriptedHost::new("a.test", 0, |path, _| match path {
        "/robots.txt" => Reply::status(404),
        "/" => Reply::links(["/1"]),
        _ => Reply::page("page"),
    });
    let web = ScriptedWeb::start(policy, |_| vec![host]).unwrap();
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("hosts.tsv"), web.hosts_tsv()).unwrap();
    let crawl = || {
        let mut command = crivello();
        command.arg("crawl").arg(dir.path().join("r.crivello")).arg(web.url("a.test", "/"));
        command.args(["--allow-net", "127.0.0.0/8", "--delay", "600ms", "--quiet"]);
        command.arg("--resolve").arg(dir.path().join("hosts.tsv"));
        command
    };
    for path in ["/robots.txt", "/"] {
        kill_when(&mut crawl(), Duration::from_secs(20), || web.count("a.test", path) > 0);
    }
    let output = crawl().output().unwrap();
    assert!(output.status.success(), "{}", errors_of(&output));
    assert_eq!(web.audit().violations, 0, "{:?}", web.audit().examples);
}
