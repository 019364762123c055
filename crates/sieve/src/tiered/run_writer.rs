//! Writing a run, from its first key to its last; see `run.rs` for the layout.

use std::path::{Path, PathBuf};

use filter::{BlockedBloomFilter, BlockedShape};
use journal::SealedWriter;

use super::bits::BitWriter;
use super::code::Entry;
use super::run::{GROUP, RUN, RUN_KIND, Run, Shape};
use super::signature::{SHARDS, Signature, mixed};
use crate::Error;

/// Bits leave for the file when they are so many.
const BUFFER_BYTES: usize = 64 << 10;

/// Keys enter a filter by so many at a time, so that it can ask for memory ahead.
const FILTER_BATCH: usize = 256;

/// A filter with fewer bits a key would let too much through to be worth its memory.
const FILTER_BITS_MIN: f64 = 4.0;

/// And one with more would hardly let less through: one key in a hundred passes.
pub(crate) const FILTER_BITS_MAX: f64 = 10.1;

/// A run that is being written.
pub(crate) struct RunWriter<S> {
    path: PathBuf,
    file: SealedWriter,
    shape: Shape,
    bits: BitWriter,
    /// Where each cell begins, behind the first of its group.
    starts: Vec<u32>,
    group_starts: Vec<u64>,
    last: Option<S>,
    last_local: u64,
    count: u64,
    filter: FilterBuilder,
}

impl<S: Signature> RunWriter<S> {
    /// Begins a run of about so many keys.
    pub(crate) fn create(path: &Path, shape: Shape, filter: FilterBuilder) -> Result<Self, Error> {
        Ok(Self {
            path: path.to_owned(),
            file: SealedWriter::create(path, RUN, RUN_KIND)?,
            shape,
            bits: BitWriter::default(),
            starts: Vec::new(),
            group_starts: Vec::new(),
            last: None,
            last_local: 0,
            count: 0,
            filter,
        })
    }

    /// Adds a key, which is greater than all before.
    pub(crate) fn push(&mut self, entry: &Entry<S>) -> Result<(), Error> {
        assert!(self.last.is_none_or(|last| last < entry.key), "keys come sorted and once");
        let local = self.shape.local(entry.key.high());
        let cell = local >> self.shape.within_bits();
        self.begin_cells(cell + 1)?;
        self.shape.code.put(&mut self.bits, local - self.last_local, entry);
        (self.last, self.last_local) = (Some(entry.key), local);
        self.count += 1;
        self.filter.push(entry.key.high());
        if self.bits.take_bytes().len() >= BUFFER_BYTES {
            self.file.put(self.bits.take_bytes())?;
            self.bits.take_bytes().clear();
        }
        Ok(())
    }

    /// Notes where cells begin until there are so many.
    fn begin_cells(&mut self, count: u64) -> Result<(), Error> {
        while (self.starts.len() as u64) < count {
            let bit = self.bits.total_bits();
            if (self.starts.len() as u64).is_multiple_of(GROUP) {
                self.group_starts.push(bit);
            }
            let group = *self.group_starts.last().expect("a cell has a group");
            // So far behind its group begins no cell, unless a hundred million keys were made to fall into one.
            let behind = u32::try_from(bit - group)
                .map_err(|_| std::io::Error::other("signatures were made to collide"))?;
            self.starts.push(behind);
            self.last_local = (self.starts.len() as u64 - 1) << self.shape.within_bits();
        }
        Ok(())
    }

    /// Ends the run, waits for the disk, and opens it.
    pub(crate) fn finish(mut self) -> Result<(Run<S>, u64), Error> {
        self.begin_cells(self.shape.cells() + 1)?;
        let (stream_bits, count) = (self.bits.total_bits(), self.count);
        self.file.put(&std::mem::take(&mut self.bits).finish())?;
        let width = if self.starts.iter().all(|start| *start <= u32::from(u16::MAX)) { 2 } else { 4 };
        for (group, starts) in self.group_starts.iter().zip(self.starts.chunks(GROUP as usize)) {
            let mut bytes = group.to_le_bytes().to_vec();
            for start in starts {
                bytes.extend_from_slice(&start.to_le_bytes()[..width]);
            }
            bytes.resize(8 + GROUP as usize * width, 0);
            self.file.put(&bytes)?;
        }
        let Shape { shard, signature_bits, cell_bits, code } = self.shape;
        let small = [signature_bits, cell_bits, code.rice, u32::from(code.has_remarks), width as u32, 0, 0];
        self.file.put(&[shard])?;
        self.file.put(&small.map(|number| number as u8))?;
        self.file.put(&count.to_le_bytes())?;
        self.file.put(&stream_bits.to_le_bytes())?;
        let sealed = self.file.finish()?;
        let run = Run::open(&self.path, sealed.identity, count)?;
        run.set_filter(self.filter.finish());
        Ok((run, sealed.identity))
    }
}

/// How many bits the filters of each shard have for a key: none where no filter is wanted.
pub(crate) type BitsAKey = [f64; SHARDS];

/// The filter of a run while its keys come.
#[derive(Debug)]
pub(crate) struct FilterBuilder {
    filter: Option<BlockedBloomFilter>,
    batch: Vec<u64>,
}

impl FilterBuilder {
    /// A filter for so many keys with about so many bits for each; none if that is too few to be of use.
    pub(crate) fn new(count: u64, bits_a_key: f64) -> Self {
        let is_worth_it = count > 0 && bits_a_key >= FILTER_BITS_MIN;
        let blocks = (count as f64 * bits_a_key.min(FILTER_BITS_MAX) / filter::BLOCK_BITS as f64).ceil();
        let filter = is_worth_it.then(|| BlockedBloomFilter::new(BlockedShape::new(blocks as u64, 0)));
        Self { filter, batch: Vec::new() }
    }

    /// False if there will be no filter.
    pub(crate) fn is_worth_it(&self) -> bool {
        self.filter.is_some()
    }

    #[inline]
    pub(crate) fn push(&mut self, high: u64) {
        if let Some(filter) = &mut self.filter {
            self.batch.push(mixed(high));
            if self.batch.len() == FILTER_BATCH {
                filter.insert_batch(&self.batch);
                self.batch.clear();
            }
        }
    }

    pub(crate) fn finish(mut self) -> Option<BlockedBloomFilter> {
        if let Some(filter) = &mut self.filter {
            filter.insert_batch(&self.batch);
        }
        self.filter
    }
}
