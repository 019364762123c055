//! Offers are looked at some ten thousand at a time, shard by shard.
//!
//! A filter or a run is asked for many keys at once, so that the processor waits for several of them together, and for
//! sorted ones: tables, filters and runs all stand in the order of signatures, so that questions that follow each other
//! are answered by places that do. Nothing is decided before all shards were asked; then the batch is walked once in
//! the order of arrival, in which the new ones become newcomers.

use page::Fingerprint;

use super::TieredSieve;
use super::remark::Remark;
use super::signature::{SHARDS, Signature, shard_of};
use super::tiers::{Asked, Scratch};
use crate::{Candidate, Error};

/// Offers that were not looked at yet.
#[derive(Debug)]
pub(super) struct Batch<S> {
    /// Key, fingerprint, end of the address, depth, hops.
    pub(super) offers: Vec<(S, Fingerprint, u32, u16, u8)>,
    /// Their addresses, one behind the other; each offer has the end of its own.
    pub(super) urls: String,
    /// Keys and places of the batch, by shard.
    order: Vec<Asked<S>>,
    is_known: Vec<bool>,
    /// What the runs of one shard are asked for.
    asked: Vec<Asked<S>>,
    scratch: Scratch<S>,
}

impl<S: Signature> Batch<S> {
    pub(super) fn new(capacity: usize) -> Self {
        let offers = Vec::with_capacity(capacity);
        Self {
            offers,
            urls: String::new(),
            order: Vec::new(),
            is_known: Vec::new(),
            asked: Vec::new(),
            scratch: Scratch::default(),
        }
    }

    /// Orders the batch by key, and so by shard. Tells where each shard ends.
    fn sort_by_shard(&mut self) -> [usize; SHARDS] {
        let mut starts = [0usize; SHARDS + 1];
        for (key, ..) in &self.offers {
            starts[shard_of(key.high()) + 1] += 1;
        }
        for shard in 0..SHARDS {
            starts[shard + 1] += starts[shard];
        }
        self.order.clear();
        self.order.resize(self.offers.len(), (S::default(), 0));
        self.is_known.clear();
        self.is_known.resize(self.offers.len(), false);
        for (place, (key, ..)) in self.offers.iter().enumerate() {
            let start = &mut starts[shard_of(key.high())];
            self.order[*start] = (*key, place as u32);
            *start += 1;
        }
        // Each has gone on to where the next one began.
        let ends: [usize; SHARDS] = std::array::from_fn(|shard| starts[shard]);
        let mut start = 0;
        for end in ends {
            self.order[start..end].sort_unstable();
            start = end;
        }
        ends
    }
}

impl<S: Signature> TieredSieve<S> {
    /// Looks at the batch: who is known is dropped, the others become newcomers in the order in which they came.
    pub(super) fn sift(&mut self) -> Result<(), Error> {
        // Runs that were merged would be in memory beside what came of them until the next flush.
        match self.take_done(false) {
            // It is told again, to whoever flushes.
            Err(error) if error.is_full_disk() => {}
            outcome => outcome?,
        }
        let mut batch = std::mem::replace(&mut self.batch, Batch::new(0));
        let outcome = self.sift_batch(&mut batch);
        if outcome.is_ok() {
            batch.offers.clear();
            batch.urls.clear();
        }
        // What could not be looked at is looked at again: whoever became a newcomer stays one.
        self.batch = batch;
        outcome
    }

    fn sift_batch(&mut self, batch: &mut Batch<S>) -> Result<(), Error> {
        let ends = batch.sort_by_shard();
        let mut start = 0;
        for (shard, end) in ends.into_iter().enumerate() {
            let Batch { order, is_known, .. } = batch;
            let see = |place, is_there| is_known[place as usize] = is_there;
            if self.held.know_each(shard, &order[start..end], see) {
                start = end;
                continue;
            }
            batch.asked.clear();
            for &(key, place) in &batch.order[start..end] {
                match self.recent.find(key) {
                    None => batch.asked.push((key, place)),
                    Some(remark) => batch.is_known[place as usize] = remark != Some(Remark::Forgotten),
                }
            }
            if let Some(frozen) = &self.frozen {
                batch.asked.retain(|&(key, place)| match frozen.find(key) {
                    None => true,
                    Some(remark) => {
                        batch.is_known[place as usize] = remark != Some(Remark::Forgotten);
                        false
                    }
                });
            }
            // Whoever is not left over is known to the runs.
            for (_, place) in &batch.asked {
                batch.is_known[*place as usize] = true;
            }
            self.tiers.drop_known(shard, &mut batch.asked, &mut batch.scratch)?;
            for (_, place) in &batch.asked {
                batch.is_known[*place as usize] = false;
            }
            start = end;
        }
        let mut start = 0;
        for (&(key, fingerprint, end, depth, hops), &is_known) in batch.offers.iter().zip(&batch.is_known) {
            let url = &batch.urls[start..end as usize];
            start = end as usize;
            if !is_known {
                self.newcomers.offer(key, Candidate { fingerprint, depth, hops, url })?;
            }
        }
        Ok(())
    }
}
