//! A sliced index as bytes, and searching them where they lie.
//!
//! ```text
//! bytes  = header table slab* checksum
//! header = magic "CRVSLICE" (8) version (u32) probes (u32) bits (u64) seed (u64)
//!          slab count (u64) bytes in all (u64) zeros to 64
//! table  = (stride (u32) slots used (u32) upper stride (u32) zero (u32)) per slab, zeros to a multiple of 64
//! slab   = live (stride words) ids (used words) rows (bits · stride words) upper (bits · upper stride words),
//!          each padded with zeros to a multiple of 64
//! ```
//!
//! All numbers are little-endian, words are u64, and the checksum is XXH3 (64 bits) of everything before it. Every part
//! starts at a multiple of 64, so that in a mapped file no stripe of 512 filters crosses a cache line. Opening reads all
//! bytes once for the checksum; a search then touches the k rows of its key.

use xxhash_rust::xxh3::xxh3_64;

use super::SlicedBloofi;
use super::threads::search_pieces;
use crate::index::kernel::{Isa, Rows, UPPER_STRIDE_MAX};
use crate::index::slab::{SLAB_SLOTS, Slab};
use crate::index::{IndexError, Positions};
use crate::{BITS_MAX, FilterShape, KeyHash, PROBES_MAX};

/// The version of the bytes; no other can be read.
pub const SLICED_VERSION: u32 = 1;

/// What the bytes of a sliced index begin with.
pub const SLICED_MAGIC: &[u8; 8] = b"CRVSLICE";
const ALIGN: usize = 64;
const HEADER_BYTES: usize = 64;
const ENTRY_BYTES: usize = 16;
const CHECKSUM_BYTES: usize = 8;

impl SlicedBloofi {
    /// The index as bytes, for [`SlicedView::open`] and [`SlicedBloofi::from_bytes`]. Slots of deleted filters are
    /// written too: [`SlicedBloofi::compact`] before.
    pub fn to_bytes(&self) -> Vec<u8> {
        use crate::index::FilterIndex;
        let shape = self.shape();
        let mut bytes = Vec::new();
        bytes.extend(SLICED_MAGIC);
        bytes.extend(SLICED_VERSION.to_le_bytes());
        bytes.extend(shape.probes().to_le_bytes());
        bytes.extend(shape.bits().to_le_bytes());
        bytes.extend(shape.seed().to_le_bytes());
        bytes.extend((self.slabs().len() as u64).to_le_bytes());
        bytes.extend([0; 8]);
        pad(&mut bytes);
        for slab in self.slabs() {
            let upper_stride = slab.upper.as_ref().map_or(0, |upper| upper.stride);
            for number in [slab.stride, slab.ids.len(), upper_stride, 0] {
                bytes.extend((number as u32).to_le_bytes());
            }
        }
        pad(&mut bytes);
        for slab in self.slabs() {
            let upper = slab.upper.as_ref().map_or(&[][..], |upper| &upper.rows);
            for words in [&slab.live, &slab.ids, &slab.rows, upper] {
                bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
                pad(&mut bytes);
            }
        }
        let total = (bytes.len() + CHECKSUM_BYTES) as u64;
        bytes[40..48].copy_from_slice(&total.to_le_bytes());
        let checksum = xxh3_64(&bytes);
        bytes.extend(checksum.to_le_bytes());
        bytes
    }

    /// The index from its bytes, to be changed again.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, IndexError> {
        let view = SlicedView::open(bytes)?;
        let slabs = view.slabs.iter().map(|rows| slab_of(&view.shape, rows)).collect();
        Self::from_slabs(view.shape, slabs).ok_or(damaged("an id is there twice"))
    }
}

/// A sliced index in bytes that someone else holds, such as a mapped file. It can be searched and not changed.
#[derive(Debug, Clone)]
pub struct SlicedView<'a> {
    shape: FilterShape,
    slabs: Vec<Rows<'a, [u8; 8]>>,
    isa: Isa,
}

impl<'a> SlicedView<'a> {
    /// Checks the bytes, all of them, and shows the index in them. They may start at any address.
    pub fn open(bytes: &'a [u8]) -> Result<Self, IndexError> {
        let mut parts = Parts { bytes, at: 0 };
        let header = parts.take(HEADER_BYTES)?;
        if header[..8] != *SLICED_MAGIC {
            return Err(IndexError::Foreign);
        }
        let found = number(header, 8) as u32;
        if found != SLICED_VERSION {
            return Err(IndexError::Version { found, expected: SLICED_VERSION });
        }
        let long = |at: usize| number(header, at) | number(header, at + 4) << 32;
        let (content, checksum) = bytes
            .split_last_chunk::<CHECKSUM_BYTES>()
            .filter(|_| long(40) == bytes.len() as u64)
            .ok_or(damaged("it has another length than when it was written"))?;
        if u64::from_le_bytes(*checksum) != xxh3_64(content) {
            return Err(damaged("the checksum is wrong"));
        }
        let (probes, bits, slab_count) = (number(header, 12) as u32, long(16), long(32));
        let shape = FilterShape::new(bits, probes, long(24));
        if (shape.bits(), shape.probes()) != (bits, probes) || bits > BITS_MAX || probes > PROBES_MAX {
            return Err(damaged("there are no filters of this shape"));
        }
        let table_bytes = usize::try_from(slab_count).ok().and_then(|count| count.checked_mul(ENTRY_BYTES));
        let table = parts.take(table_bytes.ok_or(damaged("the table of slabs is too long"))?)?;
        let slabs = table.chunks_exact(ENTRY_BYTES).map(|entry| slab_in(&mut parts, &shape, entry));
        let slabs = slabs.collect::<Result<_, _>>()?;
        if parts.at + CHECKSUM_BYTES != bytes.len() {
            return Err(damaged("there are bytes behind the last slab"));
        }
        Ok(Self { shape, slabs, isa: Isa::detect() })
    }

    /// The shape of the filters.
    pub fn shape(&self) -> &FilterShape {
        &self.shape
    }

    /// The number of filters.
    pub fn len(&self) -> usize {
        let ones = |word: &[u8; 8]| u64::from_le_bytes(*word).count_ones() as usize;
        self.slabs.iter().flat_map(|rows| rows.live).map(ones).sum()
    }

    /// Whether there is no filter.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Replaces the content of `ids` by those of the filters that contain the key.
    pub fn search(&self, key: &KeyHash, ids: &mut Vec<u64>) {
        self.search_all(std::slice::from_ref(key), ids);
    }

    /// Replaces the content of `ids` by those of the filters that contain every key.
    pub fn search_all(&self, keys: &[KeyHash], ids: &mut Vec<u64>) {
        ids.clear();
        let positions = Positions::of(keys, &self.shape);
        for rows in &self.slabs {
            self.isa.collect(*rows, positions.as_slice(), 0..rows.stride, ids);
        }
    }

    /// Like [`Self::search_all`] on up to `threads` threads.
    pub fn search_all_threads(&self, keys: &[KeyHash], threads: usize, ids: &mut Vec<u64>) {
        let positions = Positions::of(keys, &self.shape);
        search_pieces(self.isa, &self.slabs, positions.as_slice(), threads, ids);
    }
}

/// What was not read yet.
struct Parts<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Parts<'a> {
    /// The next part without its padding.
    fn take(&mut self, length: usize) -> Result<&'a [u8], IndexError> {
        let part = self
            .bytes
            .get(self.at..)
            .and_then(|rest| rest.get(..length))
            .ok_or(damaged("it is too short"))?;
        self.at = (self.at + length).next_multiple_of(ALIGN);
        Ok(part)
    }

    fn words(&mut self, count: Option<usize>) -> Result<&'a [[u8; 8]], IndexError> {
        let length = count.and_then(|count| count.checked_mul(8)).ok_or(damaged("a slab is too large"))?;
        Ok(self.take(length)?.as_chunks().0)
    }
}

fn slab_in<'a>(
    parts: &mut Parts<'a>,
    shape: &FilterShape,
    entry: &[u8],
) -> Result<Rows<'a, [u8; 8]>, IndexError> {
    let [stride, used, upper_stride, zero] = [0, 4, 8, 12].map(|at| number(entry, at) as usize);
    let upper_is_right = upper_stride == 0 || upper_stride == stride.div_ceil(64);
    if stride > SLAB_SLOTS / 64 || used > stride * 64 || !upper_is_right || zero != 0 {
        return Err(damaged("the table of slabs is wrong"));
    }
    debug_assert!(upper_stride <= UPPER_STRIDE_MAX);
    let live = parts.words(Some(stride))?;
    let ids = parts.words(Some(used))?;
    let bits = shape.bits() as usize;
    let words = parts.words(bits.checked_mul(stride))?;
    let upper = parts.words(bits.checked_mul(upper_stride))?;
    let has_id = |(index, word): (usize, &[u8; 8])| {
        index * 64 + 64 - u64::from_le_bytes(*word).leading_zeros() as usize <= used || *word == [0; 8]
    };
    if !live.iter().enumerate().all(has_id) {
        return Err(damaged("a filter has no id"));
    }
    Ok(Rows { words, stride, live, ids, upper, upper_stride })
}

fn slab_of(shape: &FilterShape, rows: &Rows<'_, [u8; 8]>) -> Slab {
    let own = |words: &[[u8; 8]]| words.iter().map(|word| u64::from_le_bytes(*word)).collect::<Vec<_>>();
    let mut slab = Slab::new(shape.bits() as usize, shape.probes());
    slab.stride = rows.stride;
    slab.rows = own(rows.words);
    slab.live = own(rows.live);
    slab.ids = own(rows.ids);
    slab.live_count = slab.live.iter().map(|word| word.count_ones() as usize).sum();
    slab.renew_upper();
    slab
}

fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")))
}

fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(ALIGN), 0);
}

fn damaged(what: &'static str) -> IndexError {
    IndexError::Damaged { what }
}
