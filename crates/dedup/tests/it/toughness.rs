//! A folder that others use, texts that went away, a disk that is full: told, and never a wrong result.

use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use dedup::{
    Clustering, DedupConfig, Deduplicator, DocumentReader, Documents, Error, Stage, Unreadable, Watcher,
    WorkFolder,
};

use crate::collections::{config, groups, lists, planted};

#[test]
fn a_folder_is_worked_in_by_one_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let first = Deduplicator::open(folder.path(), config(), "test").unwrap();
    for refused in [
        Deduplicator::open(folder.path(), config(), "test").map(drop),
        WorkFolder::temporary(folder.path()).map(drop),
    ] {
        let error = refused.unwrap_err();
        assert!(matches!(error, Error::InUse(_)), "{error}");
        assert!(error.hint().is_some());
    }
    drop(first);
    Deduplicator::open(folder.path(), config(), "test").unwrap();
}

/// Texts of which some go away after the sketches were made.
struct Fading<'t> {
    texts: &'t [String],
    is_gone: fn(u32) -> bool,
}

impl Documents for Fading<'_> {
    fn count(&self) -> u32 {
        self.texts.len() as u32
    }

    fn reader(&self) -> Box<dyn DocumentReader + '_> {
        Box::new(FadingReader(self))
    }
}

struct FadingReader<'a>(&'a Fading<'a>);

impl DocumentReader for FadingReader<'_> {
    fn read(&mut self, document: u32, text: &mut Vec<u8>) -> Result<(), Unreadable> {
        if (self.0.is_gone)(document) {
            return Err(Unreadable("it is gone".into()));
        }
        text.clear();
        text.extend_from_slice(self.0.texts[document as usize].as_bytes());
        Ok(())
    }
}

/// Remembers what it is told.
#[derive(Default)]
struct Listener {
    unreadable: Mutex<Vec<u32>>,
    verifying: Mutex<Vec<(u64, u64)>>,
}

impl Watcher for Listener {
    fn progress(&self, stage: Stage, done: u64, total: u64) {
        if stage == Stage::Verifying {
            self.verifying.lock().unwrap().push((done, total));
        }
    }

    fn unreadable(&self, document: u32, _why: &Unreadable) {
        self.unreadable.lock().unwrap().push(document);
    }
}

#[test]
fn a_text_that_went_away_before_it_was_compared_is_told_once_and_counted() {
    let texts = planted(71, 800);
    let before = Fading { texts: &texts, is_gone: |_| false };
    let after = Fading { texts: &texts, is_gone: |document| document % 5 == 0 };
    for clustering in [Clustering::Banded, Clustering::SortedPairs, Clustering::Exhaustive] {
        let config = DedupConfig { clustering, ..config() };
        let folder = tempfile::tempdir().unwrap();
        let mut deduplicator = Deduplicator::open(folder.path(), config, "test").unwrap();
        deduplicator.sketch(&before, &()).unwrap();
        let listener = Listener::default();
        let found = deduplicator.groups(&after, &listener).unwrap();
        let mut told = listener.unreadable.into_inner().unwrap();
        told.sort_unstable();
        assert!(told.len() > 20 && told.is_sorted_by(|left, right| left < right), "{clustering:?}: {told:?}");
        assert!(told.iter().all(|document| document % 5 == 0));
        assert_eq!(found.checks.unreadable, told.len() as u64, "{clustering:?}");
    }
}

#[test]
fn comparing_is_told_with_a_total_that_is_reached() {
    let texts = planted(72, 800);
    for clustering in [Clustering::Banded, Clustering::SortedPairs, Clustering::Exhaustive] {
        let folder = tempfile::tempdir().unwrap();
        let config = DedupConfig { clustering, ..config() };
        let mut deduplicator = Deduplicator::open(folder.path(), config, "test").unwrap();
        deduplicator.sketch(&&texts[..], &()).unwrap();
        let listener = Listener::default();
        deduplicator.pairs(&&texts[..], &listener, &mut |_| Ok(())).unwrap();
        let told = listener.verifying.into_inner().unwrap();
        let (last, total) = *told.last().unwrap();
        assert!(total > 0 && last == total, "{clustering:?}: {told:?}");
        assert!(told.is_sorted() && told.iter().all(|(_, each)| *each == total), "{clustering:?}: {told:?}");
    }
}

/// A small disk, if we may make one.
struct SmallDisk<'p>(&'p Path);

impl<'p> SmallDisk<'p> {
    fn mount(at: &'p Path) -> Option<Self> {
        let made = mount(&["-t", "tmpfs", "-o", "size=256k", "tmpfs"], at);
        if !made {
            // Not by `eprintln!`, which a passing test keeps to itself.
            let _ = writeln!(std::io::stderr(), "skipped: only root may make a small disk");
        }
        made.then_some(Self(at))
    }

    fn grow(&self) {
        assert!(mount(&["-o", "remount,size=64m"], self.0));
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

#[test]
fn after_a_full_disk_the_work_goes_on_with_and_without_a_new_start() {
    let texts = planted(73, 3000);
    let expected = groups(&texts, &config());
    for is_new_start in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let Some(disk) = SmallDisk::mount(folder.path()) else { return };
        let open = || Deduplicator::open(folder.path(), config(), "test").unwrap();
        let mut deduplicator = open();
        let error = deduplicator.sketch(&&texts[..], &()).unwrap_err();
        let is_full = |error: &std::io::Error| error.kind() == ErrorKind::StorageFull;
        assert!(
            matches!(&error, Error::Io(error) | Error::Journal(journal::Error::Io(error)) if is_full(error)),
            "{error}"
        );
        assert!(error.hint().unwrap().contains("room"), "{error}");
        disk.grow();
        if is_new_start {
            drop(deduplicator);
            deduplicator = open();
        }
        let report = deduplicator.sketch(&&texts[..], &()).unwrap();
        assert!(report.new_documents < report.documents, "what was done before is kept");
        assert_eq!(lists(&deduplicator.groups(&&texts[..], &()).unwrap()), expected);
        drop(deduplicator);
    }
}
