//! Reads the instantaneous codes of a BV graph from bytes, at any bit, and never beyond them.
//!
//! Method: eight bytes are read at once from wherever the position is, so the codeword lies in one machine word and its
//! unary prefix is one `leading_zeros`. There is no buffer to fill, hence a jump costs nothing, and no table. What would
//! be read behind the end are zeros; a unary code that finds no one any more moves the position far outside, so that one
//! look at [`BitReader::is_beyond`] after a list tells whether all of it was there.
//!
//! The codes are those of chapter 3 of the notes and of Boldi and Vigna, "Codes for the World Wide Web" (2005); π codes
//! after Apostolico and Drovandi in the form of dsi-bitstream, which writes what we read.

/// One of the codes a BV graph may use for a kind of number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    Unary,
    Gamma,
    Delta,
    Zeta(u32),
    Pi(u32),
}

/// A position in big-endian bits.
#[derive(Debug, Clone)]
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    position: usize,
}

/// Codewords of up to this many bits lie in the word that is read at once, whatever the position.
const BITS_AT_ONCE: u32 = 57;
/// Farther than any file reaches.
const BEYOND: usize = usize::MAX / 4;

impl<'a> BitReader<'a> {
    pub(crate) fn new(bytes: &'a [u8], position: u64) -> Self {
        Self { bytes, position: position as usize }
    }

    pub(crate) fn position(&self) -> u64 {
        self.position as u64
    }

    /// Whether more was read than is there.
    pub(crate) fn is_beyond(&self) -> bool {
        self.position > 8 * self.bytes.len()
    }

    /// The next 57 to 64 bits, from the top of the word; zeros below.
    #[inline(always)]
    fn peek(&self) -> u64 {
        let place = self.position / 8;
        let word = match self.bytes.get(place..place.wrapping_add(8)) {
            Some(bytes) => u64::from_be_bytes(bytes.try_into().expect("eight bytes were cut out")),
            None => self.peek_at_the_end(place),
        };
        word << (self.position % 8)
    }

    #[cold]
    fn peek_at_the_end(&self, place: usize) -> u64 {
        let mut word = [0; 8];
        let rest = self.bytes.get(place..).unwrap_or_default();
        word[..rest.len()].copy_from_slice(rest);
        u64::from_be_bytes(word)
    }

    #[inline]
    pub(crate) fn bits(&mut self, count: u32) -> u64 {
        if count == 0 {
            return 0;
        }
        if count > BITS_AT_ONCE {
            self.position = BEYOND;
            return 0;
        }
        let value = self.peek() >> (64 - count);
        self.position += count as usize;
        value
    }

    #[inline(always)]
    pub(crate) fn unary(&mut self) -> u64 {
        let zeros = self.peek().leading_zeros();
        if zeros < 64 {
            self.position += zeros as usize + 1;
            return u64::from(zeros);
        }
        self.long_unary()
    }

    #[cold]
    fn long_unary(&mut self) -> u64 {
        let start = self.position;
        loop {
            let valid = 64 - self.position % 8;
            let zeros = self.peek().leading_zeros() as usize;
            if zeros < 64 {
                self.position += zeros + 1;
                return (self.position - start - 1) as u64;
            }
            self.position += valid;
            if self.is_beyond() {
                self.position = BEYOND;
                return 0;
            }
        }
    }

    #[inline(always)]
    pub(crate) fn gamma(&mut self) -> u64 {
        let word = self.peek();
        let zeros = word.leading_zeros();
        if zeros <= 28 {
            self.position += 2 * zeros as usize + 1;
            return (word >> (63 - 2 * zeros)) - 1;
        }
        let length = self.unary().min(63) as u32;
        (1 << length | self.bits(length)).wrapping_sub(1)
    }

    pub(crate) fn delta(&mut self) -> u64 {
        let length = self.gamma().min(63) as u32;
        (1 << length | self.bits(length)).wrapping_sub(1)
    }

    /// A number below a bound of at least one, in minimal binary.
    #[inline]
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        let length = bound.ilog2();
        let short = (2 << length) - bound;
        let number = self.bits(length);
        if number < short { number } else { (number << 1 | self.bits(1)) - short }
    }

    #[inline(always)]
    pub(crate) fn zeta(&mut self, k: u32) -> u64 {
        let word = self.peek();
        let zeros = word.leading_zeros();
        // After the prefix come h·k + k − 1 bits, or one more if they do not say less than 2^(h·k).
        let (shift, short) = (zeros * k, zeros * k + k - 1);
        if zeros + 1 + short < BITS_AT_ONCE {
            let rest = word << (zeros + 1);
            // Two shifts, because the number of bits may be zero when k is one.
            let value = (rest >> 1) >> (63 - short);
            if value < 1 << shift {
                self.position += (zeros + 1 + short) as usize;
                return (value | 1 << shift) - 1;
            }
            self.position += (zeros + 2 + short) as usize;
            return (rest >> (63 - short)) - 1;
        }
        self.long_zeta(k)
    }

    #[cold]
    fn long_zeta(&mut self, k: u32) -> u64 {
        let shift = self.unary().min(63) as u32 * k;
        if shift + k > BITS_AT_ONCE {
            self.position = BEYOND;
            return 0;
        }
        let value = self.bits(shift + k - 1);
        if value < 1 << shift {
            return (value | 1 << shift) - 1;
        }
        (value << 1 | self.bits(1)) - 1
    }

    #[inline(always)]
    pub(crate) fn pi(&mut self, k: u32) -> u64 {
        let word = self.peek();
        let zeros = word.leading_zeros();
        if zeros < 16 {
            let rest = word << (zeros + 1);
            let length = zeros << k | ((rest >> 1) >> (63 - k)) as u32;
            if zeros + 1 + k + length <= BITS_AT_ONCE {
                let value = ((rest << k) >> 1) >> (63 - length);
                self.position += (zeros + 1 + k + length) as usize;
                return (value | 1 << length) - 1;
            }
        }
        let prefix = self.unary().min(63) as u32;
        let length = prefix << k | self.bits(k) as u32;
        (1u64 << length.min(63) | self.bits(length)).wrapping_sub(1)
    }

    /// Reads a number in the given code.
    #[inline(always)]
    pub(crate) fn read(&mut self, code: Code) -> u64 {
        match code {
            Code::Gamma => self.gamma(),
            Code::Unary => self.unary(),
            Code::Delta => self.delta(),
            Code::Zeta(k) => self.zeta(k),
            Code::Pi(k) => self.pi(k),
        }
    }
}

/// Turns the numbers 0, 1, 2, 3, 4 … into 0, −1, 1, −2, 2 …
#[inline]
pub(crate) fn signed(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dsi_bitstream::prelude::{
        BE, BitWrite, BufBitWriter, DeltaWrite, GammaWrite, MemWordWriterVec, PiWrite, ZetaWrite,
    };
    use proptest::prelude::*;

    fn written(code: Code, numbers: &[u64]) -> Vec<u8> {
        let mut words: Vec<u64> = Vec::new();
        let mut writer = BufBitWriter::<BE, _>::new(MemWordWriterVec::new(&mut words));
        for number in numbers {
            match code {
                Code::Unary => writer.write_unary(*number % 500).unwrap(),
                Code::Gamma => writer.write_gamma(*number).unwrap(),
                Code::Delta => writer.write_delta(*number).unwrap(),
                Code::Zeta(k) => writer.write_zeta(*number, k as usize).unwrap(),
                Code::Pi(k) => writer.write_pi(*number, k as usize).unwrap(),
            };
        }
        BitWrite::flush(&mut writer).unwrap();
        drop(writer);
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    fn code() -> impl Strategy<Value = Code> {
        prop_oneof![
            Just(Code::Unary),
            Just(Code::Gamma),
            Just(Code::Delta),
            (1u32..8).prop_map(Code::Zeta),
            (1u32..5).prop_map(Code::Pi),
        ]
    }

    proptest! {
        #[test]
        fn what_the_library_writes_is_read(
            code in code(),
            numbers in prop::collection::vec(prop_oneof![0u64..8, 0u64..1000, 0u64..(1 << 33)], 0..200),
        ) {
            let bytes = written(code, &numbers);
            let mut reader = BitReader::new(&bytes, 0);
            for number in numbers {
                let expected = if code == Code::Unary { number % 500 } else { number };
                prop_assert_eq!(reader.read(code), expected);
            }
            prop_assert!(!reader.is_beyond());
        }

        #[test]
        fn no_bytes_make_a_reader_panic_or_hang(code in code(), bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut reader = BitReader::new(&bytes, 0);
            for _ in 0..8 * bytes.len() + 1 {
                reader.read(code);
            }
            prop_assert!(reader.is_beyond());
        }
    }

    #[test]
    fn signs_alternate() {
        assert_eq!([0, 1, 2, 3, 4].map(signed), [0, -1, 1, -2, 2]);
    }
}
