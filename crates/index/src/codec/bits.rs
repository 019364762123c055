//! Bits in a row: bit `i` of a stream is bit `i % 8` of byte `i / 8`.
//!
//! A reader begins at any bit of any bytes, such as those of a memory map, and needs neither words nor alignment: it
//! loads the eight bytes around its place anew for each code. Behind the end it reads zeros and remembers that it did, so
//! that a decoder asks once per block, with [`BitReader::is_exhausted`], and not once per code.

/// Bits that one load is good for, whatever the place: 64 less those of a byte begun.
const LOADED_BITS: u32 = 57;

/// So many bytes are worth being taken out.
const WAITING_BYTES: usize = 32 << 10;

/// Bytes that were taken out of a writer, which has their room again when they are dropped.
pub(crate) struct Taken<'w>(&'w mut Vec<u8>);

impl AsRef<[u8]> for Taken<'_> {
    fn as_ref(&self) -> &[u8] {
        self.0
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.0.clear();
    }
}

/// Writes bits to memory, from where whole bytes can be taken.
#[derive(Debug, Default)]
pub(crate) struct BitWriter {
    bytes: Vec<u8>,
    open: u64,
    open_bits: u32,
    /// Bits that were taken out before.
    taken_bits: u64,
    /// How many bits there were when a byte was first asked for.
    first_aligned: Option<u64>,
}

impl BitWriter {
    /// How many bits were written, those taken out included.
    pub(crate) fn bits(&self) -> u64 {
        self.taken_bits + 8 * self.bytes.len() as u64 + u64::from(self.open_bits)
    }

    /// Writes the lowest `width` bits of `value`, at most 32 of them; the others have to be zero.
    #[inline]
    pub(crate) fn write_bits(&mut self, value: u32, width: u32) {
        debug_assert!(width <= 32 && u64::from(value) >> width == 0, "{value} in {width} bits");
        self.open |= u64::from(value) << self.open_bits;
        self.open_bits += width;
        if self.open_bits >= 32 {
            self.bytes.extend_from_slice(&(self.open as u32).to_le_bytes());
            self.open >>= 32;
            self.open_bits -= 32;
        }
    }

    /// Writes a number in `width` bits, at most 64, the highest first, as people write them.
    #[inline]
    pub(crate) fn write_number(&mut self, number: u64, width: u32) {
        debug_assert!(width == 64 || number >> width == 0, "{number} in {width} bits");
        let low_width = width.min(32);
        if width > 32 {
            self.write_bits(((number >> 32) as u32).reverse_bits() >> (64 - width), width - 32);
        }
        if low_width > 0 {
            self.write_bits((number as u32).reverse_bits() >> (32 - low_width), low_width);
        }
    }

    /// Writes so many zeros and a one.
    #[inline]
    pub(crate) fn write_unary(&mut self, mut zeros: u32) {
        while zeros >= 31 {
            self.write_bits(0, 31);
            zeros -= 31;
        }
        self.write_bits(1 << zeros, zeros + 1);
    }

    /// Writes zeros up to the next byte.
    pub(crate) fn align(&mut self) {
        if self.first_aligned.is_none() {
            self.first_aligned = Some(self.bits());
        }
        self.write_bits(0, self.open_bits.wrapping_neg() % 8);
    }

    /// How many bits there were when a byte was first asked for. What comes before them may be moved by any number of bits;
    /// what comes after them begins at a byte.
    pub(crate) fn first_aligned(&self) -> Option<u64> {
        self.first_aligned
    }

    /// Writes the first `count` bits of what a writer gave.
    pub(crate) fn write_from(&mut self, bytes: &[u8], count: u64) {
        self.close_bytes();
        let (whole, rest) = if self.open_bits == 0 {
            self.bytes.extend_from_slice(&bytes[..(count / 8) as usize]);
            (count / 8 * 8, count % 8)
        } else {
            let words = &bytes.as_chunks::<4>().0[..(count / 32) as usize];
            words.iter().for_each(|&word| self.write_bits(u32::from_le_bytes(word), 32));
            (count / 32 * 32, count % 32)
        };
        let rest_value = BitReader::new(bytes, whole).read_bits(rest as u32);
        self.write_bits(rest_value, rest as u32);
    }

    /// Writes so many bits that a reader is before.
    pub(crate) fn copy(&mut self, mut from: BitReader<'_>, mut count: u64) {
        while count > 0 {
            let now = count.min(32) as u32;
            self.write_bits(from.read_bits(now), now);
            count -= u64::from(now);
        }
    }

    /// Writes whole bytes; the stream has to be aligned.
    pub(crate) fn write_bytes(&mut self, bytes: &[u8]) {
        self.close_bytes();
        debug_assert_eq!(self.open_bits, 0, "bytes begin at a byte");
        self.bytes.extend_from_slice(bytes);
    }

    /// Writes so many bytes of zeros, which the caller fills; the stream has to be aligned.
    pub(crate) fn write_zeros(&mut self, count: usize) -> &mut [u8] {
        self.close_bytes();
        debug_assert_eq!(self.open_bits, 0, "bytes begin at a byte");
        let begin = self.bytes.len();
        self.bytes.resize(begin + count, 0);
        &mut self.bytes[begin..]
    }

    /// Whether so many bytes wait to be taken that it is worth while.
    #[inline]
    pub(crate) fn is_long(&self) -> bool {
        self.bytes.len() >= WAITING_BYTES
    }

    /// Takes the bytes that are complete.
    pub(crate) fn take_bytes(&mut self) -> Taken<'_> {
        self.close_bytes();
        self.taken_bits += 8 * self.bytes.len() as u64;
        Taken(&mut self.bytes)
    }

    fn close_bytes(&mut self) {
        while self.open_bits >= 8 {
            self.bytes.push(self.open as u8);
            self.open >>= 8;
            self.open_bits -= 8;
        }
    }
}

/// Reads what a [`BitWriter`] wrote, from any bit on.
#[derive(Debug, Clone)]
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    bit: u64,
}

impl<'a> BitReader<'a> {
    pub(crate) fn new(bytes: &'a [u8], bit: u64) -> Self {
        Self { bytes, bit }
    }

    /// The bit that is read next.
    #[cfg(test)]
    pub(crate) fn bit(&self) -> u64 {
        self.bit
    }

    /// Whether more was read than there is.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.bit > 8 * self.bytes.len() as u64
    }

    /// At least [`LOADED_BITS`] bits from here, zeros behind the end.
    #[inline]
    fn peek(&self) -> u64 {
        let byte = (self.bit / 8) as usize;
        let word = match self.bytes.get(byte..byte + 8) {
            Some(word) => u64::from_le_bytes(word.try_into().expect("eight bytes were cut out")),
            None => self.peek_end(byte),
        };
        word >> (self.bit % 8)
    }

    /// What stands in the last eight bytes. Blocks are cut out where they end, so this is no rare case.
    #[inline]
    fn peek_end(&self, byte: usize) -> u64 {
        match (self.bytes.last_chunk::<8>(), self.bytes.len().checked_sub(byte)) {
            (Some(last), Some(left @ 1..8)) => u64::from_le_bytes(*last) >> (64 - 8 * left),
            _ => self.peek_short(byte),
        }
    }

    #[cold]
    fn peek_short(&self, byte: usize) -> u64 {
        let rest = self.bytes.get(byte..).unwrap_or_default();
        let mut word = [0; 8];
        word[..rest.len()].copy_from_slice(rest);
        u64::from_le_bytes(word)
    }

    /// Reads `width` bits, at most 32.
    #[inline]
    pub(crate) fn read_bits(&mut self, width: u32) -> u32 {
        let value = self.peek() & ((1u64 << width) - 1);
        self.bit += u64::from(width);
        value as u32
    }

    /// Reads a number of `width` bits, at most 64, the highest first.
    #[inline]
    pub(crate) fn read_number(&mut self, width: u32) -> u64 {
        let high = if width > 32 { self.read_turned(width - 32) << 32 } else { 0 };
        high | self.read_turned(width.min(32))
    }

    #[inline]
    fn read_turned(&mut self, width: u32) -> u64 {
        // In two steps, since a shift by all 64 bits is none.
        u64::from(self.read_bits(width)).reverse_bits() >> 1 >> (63 - width)
    }

    /// Reads zeros and the one behind them, and returns how many there were.
    #[inline]
    pub(crate) fn read_unary(&mut self) -> u32 {
        let word = self.peek();
        if word != 0 {
            let zeros = word.trailing_zeros();
            if zeros < LOADED_BITS {
                self.bit += u64::from(zeros) + 1;
                return zeros;
            }
        }
        self.read_long_unary()
    }

    #[cold]
    fn read_long_unary(&mut self) -> u32 {
        let mut zeros = 0u32;
        loop {
            let found = self.peek().trailing_zeros().min(LOADED_BITS);
            zeros = zeros.saturating_add(found);
            self.bit += u64::from(found);
            if found < LOADED_BITS {
                self.bit += 1;
                return zeros;
            }
            if self.is_exhausted() {
                return zeros;
            }
        }
    }

    /// Passes over bits.
    pub(crate) fn skip(&mut self, bits: u64) {
        self.bit += bits;
    }

    /// Goes on at the next byte.
    pub(crate) fn align(&mut self) {
        self.bit = self.bit.next_multiple_of(8);
    }

    /// Takes whole bytes from an aligned place; nothing if there are not so many.
    #[inline]
    pub(crate) fn read_bytes(&mut self, count: usize) -> &'a [u8] {
        let start = (self.bit / 8) as usize;
        self.bit += 8 * count as u64;
        self.bytes.get(start..start + count).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn zeros_come_first_and_then_a_one() {
        let mut writer = BitWriter::default();
        writer.write_unary(3);
        writer.write_bits(0b10, 2);
        writer.align();
        writer.write_bytes(b"x");
        assert_eq!(writer.bits(), 16);
        assert_eq!(writer.take_bytes().as_ref(), [0b10_1000, b'x']);
    }

    #[test]
    fn behind_the_end_there_are_zeros_and_one_is_told() {
        let mut reader = BitReader::new(&[0xff], 4);
        assert_eq!(reader.read_bits(8), 0x0f);
        assert!(reader.is_exhausted());
        let mut reader = BitReader::new(&[0; 100], 3);
        reader.read_unary();
        assert!(reader.is_exhausted());
        assert!(BitReader::new(&[1], 0).read_bytes(2).is_empty());
    }

    proptest! {
        #[test]
        fn bits_can_be_moved_up_to_where_a_byte_is_asked_for(
            codes in proptest::collection::vec((0u32..1000, any::<bool>()), 0..100),
            before in 0u32..32,
        ) {
            let write = |writer: &mut BitWriter| {
                for &(value, is_aligned) in &codes {
                    if is_aligned && value < 50 {
                        writer.align();
                    }
                    writer.write_bits(value, 10);
                }
            };
            let (mut whole, mut moved, mut part) = (BitWriter::default(), BitWriter::default(), BitWriter::default());
            whole.write_bits(0, before);
            moved.write_bits(0, before);
            write(&mut whole);
            write(&mut part);
            let (bits, first_aligned) = (part.bits(), part.first_aligned());
            part.align();
            let bytes = part.take_bytes();
            moved.write_from(bytes.as_ref(), first_aligned.unwrap_or(bits));
            if let Some(first) = first_aligned {
                moved.align();
                let behind = first.div_ceil(8);
                moved.write_from(&bytes.as_ref()[behind as usize..], bits - 8 * behind);
            }
            prop_assert_eq!(moved.bits(), whole.bits());
            moved.align();
            whole.align();
            let (moved, whole) = (moved.take_bytes(), whole.take_bytes());
            prop_assert_eq!(moved.as_ref(), whole.as_ref());
        }

        #[test]
        fn what_is_written_is_read(
            codes in proptest::collection::vec((any::<u32>(), 0u32..=32, any::<bool>()), 0..200),
            before in 0u32..32,
        ) {
            let mut writer = BitWriter::default();
            writer.write_bits(0, before);
            for &(value, width, is_unary) in &codes {
                if is_unary {
                    writer.write_unary(value % 200);
                } else {
                    writer.write_bits((u64::from(value) & ((1 << width) - 1)) as u32, width);
                }
            }
            let bits = writer.bits();
            writer.align();
            let bytes = writer.take_bytes();
            let mut reader = BitReader::new(bytes.as_ref(), before.into());
            for &(value, width, is_unary) in &codes {
                if is_unary {
                    prop_assert_eq!(reader.read_unary(), value % 200);
                } else {
                    prop_assert_eq!(u64::from(reader.read_bits(width)), u64::from(value) & ((1 << width) - 1));
                }
            }
            prop_assert_eq!(reader.bit(), bits);
            prop_assert!(!reader.is_exhausted());
        }
    }
}
