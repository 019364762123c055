//! Room on the disk, and what happens when there is none left.
//!
//! A crawl that fills its disk pauses: no request is started until there is room again, what is under way is finished, and
//! nothing is thrown away. That needs two things of whoever writes. What could not be written stays in memory and is written
//! by the next call: so it is with the three files of the store, the log of hosts, the log of requests and the queues. Or it
//! is undone as a whole and done again: so it is with a flush of the sieve, whose state, log and ready log change together or
//! not at all; the ready log is cut back to where the state says.
//!
//! Whoever is refused says so here and goes on. The distributor sees it, and a few times a second it writes again what
//! waits, and a file of a mebibyte that it removes at once. When all of that succeeds, the crawl goes on.
//!
//! Memory is bounded meanwhile: what comes is what was under way. A process that is killed now has lost nothing that was
//! committed; pages that wait in memory are fetched again by the next run, and pauses of hosts that were learnt
//! after the disk was full are not known to it.
//!
//! What is not covered: a file system that takes bytes and refuses them when they are synced, as those of networks do. That
//! ends the crawl with an error, and the next run goes on from what was committed.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::Error;

/// How often it is tried again.
pub(crate) const ROOM_RECHECK: Duration = Duration::from_millis(250);

/// So much must have room before the crawl goes on.
const PROBE_BYTES: usize = 1 << 20;

/// A disk that is full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FullDisk {
    /// The folder of the collection.
    pub folder: PathBuf,
    /// How much is free there, as far as the system says.
    pub free_bytes: Option<u64>,
    /// What was refused, with its file.
    pub refused: String,
    /// Since when.
    pub since: Instant,
}

/// Is there room?
#[derive(Debug)]
pub(crate) struct Room {
    folder: PathBuf,
    is_full: AtomicBool,
    full: Mutex<Option<FullDisk>>,
}

impl Room {
    /// Room for the collection in this folder.
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), is_full: AtomicBool::new(false), full: Mutex::default() }
    }

    /// The folder of the collection.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn is_full(&self) -> bool {
        self.is_full.load(Relaxed)
    }

    /// What is known of the disk, if it is full.
    pub(crate) fn full_disk(&self) -> Option<FullDisk> {
        let full = self.full.lock().expect("nobody panics with it").clone()?;
        Some(FullDisk { free_bytes: free_bytes(&self.folder), ..full })
    }

    /// Takes note of a disk that is full, and gives nothing then; other errors stay.
    pub(crate) fn unless_full<T>(&self, outcome: Result<T, impl Into<Error>>) -> Result<Option<T>, Error> {
        match outcome.map_err(Into::into) {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.is_full_disk() => {
                self.note_full(&error);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Takes note of a disk that is full.
    pub(crate) fn note_full(&self, error: &Error) {
        let mut full = self.full.lock().expect("nobody panics with it");
        if full.is_none() {
            tracing::warn!(folder = %self.folder.display(), free_bytes = free_bytes(&self.folder), %error, "disk full");
            let (folder, refused) = (self.folder.clone(), error.to_string());
            *full = Some(FullDisk { folder, free_bytes: None, refused, since: Instant::now() });
        }
        self.is_full.store(true, Relaxed);
    }

    /// Writes a file for which there must be room, and removes it.
    pub(crate) fn probe(&self) -> Result<(), Error> {
        let path = self.folder.join("frontier/probe");
        let written = fs_err::File::create(&path).and_then(|mut file| file.write_all(&[0; PROBE_BYTES]));
        let removed = fs_err::remove_file(&path);
        Ok(written.and(removed)?)
    }

    /// There is room again.
    pub(crate) fn note_room(&self) {
        let full = self.full.lock().expect("nobody panics with it").take();
        if let Some(full) = full {
            let seconds = full.since.elapsed().as_secs_f64();
            tracing::warn!(folder = %self.folder.display(), seconds, "room on the disk again");
        }
        self.is_full.store(false, Relaxed);
    }
}

/// How much a user who is not the administrator may still write.
fn free_bytes(folder: &Path) -> Option<u64> {
    let system = rustix::fs::statvfs(folder).ok()?;
    Some(system.f_bavail.saturating_mul(system.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Error as IoError, ErrorKind};

    #[test]
    fn a_full_disk_is_noted_and_any_other_error_stays_one() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("frontier")).unwrap();
        let room = Room::new(dir.path());
        assert_eq!(room.unless_full(Ok::<_, Error>(5)).unwrap(), Some(5));
        let other: Result<(), Error> = Err(IoError::from(ErrorKind::PermissionDenied).into());
        assert!(room.unless_full(other).is_err() && !room.is_full() && room.full_disk().is_none());
        for kind in [ErrorKind::StorageFull, ErrorKind::QuotaExceeded] {
            let in_journal = journal::Error::Io(kind.into());
            let errors: [Error; 6] = [
                IoError::from(kind).into(),
                store::Error::Journal(journal::Error::Io(kind.into())).into(),
                store::Error::Io(kind.into()).into(),
                sieve::Error::Io(kind.into()).into(),
                frontier::Error::Journal(in_journal).into(),
                dedup::Error::Io(kind.into()).into(),
            ];
            for error in errors {
                assert_eq!(room.unless_full(Err::<(), _>(error)).unwrap(), None);
                let told = room.full_disk().unwrap();
                assert!(room.is_full() && told.folder == dir.path() && told.free_bytes.is_some());
                room.probe().unwrap();
                room.note_room();
                assert!(!room.is_full() && room.full_disk().is_none());
            }
        }
        assert_eq!(std::fs::read_dir(dir.path().join("frontier")).unwrap().count(), 0, "no probe is left");
    }
}
