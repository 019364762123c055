//! What the tests of all kinds share: sieves to be opened, outlets, addresses.

use std::io;
use std::path::Path;

use page::Fingerprint;
use sieve::{Candidate, Outlet, Sieve, SieveKind, SieveOptions};
use xxhash_rust::xxh3::xxh3_64;

/// A kind with the length of its signatures.
pub type Sort = (SieveKind, u32);

/// All kinds that this build has, and the tiered one with all lengths that it is used with.
pub fn all_sorts() -> Vec<Sort> {
    let kinds = SieveKind::ALL.into_iter().filter(|kind| kind.is_available()).map(|kind| (kind, 64));
    kinds.chain([(SieveKind::Tiered, 128), (SieveKind::Tiered, 52)]).collect()
}

/// In memory where there is such a place: each flush would wait for the disk.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// Opens a sieve and tells it what has passed, if it keeps that in memory alone.
pub fn open(
    (kind, bits): Sort,
    dir: &Path,
    memory_bytes: u64,
    passed: &[u64],
) -> Result<Box<dyn Sieve>, sieve::Error> {
    let mut sieve = sieve::open(dir, Some(kind), SieveOptions { memory_bytes, signature_bits: Some(bits) })?;
    assert_eq!(sieve.kind(), kind);
    if kind.is_refilled() {
        passed.iter().for_each(|number| sieve.remember(fingerprint(*number)));
    }
    Ok(sieve)
}

pub fn url(number: u64) -> String {
    format!("http://{number}.test/")
}

pub fn fingerprint(number: u64) -> Fingerprint {
    Fingerprint::new(xxh3_64(url(number).as_bytes()))
}

pub fn offer(sieve: &mut dyn Sieve, number: u64, depth: u16, hops: u8) {
    let url = url(number);
    sieve.offer(Candidate { fingerprint: fingerprint(number), depth, hops, url: &url }).unwrap();
}

/// What passed: number, depth, hops.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Passed(pub Vec<(u64, u16, u8)>);

impl Passed {
    pub fn numbers(&self) -> Vec<u64> {
        self.0.iter().map(|(number, ..)| *number).collect()
    }
}

impl Outlet for Passed {
    fn pass(&mut self, candidate: Candidate<'_>) -> io::Result<()> {
        let number = candidate.url.trim_start_matches("http://").split('.').next().unwrap().parse().unwrap();
        assert_eq!(candidate.fingerprint, fingerprint(number));
        self.0.push((number, candidate.depth, candidate.hops));
        Ok(())
    }

    fn seal(&mut self) -> io::Result<Vec<u8>> {
        Ok(self.0.len().to_le_bytes().to_vec())
    }
}

/// An outlet whose disk is full.
pub struct Refusing;

impl Outlet for Refusing {
    fn pass(&mut self, _: Candidate<'_>) -> io::Result<()> {
        Ok(())
    }

    fn seal(&mut self) -> io::Result<Vec<u8>> {
        Err(io::Error::other("disk full"))
    }
}

pub fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
        if path.is_dir() {
            copy_folder(&path, &to.join(name));
        } else {
            std::fs::copy(&path, to.join(name)).unwrap();
        }
    }
}
