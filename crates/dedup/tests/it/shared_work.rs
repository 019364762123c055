//! Threads share the work of comparing, also on few documents.

use std::sync::{Condvar, Mutex};
use std::time::Duration;

use dedup::{
    Clustering, DedupConfig, Deduplicator, DocumentReader, Documents, Execution, Unreadable, WorkFolder,
};

use crate::collections::{config, groups, lists, planted};

/// Only a failing test waits so long.
const PATIENCE: Duration = Duration::from_secs(10);

/// Texts whose first readers wait until two of them read at the same time.
struct Meeting {
    texts: Vec<String>,
    readers: Mutex<Readers>,
    changed: Condvar,
}

#[derive(Default)]
struct Readers {
    reading: usize,
    have_met: bool,
    gave_up: bool,
}

impl Documents for Meeting {
    fn count(&self) -> u32 {
        self.texts.len() as u32
    }

    fn reader(&self) -> Box<dyn DocumentReader + '_> {
        Box::new(self)
    }
}

impl DocumentReader for &Meeting {
    fn read(&mut self, document: u32, text: &mut Vec<u8>) -> Result<(), Unreadable> {
        let mut readers = self.readers.lock().unwrap();
        readers.reading += 1;
        readers.have_met |= readers.reading == 2;
        self.changed.notify_all();
        let waits = |readers: &mut Readers| !readers.have_met && !readers.gave_up;
        let (mut readers, waited) = self.changed.wait_timeout_while(readers, PATIENCE, waits).unwrap();
        readers.gave_up |= waited.timed_out();
        readers.reading -= 1;
        text.clear();
        text.extend_from_slice(self.texts[document as usize].as_bytes());
        Ok(())
    }
}

#[test]
fn candidates_of_few_documents_are_compared_by_all_threads() {
    let texts = planted(51, 500);
    for clustering in [Clustering::Banded, Clustering::SortedPairs] {
        let config = DedupConfig { clustering, execution: Execution::Threads(2), ..config() };
        let folder = tempfile::tempdir().unwrap();
        let work = WorkFolder::temporary(folder.path()).unwrap();
        let mut deduplicator = Deduplicator::open_in(work, config.clone(), "test").unwrap();
        deduplicator.sketch(&texts.as_slice(), &()).unwrap();

        let meeting = Meeting { texts: texts.clone(), readers: Mutex::default(), changed: Condvar::new() };
        let found = deduplicator.groups(&meeting, &()).unwrap();
        assert!(meeting.readers.into_inner().unwrap().have_met, "{clustering:?}: one thread read alone");
        let serial = DedupConfig { execution: Execution::Serial, ..config };
        assert_eq!(lists(&found), groups(&texts, &serial));
    }
}
