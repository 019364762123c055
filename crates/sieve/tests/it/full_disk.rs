//! A sieve on a disk that is full again and again: also what it writes in the background waits for room.

use std::io::{self, Write};
use std::path::Path;
use std::process::Command;

use page::Fingerprint;
use sieve::{Candidate, Outlet, SieveKind, SieveOptions};

/// A small disk, if we may make one.
struct SmallDisk<'p>(&'p Path, u64);

impl<'p> SmallDisk<'p> {
    fn mount(at: &'p Path, kibibytes: u64) -> Option<Self> {
        let made = mount(&["-t", "tmpfs", "-o", &format!("size={kibibytes}k"), "tmpfs"], at);
        if !made {
            // Not by `eprintln!`, which a passing test keeps to itself.
            let _ = writeln!(
                io::stderr(),
                "skipped: only root may make a small disk, so no sieve is tested on a full one"
            );
        }
        made.then_some(Self(at, kibibytes))
    }

    fn grow(&mut self, kibibytes: u64) {
        self.1 += kibibytes;
        assert!(mount(&["-o", &format!("remount,size={}k", self.1)], self.0));
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

fn mount(arguments: &[&str], at: &Path) -> bool {
    let output = Command::new("mount").args(arguments).arg(at).output();
    output.is_ok_and(|output| output.status.success())
}

/// What passes counts when the flush has succeeded.
#[derive(Default)]
struct Passed {
    sealed: Vec<String>,
    this_time: Vec<String>,
}

impl Outlet for Passed {
    fn pass(&mut self, candidate: Candidate<'_>) -> io::Result<()> {
        self.this_time.push(candidate.url.to_owned());
        Ok(())
    }

    fn seal(&mut self) -> io::Result<Vec<u8>> {
        Ok(Vec::new())
    }
}

/// Does something until there is room for it; tells how often there was none.
fn patiently(disk: &mut SmallDisk<'_>, mut act: impl FnMut() -> Result<(), sieve::Error>) -> u64 {
    for refused in 0..1000 {
        match act() {
            Ok(()) => return refused,
            Err(error) => assert!(error.is_full_disk(), "{error} after {refused}"),
        }
        if refused % 2 == 1 {
            disk.grow(64);
        }
    }
    panic!("there was room, and it was not used");
}

#[test]
fn a_sieve_whose_disk_is_full_again_and_again_loses_and_repeats_nothing() {
    for kind in [SieveKind::Tiered, SieveKind::Mercator, SieveKind::Offline] {
        let dir = tempfile::tempdir().unwrap();
        let Some(mut disk) = SmallDisk::mount(dir.path(), 64) else { return };
        let folder = dir.path().join("sieve");
        let options = SieveOptions { memory_bytes: 64 << 10, signature_bits: None };
        let mut sieve = sieve::open(&folder, Some(kind), options).unwrap();
        let (mut passed, mut refused) = (Passed::default(), 0);
        let url = |page: u64| format!("http://a.test/page-{page}");
        for number in 0..60_000u64 {
            // Every third was there before.
            let page = if number % 3 == 2 { number / 2 } else { number };
            let url = url(page);
            let fingerprint = Fingerprint::new(xxhash_rust::xxh3::xxh3_64(url.as_bytes()));
            let candidate = Candidate { fingerprint, depth: 1, hops: 0, url: &url };
            refused += patiently(&mut disk, || sieve.offer(candidate));
            if sieve.is_full() || number == 59_999 {
                refused += patiently(&mut disk, || {
                    passed.this_time.clear();
                    sieve.flush(&mut passed).map(drop)
                });
                passed.sealed.append(&mut passed.this_time);
            }
        }
        patiently(&mut disk, || sieve.settle());
        assert!(refused > 4, "{kind:?} was refused {refused} times");
        let mut seen = std::collections::HashSet::new();
        let pages = (0..60_000u64).map(|number| if number % 3 == 2 { number / 2 } else { number });
        let expected: Vec<String> = pages.filter(|page| seen.insert(*page)).map(url).collect();
        assert_eq!(passed.sealed.len(), expected.len(), "{kind:?}");
        assert!(passed.sealed == expected, "{kind:?}: in the order of arrival");
        drop(sieve);
        let sieve = sieve::open(&folder, Some(kind), options).unwrap();
        assert_eq!(sieve.seen(), expected.len() as u64, "{kind:?} after a restart");
    }
}
