//! How wanted words begin, and where in a text something begins so.
//!
//! A word begins behind what is neither a letter nor a digit. Parts of it begin at capitals, digits and behind them:
//! `getElementById` is sighted for `element`. What begins with a letter that is not ASCII may be any term, as accents are folded,
//! but those of Western Europe are known; quotation marks, dashes and spaces that are not ASCII are no letters, and behind them words begin.
//!
//! Three bytes are looked up; only where some term begins with them more are compared, as "post" begins with those of "position".
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
    /// More of these than three bytes.
    long: Vec<Long>,
    /// Shorter ones.
    short: Vec<Short>,
    /// With which bytes these begin.
    short_bytes: Box<[bool; 256]>,
}

/// A beginning of three to eight bytes.
#[derive(Debug)]
struct Long {
    terms: u64,
    bytes: u64,
    /// Ones in the bits of these bytes.
    mask: u64,
}

impl Long {
    /// A stem may end otherwise than what it is of: `happi`, and its last letters are not looked at.
    fn of(word: &[u8], is_whole: bool, terms: u64) -> Self {
        let length = if is_whole { word.len().min(8) } else { word.len().saturating_sub(2).clamp(3, 6) };
        let mut bytes = [0; 8];
        bytes[..length].copy_from_slice(&word[..length]);
        Self { terms, bytes: u64::from_le_bytes(bytes), mask: !0 >> (64 - 8 * length) }
    }

    /// Whether eight bytes of a text may begin so: they do, as far as nothing joins other letters to them that may be left out
    /// of a word, such as a hyphen, or is not ASCII.
    #[inline]
    fn may_begin(&self, eight: u64) -> bool {
        let other = (eight ^ self.bytes) & self.mask;
        if other == 0 {
            return true;
        }
        let [byte, next, ..] = (eight >> (other.trailing_zeros() / 8 * 8)).to_le_bytes();
        let is_last = other.trailing_zeros() >= 56;
        !byte.is_ascii()
            || byte.is_ascii_punctuation() && (is_last || next.is_ascii_alphanumeric() || !next.is_ascii())
    }
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
        Self { all: 0, of_three, long: Vec::new(), short: Vec::new(), short_bytes }
    }

    /// Adds a term, or one of its stems, which need not be a whole word.
    pub(crate) fn add(&mut self, word: &str, number: usize, is_whole: bool) {
        // Words that are sighted begin with a letter or digit; what is typed may not.
        let word = word.trim_start_matches(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric());
        let (bytes, terms) = (word.as_bytes(), 1 << (number % 64));
        self.all |= terms;
        match bytes.first_chunk::<3>() {
            Some(&[a, b, c]) => {
                self.of_three[place(u32::from_le_bytes([a, b, c, 0]))] |= terms;
                self.long.push(Long::of(bytes, is_whole, terms));
            }
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
                let of_three = self.of_three[place(three)];
                if of_three & !terms != 0 {
                    terms |= self.long_terms_at(lowered.eight(at)) & of_three;
                }
                if three & 0x80_80_80 != 0 || self.short_bytes[(three & 0xff) as usize] {
                    terms |= self.unusual_terms_at(&text[start + at..], three);
                }
            }
            start += BLOCK_BYTES;
        }
        terms
    }

    /// The terms that may begin with these bytes, and have three of them or more.
    fn long_terms_at(&self, eight: u64) -> u64 {
        let long = self.long.iter().filter(|long| long.may_begin(eight));
        long.fold(0, |terms, long| terms | long.terms)
    }

    /// The terms that may begin with fewer than three bytes, or with what is not ASCII.
    fn unusual_terms_at(&self, word: &[u8], three: u32) -> u64 {
        let letters = word.iter().take(3).take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let terms = match word.get(letters..) {
            Some(foreign @ [0x80..=0xff, ..]) if letters < 3 => {
                self.beginning_with(&word[..letters]) | self.terms_behind_signs(foreign)
            }
            _ => 0,
        };
        let begins = |short: &&Short| three.to_le_bytes().starts_with(&short.bytes);
        let short = self.short.iter().filter(begins);
        let may_be = |short: &&Short| {
            !short.is_whole || !word.get(short.bytes.len()).is_some_and(u8::is_ascii_lowercase)
        };
        short.filter(may_be).fold(terms, |terms, short| terms | short.terms)
    }

    /// The terms that begin with some letters, which may go on otherwise than they are written; none if there are no letters.
    fn beginning_with(&self, letters: &[u8]) -> u64 {
        let begins = |bytes: &[u8]| {
            let shared = bytes.len().min(letters.len());
            shared > 0 && bytes[..shared].eq_ignore_ascii_case(&letters[..shared])
        };
        let long = self.long.iter().filter(|long| begins(&long.bytes.to_le_bytes()));
        let short = self.short.iter().filter(|short| begins(&short.bytes));
        long.map(|long| long.terms).chain(short.map(|short| short.terms)).fold(0, |all, terms| all | terms)
    }

    /// The terms that may begin behind signs that are not ASCII, if what is there is none either. Others are met there.
    fn terms_behind_signs(&self, mut text: &[u8]) -> u64 {
        while let [0x80..=0xff, ..] = text {
            match sign_bytes(text) {
                0 => return unaccented(text).map_or(u64::MAX, |letter| self.beginning_with(&[letter])),
                bytes => text = text.get(bytes..).unwrap_or_default(),
            }
        }
        0
    }
}

/// The letter that is left of one without its accent, of those of Western Europe.
fn unaccented(text: &[u8]) -> Option<u8> {
    match *text {
        [0xc3, second, ..] => match second | 0x20 {
            0xa0..=0xa6 => Some(b'a'),
            0xa7 => Some(b'c'),
            0xa8..=0xab => Some(b'e'),
            0xac..=0xaf => Some(b'i'),
            0xb1 => Some(b'n'),
            0xb2..=0xb6 | 0xb8 => Some(b'o'),
            0xb9..=0xbc => Some(b'u'),
            _ => None,
        },
        _ => None,
    }
}

/// How many bytes a sign has that begins here, a quotation mark, dash, arrow or space; none if it is a letter or may be one.
fn sign_bytes(foreign: &[u8]) -> usize {
    match foreign {
        [0xc2, 0xaa | 0xb2 | 0xb3 | 0xb5 | 0xb9 | 0xba | 0xbc..=0xbe, ..] => 0,
        [0xc2, _, ..] => 2,
        [0xe2, 0x80, _, ..] | [0xe2, 0x81, ..=0xaf, ..] => 3,
        [0xe2, 0x86, 0x90..=0xff, ..] | [0xe2, 0x87..=0x90 | 0x94..=0xaf, _, ..] => 3,
        _ => 0,
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

    /// Eight bytes from a place on.
    #[inline]
    fn eight(&self, at: usize) -> u64 {
        let eight = self.bytes.get(at..).and_then(<[u8]>::first_chunk).copied().unwrap_or_default();
        u64::from_le_bytes(eight)
    }

    /// Three of them.
    #[inline]
    fn three(&self, at: usize) -> u32 {
        self.eight(at) as u32 & 0xff_ff_ff
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
    foreign: u64,
}

impl Before {
    /// Where words, or parts of them, begin in the next eight bytes, a bit for each.
    #[inline]
    fn begins_of(&mut self, kinds: &Kinds) -> u64 {
        let letter = kinds.lower | kinds.upper;
        let behind_letter = letter << 8 | self.letter;
        let behind_digit = kinds.digit << 8 | self.digit;
        let behind_foreign = kinds.foreign << 8 | self.foreign;
        (self.letter, self.digit, self.foreign) = (letter >> 56, kinds.digit >> 56, kinds.foreign >> 56);
        let begins = kinds.upper
            | kinds.digit & !behind_digit
            | kinds.lower & !behind_letter
            | kinds.foreign & !(behind_letter | behind_digit | behind_foreign);
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
            ("the rom of", &["romeo"], 0),
            ("the romantic of", &["romeo"], 0),
            ("ROMEOS ro-meo rom's", &["romeo", "ro", "roms"], 0b111),
            ("the possible position", &["postgres", "possibly"], 0),
            ("a promeo", &["romeo"], 0),
            ("max_connections max-pool", &["max_connections", "maxpool", "max_files"], 0b111),
            ("getElementById", &["element", "by", "id", "get", "ment"], 0b1111),
            ("std::vec utf8", &["vec", "8", "std::vec"], 0b111),
            ("the inside", &["in", "i"], 0),
            ("in I", &["in", "i"], 0b11),
            ("-v --max-pages", &["--max-pages", "v"], 0b11),
            ("un été, Álvaro", &["ete", "deadlock", "alvaro", "est"], 0b1101),
            ("né", &["ne", "nez", "na"], 0b111),
            ("Section\u{a0}2 “quoted” a – b → c", &["deadlock", "ete"], 0),
            ("see\u{a0}“romeo” l’amour", &["romeo", "amour", "l'amour"], 0b111),
            ("", &["a"], 0),
        ];
        for (text, terms, sighted) in rows {
            let found = beginnings(terms).sighted_in(text.as_bytes());
            let all = (1 << terms.len()) - 1;
            assert_eq!(found & all, *sighted, "{text:?} {terms:?}");
        }
    }

    #[test]
    fn stems_end_otherwise_than_their_words() {
        for (text, stem, sighted) in [
            ("happy", "happi", 1),
            ("possibility", "possibl", 1),
            ("hopes", "hope", 1),
            ("position", "postgr", 0),
        ] {
            let mut beginnings = Beginnings::none();
            beginnings.add(stem, 0, false);
            assert_eq!(beginnings.sighted_in(text.as_bytes()), sighted, "{text} {stem}");
        }
    }

    /// Where words begin, told byte by byte.
    fn begins_at(text: &[u8], at: usize) -> bool {
        let before = at.checked_sub(1).map_or(b' ', |before| text[before]);
        match text[at] {
            b'A'..=b'Z' => true,
            b'0'..=b'9' => !before.is_ascii_digit(),
            b'a'..=b'z' => !before.is_ascii_alphabetic(),
            0x80.. => before.is_ascii() && !before.is_ascii_alphanumeric(),
            _ => false,
        }
    }

    proptest! {
        /// What reading finds in a cell has been sighted in it.
        #[test]
        fn no_wanted_word_is_overlooked(
            text in "([a-c]{1,4}[ .:_-]|[A-C][a-c]{0,3}|[0-9]{1,2}| é|[“’\u{a0}\u{ad}→]){0,120}",
            terms in proptest::collection::vec("[a-c0-9]{1,4}([_.-]?[a-c0-9]{1,4})?", 1..6),
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
