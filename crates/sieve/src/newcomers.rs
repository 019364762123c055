//! Addresses that are new and wait for the next flush, each once, in the order of their first arrival.
//!
//! The addresses themselves are in a list that spills to disk; in memory are a signature and a distance for each, and a
//! dictionary that leads from the signature to the distance, because a shorter way to an address may come behind a longer
//! one. About 40 bytes an address.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::path::Path;

use page::Fingerprint;

use crate::spill::SpillList;
use crate::{Candidate, Error, Outlet};

/// See the module.
#[derive(Debug)]
pub(crate) struct Newcomers<S> {
    places: HashMap<S, u32, BuildHasherDefault<SignatureHasher>>,
    waiting: Vec<Waiting<S>>,
    urls: SpillList,
}

/// What is known of an address that waits.
#[derive(Debug, Clone, Copy)]
struct Waiting<S> {
    signature: S,
    fingerprint: Fingerprint,
    depth: u16,
    hops: u8,
}

impl<S: Copy + Eq + Hash> Newcomers<S> {
    /// An empty list whose addresses go to the file `waiting` when they take more than so many bytes.
    pub(crate) fn new(dir: &Path, url_bytes_max: u64) -> Result<Self, Error> {
        let urls = SpillList::new(&dir.join("waiting"), url_bytes_max.clamp(4 << 10, 64 << 20) as usize)?;
        Ok(Self { places: HashMap::default(), waiting: Vec::new(), urls })
    }

    /// Takes an address that has not passed before. One that waits already keeps its place and the smallest distance.
    pub(crate) fn offer(&mut self, signature: S, candidate: Candidate<'_>) -> Result<(), Error> {
        if self.meet_again(signature, candidate) {
            return Ok(());
        }
        let Candidate { fingerprint, depth, hops, url } = candidate;
        self.urls.push(url)?;
        self.places.insert(signature, self.waiting.len() as u32);
        self.waiting.push(Waiting { signature, fingerprint, depth, hops });
        Ok(())
    }

    /// True if the address waits already; then it has the smallest distance of all its offers.
    pub(crate) fn meet_again(&mut self, signature: S, candidate: Candidate<'_>) -> bool {
        let Some(&place) = self.places.get(&signature) else { return false };
        let waiting = &mut self.waiting[place as usize];
        waiting.depth = waiting.depth.min(candidate.depth);
        waiting.hops = waiting.hops.min(candidate.hops);
        true
    }

    pub(crate) fn contains(&self, signature: S) -> bool {
        self.places.contains_key(&signature)
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// The signatures in the order of arrival.
    pub(crate) fn signatures(&self) -> impl Iterator<Item = S> {
        self.waiting.iter().map(|waiting| waiting.signature)
    }

    /// Shows all of them to the outlet, in order, and keeps them.
    pub(crate) fn pass(&mut self, outlet: &mut dyn Outlet) -> Result<(), Error> {
        let mut waiting = self.waiting.iter();
        self.urls.for_each(|url| {
            // After a failure of the disk the list may hold one address more than was taken in.
            let Some(Waiting { fingerprint, depth, hops, .. }) = waiting.next() else { return Ok(()) };
            let (fingerprint, depth, hops) = (*fingerprint, *depth, *hops);
            Ok(outlet.pass(Candidate { fingerprint, depth, hops, url })?)
        })
    }

    /// Forgets all of them: they have passed.
    pub(crate) fn clear(&mut self) -> Result<(), Error> {
        self.places.clear();
        self.waiting.clear();
        self.urls.clear()
    }
}

/// Signatures are hashes already; a multiplication brings their bits to where a dictionary looks.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct SignatureHasher(u64);

impl Hasher for SignatureHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        let mixed = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }

    fn write_u128(&mut self, number: u128) {
        self.write_u64(number as u64);
        self.write_u64((number >> 64) as u64);
    }
}
