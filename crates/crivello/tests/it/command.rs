//! Running the binary, and a lab for it to crawl.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::Duration;

use lab::{AuditPolicy, FakeWeb, LabConfig, LabServer, Truth};
use serde_json::Value;

pub fn crivello() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crivello"));
    command.env_remove("CRIVELLO_LOG");
    command
}

/// Runs a command that must succeed and returns its standard output.
pub fn succeeds(args: &[&str]) -> String {
    let output = crivello().args(args).output().unwrap();
    assert!(
        output.status.success(),
        "crivello {args:?} ended with {:?}: {}",
        output.status,
        errors_of(&output)
    );
    String::from_utf8(output.stdout).unwrap()
}

pub fn succeeds_with_json(args: &[&str]) -> Value {
    serde_json::from_str(&succeeds(args)).unwrap()
}

pub fn errors_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Says that a test has nothing to do here, and why. `./test` lists these lines at its end.
pub fn skipped(why: &str) {
    // Not by `println!`, which a passing test keeps to itself, and in one piece.
    std::io::stderr().write_all(format!("skipped: {why}\n").as_bytes()).unwrap();
}

pub struct Lab {
    pub server: LabServer,
    pub truth: Truth,
    pub dir: tempfile::TempDir,
    delay: Duration,
}

impl Lab {
    pub fn start(config: LabConfig, delay: Duration) -> Self {
        let error_rest = Duration::from_secs(1);
        let policy =
            AuditPolicy { host_delay: delay, address_delay: delay, error_rest, ..AuditPolicy::default() };
        Self::start_audited(config, policy)
    }

    /// The audit holds the crawl to this; options of the crawl that fit it are given to `crawl`.
    pub fn start_audited(config: LabConfig, policy: AuditPolicy) -> Self {
        let web = Arc::new(FakeWeb::new(config));
        let delay = policy.host_delay;
        let server = LabServer::start(web.clone(), 0, policy).unwrap();
        let truth = web.truth(server.port());
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("hosts.tsv"), server.hosts_tsv()).unwrap();
        Self { server, truth, dir, delay }
    }

    pub fn collection(&self) -> PathBuf {
        self.dir.path().join("lab.crivello")
    }

    /// `crivello crawl` of this lab, to be run or spawned.
    pub fn crawl(&self) -> Command {
        let mut command = crivello();
        command.arg("crawl").arg(self.collection()).args(&self.truth.seeds);
        command.args(["--allow-net", "127.0.0.0/8", "--scope", "all", "--quiet", "--json"]);
        command.arg("--resolve").arg(self.dir.path().join("hosts.tsv"));
        command.args(["--delay", &format!("{}ms", self.delay.as_millis())]);
        command
    }

    /// Compares pages, copies and arcs of the collection with the truth, by the command's own exports.
    pub fn assert_truth(&self) {
        let collection = self.collection();
        let collection = collection.to_str().unwrap();
        let exported = succeeds(&["export", collection, "pages"]);
        let mut stored = BTreeMap::new();
        for line in exported.lines() {
            let page: Value = serde_json::from_str(line).unwrap();
            let url = page["url"].as_str().unwrap().to_owned();
            assert!(page["text_digest"].is_string(), "{url} has no print");
            let copy_of = page["copy_of"].as_str().map(str::to_owned);
            assert!(stored.insert(url.clone(), copy_of).is_none(), "{url} is stored twice");
        }
        assert!(stored.keys().eq(self.truth.pages.iter().collect::<BTreeSet<_>>()), "pages");
        for group in self.truth.copies.iter().filter(|group| group.jaccard == 1.0) {
            let is_copy = |page: &&String| stored[*page].as_ref().is_some_and(|of| group.pages.contains(of));
            assert_eq!(group.pages.iter().filter(is_copy).count(), group.pages.len() - 1, "{group:?}");
        }
        let exported = succeeds(&["export", collection, "arcs"]);
        let arcs: BTreeSet<(&str, &str)> =
            exported.lines().map(|line| line.split_once('\t').unwrap()).collect();
        assert_eq!(arcs, self.truth.arcs().collect(), "arcs");
    }

    pub fn assert_polite(&self) {
        let audit = self.server.audit();
        assert_eq!(audit.violations, 0, "{:?}", audit.examples);
    }
}

/// The WARC files of a collection, in order.
pub fn warc_files(collection: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(collection.join("store/warc")).unwrap();
    // Beside them there may be a copy that a killed process was about to put in the place of one.
    let is_warc = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "gz");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).filter(is_warc).collect();
    files.sort();
    files
}
