//! Handing answers over to threads that only read, if a crawl has such (`--readers`).
//!
//! Each worker gives what has landed to the readers in turn, through a queue for each. The queues are those of the standard
//! library, which are lists without a lock. What waits in them counts as a visit of its worker, so that memory stays bounded.
//!
//! Measured beside workers that read what they fetch, on two cores: see `benches/runs`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread;

use super::RECHECK;
use super::reader::Reader;
use crate::Error;
use crate::shared::Shared;
use crate::visit::Landed;

/// An answer on its way to a reader.
pub(crate) struct Unread {
    landed: Landed,
    sitemaps: Vec<String>,
    waiting: Arc<AtomicUsize>,
}

/// Where a worker gives its answers to.
pub(crate) struct Handover {
    readers: Vec<mpsc::Sender<Unread>>,
    next: usize,
    waiting: Arc<AtomicUsize>,
}

impl Handover {
    /// To these readers; nothing if there are none.
    pub(crate) fn new(readers: &[mpsc::Sender<Unread>]) -> Option<Self> {
        (!readers.is_empty()).then(|| Self { readers: readers.to_vec(), next: 0, waiting: Arc::default() })
    }

    /// Answers of this worker that are not read yet.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Relaxed)
    }

    pub(super) fn give(&mut self, landed: Landed, sitemaps: Vec<String>) {
        self.waiting.fetch_add(1, Relaxed);
        self.next = (self.next + 1) % self.readers.len();
        // A reader that is gone has failed and stopped the crawl.
        let _ = self.readers[self.next].send(Unread { landed, sitemaps, waiting: self.waiting.clone() });
    }
}

/// Reads what workers give until the last of them has ended.
pub(crate) fn read_all(shared: Arc<Shared>, answers: mpsc::Receiver<Unread>) -> Result<(), Error> {
    let mut reader = Reader::new(shared.clone());
    for Unread { landed, sitemaps, waiting } in answers {
        while !shared.desk.knows_copies() {
            if shared.is_stopping() {
                return Ok(());
            }
            thread::sleep(RECHECK);
        }
        reader.read(landed, &sitemaps)?;
        waiting.fetch_sub(1, Relaxed);
    }
    Ok(())
}
