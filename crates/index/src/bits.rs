//! Bit streams over bytes that lie in a memory map.
//!
//! `dsi-bitstream` reads words; a memory map has bytes. [`ByteWords`] is the seam: it hands out little-endian 32-bit
//! words from a byte slice and zero-extends the last one, which needs neither alignment nor `unsafe`. In a
//! little-endian bit stream bit `i` is bit `i % 8` of byte `i / 8` whatever the word, so the writer may use words
//! of 64 bits.

use std::ops::Range;

use dsi_bitstream::prelude::{BufBitReader, LE, WordError, WordRead};
use dsi_bitstream::traits::BitRead;

const WORD_BITS: u64 = 32;
const WORD_BYTES: u64 = WORD_BITS / 8;

/// A reader of instantaneous codes.
pub(crate) type BitReader<'a> = BufBitReader<LE, ByteWords<'a>>;

/// The bytes in which the bits of `range` lie, whole words except at the end of the stream.
pub(crate) fn bytes_of_bits(range: &Range<u64>, stream_bytes: u64) -> Range<u64> {
    let start = range.start / WORD_BITS * WORD_BYTES;
    let end = range.end.div_ceil(WORD_BITS).saturating_mul(WORD_BYTES).min(stream_bytes);
    start..end.max(start)
}

/// A reader placed on bit `bit` of a stream of which `bytes` is the part given by [`bytes_of_bits`] for a range that
/// begins at bit `start`.
pub(crate) fn read_from<'a>(bytes: &'a [u8], start: u64, bit: u64) -> Result<BitReader<'a>, WordError> {
    let first_bit = start / WORD_BITS * WORD_BITS;
    let word = (bit - first_bit) / WORD_BITS;
    let rest = bytes.get((word * WORD_BYTES) as usize..).unwrap_or_default();
    let mut reader = BitReader::new(ByteWords { rest });
    reader.skip_bits(((bit - first_bit) % WORD_BITS) as usize)?;
    Ok(reader)
}

/// Little-endian words from a byte slice.
#[derive(Debug, Clone)]
pub(crate) struct ByteWords<'a> {
    rest: &'a [u8],
}

impl WordRead for ByteWords<'_> {
    type Error = WordError;
    type Word = u32;

    #[inline]
    fn read_word(&mut self) -> Result<u32, WordError> {
        self.read_word_opt().ok_or(WordError::UnexpectedEof { word_pos: 0 })
    }

    #[inline]
    fn read_word_opt(&mut self) -> Option<u32> {
        if let Some((word, rest)) = self.rest.split_first_chunk::<4>() {
            self.rest = rest;
            // The stream's readers swap from little-endian themselves, so the word has to be in memory order.
            return Some(u32::from_ne_bytes(*word));
        }
        if self.rest.is_empty() {
            return None;
        }
        let mut word = [0; 4];
        word[..self.rest.len()].copy_from_slice(self.rest);
        self.rest = &[];
        Some(u32::from_ne_bytes(word))
    }
}
