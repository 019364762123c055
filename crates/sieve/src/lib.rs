//! Have I seen this address? A sieve takes addresses with repetitions and lets each through once.
//!
//! Every address leaves the sieve at most once, in the order in which addresses first arrived, and none is lost.
//! It need not leave at once: a sieve may gather what is offered and let the new ones through in one go, when it is
//! [flushed](Sieve::flush).
//!
//! There are seven kinds ([`SieveKind`]), which differ in what they cost and in nothing else, but for the Bloom sieve,
//! which takes a few new addresses for old ones:
//!
//! | kind | memory an address | disk an address | an offer costs |
//! |---|---|---|---|
//! | [`TieredSieve`], the default | 7 to 8 bytes while the budget allows, then 10 bits | 5.2 bytes at 20 million | a look into a table; beyond the budget into filters, and a read if it is known |
//! | [`MercatorSieve`] | none, within the budget | 8 bytes | 16 bytes until all is merged and written anew |
//! | [`MemorySieve`] | 11 to 21 bytes, unbounded | none | a look into a table |
//! | [`BloomSieve`] | 2 to 3 bytes | none | a look into each filter |
//! | `LsmSieve` | within the budget | 10 to 20 bytes | a question to a log-structured database |
//! | `BtreeSieve` | within the budget | 20 to 40 bytes | a question to a B-tree |
//! | [`OfflineSieve`] | none | 8 bytes | a line in a file, until that is sorted and merged |
//!
//! ```
//! # fn main() -> Result<(), sieve::Error> {
//! use page::Fingerprint;
//! use sieve::{Candidate, Collected, MercatorSieve, Sieve};
//!
//! let dir = tempfile::tempdir().unwrap();
//! let mut sieve = MercatorSieve::open(dir.path(), 1 << 20)?;
//! for (fingerprint, url) in [(7, "http://a.test/"), (3, "http://b.test/"), (7, "http://a.test/")] {
//!     sieve.offer(Candidate { fingerprint: Fingerprint::new(fingerprint), depth: 0, hops: 0, url })?;
//! }
//! let mut new = Collected::default();
//! sieve.flush(&mut new)?;
//! assert_eq!(new.urls, ["http://a.test/", "http://b.test/"]);
//! # Ok(()) }
//! ```
#![forbid(unsafe_code)]

mod bloom;
#[cfg(feature = "databases")]
mod database;
mod error;
mod forgetting;
mod kind;
mod manifest;
mod memory;
mod mercator;
mod newcomers;
mod offline;
mod open;
mod seen_file;
mod spill;
mod state;
mod tiered;

use std::io;

use page::Fingerprint;

pub use bloom::BloomSieve;
#[cfg(feature = "databases")]
pub use database::{BtreeSieve, LsmSieve};
pub use error::Error;
pub use forgetting::Forgetting;
pub use kind::{SieveKind, SieveOptions};
pub use manifest::{Manifest, RunFacts};
pub use memory::MemorySieve;
pub use mercator::MercatorSieve;
pub use offline::OfflineSieve;
pub use open::open;
pub use seen_file::{SEEN_MAGIC, scan_seen};
pub use state::{STATE as STATE_FORMAT, STATE_OLDEST, State as SieveState};
pub use tiered::{
    Known, LOG as RECENT_FORMAT, RUN as RUN_FORMAT, TieredSieve, Visit, look_up, scan_run, show_record,
};

/// An address on its way into the sieve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate<'a> {
    /// The 64 bits by which the sieve knows the address.
    pub fingerprint: Fingerprint,
    /// How many links away from a seed it was found.
    pub depth: u16,
    /// How many redirects away from the address that was found.
    pub hops: u8,
    /// The address itself, given back when it passes.
    pub url: &'a str,
}

/// Where addresses go that were never seen before.
pub trait Outlet {
    /// Takes one address that passed.
    fn pass(&mut self, candidate: Candidate<'_>) -> io::Result<()>;

    /// Makes what was passed durable and returns a note. The sieve writes the note in the same atomic step in which
    /// it marks those addresses as seen, and gives it back by [`Sieve::note`]: so the receiver can tell after a crash
    /// up to where what it holds is valid.
    fn seal(&mut self) -> io::Result<Vec<u8>>;
}

/// The sieve of a crawl.
pub trait Sieve: Send {
    /// Takes an address. It passes at a later flush unless it was offered before.
    fn offer(&mut self, candidate: Candidate<'_>) -> Result<(), Error>;

    /// Marks an address as one that has passed before. A sieve that keeps what it has seen on disk knows it already.
    fn remember(&mut self, _fingerprint: Fingerprint) {}

    /// Of which kind it is.
    fn kind(&self) -> SieveKind;

    /// Lets all new addresses through, in the order of their first arrival.
    fn flush(&mut self, outlet: &mut dyn Outlet) -> Result<Flushed, Error>;

    /// How many offers wait for the next flush.
    fn pending(&self) -> u64;

    /// True when the memory that the sieve may use is full: it wants to be flushed.
    fn is_full(&self) -> bool;

    /// How many different addresses have passed, ever.
    fn seen(&self) -> u64;

    /// What the outlet returned at the last flush that took effect.
    fn note(&self) -> &[u8];

    /// True if [`Sieve::note_visit`] has an effect.
    fn keeps_visits(&self) -> bool {
        false
    }

    /// Keeps of an address that has passed when it was visited and what came of it; the newest visit counts. It takes
    /// effect with the next flush. A sieve that keeps nothing beside signatures does nothing.
    fn note_visit(&mut self, _fingerprint: Fingerprint, _url: &str, _visit: Visit) -> Result<(), Error> {
        Ok(())
    }

    /// Makes an address unseen from the next flush on: when it is offered then, it passes again.
    fn forget(&mut self, _fingerprint: Fingerprint, _url: &str) -> Result<(), Error> {
        Err(Error::CannotForget { kind: self.kind().name() })
    }

    /// What is known of an address by what was flushed; nothing if this kind cannot tell.
    fn look_up(&self, _fingerprint: Fingerprint, _url: &str) -> Result<Option<Known>, Error> {
        Ok(None)
    }

    /// Waits for what a sieve does in the background.
    fn settle(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

/// What a flush did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flushed {
    /// Offers that were looked at.
    pub offered: u64,
    /// Addresses that passed.
    pub passed: u64,
}

/// An outlet that keeps everything in memory.
#[derive(Debug, Default)]
pub struct Collected {
    /// What passed.
    pub urls: Vec<String>,
}

impl Outlet for Collected {
    fn pass(&mut self, candidate: Candidate<'_>) -> io::Result<()> {
        self.urls.push(candidate.url.to_owned());
        Ok(())
    }

    fn seal(&mut self) -> io::Result<Vec<u8>> {
        Ok(Vec::new())
    }
}
