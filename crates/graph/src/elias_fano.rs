//! Ascending numbers in two bits more than their average gap needs, each found in constant time.
//!
//! Method: Elias and Fano, as in the notes on succinct structures (chapter 8). Of n numbers below u, the lower
//! l = ⌊log₂(u/n)⌋ bits stand one behind the other; the upper parts are a row of bits in which the i-th number sets bit
//! `(number >> l) + i`. Every 128th one is remembered (half a bit a number), so that finding the i-th number is one jump
//! and a few words of counting ones.
//!
//! ```text
//! payload = n (u64) u (u64) l (u64) ; low words ; high words ; samples       all u64, little-endian
//! ```
//!
//! Cost: n(2.5 + l) bits; `get` some 20 ns when it is in the cache. It lives in memory or in a mapped file alike: our own
//! durable bytes, where the blob of a library would be refused by its next version.

use journal::{Bytes, u64_at};

const ONES_PER_SAMPLE: usize = 128;
const HEADER_BYTES: usize = 24;

/// Numbers that ascend (repeats allowed), by their rank.
#[derive(Debug, Clone)]
pub(crate) struct EliasFano {
    len: usize,
    low_bits: u32,
    low: Bytes,
    high: Bytes,
    samples: Bytes,
}

/// How many words each part takes.
struct Layout {
    low_bits: u32,
    low_words: usize,
    high_words: usize,
    samples: usize,
}

impl Layout {
    fn new(len: usize, universe: u64) -> Self {
        let low_bits = if len == 0 { 0 } else { (universe / len as u64).max(1).ilog2() };
        // One word more than needed, so that a number may always be read as part of two words.
        let low_words = (len * low_bits as usize).div_ceil(64) + 1;
        let high_bits = len + (universe >> low_bits) as usize + 1;
        Self {
            low_bits,
            low_words,
            high_words: high_bits.div_ceil(64),
            samples: len.div_ceil(ONES_PER_SAMPLE),
        }
    }

    fn bytes(&self) -> usize {
        HEADER_BYTES + 8 * (self.low_words + self.high_words + self.samples)
    }
}

/// Takes ascending numbers and makes their bytes.
pub(crate) struct EliasFanoBuilder {
    len: usize,
    universe: u64,
    layout: Layout,
    pushed: usize,
    low: Vec<u64>,
    high: Vec<u64>,
    samples: Vec<u64>,
}

impl EliasFanoBuilder {
    /// For `len` numbers, none greater than `universe`.
    pub(crate) fn new(len: usize, universe: u64) -> Self {
        let layout = Layout::new(len, universe);
        let (low, high) = (vec![0; layout.low_words], vec![0; layout.high_words]);
        Self { len, universe, layout, pushed: 0, low, high, samples: Vec::new() }
    }

    /// Adds the next number, which is not less than the one before.
    pub(crate) fn push(&mut self, number: u64) {
        assert!(
            self.pushed < self.len && number <= self.universe,
            "more or larger numbers than were announced"
        );
        let (rank, l) = (self.pushed, self.layout.low_bits);
        if l > 0 {
            let bit = rank * l as usize;
            let value = number & ((1 << l) - 1);
            self.low[bit / 64] |= value << (bit % 64);
            if bit % 64 + l as usize > 64 {
                self.low[bit / 64 + 1] |= value >> (64 - bit % 64);
            }
        }
        let place = (number >> l) as usize + rank;
        self.high[place / 64] |= 1 << (place % 64);
        if rank.is_multiple_of(ONES_PER_SAMPLE) {
            self.samples.push(place as u64);
        }
        self.pushed += 1;
    }

    /// The bytes that [`EliasFano::from_bytes`] reads.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        assert_eq!(self.pushed, self.len, "fewer numbers than were announced");
        let mut bytes = Vec::with_capacity(self.layout.bytes());
        for word in [self.len as u64, self.universe, u64::from(self.layout.low_bits)] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        for word in self.low.iter().chain(&self.high).chain(&self.samples) {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// The finished sequence, in memory.
    pub(crate) fn build(self) -> EliasFano {
        EliasFano::from_bytes(&self.into_bytes().into()).expect("these bytes were just made")
    }
}

impl EliasFano {
    /// All of a slice of ascending numbers.
    #[cfg(test)]
    pub(crate) fn from_slice(numbers: &[u64]) -> Self {
        let mut builder = EliasFanoBuilder::new(numbers.len(), numbers.last().copied().unwrap_or(0));
        numbers.iter().for_each(|number| builder.push(*number));
        builder.build()
    }

    /// Reads what [`EliasFanoBuilder::into_bytes`] made; nothing if the lengths do not add up or a number is missing, so that
    /// every number can be asked for. (Whether they ascend is not looked at.)
    pub(crate) fn from_bytes(bytes: &Bytes) -> Option<Self> {
        if bytes.len() < HEADER_BYTES {
            return None;
        }
        let (len, universe) = (u64_at(bytes, 0), u64_at(bytes, 8));
        // A number takes at least a bit: this keeps the sums below within their type.
        if len > 8 * bytes.len() as u64 || universe > 1 << 56 {
            return None;
        }
        let layout = Layout::new(len as usize, universe);
        if u64::from(layout.low_bits) != u64_at(bytes, 16) || layout.bytes() != bytes.len() {
            return None;
        }
        let low_end = HEADER_BYTES + 8 * layout.low_words;
        let high_end = low_end + 8 * layout.high_words;
        let read = Self {
            len: len as usize,
            low_bits: layout.low_bits,
            low: bytes.cut(HEADER_BYTES..low_end)?,
            high: bytes.cut(low_end..high_end)?,
            samples: bytes.cut(high_end..bytes.len())?,
        };
        read.is_whole().then_some(read)
    }

    /// Whether there is a one for each number, and the samples are where these are.
    fn is_whole(&self) -> bool {
        let (mut ones, mut samples) = (0usize, self.samples.as_chunks().0.iter());
        for (index, word) in self.high.as_chunks().0.iter().enumerate() {
            let word = u64::from_le_bytes(*word);
            // A word has less ones than there are between two samples.
            let next = ones.next_multiple_of(ONES_PER_SAMPLE) - ones;
            if next < word.count_ones() as usize {
                let place = (64 * index + place_in_word(word, next as u32)) as u64;
                if samples.next().is_none_or(|sample| u64::from_le_bytes(*sample) != place) {
                    return false;
                }
            }
            ones += word.count_ones() as usize;
        }
        ones == self.len
    }

    /// How many numbers there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// How many bytes they take.
    pub(crate) fn bytes(&self) -> usize {
        HEADER_BYTES + self.low.len() + self.high.len() + self.samples.len()
    }

    /// The number of a rank.
    #[inline]
    pub(crate) fn get(&self, rank: usize) -> u64 {
        let place = self.place_of_one(rank);
        ((place - rank) as u64) << self.low_bits | self.low_part(rank)
    }

    /// The numbers of a rank and of the next one.
    #[inline]
    pub(crate) fn get_pair(&self, rank: usize) -> (u64, u64) {
        let high: &[u8] = &self.high;
        let place = self.place_of_one(rank);
        let mut word_index = (place + 1) / 64;
        let mut word = u64_at(high, 8 * word_index) & (!0 << ((place + 1) % 64));
        while word == 0 {
            word_index += 1;
            word = u64_at(high, 8 * word_index);
        }
        let next = 64 * word_index + word.trailing_zeros() as usize;
        (
            ((place - rank) as u64) << self.low_bits | self.low_part(rank),
            ((next - rank - 1) as u64) << self.low_bits | self.low_part(rank + 1),
        )
    }

    #[inline]
    fn low_part(&self, rank: usize) -> u64 {
        if self.low_bits == 0 {
            return 0;
        }
        let low: &[u8] = &self.low;
        let bit = rank * self.low_bits as usize;
        let word = u64_at(low, 8 * (bit / 64)) >> (bit % 64);
        let rest = (u64_at(low, 8 * (bit / 64) + 8) << 1) << (63 - bit % 64);
        (word | rest) & ((1 << self.low_bits) - 1)
    }

    /// Where the one of a rank stands among the high bits.
    #[inline]
    fn place_of_one(&self, rank: usize) -> usize {
        assert!(rank < self.len, "there is no number of rank {rank}");
        let high: &[u8] = &self.high;
        let place = u64_at(&self.samples, 8 * (rank / ONES_PER_SAMPLE)) as usize;
        let mut left = (rank % ONES_PER_SAMPLE) as u32;
        let mut word_index = place / 64;
        let mut word = u64_at(high, 8 * word_index) & (!0 << (place % 64));
        loop {
            let ones = word.count_ones();
            if left < ones {
                return 64 * word_index + place_in_word(word, left);
            }
            left -= ones;
            word_index += 1;
            word = u64_at(high, 8 * word_index);
        }
    }
}

/// Where the one of a rank stands in a word. Halves the word by counting, six times.
#[inline]
pub(crate) fn place_in_word(mut word: u64, mut rank: u32) -> usize {
    let mut place = 0;
    for half in [32, 16, 8] {
        let ones = (word & ((1 << half) - 1)).count_ones();
        if rank >= ones {
            rank -= ones;
            word >>= half;
            place += half;
        }
    }
    for _ in 0..rank {
        word &= word - 1;
    }
    place + word.trailing_zeros() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_number_comes_back(mut numbers in prop::collection::vec(
            prop_oneof![0u64..300, 0u64..1_000_000, (1u64 << 40)..(1 << 41)], 0..700)) {
            numbers.sort_unstable();
            let sequence = EliasFano::from_slice(&numbers);
            for (rank, number) in numbers.iter().enumerate() {
                prop_assert_eq!(sequence.get(rank), *number);
                if rank + 1 < numbers.len() {
                    prop_assert_eq!(sequence.get_pair(rank), (*number, numbers[rank + 1]));
                }
            }
        }

        #[test]
        fn the_one_of_a_rank_is_found(word in 1u64.., rank in 0u32..64) {
            let rank = rank % word.count_ones();
            let place = place_in_word(word, rank);
            prop_assert_eq!(word >> place & 1, 1);
            prop_assert_eq!((word & ((1u64 << place) - 1)).count_ones(), rank);
        }
    }

    #[test]
    fn the_numbers_of_the_notes_take_the_bits_of_the_notes() {
        // 5, 8, 8, 15, 32 below 36: two low bits each, and upper parts 1, 2, 2, 3, 8.
        let mut builder = EliasFanoBuilder::new(5, 36);
        [5, 8, 8, 15, 32].into_iter().for_each(|number| builder.push(number));
        assert_eq!(builder.layout.low_bits, 2);
        assert_eq!(builder.low[0], 0b00_11_00_00_01);
        assert_eq!(builder.high[0], 0b1_0000_0101_1010);
    }

    #[test]
    fn bytes_that_do_not_add_up_are_refused() {
        let bytes = { EliasFanoBuilder::new(0, 0).into_bytes() };
        assert!(EliasFano::from_bytes(&bytes.clone().into()).is_some());
        assert!(EliasFano::from_bytes(&bytes[1..].to_vec().into()).is_none());
        let mut missing = EliasFanoBuilder::new(300, 0);
        (0..300).for_each(|_| missing.push(0));
        let missing = missing.into_bytes();
        assert!(EliasFano::from_bytes(&missing.clone().into()).is_some());
        for (place, bit) in [(HEADER_BYTES + 8, 1), (missing.len() - 8, 1), (missing.len() - 1, 0x80)] {
            let mut changed = missing.clone();
            changed[place] ^= bit;
            assert!(EliasFano::from_bytes(&changed.into()).is_none(), "{place}");
        }
        let mut huge = bytes;
        huge[..8].fill(0xff);
        assert!(EliasFano::from_bytes(&huge.into()).is_none());
    }
}
