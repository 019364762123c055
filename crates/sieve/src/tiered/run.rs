//! A run: some signatures of one shard, sorted, in a file that never changes.
//!
//! ```text
//! payload   = stream, directory, foot; in a sealed file (`journal::SealedFile`), which has a checksum for each 64 KiB
//! stream    = the keys of cell 0, of cell 1, …, in the code of `code.rs`; two words of zeros
//! directory = for each 32 cells: bit where the first begins (u64), then where each begins behind it (32 × u16 or u32)
//! foot      = shard, signature bits, cell bits, Rice's parameter, has remarks, width of the directory (u8 each),
//!             zero (2 bytes), count (u64), bits of the stream (u64)
//! ```
//!
//! A cell is a range of signatures, all cells are equally wide, and there are so many that about 32 keys fall into one:
//! signatures are hashes, so that the place of a key in the file is computed and not searched for. A question reads one
//! entry of the directory and the half of one cell: some 200 bytes that lie together, one page of the disk each.
//!
//! Cost on disk: what `code.rs` says, and 0.07 bytes a key for the directory.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use filter::BlockedBloomFilter;
use journal::{Format, SealedFile, u32_at, u64_at};

use super::bits::{BitReader, PADDING_BYTES};
use super::code::{Code, Entry};
use super::remark::Remark;
use super::signature::{SHARD_BITS, Signature, mixed};
use crate::Error;

/// What the file begins with.
pub const RUN: Format = Format { magic: *b"CRVSRUN1", version: 1 };

/// Which kind of sealed file it is.
pub(crate) const RUN_KIND: journal::Kind = *b"keys";

pub(crate) const FOOT_BYTES: u64 = 24;

/// Cells that share a full offset.
pub(crate) const GROUP: u64 = 32;

/// How a run is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) shard: u8,
    pub(crate) signature_bits: u32,
    pub(crate) cell_bits: u32,
    pub(crate) code: Code,
}

impl Shape {
    /// The shape for about so many keys.
    pub(crate) fn for_keys(shard: usize, signature_bits: u32, count: u64, has_remarks: bool) -> Self {
        let first_bits = signature_bits.min(64);
        let range_bits = first_bits - SHARD_BITS;
        let mut cell_bits = 0;
        while count >> cell_bits >= 46 {
            cell_bits += 1;
        }
        let code = Code::for_keys(count, range_bits, has_remarks);
        Self { shard: shard as u8, signature_bits, cell_bits, code }
    }

    /// Bits of a signature behind those of the shard.
    pub(crate) fn range_bits(&self) -> u32 {
        self.signature_bits.min(64) - SHARD_BITS
    }

    /// Bits of a signature behind those of the cell.
    pub(crate) fn within_bits(&self) -> u32 {
        self.range_bits() - self.cell_bits
    }

    /// A signature as a number within its shard.
    #[inline]
    pub(crate) fn local(&self, high: u64) -> u64 {
        (high & (u64::MAX >> SHARD_BITS)) >> (64 - self.signature_bits.min(64))
    }

    fn high(&self, local: u64) -> u64 {
        u64::from(self.shard) << (64 - SHARD_BITS) | local << (64 - self.signature_bits.min(64))
    }

    pub(crate) fn cells(&self) -> u64 {
        1 << self.cell_bits
    }

    /// Nothing if such a shape was never written.
    fn decode(foot: &[u8], low_bits: u32) -> Option<Self> {
        let shape = Self {
            shard: foot[0],
            signature_bits: u32::from(foot[1]),
            cell_bits: u32::from(foot[2]),
            code: Code { rice: u32::from(foot[3]), has_remarks: foot[4] == 1 },
        };
        let bits_fit = match low_bits {
            0 => (48..=64).contains(&shape.signature_bits),
            _ => shape.signature_bits == 64 + low_bits,
        };
        let is_sound = bits_fit && shape.cell_bits < 40 && shape.code.rice <= 56 && foot[0] < 1 << SHARD_BITS;
        is_sound.then_some(shape)
    }
}

/// A run that can be asked.
#[derive(Debug)]
pub(crate) struct Run<S> {
    file: SealedFile,
    shape: Shape,
    count: u64,
    stream_bits: u64,
    /// Bytes of an entry of the directory, and where that begins.
    width: u64,
    directory: u64,
    /// Not before somebody asks the run often.
    filter: OnceLock<BlockedBloomFilter>,
    signature: PhantomData<S>,
}

impl<S: Signature> Run<S> {
    /// Opens a run and checks that it is the one that was meant.
    pub(crate) fn open(path: &Path, identity: u64, count: u64) -> Result<Self, Error> {
        let file = SealedFile::open(path, RUN, RUN_KIND)?;
        let damaged = |what| Error::Damaged { path: path.to_owned(), what };
        if file.identity() != identity {
            return Err(damaged("it is not the run that the sieve's state names"));
        }
        let payload = file.payload_bytes();
        let foot_start = payload.checked_sub(FOOT_BYTES).ok_or_else(|| damaged("it has no end"))?;
        let foot: [u8; FOOT_BYTES as usize] =
            file.bytes(foot_start..payload)?.try_into().expect("as many bytes were cut out");
        let shape = Shape::decode(&foot, S::LOW_BITS).ok_or_else(|| damaged("its end cannot be read"))?;
        let (width, stream_bits) = (u64::from(foot[5]), u64_at(&foot, 16));
        let groups = (shape.cells() + 1).div_ceil(GROUP);
        let directory_bytes = groups * (8 + GROUP * width);
        let directory =
            foot_start.checked_sub(directory_bytes).ok_or_else(|| damaged("it has no directory"))?;
        let stream_bytes = stream_bits.div_ceil(8);
        // Filters are made for so many keys before one is read: each of them takes some bits.
        let has_room = count.saturating_mul(u64::from(shape.code.rice + 1 + S::LOW_BITS)) <= stream_bits;
        let is_whole = u64_at(&foot, 8) == count && stream_bytes <= directory && has_room;
        if !is_whole || !(width == 2 || width == 4) {
            return Err(damaged("its parts do not fit together"));
        }
        let signature = PhantomData;
        Ok(Self { file, shape, count, stream_bits, width, directory, filter: OnceLock::new(), signature })
    }

    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Puts a filter before the run, if it has none.
    pub(crate) fn set_filter(&self, filter: Option<BlockedBloomFilter>) {
        if let Some(filter) = filter {
            // Both were made of the same keys.
            let _ = self.filter.set(filter);
        }
    }

    /// How much memory its filter takes, if it has one.
    pub(crate) fn filter_bytes(&self) -> Option<u64> {
        self.filter.get().map(|filter| filter.shape().bits() / 8)
    }

    /// False if the filter knows that the key is not there.
    #[inline]
    pub(crate) fn may_have(&self, high: u64) -> bool {
        self.filter.get().is_none_or(|filter| filter.contains(mixed(high)))
    }

    /// The same of many keys, given mixed: bit i of the words is that of key i. Memory is asked for ahead of its use.
    pub(crate) fn may_have_each(&self, mixed_keys: &[u64], words: &mut Vec<u64>) {
        words.clear();
        words.resize(mixed_keys.len().div_ceil(64), u64::MAX);
        if let Some(filter) = self.filter.get() {
            filter.contains_batch(mixed_keys, words);
        }
    }

    /// What the run says of a key: nothing, or that it is there and what is remarked.
    pub(crate) fn find(&self, key: S) -> Result<Option<Option<Remark>>, Error> {
        self.find_in(self.bounds(key)?, key)
    }

    /// The same of many keys, one after the other. What they need of the file is looked at first: these looks do not
    /// depend on each other, so that the processor waits for several of them at once.
    pub(crate) fn find_each(
        &self,
        keys: &[S],
        bounds: &mut Vec<(u64, u64)>,
        mut see: impl FnMut(usize, Option<Option<Remark>>),
    ) -> Result<(), Error> {
        bounds.clear();
        for &key in keys {
            bounds.push(self.bounds(key)?);
        }
        let mut touched = 0u8;
        for &(start, end) in bounds.iter() {
            let (first, last) = (start / 8, (end / 8).max(start / 8));
            touched ^= self.file.verified_bytes(first..first + 1).first().copied().unwrap_or(0);
            touched ^= self.file.verified_bytes(last..last + 1).first().copied().unwrap_or(0);
        }
        std::hint::black_box(touched);
        for (place, (&key, &bounds)) in keys.iter().zip(bounds.iter()).enumerate() {
            see(place, self.find_in(bounds, key)?);
        }
        Ok(())
    }

    /// Where the cell of a key begins and ends, in bits.
    #[inline]
    fn bounds(&self, key: S) -> Result<(u64, u64), Error> {
        self.bounds_of(self.shape.local(key.high()) >> self.shape.within_bits())
    }

    #[inline]
    fn find_in(&self, bounds: (u64, u64), key: S) -> Result<Option<Option<Remark>>, Error> {
        let local = self.shape.local(key.high());
        let mut keys = self.cell(local >> self.shape.within_bits(), bounds)?;
        while let Some((found, low, remark)) = keys.next()? {
            if found < local {
                continue;
            }
            if found > local {
                return Ok(None);
            }
            if low == key.low() {
                return Ok(Some(remark));
            }
        }
        Ok(None)
    }

    /// All entries in order.
    pub(crate) fn entries(&self) -> Entries<'_, S> {
        Entries { run: self, cell: 0, keys: None, last: None, seen: 0 }
    }

    #[inline]
    fn bounds_of(&self, cell: u64) -> Result<(u64, u64), Error> {
        let (start, end) = match cell % GROUP {
            // The next cell is in the next group.
            place if place == GROUP - 1 => (self.starts_of(cell)?.0, self.starts_of(cell + 1)?.0),
            _ => self.starts_of(cell)?,
        };
        if start > end || end > self.stream_bits {
            return Err(self.damaged("its directory leads nowhere"));
        }
        Ok((start, end))
    }

    #[inline]
    fn cell(&self, cell: u64, (start, end): (u64, u64)) -> Result<CellKeys<'_, S>, Error> {
        let last_byte = (end.div_ceil(8) + PADDING_BYTES as u64).min(self.directory);
        let bytes = self.file.bytes(start / 8..last_byte)?;
        let within = self.shape.within_bits();
        let bits = BitReader::new(bytes, start % 8);
        Ok(CellKeys {
            run: self,
            bits,
            end: start % 8 + (end - start),
            key: cell << within,
            signature: PhantomData,
        })
    }

    /// Where a cell begins, and the next one of its group; of the last of a group, where it begins itself.
    #[inline]
    fn starts_of(&self, cell: u64) -> Result<(u64, u64), Error> {
        let group = self.directory + cell / GROUP * (8 + GROUP * self.width);
        let bytes = self.file.bytes(group..group + 8 + GROUP * self.width)?;
        let first = u64_at(bytes, 0);
        let start = |place: u64| {
            let entry = 8 + (place.min(GROUP - 1) * self.width) as usize;
            // What is beyond all bounds leads nowhere, which is told.
            first.saturating_add(match self.width {
                2 => u64::from(u16::from_le_bytes([bytes[entry], bytes[entry + 1]])),
                _ => u64::from(u32_at(bytes, entry)),
            })
        };
        Ok((start(cell % GROUP), start(cell % GROUP + 1)))
    }

    fn damaged(&self, what: &'static str) -> Error {
        Error::Damaged { path: self.file.path().to_owned(), what }
    }
}

/// The keys of one cell, as numbers within the shard.
#[derive(Debug)]
struct CellKeys<'r, S> {
    run: &'r Run<S>,
    bits: BitReader<'r>,
    end: u64,
    key: u64,
    signature: PhantomData<S>,
}

impl<S: Signature> CellKeys<'_, S> {
    #[inline]
    fn next(&mut self) -> Result<Option<(u64, u64, Option<Remark>)>, Error> {
        if self.bits.place() >= self.end {
            return Ok(None);
        }
        let shape = &self.run.shape;
        let step = shape.code.take_distance(&mut self.bits, shape.within_bits());
        let rest = shape.code.take_rest::<S>(&mut self.bits);
        let (Some(step), Some((low, remark))) = (step, rest) else {
            return Err(self.run.damaged("a key cannot be read"));
        };
        self.key = self.key.wrapping_add(step);
        Ok(Some((self.key, low, remark)))
    }
}

/// All entries of a run, in order; at the end their number is compared.
#[derive(Debug)]
pub(crate) struct Entries<'r, S> {
    run: &'r Run<S>,
    cell: u64,
    keys: Option<CellKeys<'r, S>>,
    last: Option<S>,
    seen: u64,
}

impl<S: Signature> Entries<'_, S> {
    pub(crate) fn next(&mut self) -> Result<Option<Entry<S>>, Error> {
        loop {
            if let Some(keys) = &mut self.keys
                && let Some((local, low, remark)) = keys.next()?
            {
                let key = S::from_parts(self.run.shape.high(local), low);
                if local >> self.run.shape.within_bits() != self.cell - 1
                    || self.last.is_some_and(|last| last >= key)
                {
                    return Err(self.run.damaged("it is not sorted"));
                }
                self.seen += 1;
                self.last = Some(key);
                return Ok(Some(Entry { key, remark }));
            }
            if self.cell == self.run.shape.cells() {
                let is_whole = self.seen == self.run.count;
                return if is_whole { Ok(None) } else { Err(self.run.damaged("keys are missing")) };
            }
            self.keys = Some(self.run.cell(self.cell, self.run.bounds_of(self.cell)?)?);
            self.cell += 1;
        }
    }
}

/// The file of a run.
pub(crate) fn run_path(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("run-{number}"))
}

/// Checks a run from front to back and shows the first 64 bits of every key, whatever sieve it belongs to. Tells how many
/// bits its signatures have.
pub fn scan_run(path: &Path, see: impl FnMut(u64)) -> Result<u32, Error> {
    let file = SealedFile::open(path, RUN, RUN_KIND)?;
    let cut = || Error::Damaged { path: path.to_owned(), what: "it has no end" };
    let start = file.payload_bytes().checked_sub(FOOT_BYTES).ok_or_else(cut)?;
    let foot = file.bytes(start..file.payload_bytes())?;
    let (bits, count) = (u32::from(foot[1]), u64_at(foot, 8));
    match bits {
        128 => scan_keys::<u128>(path, file.identity(), count, see)?,
        _ => scan_keys::<u64>(path, file.identity(), count, see)?,
    }
    Ok(bits)
}

fn scan_keys<S: Signature>(
    path: &Path,
    identity: u64,
    count: u64,
    mut see: impl FnMut(u64),
) -> Result<(), Error> {
    let run = Run::<S>::open(path, identity, count)?;
    let mut entries = run.entries();
    while let Some(entry) = entries.next()? {
        see(entry.key.high());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_leads_nowhere_is_told_whatever_its_checksum_says() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run-1");
        for (first, start, behind) in [(u64::MAX, 1u16, 301u16), (u64::MAX - 7, 0, 8), (301, 0, 0)] {
            let mut payload = vec![1; 56];
            payload.extend(first.to_le_bytes());
            payload.extend(start.to_le_bytes().into_iter().chain(behind.to_le_bytes().repeat(31)));
            payload.extend([0, 64, 0, 50, 0, 2, 0, 0]);
            payload.extend(5u64.to_le_bytes().into_iter().chain(300u64.to_le_bytes()));
            journal::write_sealed(&path, RUN, RUN_KIND, &payload).unwrap();
            let told = scan_run(&path, |_| ()).unwrap_err().to_string();
            assert!(told.contains("its directory leads nowhere"), "{first} {behind}: {told}");
            // More keys than the stream has bits for.
            let count = payload.len() - 16;
            payload[count..count + 8].copy_from_slice(&6u64.to_le_bytes());
            journal::write_sealed(&path, RUN, RUN_KIND, &payload).unwrap();
            let told = scan_run(&path, |_| ()).unwrap_err().to_string();
            assert!(told.contains("its parts do not fit together"), "{first} {behind}: {told}");
        }
    }
}
