//! Offers are looked at a few thousand at a time, shard by shard.
//!
//! What one shard needs stays in the caches while its offers are looked at, and a filter or a run is asked for many keys
//! at once, so that the processor waits for several of them together. Nothing is decided before all shards were asked;
//! then the batch is walked once in the order of arrival, in which the new ones become newcomers.

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
    /// Places of the batch, by shard.
    order: Vec<u32>,
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

    /// Orders the places of the batch by shard, and within one as they came. Tells where each shard ends.
    fn sort_by_shard(&mut self) -> [usize; SHARDS] {
        let mut starts = [0usize; SHARDS + 1];
        for (key, ..) in &self.offers {
            starts[shard_of(key.high()) + 1] += 1;
        }
        for shard in 0..SHARDS {
            starts[shard + 1] += starts[shard];
        }
        self.order.clear();
        self.order.resize(self.offers.len(), 0);
        self.is_known.clear();
        self.is_known.resize(self.offers.len(), false);
        for (place, (key, ..)) in self.offers.iter().enumerate() {
            let start = &mut starts[shard_of(key.high())];
            self.order[*start] = place as u32;
            *start += 1;
        }
        // Each has gone on to where the next one began.
        std::array::from_fn(|shard| starts[shard])
    }
}

impl<S: Signature> TieredSieve<S> {
    /// Looks at the batch: who is known is dropped, the others become newcomers in the order in which they came.
    pub(super) fn sift(&mut self) -> Result<(), Error> {
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
            batch.asked.clear();
            for &place in &batch.order[start..end] {
                let key = batch.offers[place as usize].0;
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
