//! Gathers bits, first bit first, in big-endian words: what [`crate::bv::bit_reader::BitReader`] reads.

/// Bits one behind the other, first bit first.
#[derive(Default)]
pub(crate) struct BitBuffer {
    words: Vec<u64>,
    length: u64,
}

impl BitBuffer {
    /// How many bits were added.
    pub(crate) fn len(&self) -> u64 {
        self.length
    }

    /// Adds a number in γ.
    pub(crate) fn put_gamma(&mut self, number: u64) {
        let length = (number + 1).ilog2();
        if length > 0 {
            self.put(0, length);
        }
        self.put(number + 1, length + 1);
    }

    /// Adds a number in δ.
    pub(crate) fn put_delta(&mut self, number: u64) {
        let length = (number + 1).ilog2();
        self.put_gamma(u64::from(length));
        if length > 0 {
            self.put(number + 1, length);
        }
    }

    /// Adds a number in unary: as many zeros, then a one.
    pub(crate) fn put_unary(&mut self, mut number: u64) {
        while number >= 64 {
            self.put(0, 64);
            number -= 64;
        }
        self.put(1, number as u32 + 1);
    }

    /// Adds a number below a bound in minimal binary: ⌊log₂⌋ or ⌈log₂⌉ bits of the bound.
    pub(crate) fn put_below(&mut self, number: u64, bound: u64) {
        debug_assert!(number < bound);
        let length = bound.ilog2();
        let short = (2 << length) - bound;
        if number >= short {
            self.put(number + short, length + 1);
        } else if length > 0 {
            self.put(number, length);
        }
    }

    /// Adds the lowest `count` bits of a number, 1 to 64.
    pub(crate) fn put(&mut self, value: u64, count: u32) {
        let used = (self.length % 64) as u32;
        let value = value << (64 - count);
        if used == 0 {
            self.words.push(value);
        } else {
            *self.words.last_mut().expect("a word was begun") |= value >> used;
            if used + count > 64 {
                self.words.push(value << (64 - used));
            }
        }
        self.length += u64::from(count);
    }

    /// All words; the bits behind the last one are zeros.
    pub(crate) fn as_words(&self) -> &[u64] {
        &self.words
    }

    /// How many words are begun and were not taken.
    pub(crate) fn words(&self) -> usize {
        self.words.len()
    }

    /// Takes the bytes of all words but the last one out.
    pub(crate) fn take_whole_words(&mut self) -> Vec<u8> {
        let last = self.words.pop();
        let bytes = self.take_bytes();
        self.words.extend(last);
        bytes
    }

    /// Takes the bytes of all words out; nothing may be added any more.
    pub(crate) fn take_bytes(&mut self) -> Vec<u8> {
        self.words.drain(..).flat_map(u64::to_be_bytes).collect()
    }
}
