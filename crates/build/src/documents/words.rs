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
//! Cost: to code a text, a hash of each of its words; to read it back, a copy of 32 bytes for each and for what is before it:
//! half a nanosecond for a byte of text if the words are in the cache of the processor, about twice that if they are not. Where
//! codes begin is worked out for 64 bytes at once, since which byte is what nobody can foresee: to go from one to the next takes
//! more than twice as long, whether by branches or by tables. Where words are, by their hashes, is worked out when the first text
//! is coded: whoever only reads does without.
//!
//! How pairs are told from single bytes is after Langdale, Lemire, "Parsing gigabytes of JSON per second" (2019), where they are
//! what a backslash escapes.
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

/// So many bytes of a coded text are read at once.
const PIECE_BYTES: usize = 64;

/// A piece with what stands behind it: the second byte of a code, and as much as is copied at a time.
const PIECE_AND_BEHIND: usize = PIECE_BYTES + WORD_BYTES_MAX + 1;

/// A piece becomes at most so many bytes of text, and a copy may go over its end twice.
const ROOM_BYTES: usize = PIECE_BYTES / CODE_BYTES * WORD_BYTES_MAX + 2 * WORD_BYTES_MAX;

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
    /// Each has an end of line behind it, and behind the last one there are so many bytes more that [`WORD_BYTES_MAX`] can be
    /// copied from any.
    bytes: Vec<u8>,
    /// Where each begins, and where one more would.
    starts: Vec<u32>,
}

impl Words {
    /// Takes words as they are written.
    fn of(lines: Vec<u8>) -> Self {
        let (mut bytes, mut starts) = (lines, vec![0]);
        if !bytes.is_empty() {
            bytes.push(b'\n');
        }
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        starts.extend(ends.map(|(end, _)| end as u32 + 1));
        bytes.extend_from_slice(&[0; WORD_BYTES_MAX]);
        Self { bytes, starts }
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// A word with bytes behind it that make all of them equally long, and its length.
    #[inline]
    fn padded(&self, number: usize) -> Option<(&[u8; WORD_BYTES_MAX], usize)> {
        let (start, end) = (*self.starts.get(number)? as usize, *self.starts.get(number + 1)? as usize);
        Some((self.bytes.get(start..)?.first_chunk()?, end - start - 1))
    }

    fn get(&self, number: usize) -> &[u8] {
        &self.bytes[self.starts[number] as usize..self.starts[number + 1] as usize - 1]
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
        Self::new(leads, Words::of(words.join(&b'\n')))
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
        let (mut end, mut begins_inside) = (text.len(), false);
        while !coded.is_empty() {
            if text.len() < end + ROOM_BYTES {
                text.resize(end + (2 * coded.len()).max(2 * ROOM_BYTES), 0);
            }
            let room = text[end..].first_chunk_mut().expect("there is room");
            let piece = Piece::of(coded, begins_inside);
            let leads = piece.leads(|byte| self.meanings[usize::from(byte)] != Meaning::Itself);
            end += self.decode_piece(&piece, leads, room)?;
            begins_inside = leads >> (piece.length - 1) & 1 != 0;
            coded = &coded[piece.length..];
        }
        text.truncate(end);
        if begins_inside { Err(Malformed) } else { Ok(()) }
    }

    /// Writes the text of a piece, in which codes begin where there are leads; says how long it is.
    fn decode_piece(
        &self,
        piece: &Piece,
        mut leads: u64,
        room: &mut [u8; ROOM_BYTES],
    ) -> Result<usize, Malformed> {
        const COPIED: usize = WORD_BYTES_MAX;
        let (bytes, mut at, mut end) = (&piece.bytes, usize::from(piece.begins_inside), 0);
        while leads != 0 {
            let lead = leads.trailing_zeros() as usize;
            leads &= leads - 1;
            // As many bytes each time, whatever is wanted of them: a copy of a known length is the faster one.
            room[end..end + COPIED].copy_from_slice(&bytes[at..at + COPIED]);
            if lead - at > COPIED {
                let (from, to) = (at + COPIED, end + COPIED);
                room[to..to + COPIED].copy_from_slice(&bytes[from..from + COPIED]);
            }
            end += lead - at;
            let second = bytes[lead + 1];
            match self.meanings[usize::from(bytes[lead])] {
                Meaning::Lead(place) => {
                    let number = usize::from(place) * WORDS_PER_LEAD + usize::from(second);
                    let (word, length) = self.words.padded(number).ok_or(Malformed)?;
                    room[end..end + COPIED].copy_from_slice(word);
                    end += length;
                }
                _ => {
                    room[end] = second;
                    end += 1;
                }
            }
            at = lead + CODE_BYTES;
        }
        let rest = bytes.get(at..piece.length).unwrap_or_default();
        room[end..end + rest.len()].copy_from_slice(rest);
        Ok(end + rest.len())
    }

    /// Writes leads and words.
    pub(super) fn write(&self, fields: &mut FieldWriter) {
        let words: Vec<&[u8]> = self.words.iter().collect();
        fields.bytes(&self.leads).number(words.len() as u64).bytes(&words.join(&b'\n'));
    }

    /// Reads what [`write`](Self::write) wrote.
    pub(super) fn read(fields: &mut FieldReader<'_>) -> Result<Self, Malformed> {
        let (leads, count, words) = (fields.bytes()?, fields.small::<usize>()?, fields.bytes()?);
        let words = Words::of(words.to_vec());
        let is_sound = leads.len() <= LEADS_MAX
            && !leads.contains(&ESCAPE)
            && count <= leads.len() * WORDS_PER_LEAD
            && words.len() == count
            && words.iter().all(|word| (1..=WORD_BYTES_MAX).contains(&word.len()));
        if is_sound { Ok(Self::new(leads.to_vec(), words)) } else { Err(Malformed) }
    }
}

/// Some bytes of a coded text, with what comes behind them; zeros behind its end.
struct Piece {
    bytes: [u8; PIECE_AND_BEHIND],
    length: usize,
    /// Whether the first byte is the second one of a code.
    begins_inside: bool,
}

impl Piece {
    /// The next piece of a text that has not come to its end.
    #[inline]
    fn of(coded: &[u8], begins_inside: bool) -> Self {
        let length = coded.len().min(PIECE_BYTES);
        let bytes = coded.first_chunk().copied().unwrap_or_else(|| {
            let mut bytes = [0; PIECE_AND_BEHIND];
            bytes[..coded.len()].copy_from_slice(coded);
            bytes
        });
        Self { bytes, length, begins_inside }
    }

    /// Where codes begin, a bit for each byte, if a special byte is the first of a code unless it is the second.
    #[inline]
    fn leads(&self, is_special: impl Fn(u8) -> bool) -> u64 {
        const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;
        let mut special = 0;
        for (at, byte) in self.bytes[..PIECE_BYTES].iter().enumerate() {
            special |= u64::from(is_special(*byte)) << at;
        }
        special &= u64::MAX >> (PIECE_BYTES - self.length);
        // Of special bytes in a row every other one is a lead. To take the row off shifts a borrow through it up to the byte behind,
        // by which rows that begin at odd places are told from the others.
        let may_lead = special & !u64::from(self.begins_inside);
        let changed = (may_lead << 1 | ODD).wrapping_sub(may_lead) ^ ODD;
        changed & special
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

    #[test]
    fn codes_across_the_borders_of_pieces_come_back() {
        let code = WordCode::learn([&b"words words words words words"[..]].into_iter());
        let lead = code.leads[0];
        // Words, bytes that are told by another, and leads as they are, in rows of any length from any place on.
        for (before, row) in (0..70).flat_map(|before| (0..140).map(move |row| (before, row))) {
            let mut text = vec![b'.'; before];
            text.extend(std::iter::repeat_n([lead, ESCAPE], row).flatten());
            text.extend_from_slice(b" words, words".repeat(row % 7).as_slice());
            let short = coded(&code, &text);
            assert_eq!(decoded(&code, &short).unwrap(), text, "{before} {row}");
            // What ends inside of a code is damaged.
            let cut = &short[..short.len().saturating_sub(1)];
            assert_eq!(decoded(&code, cut).is_err(), row > 0, "{before} {row}");
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
