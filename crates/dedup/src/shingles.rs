//! From a text to the set of its shingles, as hashes of 64 bits.

use std::collections::VecDeque;

use xxhash_rust::xxh3::xxh3_64;

/// What a shingle is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shingling {
    /// So many words in a row. A word is a longest run of letters and digits, in lower case.
    Words(usize),
    /// So many characters in a row, in lower case, spaces left out.
    Chars(usize),
    /// As in the MinHash report: so many ASCII characters in a row, in lower case, everything else left out, hashed by
    /// FNV-1a.
    SeedChars(usize),
}

/// Parts of a text that are left out before it is cut into shingles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TextOptions {
    /// Leave out `<tags>`.
    pub without_markup: bool,
    /// Leave out numbers and dates: words with a digit in them.
    pub without_numbers: bool,
}

/// Cuts texts into shingles. One per thread.
#[derive(Debug, Clone)]
pub struct Shingler {
    shingling: Shingling,
    #[expect(dead_code)]
    options: TextOptions,
}

impl Shingler {
    /// A shingler.
    pub fn new(shingling: Shingling, options: TextOptions) -> Self {
        Self { shingling, options }
    }

    /// Replaces `hashes` by those of all shingles of the text, in their order and with repeats. A text that is shorter
    /// than one shingle has none.
    pub fn shingle(&mut self, text: &[u8], hashes: &mut Vec<u64>) {
        hashes.clear();
        let text = String::from_utf8_lossy(text).to_lowercase();
        match self.shingling {
            Shingling::Words(length) => {
                let mut window = VecDeque::new();
                for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
                    window.push_back(word);
                    if window.len() == length {
                        hashes.push(xxh3_64(window.make_contiguous().join("\x1f").as_bytes()));
                        window.pop_front();
                    }
                }
            }
            Shingling::Chars(length) | Shingling::SeedChars(length) => {
                let chars: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
                hashes.extend(
                    chars.windows(length).map(|window| xxh3_64(String::from_iter(window).as_bytes())),
                );
            }
        }
    }
}

/// Sorts hashes and drops repeats, so that they are a set.
pub fn make_set(hashes: &mut Vec<u64>) {
    hashes.sort_unstable();
    hashes.dedup();
}

/// The Jaccard similarity of two sets, exactly. Two empty sets have nothing in common.
pub fn jaccard(left: &[u64], right: &[u64]) -> f64 {
    let (mut i, mut j, mut common) = (0, 0, 0usize);
    while i < left.len() && j < right.len() {
        let (l, r) = (left[i], right[j]);
        common += usize::from(l == r);
        i += usize::from(l <= r);
        j += usize::from(r <= l);
    }
    let union = left.len() + right.len() - common;
    if union == 0 { 0.0 } else { common as f64 / union as f64 }
}
