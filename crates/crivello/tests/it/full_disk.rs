//! A disk that is filled while a crawl goes on, and freed.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use lab::LabConfig;

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
