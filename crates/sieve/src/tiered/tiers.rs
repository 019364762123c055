//! The runs of all shards, and which of them are merged next.
//!
//! Tables that are full become runs of level 0. When a shard has four runs of one level, these become one of the next: so
//! a key is written once for each level, which is log₄ of how often the tables were full, and a shard never has more
//! than three runs of a level for long. What a question costs grows with the number of runs, and that grows with the
//! logarithm of everything that was seen.

use std::path::Path;
use std::sync::Arc;

use super::code::Entry;
use super::remark::Remark;
use super::run::{Run, run_path};
use super::run_writer::{BitsAKey, FilterBuilder};
use super::signature::{self, SHARDS, Signature, shard_of};
use super::work::{Job, Part};
use crate::Error;
use crate::manifest::RunFacts;

/// So many runs of a level become one.
pub(crate) const FAN_IN: usize = 4;

/// See the module.
#[derive(Debug)]
pub(crate) struct Tiers<S> {
    shards: Vec<Shard<S>>,
}

#[derive(Debug)]
struct Shard<S> {
    /// The oldest first.
    parts: Vec<Part<S>>,
    is_merging: bool,
}

impl<S: Signature> Default for Tiers<S> {
    fn default() -> Self {
        let shard = || Shard { parts: Vec::new(), is_merging: false };
        Self { shards: std::iter::repeat_with(shard).take(SHARDS).collect() }
    }
}

impl<S: Signature> Tiers<S> {
    /// Opens the runs that a manifest names, each with a filter of so many bits a key of its shard, and shows all
    /// entries, of a shard the oldest first.
    pub(crate) fn open(
        dir: &Path,
        runs: &[RunFacts],
        bits_a_key: &BitsAKey,
        mut see: impl FnMut(&Entry<S>),
    ) -> Result<Self, Error> {
        let mut tiers = Self::default();
        for &facts in runs {
            let open = || Run::<S>::open(&run_path(dir, facts.number), facts.identity, facts.count);
            let mut run = open()?;
            if usize::from(run.shape().shard) != facts.shard {
                return Err(Error::Damaged { path: run.path().to_owned(), what: "it is of another shard" });
            }
            let mut filter = FilterBuilder::new(facts.count, bits_a_key[facts.shard]);
            let mut entries = run.entries();
            // All of it is read, even without a filter: damage is told now and not by an address that comes twice.
            while let Some(entry) = entries.next()? {
                filter.push(entry.key.high());
                see(&entry);
            }
            if !filter.is_worth_it() {
                // Nobody asks it soon, and what was read of it is in memory.
                run = open()?;
            }
            run.set_filter(filter.finish());
            tiers.add(Part { facts, run: Arc::new(run) });
        }
        Ok(tiers)
    }

    /// Gives filters to runs that have none and shall have one.
    pub(crate) fn put_filters(&self, bits_a_key: &BitsAKey) -> Result<(), Error> {
        for part in self.parts().filter(|part| part.run.filter_bytes().is_none()) {
            let mut filter = FilterBuilder::new(part.facts.count, bits_a_key[part.facts.shard]);
            if filter.is_worth_it() {
                let mut entries = part.run.entries();
                while let Some(entry) = entries.next()? {
                    filter.push(entry.key.high());
                }
                part.run.set_filter(filter.finish());
            }
        }
        Ok(())
    }

    /// How much memory all filters take.
    pub(crate) fn filter_bytes(&self) -> u64 {
        self.parts().filter_map(|part| part.run.filter_bytes()).sum()
    }

    /// Adds a run that is newer than all others of its shard.
    pub(crate) fn add(&mut self, part: Part<S>) {
        self.shards[part.facts.shard].parts.push(part);
    }

    /// What the newest run that has a key says of it.
    #[inline]
    pub(crate) fn find(&self, key: S) -> Result<Option<Option<Remark>>, Error> {
        for part in self.shards[shard_of(key.high())].parts.iter().rev() {
            if part.run.may_have(key.high())
                && let Some(found) = part.run.find(key)?
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Drops from a list of keys of one shard those that are known. What is forgotten is not, and goes to the end.
    ///
    /// Where there are no remarks a key is in one run only, most likely in the largest, which is the oldest; otherwise
    /// the newest run must be asked first.
    pub(crate) fn drop_known(
        &self,
        shard: usize,
        asked: &mut Vec<Asked<S>>,
        scratch: &mut Scratch<S>,
    ) -> Result<(), Error> {
        scratch.forgotten.clear();
        let parts = &self.shards[shard].parts;
        let has_remarks = parts.iter().any(|part| part.run.shape().code.has_remarks);
        for place in 0..parts.len() {
            let place = if has_remarks { parts.len() - 1 - place } else { place };
            drop_known_to(&parts[place].run, asked, scratch)?;
        }
        asked.append(&mut scratch.forgotten);
        Ok(())
    }

    /// All runs, as the state names them.
    pub(crate) fn facts(&self) -> Vec<RunFacts> {
        self.parts().map(|part| part.facts).collect()
    }

    fn parts(&self) -> impl Iterator<Item = &Part<S>> {
        self.shards.iter().flat_map(|shard| &shard.parts)
    }

    /// Puts a merged run in the place of those that it was made of, whose files nobody needs then.
    pub(crate) fn replace(&mut self, shard: usize, inputs: &[std::path::PathBuf], part: Option<Part<S>>) {
        let shard = &mut self.shards[shard];
        shard.is_merging = false;
        let is_input = |candidate: &Part<S>| inputs.iter().any(|path| path == candidate.run.path());
        let place = shard.parts.iter().position(is_input).expect("runs that are merged stay where they are");
        shard.parts.drain(place..place + inputs.len());
        if let Some(part) = part {
            shard.parts.insert(place, part);
        }
    }

    /// What should be merged now. Each shard is merged once at a time; `next_number` counts on.
    pub(crate) fn merges(&mut self, next_number: &mut u64, bits_a_key: &BitsAKey) -> Vec<Job<S>> {
        let mut jobs = Vec::new();
        for (shard, state) in self.shards.iter_mut().enumerate().filter(|(_, state)| !state.is_merging) {
            let Some(group) = due(&state.parts) else { continue };
            let inputs: Vec<Arc<Run<S>>> =
                state.parts[group.clone()].iter().map(|part| part.run.clone()).collect();
            let level = state.parts[group.start].facts.level + 1;
            let count = inputs.iter().map(|run| run.count()).sum();
            let facts = RunFacts { shard, number: *next_number, level, count, identity: 0 };
            *next_number += 1;
            state.is_merging = true;
            jobs.push(Job::Merge {
                inputs,
                facts,
                drops_forgotten: group.start == 0,
                bits_a_key: bits_a_key[shard],
            });
        }
        jobs
    }
}

/// A key that is asked for, with its place in the batch.
pub(crate) type Asked<S> = (S, u32);

/// Room that is used again for each question.
#[derive(Debug, Default)]
pub(crate) struct Scratch<S> {
    mixed: Vec<u64>,
    words: Vec<u64>,
    /// Keys that a filter lets pass, and which of those asked for they are.
    keys: Vec<S>,
    places: Vec<u32>,
    bounds: Vec<(u64, u64)>,
    is_dropped: Vec<bool>,
    forgotten: Vec<Asked<S>>,
}

fn drop_known_to<S: Signature>(
    run: &Run<S>,
    asked: &mut Vec<Asked<S>>,
    scratch: &mut Scratch<S>,
) -> Result<(), Error> {
    let Scratch { mixed, words, keys, places, bounds, is_dropped, forgotten } = scratch;
    mixed.clear();
    mixed.extend(asked.iter().map(|(key, _)| signature::mixed(key.high())));
    run.may_have_each(mixed, words);
    keys.clear();
    places.clear();
    is_dropped.clear();
    is_dropped.resize(asked.len(), false);
    for (place, (key, _)) in asked.iter().enumerate() {
        if words[place / 64] >> (place % 64) & 1 == 1 {
            keys.push(*key);
            places.push(place as u32);
        }
    }
    run.find_each(keys, bounds, |number, found| {
        let place = places[number] as usize;
        is_dropped[place] = found.is_some();
        if found == Some(Some(Remark::Forgotten)) {
            forgotten.push(asked[place]);
        }
    })?;
    let mut is_dropped = is_dropped.iter();
    asked.retain(|_| is_dropped.next() == Some(&false));
    Ok(())
}

/// The newest runs of one level, if they are enough to be merged.
fn due<S>(parts: &[Part<S>]) -> Option<std::ops::Range<usize>> {
    let mut end = parts.len();
    while end > 0 {
        let level = parts[end - 1].facts.level;
        let start =
            parts[..end].iter().rposition(|part| part.facts.level != level).map_or(0, |place| place + 1);
        if end - start >= FAN_IN {
            return Some(start..end);
        }
        end = start;
    }
    None
}

/// Which level a run of so many keys has that came from elsewhere, where tables hold `spilled` keys of a shard.
pub(crate) fn level_of(count: u64, spilled: u64) -> u32 {
    let mut level = 0;
    while count >> (2 * level) > spilled.max(1) {
        level += 1;
    }
    level
}
