//! What a crawler keeps of each text, in one pass: a digest that finds equal texts, a SimHash that finds texts that may be
//! similar, and a check that tells whether they are.
//!
//! The digest is XXH3 (128 bits) of the words in lower case, a space before each: it does not see case, punctuation and
//! spacing.
//!
//! The signals of the SimHash are the words, and a word votes as often as it stands there. Over 1040 licences of 100
//! words and more (`examples/simhash_signals.rs`), this share of pairs was at a Hamming distance of at most 3:
//!
//! | signals | one word in 60 replaced | J ≥ 0.9 | J < 0.5 | J < 0.2 |
//! |---|---|---|---|---|
//! | **words** | 0.910 | 0.959 | 0.001 05 | 0.000 11 |
//! | words, each once | 0.395 | 0.682 | 0.000 18 | 0 |
//! | words and pairs of words | 0.783 | 0.899 | 0.000 32 | 0.000 05 |
//! | words, pairs and rows of three | 0.634 | 0.945 | 0.000 05 | 0 |
//! | pairs | 0.464 | 0.627 | 0.000 002 | 0 |
//! | rows of three | 0.166 | 0.438 | 0 | 0 |
//!
//! So words lose the fewest copies; but one in a thousand pairs of other texts *about one subject* is taken for near.
//! Therefore there are 64 bits more that tell which of them are similar ([`row_bits`](crate::row_bits)). Among licences and
//! pages of fake webs with SimHashes at most 3 bits apart, with a limit that keeps 95 of 100 pairs of J ≥ 0.8 in one half,
//! the other half kept and let pass:
//!
//! | check | limit | J ≥ 0.8 (363) | J < 0.5 (13 641) |
//! |---|---|---|---|
//! | SimHash of words, other hashes | 4 bits | 0.956 | 1694 |
//! | SimHash of pairs | 9 bits | 0.967 | 14 |
//! | SimHash of rows of five | 13 bits | 0.967 | 7 |
//! | MinHash of pairs, one bit in 64 slots | 5 bits | 0.989 | 1 |
//! | MinHash of rows of three | 6 bits | 0.953 | 0 |
//! | MinHash of rows of five | 8 bits | 0.945 | 0 |
//! | **MinHash of rows of five** | a quarter of the ones | 0.956 | 0 |
//!
//! (`cargo run --release -p crawl --example copy_check`. Both halves were in view when the kind of check was chosen, so
//! expect somewhat less elsewhere; nearly all of the 13 641 pairs are of fake pages, 109 of licences.)
//!
//! Other normal forms and signals were tried by marking 8,247 pages one by one as a crawl does (`cargo run --release -p crawl
//! --example print_forms -- FOLDER…`): machine-made calendars, forums, and towns with tables of numbers, where it is known
//! who is a copy; the manuals of PostgreSQL 15 and Python 3.11, and parts of Rust's library in two versions, where a copy has
//! J ≥ 0.8 and a wrong mark J < 0.5. Recall, and wrong marks in all; behind them, pairs of others whose SimHashes are near
//! before they are checked:
//!
//! | form | signals | calendars | forums | Rust std | wrong marks | near pairs |
//! |---|---|---|---|---|---|---|
//! | **all words** | **words** | 0.284 | 0.706 | 0.795 | 0 | 95 |
//! | | words, each once | 0.277 | 0.478 | 0.395 | 0 | 434 |
//! | | pairs of words | 0.130 | 0.314 | 0.618 | 0 | 10 |
//! | | rows of three words | 0.132 | 0.208 | 0.580 | 0 | 0 |
//! | | three characters | 0.647 | 0.881 | 0.799 | 0 | 1000 |
//! | | four characters | 0.449 | 0.774 | 0.732 | 0 | 229 |
//! | | five characters | 0.314 | 0.574 | 0.730 | 0 | 23 |
//! | without numbers | words | 0.857 | 0.963 | 0.842 | 58 | 1551 |
//! | the same, unless they are a third of the words | words | 0.857 | 0.963 | 0.842 | 2 | 245 |
//! | without words that have a digit | words | 0.857 | 0.963 | 0.850 | 360 | 5211 |
//! | without numbers, months and days | words | 1.000 | 0.982 | 0.848 | 58 | 1408 |
//!
//! So the notes are right that calendars and forums are found better without dates and numbers, but there are pages that say
//! nothing else: tables (56 wrong marks), and two in the manual of a library, probably pages of constants, also where few of the words are
//! numbers. A mark says that a page is a copy, so numbers stay; `crivello dedup --without-numbers` leaves them out for
//! whoever wants that. Three characters find more copies than words and mark nothing wrongly, but ten times as many other pages are
//! near, a number that grows with the square of the collection, and there are more signals to count.
//!
//! Cost: finding the words is most of it; see `examples/throughput.rs`.

use xxhash_rust::xxh3::Xxh3;

use crate::row_bits::RowBits;
use crate::simhash::Votes;
use crate::text::WordScanner;
use page::NearPrint;

use crate::WORDS_MIN;

/// What is kept of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PagePrint {
    /// Equal for texts with the same words in the same order, and in practice for no others.
    pub digest: u128,
    /// Near for similar texts. 0 for a text without words.
    pub simhash: u64,
    /// Tells whether two texts with near SimHashes are similar. 0 for a text of fewer than five words.
    pub check: u64,
    /// How many words; [`u32::MAX`] if there are more.
    pub words: u32,
}

impl PagePrint {
    /// What similar texts are found by. None of a text that is too short to be similar to another by more than chance.
    pub fn near(&self) -> Option<NearPrint> {
        (self.words >= WORDS_MIN).then_some(NearPrint { simhash: self.simhash, check: self.check })
    }
}

/// Makes digests and SimHashes of texts. One per thread: it keeps its buffers from text to text.
#[derive(Debug, Clone, Default)]
pub struct PagePrinter {
    scanner: WordScanner,
    joined: Vec<u8>,
    hashes: Vec<u64>,
    rows: RowBits,
}

impl PagePrinter {
    /// One without buffers yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Digest, SimHash and check of a text.
    pub fn print(&mut self, text: &[u8]) -> PagePrint {
        let (mut digest, mut votes, mut count) = (Xxh3::new(), Votes::new(), 0);
        self.scanner.scan(text, |words| {
            self.joined.clear();
            words.join_to(&mut self.joined);
            digest.update(&self.joined);
            self.hashes.clear();
            self.hashes.extend(words.hashes());
            votes.add(&self.hashes);
            self.rows.add(&self.hashes);
            count += words.len();
        });
        PagePrint {
            digest: digest.digest128(),
            simhash: votes.majority(),
            check: self.rows.finish(),
            words: u32::try_from(count).unwrap_or(u32::MAX),
        }
    }

    /// The digest alone.
    pub fn digest(&mut self, text: &[u8]) -> u128 {
        let mut digest = Xxh3::new();
        self.scanner.scan(text, |words| {
            self.joined.clear();
            words.join_to(&mut self.joined);
            digest.update(&self.joined);
        });
        digest.digest128()
    }

    /// The SimHash alone.
    pub fn simhash64(&mut self, text: &[u8]) -> u64 {
        let mut votes = Votes::new();
        self.scanner.scan(text, |words| {
            self.hashes.clear();
            self.hashes.extend(words.hashes());
            votes.add(&self.hashes);
        });
        votes.majority()
    }
}

/// Digest, SimHash and check of one text. For many, keep a [`PagePrinter`].
pub fn page_print(text: &[u8]) -> PagePrint {
    PagePrinter::new().print(text)
}

/// The digest of one text: equal for texts with the same words in the same order.
pub fn text_digest(text: &[u8]) -> u128 {
    PagePrinter::new().digest(text)
}

/// The SimHash of the words of one text. 0 for a text without words.
pub fn simhash64(text: &[u8]) -> u64 {
    PagePrinter::new().simhash64(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use xxhash_rust::xxh3::xxh3_128;

    use super::*;
    use crate::simhash::hamming;
    use crate::text::plain_words;

    #[test]
    fn a_digest_sees_words_and_their_order_only() {
        let digest = text_digest(b"The quick, brown fox");
        for same in ["the QUICK brown fox.", "\n The\tquick -- brown 'fox'"] {
            assert_eq!(text_digest(same.as_bytes()), digest, "{same}");
        }
        for other in ["the brown quick fox", "the quick brown", "thequick brown fox", ""] {
            assert_ne!(text_digest(other.as_bytes()), digest, "{other}");
        }
    }

    #[test]
    fn a_text_without_words_has_the_simhash_zero() {
        for text in [&b""[..], b" -- ", b"\xff\xfe"] {
            let print = page_print(text);
            assert_eq!((print.simhash, print.check, print.words, print.digest), (0, 0, 0, xxh3_128(b"")));
        }
    }

    #[test]
    fn prints_never_change() {
        // They are kept on disk: another value would make every page of an old crawl a new one.
        let print = page_print("Die Straße, 3 Häuser: ΟΔΟΣ and a-very-long-word-indeed".as_bytes());
        assert_eq!(print.words, 11);
        assert_eq!(
            print.digest,
            xxh3_128(" die straße 3 häuser οδοσ and a very long word indeed".as_bytes())
        );
        assert_eq!((print.simhash, print.check), (978_758_180_702_165_303, 149_533_648_490_496));
    }

    #[test]
    fn a_small_edit_moves_few_bits_and_another_text_many() {
        let words: Vec<String> = (0..600).map(|i| format!("word{}", i * i % 211)).collect();
        let text = words.join(" ");
        let mut edited = words.clone();
        edited[300] = "another".to_owned();
        let other: String = words.iter().map(|word| format!("{word}x ")).collect();
        let simhash = simhash64(text.as_bytes());
        assert!(hamming(simhash, simhash64(edited.join(" ").as_bytes())) <= 3);
        assert!(hamming(simhash, simhash64(other.as_bytes())) > 15);
    }

    proptest! {
        #[test]
        fn one_pass_gives_what_each_gives_alone(text in "([a-zA-ZÀé]{1,20}|[ .,]{1,2}){0,100}", repeats in 1usize..60) {
            // Repeated so that several stretches go by.
            let text = text.repeat(repeats).into_bytes();
            let print = page_print(&text);
            prop_assert_eq!(print.digest, text_digest(&text));
            prop_assert_eq!(print.simhash, simhash64(&text));
            let words = plain_words(&text);
            prop_assert_eq!(print.words as usize, words.len());
            let joined: String = words.iter().map(|word| format!(" {word}")).collect();
            prop_assert_eq!(print.digest, xxh3_128(joined.as_bytes()));
        }
    }
}
