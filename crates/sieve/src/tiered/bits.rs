//! Bits one after the other, low ones first: written into bytes, read at any place.

/// Writes bits. Whole words leave by [`BitWriter::take_bytes`], so that a long stream needs no memory of its own.
#[derive(Debug, Default)]
pub(crate) struct BitWriter {
    bytes: Vec<u8>,
    /// Bits that do not fill a word yet.
    rest: u128,
    rest_bits: u32,
    total_bits: u64,
}

impl BitWriter {
    /// Appends the `count` low bits of a number that has no others.
    #[inline]
    pub(crate) fn put(&mut self, number: u64, count: u32) {
        debug_assert!(count == 64 || number >> count == 0);
        self.rest |= u128::from(number) << self.rest_bits;
        self.rest_bits += count;
        self.total_bits += u64::from(count);
        if self.rest_bits >= 64 {
            self.bytes.extend_from_slice(&(self.rest as u64).to_le_bytes());
            self.rest >>= 64;
            self.rest_bits -= 64;
        }
    }

    /// Appends a number as so many zeros and a one.
    #[inline]
    pub(crate) fn put_unary(&mut self, mut number: u64) {
        while number >= 32 {
            self.put(0, 32);
            number -= 32;
        }
        self.put(1 << number, number as u32 + 1);
    }

    /// How many bits were written.
    pub(crate) fn total_bits(&self) -> u64 {
        self.total_bits
    }

    /// The bytes that are complete; they are gone then.
    pub(crate) fn take_bytes(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Fills the last word with zeros, and adds as many as a reader may look at behind the end.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.bytes.extend_from_slice(&(self.rest as u64).to_le_bytes());
        self.bytes.extend_from_slice(&[0; PADDING_BYTES]);
        self.bytes
    }
}

/// Zeros behind the last word.
pub(crate) const PADDING_BYTES: usize = 16;

/// So many bits a reader sees at once wherever it stands.
const SEEN_BITS: u32 = 57;

/// Reads bits from a place on. What lies behind the end is zeros.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    place: u64,
}

impl<'a> BitReader<'a> {
    pub(crate) fn new(bytes: &'a [u8], place: u64) -> Self {
        Self { bytes, place }
    }

    pub(crate) fn place(&self) -> u64 {
        self.place
    }

    /// At least [`SEEN_BITS`] from here on.
    #[inline]
    fn window(&self) -> u64 {
        let start = (self.place >> 3) as usize;
        let word = match self.bytes.get(start..start + 8) {
            Some(bytes) => u64::from_le_bytes(bytes.try_into().expect("eight bytes were cut out")),
            None => 0,
        };
        word >> (self.place & 7)
    }

    /// Takes up to 56 bits as a number.
    #[inline]
    pub(crate) fn take(&mut self, count: u32) -> u64 {
        let number = self.window() & ((1 << count) - 1);
        self.place += u64::from(count);
        number
    }

    /// Takes 64 bits.
    #[inline]
    pub(crate) fn take_word(&mut self) -> u64 {
        let low = self.take(32);
        low | self.take(32) << 32
    }

    /// Takes zeros, a one and `count` bits behind it, if all of them are seen at once, as they nearly always are: how many
    /// zeros, and the bits as a number. Nothing is taken otherwise.
    #[inline]
    pub(crate) fn take_short(&mut self, count: u32) -> Option<(u64, u64)> {
        let window = self.window();
        let zeros = window.trailing_zeros();
        if zeros + 1 + count > SEEN_BITS {
            return None;
        }
        self.place += u64::from(zeros + 1 + count);
        Some((u64::from(zeros), (window >> zeros >> 1) & ((1 << count) - 1)))
    }

    /// Takes zeros and a one; nothing if there are more than `max` zeros, which nobody wrote.
    #[inline]
    pub(crate) fn take_unary(&mut self, max: u64) -> Option<u64> {
        let mut zeros = 0;
        loop {
            let window = self.window() & (u64::MAX >> 8);
            if window != 0 {
                let more = u64::from(window.trailing_zeros());
                self.place += more + 1;
                return (zeros + more <= max).then_some(zeros + more);
            }
            zeros += 56;
            self.place += 56;
            // Behind the end there are only zeros, and `max` may be so large that they would be counted for hours.
            if zeros > max || self.place >> 3 >= self.bytes.len() as u64 {
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let mut writer = BitWriter::default();
        let numbers: Vec<(u64, u32)> =
            (0..400u64).map(|n| (n * n * n % (1 << (n % 57)), n as u32 % 57)).collect();
        for &(number, count) in &numbers {
            writer.put(number, count);
            writer.put_unary(number % 150);
            writer.put(number << 7, 64);
        }
        let bits = writer.total_bits();
        let bytes = writer.finish();
        let mut reader = BitReader::new(&bytes, 0);
        for &(number, count) in &numbers {
            assert_eq!(reader.take(count), number);
            assert_eq!(reader.take_unary(150), Some(number % 150));
            assert_eq!(reader.take_word(), number << 7);
        }
        assert_eq!(reader.place(), bits);
        assert_eq!(reader.take_unary(1000), None, "behind the end there are only zeros");
        let mut reader = BitReader::new(&bytes, bits);
        assert_eq!(reader.take_unary(1 << 20), None);
        assert!(reader.place() < bits + 1000, "they are not counted to their end");
    }
}
