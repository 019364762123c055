//! Codecs: how the numbers of a posting list become bits.
//!
//! A list has three components: the documents, increasing; the counts; and the positions. Each is cut into blocks of at
//! most [`BLOCK`] numbers, and a [`Codec`] writes and reads one block. Another codec is a file here and a line in
//! [`CodecName`]: nothing else knows which one wrote a list.
//!
//! Plain words of the documentation of Rust (32,031 documents, 3.1 million postings, 12.5 million positions), bits of a posting
//! or a position, by `crivello bench codec`:
//!
//! | | documents | counts | positions |
//! |---|---|---|---|
//! | entropy of gaps and counts | 2.69 | 2.06 | 8.60 |
//! | packed | 3.15 | 1.82 | 8.66 |
//! | δ, γ, δ: the index of the notes without its model | 3.25 | 2.19 | 10.32 |
//! | Golomb, γ, δ: the index of the notes | 6.27 | 2.19 | 10.32 |
//! | interpolative | 2.74 | 1.73 | 8.42 |
//! | Elias–Fano | 6.87 | 3.15 | 9.14 |
//! | partitioned Elias–Fano | 3.81 | 1.88 | 9.01 |
//!
//! Documents of one site are alike, which the Bernoulli model does not know; in random order Golomb has 6.30 where packed has
//! 6.93. Packed reads whole lists two to ten times as fast as the others, and is three to ten times as fast at a skip.
//!
//! A codec that thinks in numbers (γ, Golomb, packing) implements [`Codec::write`] and [`Codec::read`], and increasing
//! values are written as the gaps between them. One that thinks in increasing values (Elias–Fano, interpolative)
//! implements the other two as well.

mod bits;
mod canonical;
mod coded_list;
mod delta;
mod elias_fano;
mod gamma;
mod golomb;
mod interpolative;
mod length_first;
mod minimal_binary;
mod packed;
mod partitioned;
mod pfordelta;
mod rice;
mod sums;
#[cfg(test)]
mod tests;
mod variable;

pub(crate) use bits::{BitReader, BitWriter};
pub use coded_list::CodedList;

use serde::{Deserialize, Serialize};

use crate::marks::Marks;

/// Numbers in a block, at most.
pub(crate) const BLOCK: usize = 128;

/// What is known of a list before its first number is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ListShape {
    /// Documents of the segment.
    pub(crate) documents_all: u32,
    /// Documents of the list.
    pub(crate) documents: u32,
}

/// Between which values, both included, those of an increasing block lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Within {
    pub(crate) first: u32,
    pub(crate) last: u32,
}

/// Writes and reads blocks of numbers. Whatever the bits are, reading ends: behind their end there are zeros.
pub(crate) trait Codec: std::fmt::Debug + Send + Sync {
    /// Writes at most [`BLOCK`] numbers.
    fn write(&self, numbers: &[u32], list: &ListShape, bits: &mut BitWriter);

    /// Reads as many numbers as there is room for.
    fn read(&self, bits: &mut BitReader<'_>, list: &ListShape, numbers: &mut [u32]);

    /// Whether the same numbers have the same bits in every list, so that blocks can be taken from one into another.
    fn is_alike_in_all_lists(&self) -> bool {
        false
    }

    /// Reads a block of so many numbers if it says at its begin that all of them are zero; if not, or if that is not known,
    /// nothing is read.
    #[inline]
    fn read_zeros(&self, _bits: &mut BitReader<'_>, _count: usize) -> bool {
        false
    }

    /// Reads the number at a place of a block of so many, and stands behind the block; nothing is read if that is no easier than
    /// reading all.
    #[inline]
    fn read_one(&self, _bits: &mut BitReader<'_>, _count: usize, _place: usize) -> Option<u32> {
        None
    }

    /// Bits of the first value of a block that is not full, if it stands before what does not depend on it.
    #[inline]
    fn first_bits(&self, _within: Within) -> Option<u32> {
        None
    }

    /// The first value of a full block, if it is known without the others.
    #[inline]
    fn peek_first(&self, _bits: &BitReader<'_>, _within: Within) -> Option<u32> {
        None
    }

    /// Writes at most [`BLOCK`] values, each greater than the one before.
    fn write_increasing(&self, values: &[u32], within: Within, list: &ListShape, bits: &mut BitWriter) {
        let mut gaps = [0; BLOCK];
        self.write(gaps_of(values, within.first, &mut gaps), list, bits);
    }

    /// Reads as many values as there is room for. Of bits that nobody wrote it makes values that do not decrease.
    fn read_increasing(
        &self,
        bits: &mut BitReader<'_>,
        within: Within,
        list: &ListShape,
        values: &mut [u32],
    ) {
        self.read(bits, list, values);
        sum_up(within.first, values);
    }

    /// Reads a full block of values if it is a bitmap; if not, nothing is read.
    #[inline]
    fn read_bitmap<'a>(&self, _bits: &mut BitReader<'a>, _within: Within) -> Option<Bitmap<'a>> {
        None
    }
}

/// A full block as a bitmap. What nobody wrote has too few bits or too many: the last possible value stands for those that
/// are missing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bitmap<'a> {
    bytes: &'a [u8],
    within: Within,
}

impl<'a> Bitmap<'a> {
    /// The bit of a value is as far from the first as the value is from the first possible.
    pub(crate) fn new(bytes: &'a [u8], within: Within) -> Self {
        Self { bytes, within }
    }

    /// The first value that is not before `target`.
    #[inline]
    pub(crate) fn next_from(&self, target: u32) -> u32 {
        let bit = target.saturating_sub(self.within.first) as usize;
        let mut at = bit / 8;
        let mut word = self.word(at) >> (bit % 8) << (bit % 8);
        while word == 0 {
            at += 8;
            if at >= self.bytes.len() {
                return self.within.last;
            }
            word = self.word(at);
        }
        self.within.first.wrapping_add(8 * at as u32 + word.trailing_zeros()).min(self.within.last)
    }

    /// Eight bytes, or as many as there are.
    #[inline]
    fn word(&self, at: usize) -> u64 {
        let bytes = self.bytes.get(at..).unwrap_or_default();
        match bytes.first_chunk() {
            Some(eight) => u64::from_le_bytes(*eight),
            None => bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
        }
    }

    /// How many values are before this one.
    #[inline]
    pub(crate) fn rank(&self, value: u32) -> usize {
        let bits = value.saturating_sub(self.within.first) as usize;
        let (before, rest) = self.bytes.split_at(self.bytes.len().min(bits / 8));
        let (words, bytes) = before.as_chunks::<8>();
        let of_words: u32 = words.iter().map(|word| u64::from_le_bytes(*word).count_ones()).sum();
        let of_bytes: u32 = bytes.iter().map(|byte| byte.count_ones()).sum();
        let of_byte = rest.first().map_or(0, |byte| (byte & ((1 << (bits % 8)) - 1)).count_ones());
        ((of_words + of_bytes + of_byte) as usize).min(BLOCK - 1)
    }

    /// Marks each value from one to another, `shift` further on, around the end of numbers. Gives how many there are.
    pub(crate) fn mark(&self, from: u32, to: u32, shift: u32, marks: &mut (impl Marks + ?Sized)) -> u64 {
        let place = |value: u32| value.saturating_sub(self.within.first) as usize;
        let (begin, end, mut marked) = (place(from), place(to), 0);
        for at in (begin / 64 * 8..self.bytes.len().min(end / 8 + 1)).step_by(8) {
            let (before, behind) = (begin.saturating_sub(8 * at), 63usize.saturating_sub(end - 8 * at));
            let word = self.word(at) & !0 << before & !0 >> behind;
            if word == 0 {
                continue;
            }
            marked += u64::from(word.count_ones());
            let first = word.trailing_zeros();
            let place = self.within.first.wrapping_add(8 * at as u32 + first).wrapping_add(shift);
            marks.mark_all(place as usize, word >> first);
        }
        marked
    }

    /// All values.
    pub(crate) fn spread(&self, values: &mut [u32; BLOCK]) {
        let (words, rest) = self.bytes.as_chunks::<8>();
        let mut end = [0; 8];
        end[..rest.len()].copy_from_slice(rest);
        let (mut filled, mut base) = (0, self.within.first);
        for word in words.iter().chain([&end]) {
            let mut word = u64::from_le_bytes(*word);
            while word != 0 && filled < BLOCK {
                values[filled] = base.wrapping_add(word.trailing_zeros());
                word &= word - 1;
                filled += 1;
            }
            base = base.wrapping_add(64);
        }
        values[filled..].fill(self.within.last);
    }
}

/// How far each value is from the first that was possible.
pub(crate) fn gaps_of<'g>(values: &[u32], first: u32, gaps: &'g mut [u32; BLOCK]) -> &'g [u32] {
    let mut next_possible = first;
    for (gap, &value) in gaps.iter_mut().zip(values) {
        *gap = value - next_possible;
        next_possible = value.wrapping_add(1);
    }
    &gaps[..values.len()]
}

/// Makes values of gaps.
#[inline]
pub(crate) fn sum_up(first: u32, gaps: &mut [u32]) {
    let mut before = first.wrapping_sub(1);
    let (fours, rest) = gaps.as_chunks_mut::<4>();
    // The sums of four do not wait for those before them, but for one addition.
    for four in fours {
        let [a, b, c, d] = four.map(|gap| gap.wrapping_add(1));
        let (ab, cd) = (a.wrapping_add(b), c.wrapping_add(d));
        let sums = [a, ab, ab.wrapping_add(c), ab.wrapping_add(cd)];
        *four = sums.map(|sum| before.wrapping_add(sum));
        before = four[3];
    }
    for gap in rest {
        before = before.wrapping_add(*gap).wrapping_add(1);
        *gap = before;
    }
}

/// The codecs, by the names that people give them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CodecName {
    /// Full blocks packed with exceptions or as bitmaps, shorter ones by γ, δ or Rice: the default.
    Packed,
    /// γ: a number's length in unary, then its bits.
    Gamma,
    /// δ: a number's length in γ, then its bits.
    Delta,
    /// Golomb: the quotient in unary, the remainder in minimal binary, with the modulus of the Bernoulli model.
    Golomb,
    /// Rice: Golomb's code with the power of two that suits each block best.
    Rice,
    /// Minimal binary: as few bits as numbers up to the greatest of a block need.
    MinimalBinary,
    /// Bytes of seven bits, and one that says whether another follows.
    VariableByte,
    /// Three bits, and one that says whether three more follow.
    Nibble,
    /// Bytes, how many of them first: the form of UTF-8.
    LengthFirst,
    /// Interpolative: the value in the middle first, then the halves within what it leaves.
    Interpolative,
    /// PForDelta: most numbers in an array of few bits, the others beside it.
    Pfordelta,
    /// Elias–Fano: low bits as they are, high ones as gaps in unary.
    EliasFano,
    /// Partitioned Elias–Fano: Elias–Fano, bitmaps and runs by turns.
    Partitioned,
    /// Canonical codes from Huffman's lengths.
    Canonical,
}

impl CodecName {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Packed,
        Self::Gamma,
        Self::Delta,
        Self::Golomb,
        Self::Rice,
        Self::MinimalBinary,
        Self::VariableByte,
        Self::Nibble,
        Self::LengthFirst,
        Self::Interpolative,
        Self::Pfordelta,
        Self::EliasFano,
        Self::Partitioned,
        Self::Canonical,
    ];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Packed => "packed",
            Self::Gamma => "gamma",
            Self::Delta => "delta",
            Self::Golomb => "golomb",
            Self::Rice => "rice",
            Self::MinimalBinary => "minimal-binary",
            Self::VariableByte => "variable-byte",
            Self::Nibble => "nibble",
            Self::LengthFirst => "length-first",
            Self::Interpolative => "interpolative",
            Self::Pfordelta => "pfordelta",
            Self::EliasFano => "elias-fano",
            Self::Partitioned => "partitioned",
            Self::Canonical => "canonical",
        }
    }

    pub(crate) fn codec(self) -> &'static dyn Codec {
        match self {
            Self::Packed => &packed::Packed,
            Self::Gamma => &gamma::Gamma,
            Self::Delta => &delta::Delta,
            Self::Golomb => &golomb::Golomb,
            Self::Rice => &rice::Rice,
            Self::MinimalBinary => &minimal_binary::MinimalBinary,
            Self::VariableByte => &variable::Variable::<8>,
            Self::Nibble => &variable::Variable::<4>,
            Self::LengthFirst => &length_first::LengthFirst,
            Self::Interpolative => &interpolative::Interpolative,
            Self::Pfordelta => &pfordelta::PForDelta,
            Self::EliasFano => &elias_fano::EliasFano,
            Self::Partitioned => &partitioned::Partitioned,
            Self::Canonical => &canonical::Canonical,
        }
    }
}
