//! Shingles of characters: Unicode scalar values in lower case, white space left out.
//!
//! A text in ASCII is first packed: letters into lower case, white space away. Each character then stands for a random
//! number from a table, and the polynomial of [`roll`] goes over these. In other texts the runs of ASCII go the same way.
//! Bytes that are not UTF-8 count as one U+FFFD.

use std::sync::LazyLock;

use super::roll::{roll, roll_by, roll_when_many, weight_of_gone};
use crate::mix::scramble;
use crate::text::{Piece, for_each_piece, lower_char, lower_chars};

/// The number of a character.
fn number(c: char) -> u64 {
    scramble(u64::from(c) + 0x5bd1_e995)
}

/// The numbers of the characters of ASCII. As long as bytes reach, so that no place in it need be checked.
static NUMBERS: LazyLock<[u64; 256]> =
    LazyLock::new(|| std::array::from_fn(|byte| number(char::from(byte as u8))));

/// Appends the hashes of all rows of `length` characters.
pub fn shingle(
    text: &[u8],
    length: usize,
    letters: &mut Vec<u8>,
    numbers: &mut Vec<u64>,
    hashes: &mut Vec<u64>,
) {
    if text.is_ascii() {
        pack_ascii(text, letters);
        let numbers = &*NUMBERS;
        let gone = numbers.map(|number| number.wrapping_mul(weight_of_gone(length)));
        roll_by(
            letters,
            length,
            |letter| numbers[usize::from(letter)],
            |letter| gone[usize::from(letter)],
            hashes,
        );
    } else {
        for_each_piece(text, |piece| {
            match piece {
                Piece::Ascii(bytes) => append_ascii(bytes, numbers),
                Piece::Char(c) if c.is_whitespace() => {}
                Piece::Char(c) => numbers.extend(lower_chars(c).map(number)),
                Piece::Broken => numbers.push(number(char::REPLACEMENT_CHARACTER)),
            }
            roll_when_many(numbers, length, hashes);
        });
        roll(numbers, length, hashes);
    }
}

/// What becomes of each byte in [`pack_ascii`], and whether it is kept: 1 or 0.
const PACKED: [(u8, u8); 256] = {
    let mut packed = [(0, 0); 256];
    let mut byte = 0;
    while byte < 128 {
        if let Some(lower) = lower_char(byte) {
            packed[byte as usize] = (lower, 1);
        }
        byte += 1;
    }
    packed
};

/// Replaces `letters` by the ASCII characters of a text in lower case, without white space.
pub fn pack_ascii(text: &[u8], letters: &mut Vec<u8>) {
    letters.clear();
    letters.resize(text.len(), 0);
    let (mut length, all) = (0, &mut letters[..]);
    for byte in text {
        // Written in any case, and kept by moving on: no branch to be guessed wrong.
        let (lower, kept) = PACKED[usize::from(*byte)];
        all[length] = lower;
        length += usize::from(kept);
    }
    letters.truncate(length);
}

/// Appends the numbers of ASCII characters in lower case, without white space, in the same way.
fn append_ascii(text: &[u8], numbers: &mut Vec<u64>) {
    let mut length = numbers.len();
    numbers.resize(length + text.len(), 0);
    let (table, all) = (&*NUMBERS, &mut numbers[..]);
    for byte in text {
        let (lower, kept) = PACKED[usize::from(*byte)];
        all[length] = table[usize::from(lower)];
        length += usize::from(kept);
    }
    numbers.truncate(length);
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    fn hashes(text: &str, length: usize) -> Vec<u64> {
        let mut hashes = Vec::new();
        shingle(text.as_bytes(), length, &mut Vec::new(), &mut Vec::new(), &mut hashes);
        hashes
    }

    fn plain_chars(text: &str) -> Vec<char> {
        let lower = text.chars().flat_map(char::to_lowercase).map(|c| if c == 'ς' { 'σ' } else { c });
        lower.filter(|c| !c.is_whitespace()).collect()
    }

    #[test]
    fn ascii_and_other_texts_have_the_same_hashes_for_the_same_characters() {
        let (ascii, other) = (hashes("Some Text", 3), hashes("some\u{a0}text é", 3));
        assert_eq!(ascii[..], other[..ascii.len()]);
    }

    proptest! {
        #[test]
        fn hashes_are_equal_where_shingles_are(text in "[abAB \n]{0,200}|[aàÀΣς\u{a0} ]{0,60}", length in 1usize..7) {
            let chars = plain_chars(&text);
            let hashes = hashes(&text, length);
            prop_assert_eq!(hashes.len(), chars.windows(length).len());
            let both: HashSet<_> = chars.windows(length).zip(&hashes).collect();
            prop_assert_eq!(both.len(), chars.windows(length).collect::<HashSet<_>>().len());
            prop_assert_eq!(both.len(), hashes.iter().collect::<HashSet<_>>().len());
        }
    }
}
