//! The words of a text, found 64 bytes at a time.
//!
//! A word is a longest run of letters and digits ([`char::is_alphanumeric`]), in lower case. Lower case is that of
//! Unicode, one character at a time, and both forms of the small sigma count as one, so that it does not matter whether
//! a text was written in capitals. Bytes that are not UTF-8 separate words.
//!
//! The text goes by in stretches that fit into the cache. Each is copied to a buffer where every byte of a word is an
//! ASCII letter or digit or lies above ASCII, and nothing else does; for a text in ASCII the copy is already so, any
//! other first goes through [`fold`]. Then [`classify`](crate::lanes::classify) gives a bit for every byte, and the
//! places where the bits change are the edges of the words: no byte is looked at alone. Hashing a word of up to 16
//! bytes is one load, one mask and one multiplication.
//!
//! Cost: about 1 ns per byte of English with the hashes of words, 1.6 times that with an accent in thirty letters, and
//! four times that for a text all beyond ASCII, most of it for lower case (`examples/throughput.rs`).

mod fold;
mod markup;
mod numbers;

pub use fold::{Piece, for_each_piece, lower_char, lower_chars};
pub use markup::without_markup;
pub use numbers::without_numbers;

use crate::lanes::{BLOCK, classify};
use crate::mix::fold_multiply;

/// Texts are worked on in stretches of about so many bytes.
const STRETCH_BYTES: usize = 16 << 10;

/// A word that is longer is cut, at a border between two characters.
const WORD_BYTES_MAX: usize = 64 << 20;

/// How far a load may reach beyond the last byte of a word.
const PAD: usize = 16;

/// Finds words. Keeps its buffers from text to text.
#[derive(Debug, Clone, Default)]
pub struct WordScanner {
    folded: Vec<u8>,
    masks: Vec<u64>,
    edges: Vec<u32>,
}

/// The words of one stretch.
#[derive(Debug, Clone, Copy)]
pub struct Words<'a> {
    /// The bytes, in lower case, with [`PAD`] bytes after the last word.
    folded: &'a [u8],
    /// Start and end of each word.
    edges: &'a [[u32; 2]],
}

impl WordScanner {
    /// Gives the words of the text to `visit`, one stretch after the other.
    pub fn scan(&mut self, text: &[u8], mut visit: impl FnMut(Words<'_>)) {
        let mut rest = text;
        while !rest.is_empty() {
            let (stretch, after) = rest.split_at(stretch_end(rest));
            rest = after;
            let count = self.read(stretch);
            let (edges, _) = self.edges[..count].as_chunks();
            visit(Words { folded: &self.folded, edges });
        }
    }

    /// Finds the edges of all words, and tells how many.
    fn read(&mut self, stretch: &[u8]) -> usize {
        self.folded.clear();
        if stretch.is_ascii() {
            self.folded.extend_from_slice(stretch);
        } else {
            fold::fold_words(stretch, &mut self.folded);
        }
        // At least one byte that is of no word follows, so that the last word ends.
        self.folded.resize((self.folded.len() + PAD).next_multiple_of(BLOCK), 0);
        self.masks.clear();
        classify(&mut self.folded, &mut self.masks);
        find_edges(&self.masks, &mut self.edges)
    }
}

/// Where a stretch ends: after the last ASCII character within reach that is of no word, else after the next one.
fn stretch_end(text: &[u8]) -> usize {
    if text.len() <= STRETCH_BYTES {
        return text.len();
    }
    let separates = |byte: &u8| byte.is_ascii() && !byte.is_ascii_alphanumeric();
    if let Some(last) = text[..STRETCH_BYTES].iter().rposition(separates) {
        return last + 1;
    }
    let within_reach = &text[..text.len().min(WORD_BYTES_MAX)];
    if let Some(next) = within_reach[STRETCH_BYTES..].iter().position(separates) {
        return STRETCH_BYTES + next + 1;
    }
    if within_reach.len() == text.len() {
        return text.len();
    }
    // The first byte of a character is no continuation byte, and none has more than three of these.
    let is_start = |place: &usize| text[*place] & 0xc0 != 0x80;
    (WORD_BYTES_MAX - 3..=WORD_BYTES_MAX).rev().find(is_start).unwrap_or(WORD_BYTES_MAX)
}

/// Writes the places where a bit differs from the one before it (start, end, start, end, …) and tells how many.
fn find_edges(masks: &[u64], edges: &mut Vec<u32>) -> usize {
    // At most one edge per byte. What earlier stretches left behind is written over.
    if edges.len() < masks.len() * BLOCK {
        edges.resize(masks.len() * BLOCK, 0);
    }
    let (mut count, mut before) = (0, 0);
    for (block, mask) in masks.iter().enumerate() {
        let mut changes = mask ^ (mask << 1 | before);
        before = mask >> 63;
        let start = (block * BLOCK) as u32;
        while changes != 0 {
            edges[count] = start + changes.trailing_zeros();
            count += 1;
            changes &= changes - 1;
        }
    }
    count
}

/// Masks for the first 0 to 16 bytes of a load.
const FIRST_BYTES: [[u64; 2]; 17] = {
    let mut masks = [[0; 2]; 17];
    let mut length = 1;
    while length <= 16 {
        let mask = u128::MAX >> (128 - 8 * length);
        masks[length] = [mask as u64, (mask >> 64) as u64];
        length += 1;
    }
    masks
};

/// Two numbers without structure. The first has bytes that UTF-8 has not, so that no word makes it zero.
const WORD_KEYS: [u64; 2] = [0xff51_fed1_c6b3_ff97, 0xd6e8_feb8_6659_fd93];

impl<'a> Words<'a> {
    /// How many words.
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// The bytes of each word, for tests.
    #[cfg(test)]
    pub fn bytes(self) -> impl Iterator<Item = &'a [u8]> {
        self.edges.iter().map(move |[start, end]| &self.folded[*start as usize..*end as usize])
    }

    /// The hash of each word.
    #[inline]
    pub fn hashes(self) -> impl ExactSizeIterator<Item = u64> {
        self.edges.iter().map(move |[start, end]| self.hash(*start as usize, *end as usize))
    }

    /// No byte of a word is zero, so zeros after its end make no other word equal to it.
    #[inline(always)]
    fn hash(self, start: usize, end: usize) -> u64 {
        let (mut start, mut hash) = (start, 0);
        while end - start > 16 {
            let [low, high] = self.load(start);
            hash = fold_multiply(low ^ WORD_KEYS[0], high ^ WORD_KEYS[1] ^ hash).rotate_left(23);
            start += 16;
        }
        let [low, high] = self.load(start);
        let [low_mask, high_mask] = FIRST_BYTES[end - start];
        fold_multiply(low & low_mask ^ WORD_KEYS[0], high & high_mask ^ WORD_KEYS[1] ^ hash)
    }

    #[inline(always)]
    fn load(self, start: usize) -> [u64; 2] {
        let bytes: [u8; 16] = self.folded[start..start + 16].try_into().expect("sixteen bytes");
        let both = u128::from_le_bytes(bytes);
        [both as u64, (both >> 64) as u64]
    }

    /// Appends the words to `joined`, a space before each.
    pub fn join_to(self, joined: &mut Vec<u8>) {
        let Some([_, end]) = self.edges.last() else { return };
        // Every word and the space before it fit, since words are parted by at least one byte; but the first may not be.
        let mut length = joined.len();
        joined.resize(length + *end as usize + 1 + PAD, 0);
        for [start, end] in self.edges {
            let (start, end) = (*start as usize, *end as usize);
            joined[length] = b' ';
            length += 1;
            if end - start <= 16 {
                // What is too much is written over by the next word, or cut off.
                joined[length..length + 16].copy_from_slice(&self.folded[start..start + 16]);
            } else {
                joined[length..length + end - start].copy_from_slice(&self.folded[start..end]);
            }
            length += end - start;
        }
        joined.truncate(length);
    }
}

/// The plain definition, for tests: slow, and obviously right.
#[cfg(test)]
pub fn plain_words(text: &[u8]) -> Vec<String> {
    let mut words = Vec::new();
    for chunk in text.utf8_chunks() {
        for word in chunk.valid().split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            words.push(word.to_lowercase().replace('ς', "σ"));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        WordScanner::default().scan(text, |words| {
            assert_eq!(words.len(), words.hashes().len());
            found.extend(words.bytes().map(|word| String::from_utf8(word.to_vec()).expect("valid UTF-8")));
        });
        found
    }

    #[test]
    fn words_are_runs_of_letters_and_digits_in_lower_case() {
        let cases: [(&[u8], &[&str]); 9] = [
            (b"", &[]),
            (b" ... \n", &[]),
            (b"One, TWO;three-4", &["one", "two", "three", "4"]),
            ("L'ÉTÉ à Málaga².".as_bytes(), &["l", "été", "à", "málaga²"]),
            ("ΟΔΟΣ οδος ΟΔΟΣ.".as_bytes(), &["οδοσ", "οδοσ", "οδοσ"]),
            ("İstanbul".as_bytes(), &["i\u{307}stanbul"]),
            ("日本語。東京".as_bytes(), &["日本語", "東京"]),
            (b"caf\xe9 noir\xff\xfeblack", &["caf", "noir", "black"]),
            ("𐐀𐐨 e\u{301}a".as_bytes(), &["𐐨𐐨", "e", "a"]),
        ];
        for (text, expected) in cases {
            assert_eq!(words(text), expected, "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn long_texts_are_cut_between_words_only() {
        for piece in ["word ", "parola, però ", "longer-and-longer;", "。日本語", "x"] {
            let text = piece.repeat(100_000 / piece.len());
            assert_eq!(words(text.as_bytes()), plain_words(text.as_bytes()), "{piece}");
        }
    }

    fn texts() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            4 => "[a-zA-Z0-9]{1,40}".prop_map(String::into_bytes),
            4 => "[ .,\n<&_-]{1,3}".prop_map(String::into_bytes),
            1 => "\\PC{0,12}".prop_map(String::into_bytes),
            1 => "[ΣςσİıẞßǅÀé٣½Ⅷ]{1,4}".prop_map(String::into_bytes),
            1 => prop::collection::vec(any::<u8>(), 0..6),
        ];
        prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn words_are_those_of_the_plain_definition(text in texts()) {
            prop_assert_eq!(words(&text), plain_words(&text));
        }

        #[test]
        fn a_word_has_one_hash_wherever_it_stands(text in texts(), before in 0usize..100) {
            let hashes = |text: &[u8]| {
                let mut all = Vec::new();
                WordScanner::default().scan(text, |words| all.extend(words.hashes()));
                all
            };
            let moved = [vec![b' '; before], text.to_ascii_uppercase(), b" ".to_vec()].concat();
            prop_assert_eq!(hashes(&text), hashes(&moved));
        }

        #[test]
        fn joined_words_are_parted_by_one_space(text in texts()) {
            let mut joined = Vec::new();
            WordScanner::default().scan(&text, |words| words.join_to(&mut joined));
            let expected: String = plain_words(&text).iter().map(|word| format!(" {word}")).collect();
            prop_assert_eq!(String::from_utf8(joined).expect("valid UTF-8"), expected);
        }
    }
}
