//! What a flush writes, what follows from it, and what the other thread is given to do.

use std::sync::Arc;

use fs_err as fs;
use journal::JournalWriter;

use super::TieredSieve;
use super::code::Entry;
use super::log::{self, LOG, log_path};
use super::recent::Recent;
use super::remark::Remark;
use super::run_writer::BitsAKey;
use super::signature::{SHARDS, Signature};
use super::work::{Done, Job, Worker};
use crate::Error;
use crate::manifest::Manifest;
use crate::state::State;

impl<S: Signature> TieredSieve<S> {
    /// Takes over what the other thread has made. It is in force with the next state.
    pub(super) fn take_done(&mut self, waits: bool) -> Result<(), Error> {
        let Some(worker) = &mut self.worker else { return Ok(()) };
        let Some(done) = worker.take_done(waits)? else { return Ok(()) };
        match done {
            Done::Spilled(parts) => {
                parts.into_iter().for_each(|part| self.tiers.add(part));
                self.frozen = None;
                let logs = self.logs.frozen.drain(..);
                self.obsolete.extend(logs.map(|(number, _)| log_path(&self.workplace.dir, number)));
            }
            Done::Merged { shard, inputs, part } => {
                self.tiers.replace(shard, &inputs, part);
                self.obsolete.extend(inputs);
            }
        }
        self.has_new_files = true;
        self.take_done(false)
    }

    /// What a flush adds to the log: newcomers, and remarks on addresses that are known. With it, how many of the known
    /// ones are to be forgotten.
    pub(super) fn new_entries(&self) -> Result<(Vec<Entry<S>>, u64), Error> {
        let mut entries: Vec<Entry<S>> =
            self.newcomers.signatures().map(|key| Entry { key, remark: None }).collect();
        let mut forgotten = std::collections::HashSet::new();
        for &(key, remark) in &self.remarks {
            if self.newcomers.contains(key) || self.knows(key)? {
                entries.push(Entry { key, remark: Some(remark) });
                if remark == Remark::Forgotten {
                    forgotten.insert(key)
                } else {
                    forgotten.remove(&key)
                };
            }
        }
        Ok((entries, forgotten.len() as u64))
    }

    /// Appends to the log and waits for the disk.
    pub(super) fn write_log(&mut self, entries: &mut [Entry<S>]) -> Result<(), Error> {
        if entries.is_empty() {
            return Ok(());
        }
        let committed = self.logs.recent.last().copied();
        if self.logs.writer.as_ref().map(JournalWriter::position) != committed.map(|(_, end)| end) {
            // An earlier flush has failed behind this point.
            self.logs.writer = None;
        }
        let (path, end) = match committed {
            Some((number, end)) => (log_path(&self.workplace.dir, number), Some(end)),
            None => (log_path(&self.workplace.dir, self.next_number), None),
        };
        let mut writer = match (self.logs.writer.take(), end) {
            (Some(writer), _) => writer,
            (None, Some(end)) => JournalWriter::open_at(&path, LOG, end)?,
            (None, None) => {
                self.has_new_files = true;
                JournalWriter::create(&path, LOG)?
            }
        };
        log::append(&mut writer, entries);
        writer.sync()?;
        self.logs.writer = Some(writer);
        Ok(())
    }

    /// The state after a flush that passed so many and forgot so many.
    pub(super) fn next_state(&self, passed: u64, forgotten: u64, note: Vec<u8>) -> State {
        let mut logs = [&self.logs.frozen[..], &self.logs.recent[..]].concat();
        let mut next_number = self.next_number;
        if let Some(writer) = &self.logs.writer {
            match self.logs.recent.is_empty() {
                true => {
                    logs.push((next_number, writer.position()));
                    next_number += 1;
                }
                false => logs.last_mut().expect("there is one").1 = writer.position(),
            }
        }
        let runs = self.tiers.facts();
        let manifest = Manifest { signature_bits: self.workplace.signature_bits, next_number, logs, runs };
        let seen = self.state.seen + passed - forgotten;
        State { seen, note, parts: manifest.encode(), ..self.state.clone() }
    }

    /// What follows from a state that is in force.
    pub(super) fn after_commit(&mut self, entries: &[Entry<S>]) -> Result<(), Error> {
        if let Some(writer) = &self.logs.writer {
            if self.logs.recent.is_empty() {
                self.logs.recent.push((self.next_number, 0));
                self.next_number += 1;
            }
            self.logs.recent.last_mut().expect("there is one now").1 = writer.position();
        }
        entries.iter().for_each(|entry| self.recent.put(entry));
        let room = self.sizes.held_room(self.tiers.filter_bytes());
        self.held.put_each(entries, room);
        self.held.fit(room);
        self.remarks.clear();
        self.newcomers.clear()?;
        self.tiers.put_filters(&self.bits_a_key())?;
        for path in self.obsolete.drain(..) {
            fs::remove_file(path)?;
        }
        Ok(())
    }

    /// What filters have now: they are for shards that are not held, whose runs are asked.
    fn bits_a_key(&self) -> BitsAKey {
        let asked = self.state.seen.saturating_sub(self.held.signatures());
        self.held.spare_filters(self.sizes.bits_a_key(asked))
    }

    /// Gives full tables and runs that are due to the other thread.
    pub(super) fn give_work(&mut self) -> Result<(), Error> {
        let mut jobs = Vec::new();
        if self.recent.weight() >= self.sizes.recent_max {
            while self.frozen.is_some() {
                match self.take_done(true) {
                    // What the flush was made for has happened. The tables grow until there is room for runs.
                    Err(error) if error.is_full_disk() => return Ok(()),
                    outcome => outcome?,
                }
            }
            let empty = Recent::with_room(self.sizes.recent_room());
            let recent = Arc::new(std::mem::replace(&mut self.recent, empty));
            self.frozen = Some(recent.clone());
            self.logs.frozen = std::mem::take(&mut self.logs.recent);
            self.logs.writer = None;
            let bits_a_key = self.bits_a_key();
            jobs.push(Job::Spill { recent, first_number: self.next_number, bits_a_key });
            self.next_number += SHARDS as u64;
        }
        let bits_a_key = self.bits_a_key();
        jobs.extend(self.tiers.merges(&mut self.next_number, &bits_a_key));
        if self.worker.is_none() && !jobs.is_empty() {
            self.worker = Some(Worker::start(self.workplace.clone())?);
        }
        for job in jobs {
            self.worker.as_mut().expect("it was started above").give(job);
        }
        Ok(())
    }
}
