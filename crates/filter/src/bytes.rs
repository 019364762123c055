//! Filters as bytes that can be stored, sent and mapped into memory.
//!
//! ```text
//! filter = magic "CRFILTER"   8
//!          version            u32   1
//!          kind               u32   1 classic, 2 blocked, 3 counting, 4 fuse
//!          cells              u64   bits (classic, blocked), counters (counting), bytes (fuse)
//!          probes             u32   bits per key (8 when blocked); fuse: cells in a segment
//!          zero               u32
//!          seed               u64   of the hashes of keys; fuse: of the cells
//!          keys               u64   fuse: how many; otherwise 0
//!          length             u64   of the payload in bytes
//!          checksum           u64   XXH3 of the payload, seeded with the XXH3 of the 56 bytes before
//!          payload                  words of 64 bits (fuse: the cells), as `words()` gives them
//! ```
//!
//! All numbers are little-endian. The header has 64 bytes, so that in a file that is mapped from its start every block of
//! a blocked filter is one cache line. [`BloomView`] and [`BlockedView`] answer from such bytes without a copy; they read
//! word by word and do not care where the bytes lie.
//!
//! Damage is found when the bytes are opened: a wrong bit anywhere, a missing or an additional byte is an error. Bytes
//! with a right checksum but numbers that do not fit together (somebody made them) are one too, never a panic.

use xorf::{BinaryFuse8, Descriptor};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::blocked::lanes::{block_index, lane_mask};
use crate::blocked::{BLOCK_BITS, BlockedBloomFilter, BlockedShape, LANES};
use crate::bloom::BloomFilter;
use crate::counting::CountingBloomFilter;
use crate::fuse::FuseFilter;
use crate::shape::{BITS_MAX, FilterShape, KeyHash, PROBES_MAX};

/// The version that this build writes, and the only one so far that it reads.
pub const FORMAT_VERSION: u32 = 1;

/// The bytes before the payload.
pub const HEADER_BYTES: usize = 64;

/// What the bytes of a filter begin with.
pub const MAGIC: [u8; 8] = *b"CRFILTER";

/// What kind of filter bytes hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilterKind {
    /// [`BloomFilter`].
    Classic = 1,
    /// [`BlockedBloomFilter`].
    Blocked = 2,
    /// [`CountingBloomFilter`].
    Counting = 3,
    /// [`FuseFilter`].
    Fuse = 4,
}

impl FilterKind {
    /// The kind that bytes say they are of; nothing behind that is looked at.
    pub fn peek(bytes: &[u8]) -> Result<Self, DecodeError> {
        let Some((start, _)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
            return Err(DecodeError::Foreign);
        };
        let number = |at: usize| u32::from_le_bytes(start[at..at + 4].try_into().expect("four bytes"));
        if start[..8] != MAGIC {
            return Err(DecodeError::Foreign);
        }
        if number(8) != FORMAT_VERSION {
            return Err(DecodeError::Version { found: number(8) });
        }
        let all = [Self::Classic, Self::Blocked, Self::Counting, Self::Fuse];
        let found = all.into_iter().find(|kind| *kind as u32 == number(12));
        found.ok_or(malformed("there is no such kind of filter"))
    }
}

impl std::fmt::Display for FilterKind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Classic => "classic",
            Self::Blocked => "blocked",
            Self::Counting => "counting",
            Self::Fuse => "fuse",
        })
    }
}

/// Why bytes are not the filter that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// They start with something else than filters do.
    #[error("these bytes are not a filter (their first ones are wrong)")]
    Foreign,
    /// Written by another version.
    #[error("the filter was written by format {found}, this build reads {FORMAT_VERSION}")]
    Version {
        /// What the bytes say.
        found: u32,
    },
    /// Another kind of filter.
    #[error("the filter is of kind {found}, not {expected} ({})", *expected as u32)]
    Kind {
        /// What the bytes say.
        found: u32,
        /// What was asked for.
        expected: FilterKind,
    },
    /// Bytes are missing or too many.
    #[error("the filter has {found} bytes instead of {expected}")]
    Length {
        /// How many there are.
        found: u64,
        /// How many the header speaks of.
        expected: u64,
    },
    /// Bytes were changed.
    #[error("the filter is damaged (its checksum is wrong)")]
    Checksum,
    /// The numbers in the header do not fit together, although the checksum does: not written by us.
    #[error("the filter cannot be read: {what}")]
    Malformed {
        /// What does not fit.
        what: &'static str,
    },
}

const fn malformed(what: &'static str) -> DecodeError {
    DecodeError::Malformed { what }
}

/// The numbers of a header that differ between filters.
#[derive(Debug, Clone, Copy)]
struct Header {
    cells: u64,
    probes: u32,
    seed: u64,
    keys: u64,
}

impl Header {
    /// Header and checksum before the payload, which `fill` writes into the zeroed space that it is given.
    fn encode(&self, kind: FilterKind, payload_bytes: usize, fill: impl FnOnce(&mut [u8])) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER_BYTES + payload_bytes);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
        bytes.extend_from_slice(&(kind as u32).to_le_bytes());
        bytes.extend_from_slice(&self.cells.to_le_bytes());
        bytes.extend_from_slice(&self.probes.to_le_bytes());
        bytes.extend_from_slice(&0u32.to_le_bytes());
        bytes.extend_from_slice(&self.seed.to_le_bytes());
        bytes.extend_from_slice(&self.keys.to_le_bytes());
        bytes.extend_from_slice(&(payload_bytes as u64).to_le_bytes());
        bytes.resize(HEADER_BYTES + payload_bytes, 0);
        fill(&mut bytes[HEADER_BYTES..]);
        let checksum = checksum(&bytes);
        bytes[HEADER_BYTES - 8..HEADER_BYTES].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Checks everything but whether the numbers fit together, and gives the payload.
    fn decode(bytes: &[u8], kind: FilterKind) -> Result<(Self, &[u8]), DecodeError> {
        let found = bytes.len() as u64;
        if bytes.len() < HEADER_BYTES {
            let is_ours = bytes.iter().zip(&MAGIC).all(|(byte, magic)| byte == magic);
            let too_short = DecodeError::Length { found, expected: HEADER_BYTES as u64 };
            return Err(if is_ours { too_short } else { DecodeError::Foreign });
        }
        if bytes[..8] != MAGIC {
            return Err(DecodeError::Foreign);
        }
        if u32_at(bytes, 8) != FORMAT_VERSION {
            return Err(DecodeError::Version { found: u32_at(bytes, 8) });
        }
        if u32_at(bytes, 12) != kind as u32 {
            return Err(DecodeError::Kind { found: u32_at(bytes, 12), expected: kind });
        }
        let expected = u64_at(bytes, 48).saturating_add(HEADER_BYTES as u64);
        if found != expected {
            return Err(DecodeError::Length { found, expected });
        }
        if u64_at(bytes, HEADER_BYTES - 8) != checksum(bytes) {
            return Err(DecodeError::Checksum);
        }
        let header = Self {
            cells: u64_at(bytes, 16),
            probes: u32_at(bytes, 24),
            seed: u64_at(bytes, 32),
            keys: u64_at(bytes, 40),
        };
        Ok((header, &bytes[HEADER_BYTES..]))
    }

    /// The shape of a classic or counting filter.
    fn shape(&self) -> Result<FilterShape, DecodeError> {
        if self.cells == 0 || self.cells > BITS_MAX || !self.cells.is_multiple_of(64) {
            return Err(malformed("its number of bits is impossible"));
        }
        if self.probes == 0 || self.probes > PROBES_MAX {
            return Err(malformed("its number of probes is impossible"));
        }
        Ok(FilterShape::new(self.cells, self.probes, self.seed))
    }

    fn blocked_shape(&self) -> Result<BlockedShape, DecodeError> {
        if self.cells == 0 || self.cells > BITS_MAX || !self.cells.is_multiple_of(BLOCK_BITS) {
            return Err(malformed("its number of bits is impossible"));
        }
        if self.probes != LANES {
            return Err(malformed("its number of lanes is impossible"));
        }
        Ok(BlockedShape::new(self.cells / BLOCK_BITS, self.seed))
    }
}

fn checksum(bytes: &[u8]) -> u64 {
    xxh3_64_with_seed(&bytes[HEADER_BYTES..], xxh3_64(&bytes[..HEADER_BYTES - 8]))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

#[inline]
fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

fn put_words(words: &[u64], bytes: &mut [u8]) {
    bytes.chunks_exact_mut(8).zip(words).for_each(|(to, word)| to.copy_from_slice(&word.to_le_bytes()));
}

fn words_of(payload: &[u8]) -> impl ExactSizeIterator<Item = u64> + '_ {
    payload.chunks_exact(8).map(|word| u64_at(word, 0))
}

fn check_words(payload: &[u8], word_count: usize) -> Result<(), DecodeError> {
    // BITS_MAX keeps the product far below the limit.
    if payload.len() == word_count * 8 { Ok(()) } else { Err(malformed("its payload does not fit its size")) }
}

impl BloomFilter {
    /// The filter as bytes, see [`crate::bytes`].
    pub fn to_bytes(&self) -> Vec<u8> {
        let shape = self.shape();
        let header = Header { cells: shape.bits(), probes: shape.probes(), seed: shape.seed(), keys: 0 };
        header.encode(FilterKind::Classic, self.words().len() * 8, |to| put_words(self.words(), to))
    }

    /// The filter that was written.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        Ok(BloomView::open(bytes)?.to_filter())
    }
}

impl BlockedBloomFilter {
    /// The filter as bytes, see [`crate::bytes`].
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = Header { cells: self.shape().bits(), probes: LANES, seed: self.shape().seed(), keys: 0 };
        header.encode(FilterKind::Blocked, self.words().len() * 8, |to| put_words(self.words(), to))
    }

    /// The filter that was written.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        Ok(BlockedView::open(bytes)?.to_filter())
    }
}

impl CountingBloomFilter {
    /// The filter as bytes, see [`crate::bytes`].
    pub fn to_bytes(&self) -> Vec<u8> {
        let shape = self.shape();
        let header = Header { cells: shape.bits(), probes: shape.probes(), seed: shape.seed(), keys: 0 };
        header.encode(FilterKind::Counting, self.words().len() * 8, |to| put_words(self.words(), to))
    }

    /// The filter that was written.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let (header, payload) = Header::decode(bytes, FilterKind::Counting)?;
        let shape = header.shape()?;
        check_words(payload, Self::word_count(&shape))?;
        Ok(Self::from_words(shape, words_of(payload).collect()).expect("the number of words was checked"))
    }
}

impl FuseFilter {
    /// The filter as bytes, see [`crate::bytes`].
    pub fn to_bytes(&self) -> Vec<u8> {
        let cells = &self.cells.fingerprints;
        let descriptor = &self.cells.descriptor;
        let header = Header {
            cells: cells.len() as u64,
            probes: descriptor.segment_length,
            seed: descriptor.seed,
            keys: self.key_count,
        };
        header.encode(FilterKind::Fuse, cells.len(), |to| to.copy_from_slice(cells))
    }

    /// The filter that was written.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let (header, payload) = Header::decode(bytes, FilterKind::Fuse)?;
        let segment_length = header.probes;
        if header.cells != payload.len() as u64 {
            return Err(malformed("its payload does not fit its size"));
        }
        // A key has a cell in three segments in a row, the first of which is not one of the last two. This is what keeps
        // the look-up inside the cells.
        let cell_count = u32::try_from(header.cells).map_err(|_| malformed("it has too many cells"))?;
        if !segment_length.is_power_of_two()
            || !cell_count.is_multiple_of(segment_length)
            || cell_count / segment_length < 3
        {
            return Err(malformed("its segments do not fit its size"));
        }
        let descriptor = Descriptor {
            seed: header.seed,
            segment_length,
            segment_length_mask: segment_length - 1,
            segment_count_length: cell_count - 2 * segment_length,
        };
        let cells = BinaryFuse8 { descriptor, fingerprints: payload.into() };
        Ok(Self { key_count: header.keys, cells })
    }
}

/// A classic filter that is read where its bytes lie.
#[derive(Debug, Clone, Copy)]
pub struct BloomView<'a> {
    shape: FilterShape,
    payload: &'a [u8],
}

impl<'a> BloomView<'a> {
    /// Checks header and checksum once, reading all of the bytes.
    pub fn open(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let (header, payload) = Header::decode(bytes, FilterKind::Classic)?;
        let shape = header.shape()?;
        check_words(payload, shape.word_count())?;
        Ok(Self { shape, payload })
    }

    /// Its shape.
    pub fn shape(&self) -> &FilterShape {
        &self.shape
    }

    /// Whether the key may be in the set: `false` is certain.
    #[inline]
    pub fn contains(&self, key: &KeyHash) -> bool {
        // Little-endian words: bit p of the filter is bit p mod 8 of byte p / 8.
        key.probes(&self.shape)
            .all(|position| self.payload[(position / 8) as usize] >> (position % 8) & 1 == 1)
    }

    /// A copy that can be changed.
    pub fn to_filter(&self) -> BloomFilter {
        BloomFilter::from_words(self.shape, words_of(self.payload).collect())
            .expect("the length was checked on opening")
    }
}

/// A blocked filter that is read where its bytes lie.
#[derive(Debug, Clone, Copy)]
pub struct BlockedView<'a> {
    shape: BlockedShape,
    payload: &'a [u8],
}

impl<'a> BlockedView<'a> {
    /// Checks header and checksum once, reading all of the bytes.
    pub fn open(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let (header, payload) = Header::decode(bytes, FilterKind::Blocked)?;
        let shape = header.blocked_shape()?;
        check_words(payload, (shape.bits() / 64) as usize)?;
        Ok(Self { shape, payload })
    }

    /// Its shape.
    pub fn shape(&self) -> &BlockedShape {
        &self.shape
    }

    /// Whether the key may be in the set: `false` is certain.
    #[inline]
    pub fn contains(&self, hash: u64) -> bool {
        const BLOCK_BYTES: usize = BLOCK_BITS as usize / 8;
        let start = block_index(hash, self.shape.block_count() as usize) * BLOCK_BYTES;
        let block = &self.payload[start..start + BLOCK_BYTES];
        (0..LANES as usize).all(|lane| u64_at(block, lane * 8) & lane_mask(hash, lane) != 0)
    }

    /// A copy that can be changed.
    pub fn to_filter(&self) -> BlockedBloomFilter {
        BlockedBloomFilter::from_words(self.shape, words_of(self.payload))
            .expect("the length was checked on opening")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Bytes with a right checksum and these numbers, which no writer of ours would make.
    fn forged(kind: FilterKind, cells: u64, probes: u32, payload_bytes: usize) -> Vec<u8> {
        let header = Header { cells, probes, seed: 1, keys: 1 };
        header.encode(kind, payload_bytes, |payload| payload.fill(0x5a))
    }

    #[test]
    fn numbers_that_do_not_fit_together_are_errors() {
        for (cells, probes, payload_bytes) in [
            (0, 7, 0),
            (65, 7, 16),
            (128, 0, 16),
            (128, 65, 16),
            (128, 7, 8),
            (1 << 60, 7, 16),
            (u64::MAX, 7, 16),
        ] {
            let bytes = forged(FilterKind::Classic, cells, probes, payload_bytes);
            assert!(
                matches!(BloomView::open(&bytes), Err(DecodeError::Malformed { .. })),
                "{cells} {probes}"
            );
        }
        assert!(BloomView::open(&forged(FilterKind::Classic, 128, 7, 16)).is_ok());
        for (cells, probes, payload_bytes) in
            [(0, 8, 0), (512, 7, 64), (576, 8, 72), (512, 8, 128), (1 << 60, 8, 64)]
        {
            let bytes = forged(FilterKind::Blocked, cells, probes, payload_bytes);
            assert!(
                matches!(BlockedView::open(&bytes), Err(DecodeError::Malformed { .. })),
                "{cells} {probes}"
            );
        }
        for (cells, probes, payload_bytes) in
            [(12, 0, 12), (12, 3, 12), (8, 4, 8), (13, 4, 13), (12, 4, 16), (0, 4, 0)]
        {
            let bytes = forged(FilterKind::Fuse, cells, probes, payload_bytes);
            assert!(
                matches!(FuseFilter::from_bytes(&bytes), Err(DecodeError::Malformed { .. })),
                "{cells} {probes}"
            );
        }
    }

    proptest! {
        #[test]
        fn whatever_opens_can_be_asked(
            cells in prop_oneof![0u64..2_000, any::<u64>()], probes in prop_oneof![0u32..70, any::<u32>()],
            payload in prop_oneof![Just(None), (0usize..300).prop_map(Some)], hash in any::<u64>()
        ) {
            let key = KeyHash::from_parts(hash, !hash);
            let bytes = |kind, cells_per_byte: u64| {
                let fitting = (cells / cells_per_byte).min(4_000) as usize;
                forged(kind, cells, probes, payload.unwrap_or(fitting))
            };
            // Only that none of these panics.
            let _ = BloomFilter::from_bytes(&bytes(FilterKind::Classic, 8)).map(|filter| filter.contains(&key));
            let _ = BlockedBloomFilter::from_bytes(&bytes(FilterKind::Blocked, 8)).map(|filter| filter.contains(hash));
            let _ = CountingBloomFilter::from_bytes(&bytes(FilterKind::Counting, 2)).map(|filter| filter.count_of(&key));
            let _ = FuseFilter::from_bytes(&bytes(FilterKind::Fuse, 1)).map(|filter| filter.contains(hash));
        }

        #[test]
        fn arbitrary_bytes_are_errors(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(BloomView::open(&bytes).is_err() && BlockedView::open(&bytes).is_err());
            prop_assert!(CountingBloomFilter::from_bytes(&bytes).is_err() && FuseFilter::from_bytes(&bytes).is_err());
        }
    }
}
