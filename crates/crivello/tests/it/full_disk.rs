//! A disk that is filled while a crawl goes on, and freed.

use std::collections::HashSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use lab::{AuditPolicy, LabConfig, Reply, ScriptedHost, ScriptedWeb};

use crate::command::{Lab, crivello, skipped};

/// A small disk, if we may make one.
struct SmallDisk<'p>(&'p Path);

impl<'p> SmallDisk<'p> {
    fn mount(at: &'p Path, size: &str) -> Option<Self> {
        let output = Command::new("mount").args(["-t", "tmpfs", "-o", size, "tmpfs"]).arg(at).output();
        let made = output.is_ok_and(|output| output.status.success());
        if !made {
            skipped("only root may make a small disk, so a crawl on a full one is not tested");
        }
        made.then_some(Self(at))
    }

    /// Fills it to the last byte.
    fn fill(&self) {
        let mut ballast = std::fs::OpenOptions::new().append(true).create(true).open(self.ballast()).unwrap();
        while std::io::Write::write_all(&mut ballast, &[7; 4096]).is_ok() {}
    }

    fn free(&self) {
        std::fs::remove_file(self.ballast()).unwrap();
    }

    fn ballast(&self) -> std::path::PathBuf {
        self.0.join("ballast")
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

#[test]
fn a_crawl_on_a_full_disk_waits_says_so_and_loses_and_repeats_nothing() {
    // The log of requests is on the same disk, and the queues, the sieve and the copies go to it with so little memory.
    for sieve in ["tiered", "mercator", "offline"] {
        let folder = tempfile::tempdir().unwrap();
        let Some(disk) = SmallDisk::mount(folder.path(), "size=64m") else { return };
        let config = LabConfig { seed: 91, hosts: 12, pages: 4000, slow_ms: 1, ..LabConfig::default() };
        let lab = Lab::start(config, Duration::from_millis(1));
        let (collection, on_disk) = (lab.collection(), folder.path().join("c.crivello"));
        std::fs::create_dir(&on_disk).unwrap();
        std::os::unix::fs::symlink(&on_disk, &collection).unwrap();
        let mut child = crivello()
            .arg("crawl")
            .arg(&collection)
            .args(&lab.truth.seeds)
            .arg("--resolve")
            .arg(lab.dir.path().join("hosts.tsv"))
            .args(["--allow-net", "127.0.0.0/8", "--scope", "all", "--delay", "1ms", "--memory", "16MiB"])
            .args(["--rest-ratio", "0.1", "--sieve", sieve, "--json", "--audit"])
            .arg(folder.path().join("requests.tsv"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        for _ in 0..3 {
            std::thread::sleep(Duration::from_millis(400));
            disk.fill();
            std::thread::sleep(Duration::from_millis(700));
            let asked = lab.server.audit().requests;
            std::thread::sleep(Duration::from_millis(600));
            let is_over = child.try_wait().unwrap().is_some();
            assert!(!is_over, "a full disk ends no crawl");
            assert_eq!(lab.server.audit().requests, asked, "who has no room asks for nothing");
            disk.free();
        }
        let (begun, output) = (Instant::now(), child.wait_with_output().unwrap());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{sieve}: {said}");
        assert!(begun.elapsed() < Duration::from_secs(60));
        assert!(said.contains("is full (") && said.contains("room on the disk again"), "{said}");
        assert!(said.contains(collection.to_str().unwrap()), "{said}");
        lab.assert_truth();
        let audit = lab.server.audit();
        assert_eq!((audit.violations, audit.refetched), (0, 0), "{:?}", audit.examples);
        let requests = std::fs::read_to_string(folder.path().join("requests.tsv")).unwrap();
        let columns = requests.lines().map(|line| line.split('\t').count());
        assert!(columns.clone().all(|columns| columns == 9) && columns.count() as u64 == audit.requests);
    }
}

#[test]
fn addresses_that_a_full_disk_refused_come_once_when_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(folder.path(), "size=64m") else { return };
    // A tree of forty times forty pages with long addresses, so that it is often the ready log that needs room.
    let script = |path: &str, _| match path.matches('-').count() {
        _ if path == "/robots.txt" => Reply::status(404),
        depth @ (0 | 1) => {
            let tail = "long".repeat(250);
            let name = path[1..].split('_').next().unwrap();
            let links: Vec<String> = (0..40).map(|link| format!("/{name}-{link}_{tail}")).collect();
            let thinks = Duration::from_millis(40 * depth as u64);
            Reply { thinks, ..Reply::links(links.iter().map(String::as_str)) }
        }
        _ => Reply { thinks: Duration::from_millis(1), ..Reply::page("leaf") },
    };
    let web =
        ScriptedWeb::start(AuditPolicy::default(), |_| vec![ScriptedHost::new("flood.test", 0, script)])
            .unwrap();
    let table = folder.path().join("hosts.tsv");
    std::fs::write(&table, web.hosts_tsv()).unwrap();
    let mut crawl = crivello();
    crawl.arg("crawl").arg(folder.path().join("c.crivello")).arg(web.url("flood.test", "/"));
    crawl.arg("--resolve").arg(&table).args(["--allow-net", "127.0.0.0/8", "--delay", "0", "--json"]);
    let child = crawl.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    for _ in 0..6 {
        std::thread::sleep(Duration::from_millis(350));
        disk.fill();
        std::thread::sleep(Duration::from_millis(350));
        disk.free();
    }
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.contains("room on the disk again"), "{said}");
    let (mut paths, mut twice) = (HashSet::new(), Vec::new());
    for heard in web.heard() {
        if !paths.insert(heard.path.clone()) {
            twice.push(heard.path);
        }
    }
    assert!(twice.is_empty(), "{} were asked for twice", twice.len());
    assert_eq!(paths.len(), 1 + 1 + 40 + 40 * 40, "robots.txt and the pages");
}
