//! How wanted words begin, and where in a text something begins so.
//!
//! A word begins behind what is neither a letter nor a digit. Parts of it begin at capitals, digits and behind them:
//! `getElementById` is sighted for `element`. What does not begin in ASCII may be any term, as accents are folded.
//!
//! Where words begin nobody can foresee, so it is worked out for eight bytes at once, by sums that no byte carries into the next,
//! and gathered for sixty-four. Then only the beginnings are looked up.
//!
//! Cost: about a nanosecond for each byte; to look each byte up takes two and a half times as long.

/// How wanted words begin: for each beginning the terms that have it, a bit for each; those beyond 64 share bits.
#[derive(Debug)]
pub(crate) struct Beginnings {
    /// All terms.
    all: u64,
    /// By three bytes. Some beginnings share a place.
    of_three: Box<[u64; Self::PLACES]>,
    /// Shorter ones.
    short: Vec<Short>,
    /// With which bytes these begin.
    short_bytes: Box<[bool; 256]>,
}

/// A beginning of one or two bytes.
#[derive(Debug)]
struct Short {
    bytes: Vec<u8>,
    /// Whether it is a whole word.
    is_whole: bool,
    terms: u64,
}

impl Beginnings {
    const PLACES: usize = 1024;

    pub(crate) fn none() -> Self {
        let (of_three, short_bytes) = (Box::new([0; Self::PLACES]), Box::new([false; 256]));
        Self { all: 0, of_three, short: Vec::new(), short_bytes }
    }

    /// Adds a term, or one of its stems, which need not be a whole word.
    pub(crate) fn add(&mut self, word: &str, number: usize, is_whole: bool) {
        // Words that are sighted begin with a letter or digit; what is typed may not.
        let word = word.trim_start_matches(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric());
        let (bytes, terms) = (word.as_bytes(), 1 << (number % 64));
        self.all |= terms;
        match bytes.first_chunk::<3>() {
            Some(&[a, b, c]) => self.of_three[place(u32::from_le_bytes([a, b, c, 0]))] |= terms,
            None if bytes.is_empty() => {}
            None => {
                self.short_bytes[usize::from(bytes[0])] = true;
                self.short.push(Short { bytes: bytes.to_vec(), is_whole, terms });
            }
        }
    }

    /// All terms.
    pub(crate) fn all(&self) -> u64 {
        self.all
    }

    /// The terms of which a beginning is in a text.
    pub(crate) fn sighted_in(&self, text: &[u8]) -> u64 {
        let (mut terms, mut before, mut start) = (0, Before::default(), 0);
        while start < text.len() {
            let lowered = Lowered::of(&text[start..], &mut before);
            let mut begins = lowered.begins;
            while begins != 0 {
                let at = begins.trailing_zeros() as usize;
                begins &= begins - 1;
                let three = lowered.three(at);
                terms |= self.of_three[place(three)];
                if three & 0x80_80_80 != 0 || self.short_bytes[(three & 0xff) as usize] {
                    terms |= self.unusual_terms_at(&text[start + at..], three);
                }
            }
            start += BLOCK_BYTES;
        }
        terms
    }

    /// The terms that may begin with fewer than three bytes, or with what is not ASCII.
    fn unusual_terms_at(&self, word: &[u8], three: u32) -> u64 {
        if three & 0x80_80_80 != 0 {
            return u64::MAX;
        }
        let begins = |short: &&Short| three.to_le_bytes().starts_with(&short.bytes);
        let short = self.short.iter().filter(begins);
        let may_be = |short: &&Short| {
            !short.is_whole || !word.get(short.bytes.len()).is_some_and(u8::is_ascii_lowercase)
        };
        short.filter(may_be).fold(0, |terms, short| terms | short.terms)
    }
}

/// Where the terms are that begin with three bytes.
#[inline]
fn place(three: u32) -> usize {
    (three.wrapping_mul(0x9e37_79b1) >> 22) as usize
}

/// So many bytes are looked at together, a bit for each.
const BLOCK_BYTES: usize = 64;

/// And so many by one sum.
const STEP_BYTES: usize = 8;

/// Some bytes of a text in small letters, those behind them, and where words begin. Behind the end of a text there are zeros.
struct Lowered {
    bytes: [u8; BLOCK_BYTES + STEP_BYTES],
    /// A bit for each byte.
    begins: u64,
}

impl Lowered {
    #[inline]
    fn of(text: &[u8], before: &mut Before) -> Self {
        let mut lowered = Self { bytes: [0; BLOCK_BYTES + STEP_BYTES], begins: 0 };
        let mut padded = [0; BLOCK_BYTES + STEP_BYTES];
        let bytes = text.first_chunk().unwrap_or_else(|| {
            padded[..text.len()].copy_from_slice(text);
            &padded
        });
        let steps = bytes.as_chunks::<STEP_BYTES>().0.iter().zip(lowered.bytes.as_chunks_mut().0);
        for (number, (from, to)) in steps.enumerate() {
            let kinds = Kinds::of(u64::from_le_bytes(*from));
            *to = kinds.lowered.to_le_bytes();
            if number < BLOCK_BYTES / STEP_BYTES {
                lowered.begins |= before.begins_of(&kinds) << (number * STEP_BYTES);
            }
        }
        lowered
    }

    /// Three bytes from a place on.
    #[inline]
    fn three(&self, at: usize) -> u32 {
        let four = self.bytes.get(at..).and_then(<[u8]>::first_chunk).copied().unwrap_or_default();
        u32::from_le_bytes(four) & 0xff_ff_ff
    }
}

/// One in each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

/// The highest bit of each byte.
const HIGH: u64 = 0x80 * ONES;

/// What eight bytes are in their words: the highest bit of each tells.
struct Kinds {
    lower: u64,
    upper: u64,
    digit: u64,
    foreign: u64,
    /// The bytes, capitals as small letters.
    lowered: u64,
}

impl Kinds {
    #[inline]
    fn of(bytes: u64) -> Self {
        let (foreign, low) = (bytes & HIGH, bytes & !HIGH);
        // A sum reaches the highest bit of a byte if it is at least so large, and never the next byte.
        let at_least = |byte: u8| low + (0x80 - u64::from(byte)) * ONES;
        let between = |first: u8, last: u8| at_least(first) & !at_least(last + 1) & HIGH & !foreign;
        let upper = between(b'A', b'Z');
        let lowered = bytes | upper >> 2;
        Self { lower: between(b'a', b'z'), upper, digit: between(b'0', b'9'), foreign, lowered }
    }
}

/// What the byte before some is.
#[derive(Default)]
struct Before {
    letter: u64,
    digit: u64,
}

impl Before {
    /// Where words, or parts of them, begin in the next eight bytes, a bit for each.
    #[inline]
    fn begins_of(&mut self, kinds: &Kinds) -> u64 {
        let letter = kinds.lower | kinds.upper | kinds.foreign;
        let behind_letter = letter << 8 | self.letter;
        let behind_digit = kinds.digit << 8 | self.digit;
        (self.letter, self.digit) = (letter >> 56, kinds.digit >> 56);
        let begins = kinds.upper
            | kinds.digit & !behind_digit
            | kinds.lower & !behind_letter
            | kinds.foreign & !(behind_letter | behind_digit);
        // Brings the highest bits of all bytes together.
        (begins >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn beginnings(terms: &[&str]) -> Beginnings {
        let mut beginnings = Beginnings::none();
        terms.iter().enumerate().for_each(|(number, term)| beginnings.add(term, number, true));
        beginnings
    }

    #[test]
    fn beginnings_of_words_are_sighted() {
        let rows: &[(&str, &[&str], u64)] = &[
            ("the Romeo of", &["romeo"], 1),
            ("the rom of", &["romeo"], 1),
            ("a promeo", &["romeo"], 0),
            ("getElementById", &["element", "by", "id", "get", "ment"], 0b1111),
            ("std::vec utf8", &["vec", "8", "std::vec"], 0b111),
            ("the inside", &["in", "i"], 0),
            ("in I", &["in", "i"], 0b11),
            ("-v --max-pages", &["--max-pages", "v"], 0b11),
            ("un été", &["ete"], 1),
            ("", &["a"], 0),
        ];
        for (text, terms, sighted) in rows {
            let found = beginnings(terms).sighted_in(text.as_bytes());
            let all = (1 << terms.len()) - 1;
            assert_eq!(found & all, *sighted, "{text:?} {terms:?}");
        }
    }

    /// Where words begin, told byte by byte.
    fn begins_at(text: &[u8], at: usize) -> bool {
        let is_letter = |byte: u8| byte.is_ascii_alphabetic() || !byte.is_ascii();
        let before = at.checked_sub(1).map_or(b' ', |before| text[before]);
        match text[at] {
            b'A'..=b'Z' => true,
            b'0'..=b'9' => !before.is_ascii_digit(),
            b'a'..=b'z' => !is_letter(before),
            0x80.. => !is_letter(before) && !before.is_ascii_digit(),
            _ => false,
        }
    }

    proptest! {
        /// What reading finds in a cell has been sighted in it.
        #[test]
        fn no_wanted_word_is_overlooked(
            text in "([a-c]{1,4}[ .:_-]|[A-C][a-c]{0,3}|[0-9]{1,2}|é){0,120}",
            terms in proptest::collection::vec("[a-c0-9]{1,4}", 1..6),
        ) {
            let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
            let sighted = beginnings(&terms).sighted_in(text.as_bytes());
            index::Analyzer::default().tokens(&text, &mut |token| {
                if let Some(number) = terms.iter().position(|term| *term == token.term) {
                    assert!(sighted >> number & 1 == 1, "{text:?} {terms:?} {}", token.term);
                }
            });
        }

        /// Whatever the bytes are, each beginning is met once, with its three bytes in small letters.
        #[test]
        fn words_begin_where_looking_at_each_byte_says(
            text in proptest::collection::vec(prop_oneof![3 => b' '..=b'~', 1 => any::<u8>()], 0..300),
        ) {
            let (mut before, mut found) = (Before::default(), Vec::new());
            for start in (0..text.len()).step_by(BLOCK_BYTES) {
                let lowered = Lowered::of(&text[start..], &mut before);
                let begins = (0..BLOCK_BYTES).filter(|at| lowered.begins >> at & 1 == 1);
                found.extend(begins.map(|at| (start + at, lowered.three(at))));
            }
            let lower = |at: usize| u32::from(text.get(at).map_or(0, u8::to_ascii_lowercase));
            let three = |at: usize| lower(at) | lower(at + 1) << 8 | lower(at + 2) << 16;
            let begins = (0..text.len()).filter(|at| begins_at(&text, *at));
            prop_assert_eq!(found, begins.map(|at| (at, three(at))).collect::<Vec<_>>());
        }
    }
}
