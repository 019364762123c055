//! The checkpointer: a thread that brings the [checkpoint](crate::checkpoint) up to date while a crawl goes on, and lets go of
//! what is done in the ready log.
//!
//! It is told a moment: of the page table one whose records are on the disk and whose links the sieve has taken, of the ready
//! log the mark of the sieve. It reads the last checkpoint and the records since, and between two moments it has nothing in
//! memory. Then, in this order:
//!
//! 1. Closed parts of the ready log of which half or less still matters are [trimmed](frontier::trim_ready_part). An address is
//!    written again at most once for each that is let go.
//! 2. The checkpoint is replaced. It names the parts that there must be.
//! 3. Parts that are done altogether are deleted.
//!
//! So a part that is named and missing was lost, and one that is there and not named was about to be deleted.

use std::path::Path;
use std::sync::mpsc;

use frontier::{ReadyPlace, list_ready_parts, ready_part_path, trim_ready_part};
use fs_err as fs;
use page::Ordinal;
use store::{Collection, StorePoint};

use crate::past::Past;
use crate::{CrawlConfig, Error};

/// For so many records of the page table as many addresses may be added to the ready log.
const ADDRESSES_A_RECORD: u64 = 10;

/// A moment that a restart may begin from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    store: StorePoint,
    ready: ReadyPlace,
}

/// Decides when there is a checkpoint, for the distributor.
#[derive(Debug)]
pub(crate) struct Checkpoints {
    sender: mpsc::SyncSender<Moment>,
    every: u64,
    last_records: u64,
    last_addresses: u64,
    /// A moment whose links the sieve has not taken yet.
    next: Option<StorePoint>,
}

impl Checkpoints {
    /// From these counts on, a moment is told about every so many records.
    pub(crate) fn new(every: u64, records: u64, addresses: u64) -> (Self, mpsc::Receiver<Moment>) {
        let (sender, receiver) = mpsc::sync_channel(1);
        (Self { sender, every, last_records: records, last_addresses: addresses, next: None }, receiver)
    }

    /// The store is on the disk up to this point.
    pub(crate) fn note_synced(&mut self, point: StorePoint, addresses: u64) {
        let records = point.records.saturating_sub(self.last_records);
        let addresses = addresses.saturating_sub(self.last_addresses);
        if self.next.is_none() && (records >= self.every || addresses >= self.every * ADDRESSES_A_RECORD) {
            self.next = Some(point);
        }
    }

    /// The sieve has taken the links of so many records; the ready log ends there and has had so many addresses.
    pub(crate) fn note_flushed(&mut self, records_through: u64, ready: ReadyPlace, addresses: u64) {
        let Some(store) = self.next.filter(|point| point.records <= records_through) else { return };
        // If the last one is not finished, this one is told of later.
        if self.sender.try_send(Moment { store, ready }).is_ok() {
            (self.last_records, self.last_addresses) = (store.records, addresses);
            self.next = None;
        }
    }
}

/// Makes checkpoints until nobody tells moments any more.
pub(crate) fn run(collection: &Collection, config: &CrawlConfig, moments: mpsc::Receiver<Moment>) {
    for moment in moments {
        // It is a shortcut: the crawl goes on without.
        if let Err(error) = make_checkpoint(collection, config, moment) {
            tracing::warn!(%error, "there is no new checkpoint");
        }
    }
}

fn make_checkpoint(collection: &Collection, config: &CrawlConfig, moment: Moment) -> Result<(), Error> {
    let folder = collection.part("frontier")?;
    let mut past = load_fitting(&folder, config).unwrap_or_else(|| Past::new(config));
    if past.store.records > moment.store.records || past.ready > moment.ready {
        past = Past::new(config);
    }
    let saved = past.ready;
    past.read_table(collection, moment.store)?;
    past.read_log(&folder, moment.ready)?;
    past.done.shorten();
    let done = trim(&folder, &mut past, saved)?;
    past.save(&folder)?;
    for part in done {
        fs::remove_file(ready_part_path(&folder, part))?;
    }
    tracing::debug!(records = past.store.records, parts = past.parts.len(), "checkpoint");
    Ok(())
}

/// Reads the checkpoint, if it is of the rules that a crawl goes by.
pub(crate) fn load_fitting(folder: &Path, config: &CrawlConfig) -> Option<Past> {
    let past = Past::load(folder).filter(|past| past.rules == config.rules_fingerprint())?;
    Some(past.counting_as(config))
}

/// Trims parts of which little still matters. Returns those of which nothing does. Until the next checkpoint is there, a restart
/// begins inside the part that the last one names, so only parts before that are written anew.
fn trim(folder: &Path, past: &mut Past, saved: ReadyPlace) -> Result<Vec<Ordinal>, Error> {
    let mut parts = list_ready_parts(folder)?;
    parts.retain(|part| *part <= past.ready.part);
    let mut done = Vec::new();
    for (part, next) in parts.iter().zip(parts.iter().skip(1)) {
        let held = past.parts.get(part).copied().unwrap_or(next.get() - part.get());
        let hops = past.hops.keys().filter(|ordinal| (part..next).contains(ordinal)).count() as u64;
        let wanted = past.done.missing(*part, *next) + hops;
        if wanted == 0 && part.get() > 0 {
            past.parts.remove(part);
            done.push(*part);
        } else if *part < saved.part && wanted < held && wanted * 2 <= held {
            let left = trim_ready_part(folder, *part, |ordinal, hops| past.is_wanted(ordinal, hops))?;
            past.parts.insert(*part, left);
            past.parts.retain(|part, left| *left > 0 || part.get() == 0);
        } else {
            past.parts.insert(*part, held);
        }
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontier::ReadyLog;

    #[test]
    fn a_part_in_which_a_restart_would_begin_is_not_written_anew() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = ReadyLog::create(dir.path()).unwrap().with_parts_of(100);
        let mut ends = Vec::new();
        for number in 0..30u64 {
            if number % 10 == 0 {
                log.begin_part_if_long().unwrap();
            }
            log.append(1, 0, &format!("http://a.test/{number}"));
            ends.push(log.sync().unwrap().0);
        }
        // The last checkpoint was in the middle of the second part; since then all is done but one address of each.
        let saved = ends[14];
        let mut past = Past { ready: saved, ..Past::default() };
        past.read_log(dir.path(), ends[29]).unwrap();
        (0..30).filter(|number| number % 10 != 3).for_each(|number| past.done.insert(Ordinal::new(number)));
        let length = |part| std::fs::metadata(ready_part_path(dir.path(), Ordinal::new(part))).unwrap().len();
        let before = [0, 10, 20].map(length);
        assert!(trim(dir.path(), &mut past, saved).unwrap().is_empty());
        let after = [0, 10, 20].map(length);
        assert!(after[0] < before[0] && after[1..] == before[1..], "{before:?} {after:?}");
        // As if killed here: the restart goes on from the last checkpoint.
        let mut again = Past { ready: saved, ..Past::default() };
        again.read_log(dir.path(), ends[29]).unwrap();
    }
}
