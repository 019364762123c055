//! Making addresses unseen between two crawls.

use std::io;
use std::path::Path;

use page::Fingerprint;

use crate::{Candidate, Error, Outlet, Sieve, SieveOptions, open};

/// Enough for a sieve that is only told to forget.
const MEMORY_BYTES: u64 = 64 << 20;

/// A sieve that is told which addresses become unseen: tombstones, whose note and all else stay as they are. Nobody may
/// crawl meanwhile.
///
/// ```
/// # fn main() -> Result<(), sieve::Error> {
/// # let dir = tempfile::tempdir().unwrap();
/// let mut forgetting = sieve::Forgetting::open(dir.path())?;
/// forgetting.forget(page::Fingerprint::new(7), "http://a.test/")?;
/// assert_eq!(forgetting.finish()?, 0, "it was never seen");
/// # Ok(()) }
/// ```
pub struct Forgetting {
    sieve: Box<dyn Sieve>,
    seen_before: u64,
}

impl Forgetting {
    /// Opens the sieve in a folder, of whatever kind.
    pub fn open(dir: &Path) -> Result<Self, Error> {
        let sieve = open(dir, None, SieveOptions::new(MEMORY_BYTES))?;
        let seen_before = sieve.seen();
        Ok(Self { sieve, seen_before })
    }

    /// Names an address that becomes unseen.
    pub fn forget(&mut self, fingerprint: Fingerprint, url: &str) -> Result<(), Error> {
        self.sieve.forget(fingerprint, url)
    }

    /// Makes it so, and says how many addresses were seen and are not any more.
    pub fn finish(mut self) -> Result<u64, Error> {
        let note = self.sieve.note().to_vec();
        self.sieve.flush(&mut SameNote(note))?;
        Ok(self.seen_before - self.sieve.seen())
    }
}

/// Nothing passes, and the crawl's note is the one that was there.
struct SameNote(Vec<u8>);

impl Outlet for SameNote {
    fn pass(&mut self, _: Candidate<'_>) -> io::Result<()> {
        Ok(())
    }

    fn seal(&mut self) -> io::Result<Vec<u8>> {
        Ok(self.0.clone())
    }
}
