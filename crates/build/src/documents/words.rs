//! Short codes for the words that texts use most, which take their place before the texts are squeezed.
//!
//! zstd finds what repeats itself within a block and its dictionary, and pays for each repeat with two numbers, or with the
//! letters. Most of what repeats itself in prose is single words. Here each of some ten thousand words, with the space before
//! it, has a code of two bytes; texts become half as long, so that zstd is done in half the time, has the same reach in
//! half the bytes, and needs a smaller dictionary. What comes of both is a tenth to a sixth smaller than what zstd alone makes.
//!
//! ```text
//! coded text = (byte | lead number | 255 byte)*
//! ```
//!
//! A code is one of the leads, bytes that no text of the sample has, and a number; each lead has 256 words. A byte of a text
//! that could be taken for something else is told by 255, which no UTF-8 has. Leads with smaller places have words
//! that are more frequent, so that they have fewer bits when zstd is done; those of one lead are in the order of their bytes,
//! so that the list of them is small.
//!
//! Cost: to code a text, a hash of each of its words; to read it back, a copy of 32 bytes for each. Where words are, by their
//! hashes, is worked out when the first text is coded: whoever only reads does without.
//!
//! After Brisaboa, Fariña, Navarro, Paramá, "Lightweight natural language text compression" (2007), where words have dense
//! codes of one to three bytes and nothing comes after them. We differ in that rare words stay as they are and all is left to zstd
//! that repeats itself beyond a word.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use journal::{FieldReader, FieldWriter, Malformed};
use xxhash_rust::xxh3::xxh3_64;

/// A word, with its space, has at most so many bytes: a copy of them all is two instructions.
const WORD_BYTES_MAX: usize = 32;

/// Shorter words are no longer than their codes.
const WORD_BYTES_MIN: usize = 3;

const CODE_BYTES: usize = 2;
const WORDS_PER_LEAD: usize = 256;
const LEADS_MAX: usize = 64;

/// A word that occurs less often in the sample is not worth its own bytes.
const OCCURRENCES_MIN: u32 = 4;

const ESCAPE: u8 = 255;

/// What a byte of a coded text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Itself,
    Lead(u8),
    Escape,
}

/// Which words have which codes.
pub(super) struct WordCode {
    leads: Vec<u8>,
    /// The words in the order of their codes.
    words: Words,
    meanings: [Meaning; 256],
    /// A power of two of places for numbers of words, at most half of them taken; [`FREE`] is none.
    places: OnceLock<Vec<u32>>,
}

/// Words in a row.
struct Words {
    /// Behind the last one there are so many bytes more that [`WORD_BYTES_MAX`] can be copied from any.
    bytes: Vec<u8>,
    /// Where each begins, and where the last one ends.
    starts: Vec<u32>,
}

impl Words {
    fn of<'w>(words: impl Iterator<Item = &'w [u8]>) -> Self {
        let mut all = Self { bytes: Vec::new(), starts: vec![0] };
        for word in words {
            all.bytes.extend_from_slice(word);
            all.starts.push(all.bytes.len() as u32);
        }
        all.bytes.extend_from_slice(&[0; WORD_BYTES_MAX]);
        all
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// A word with bytes behind it that make all of them equally long, and its length.
    #[inline]
    fn padded(&self, number: usize) -> Option<(&[u8; WORD_BYTES_MAX], usize)> {
        let (start, end) = (*self.starts.get(number)? as usize, *self.starts.get(number + 1)? as usize);
        Some((self.bytes.get(start..)?.first_chunk()?, end - start))
    }

    fn get(&self, number: usize) -> &[u8] {
        &self.bytes[self.starts[number] as usize..self.starts[number + 1] as usize]
    }

    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|number| self.get(number))
    }
}

const FREE: u32 = u32::MAX;

impl WordCode {
    /// Learns which words texts use most.
    pub(super) fn learn<'t>(texts: impl Iterator<Item = &'t [u8]>) -> Self {
        let (mut counts, mut has) = (HashMap::<&[u8], u32>::new(), [false; 256]);
        for text in texts {
            text.iter().for_each(|byte| has[usize::from(*byte)] = true);
            for_each_word(text, |word| *counts.entry(&text[word]).or_default() += 1);
        }
        let may_lead = |byte: &u8| !has[usize::from(*byte)] && !is_usual(*byte) && *byte != ESCAPE;
        let leads: Vec<u8> = (0..=255).filter(may_lead).take(LEADS_MAX).collect();
        let saved = |word: &[u8], count: u32| (word.len() - CODE_BYTES) as u64 * u64::from(count);
        let mut words: Vec<_> = counts.into_iter().filter(|(_, count)| *count >= OCCURRENCES_MIN).collect();
        // Words of equal worth in the order of their bytes, as the map has them in none.
        words.sort_unstable_by_key(|&(word, count)| (u64::MAX - saved(word, count), word));
        words.truncate(leads.len() * WORDS_PER_LEAD);
        words.sort_unstable_by_key(|&(word, count)| (u32::MAX - count, word));
        let mut words: Vec<&[u8]> = words.into_iter().map(|(word, _)| word).collect();
        words.chunks_mut(WORDS_PER_LEAD).for_each(<[_]>::sort_unstable);
        Self::new(leads, Words::of(words.into_iter()))
    }

    fn new(leads: Vec<u8>, words: Words) -> Self {
        let mut meanings = [Meaning::Itself; 256];
        meanings[usize::from(ESCAPE)] = Meaning::Escape;
        for (place, lead) in leads.iter().enumerate() {
            meanings[usize::from(*lead)] = Meaning::Lead(place as u8);
        }
        Self { leads, words, meanings, places: OnceLock::new() }
    }

    /// How much memory it takes to read with it.
    pub(super) fn bytes(&self) -> usize {
        self.words.bytes.len() + 4 * self.words.starts.len()
    }

    fn places(&self) -> &[u32] {
        self.places.get_or_init(|| {
            let mut places = vec![FREE; (4 * self.words.len()).next_power_of_two()];
            let mask = places.len() - 1;
            for (number, word) in self.words.iter().enumerate() {
                let mut place = xxh3_64(word) as usize & mask;
                while places[place] != FREE {
                    place = (place + 1) & mask;
                }
                places[place] = number as u32;
            }
            places
        })
    }

    /// The code of a word, if it has one.
    fn code(&self, word: &[u8], places: &[u32]) -> Option<[u8; CODE_BYTES]> {
        let mask = places.len() - 1;
        let mut place = xxh3_64(word) as usize & mask;
        while places[place] != FREE {
            let number = places[place] as usize;
            if self.words.get(number) == word {
                return Some([self.leads[number / WORDS_PER_LEAD], (number % WORDS_PER_LEAD) as u8]);
            }
            place = (place + 1) & mask;
        }
        None
    }

    /// Appends a text with codes in the place of words.
    pub(super) fn encode(&self, text: &[u8], coded: &mut Vec<u8>) {
        let (mut rest, places) = (0, self.places());
        for_each_word(text, |word| {
            if let Some(code) = self.code(&text[word.clone()], places) {
                self.put_as_it_is(&text[rest..word.start], coded);
                coded.extend_from_slice(&code);
                rest = word.end;
            }
        });
        self.put_as_it_is(&text[rest..], coded);
    }

    fn put_as_it_is(&self, text: &[u8], coded: &mut Vec<u8>) {
        for byte in text {
            if self.meanings[usize::from(*byte)] != Meaning::Itself {
                coded.push(ESCAPE);
            }
            coded.push(*byte);
        }
    }

    /// Appends the text of which these are the codes.
    pub(super) fn decode(&self, mut coded: &[u8], text: &mut Vec<u8>) -> Result<(), Malformed> {
        let is_special = |byte: &u8| self.meanings[usize::from(*byte)] != Meaning::Itself;
        while let Some(place) = coded.iter().position(is_special) {
            let (as_it_is, from_here) = coded.split_at(place);
            text.extend_from_slice(as_it_is);
            let &[special, second, ref rest @ ..] = from_here else { return Err(Malformed) };
            match self.meanings[usize::from(special)] {
                Meaning::Lead(lead) => {
                    let number = usize::from(lead) * WORDS_PER_LEAD + usize::from(second);
                    let (bytes, length) = self.words.padded(number).ok_or(Malformed)?;
                    // All of them, as a copy of a known length is the faster one.
                    let end = text.len() + length;
                    text.extend_from_slice(bytes);
                    text.truncate(end);
                }
                _ => text.push(second),
            }
            coded = rest;
        }
        text.extend_from_slice(coded);
        Ok(())
    }

    /// Writes leads and words.
    pub(super) fn write(&self, fields: &mut FieldWriter) {
        let words: Vec<&[u8]> = self.words.iter().collect();
        fields.bytes(&self.leads).number(words.len() as u64).bytes(&words.join(&b'\n'));
    }

    /// Reads what [`write`](Self::write) wrote.
    pub(super) fn read(fields: &mut FieldReader<'_>) -> Result<Self, Malformed> {
        let (leads, count, words) = (fields.bytes()?, fields.small::<usize>()?, fields.bytes()?);
        let words = Words::of(words.split(|byte| *byte == b'\n').filter(|word| !word.is_empty()));
        let is_sound = leads.len() <= LEADS_MAX
            && !leads.contains(&ESCAPE)
            && count <= leads.len() * WORDS_PER_LEAD
            && words.len() == count
            && words.iter().all(|word| word.len() <= WORD_BYTES_MAX);
        if is_sound { Ok(Self::new(leads.to_vec(), words)) } else { Err(Malformed) }
    }
}

impl std::fmt::Debug for WordCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WordCode").field("words", &self.words.len()).finish_non_exhaustive()
    }
}

/// Tabs, ends of lines and what is printed of ASCII: these come again whether a sample has them or not.
fn is_usual(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~')
}

/// Shows where the words are that may have a code, each with one space before it if there is one.
fn for_each_word(text: &[u8], mut see: impl FnMut(Range<usize>)) {
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 0x80;
    let mut at = 0;
    while at < text.len() {
        let start = at;
        at += usize::from(text[at] == b' ');
        let letters = text[at..].iter().position(|byte| !is_letter(byte)).unwrap_or(text.len() - at);
        at += letters;
        if letters > 0 && (WORD_BYTES_MIN..=WORD_BYTES_MAX).contains(&(at - start)) {
            see(start..at);
        }
        // What is neither a space nor a letter.
        at += usize::from(at == start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn coded(code: &WordCode, text: &[u8]) -> Vec<u8> {
        let mut coded = Vec::new();
        code.encode(text, &mut coded);
        coded
    }

    fn decoded(code: &WordCode, coded: &[u8]) -> Result<Vec<u8>, Malformed> {
        let mut text = Vec::new();
        code.decode(coded, &mut text).map(|()| text)
    }

    #[test]
    fn frequent_words_become_two_bytes_and_all_others_stay() {
        let sample = "the sieve lets pass what the sieve has not seen\n".repeat(9);
        let code = WordCode::learn([sample.as_bytes()].into_iter());
        let text = "the sieve, the sievers and \"the sieve\"";
        let short = coded(&code, text.as_bytes());
        // "the" and " the" are two words.
        assert_eq!(short.len(), text.len() - (1 + 4 + 2 + 1 + 4), "{short:?}");
        assert_eq!(decoded(&code, &short).unwrap(), text.as_bytes());
    }

    #[test]
    fn bytes_that_a_sample_does_not_have_come_back_too() {
        let code = WordCode::learn([&b"words and words and words and words"[..]].into_iter());
        assert!(!code.leads.is_empty());
        let all: Vec<u8> = (0..=255).cycle().take(1000).collect();
        assert_eq!(decoded(&code, &coded(&code, &all)).unwrap(), all);
    }

    #[test]
    fn a_code_of_no_word_is_an_error() {
        let code = WordCode::learn([&b"words words words words words"[..]].into_iter());
        assert_eq!(code.words.len(), 1);
        let lead = code.leads[0];
        for wrong in [&[lead, 1][..], &[code.leads[1], 0], &[lead], &[ESCAPE]] {
            assert!(decoded(&code, wrong).is_err(), "{wrong:?}");
        }
    }

    proptest! {
        #[test]
        fn texts_come_back_from_their_codes(
            sample in "([a-zé]{1,9}[ ,\n]){0,200}",
            text in "([a-zé\u{1}ç東]{1,12}[ ,\n]{1,2}){0,50}",
        ) {
            let learnt = WordCode::learn([sample.as_bytes(), sample.as_bytes()].into_iter());
            let mut fields = FieldWriter::new();
            learnt.write(&mut fields);
            let read = WordCode::read(&mut FieldReader::new(fields.as_bytes())).unwrap();
            for text in [&sample, &text] {
                let short = coded(&learnt, text.as_bytes());
                prop_assert_eq!(&short, &coded(&read, text.as_bytes()));
                prop_assert_eq!(decoded(&read, &short).unwrap(), text.as_bytes());
            }
        }
    }
}
