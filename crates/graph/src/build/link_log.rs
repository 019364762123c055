//! Links are set aside on disk while addresses come in. The file has no name, so nothing is left of it.
//!
//! Most links of a page are those of the page before. So the log has places for the last targets and for the last words: what
//! is in its place already is said by the number of the place, and whoever reads knows what was said there last. He need
//! not look up the same thing twice either.
//!
//! ```text
//! link = source: length, bytes (none if it is that of the link before); target; words; flags
//! text = place << 1, or place << 1 | 1, length, bytes                                          numbers of 7 bits a byte
//! ```

use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use fs_err::{File, OpenOptions};
use journal::varint;
use xxhash_rust::xxh3::xxh3_64;

use crate::Error;

/// How many texts are remembered.
const PLACES: usize = 1 << 16;

/// What was said last in each place, by its hash. (Two texts with the same 64 bits of hash are taken for one.)
pub(super) struct LastSaid(Vec<u64>);

/// A text in its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    number: u64,
    /// Whether it was not the last one there, and must be said.
    pub(super) is_new: bool,
}

impl Default for LastSaid {
    fn default() -> Self {
        Self(vec![0; PLACES])
    }
}

impl LastSaid {
    /// Puts a text in its place.
    pub(super) fn place(&mut self, text: &[u8]) -> Place {
        let hash = xxh3_64(text) | 1;
        let number = (hash >> 48) as usize % PLACES;
        Place { number: number as u64, is_new: std::mem::replace(&mut self.0[number], hash) != hash }
    }
}

/// Links as keys of their ends, flags and words, one behind the other.
pub(super) struct LinkLog {
    pub(super) targets: LastSaid,
    pub(super) words: LastSaid,
    file: BufWriter<File>,
    source: String,
    record: Vec<u8>,
}

impl LinkLog {
    pub(super) fn create(path: &Path) -> Result<Self, Error> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path)?;
        let file = BufWriter::with_capacity(1 << 16, file);
        fs_err::remove_file(path)?;
        let (targets, words) = (LastSaid::default(), LastSaid::default());
        Ok(Self { targets, words, file, source: String::new(), record: Vec::new() })
    }

    /// Adds a link whose texts were put in their places; those that are not new are not looked at.
    pub(super) fn push(
        &mut self,
        source: &str,
        target: (Place, &str),
        flags: u8,
        anchor: (Place, &str),
    ) -> Result<(), Error> {
        self.record.clear();
        let said = if self.source == source { "" } else { source };
        put_text(&mut self.record, said);
        for (place, text) in [target, anchor] {
            varint::put(&mut self.record, place.number << 1 | u64::from(place.is_new));
            if place.is_new {
                put_text(&mut self.record, text);
            }
        }
        self.record.push(flags);
        if !said.is_empty() {
            self.source.replace_range(.., source);
        }
        Ok(self.file.write_all(&self.record)?)
    }

    pub(super) fn finish(self) -> Result<LinkLogReader, Error> {
        let mut file = self.file.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        let end = file.stream_position()?;
        file.seek(SeekFrom::Start(0))?;
        let file = BufReader::with_capacity(1 << 16, file);
        let (source, target, anchor) = (Vec::new(), Vec::new(), Vec::new());
        Ok(LinkLogReader { file, left: end, source, target, anchor })
    }
}

fn put_text(record: &mut Vec<u8>, text: &str) {
    varint::put(record, text.len() as u64);
    record.extend_from_slice(text.as_bytes());
}

/// Gives the links again.
pub(super) struct LinkLogReader {
    file: BufReader<File>,
    left: u64,
    source: Vec<u8>,
    target: Vec<u8>,
    anchor: Vec<u8>,
}

/// A link that was set aside.
pub(super) struct LoggedLink<'a> {
    pub(super) source: &'a [u8],
    pub(super) target: Said<'a>,
    pub(super) anchor: Said<'a>,
    pub(super) flags: u8,
    /// Whether the source is another one than before.
    pub(super) is_new_source: bool,
}

/// What is said in a place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Said<'a> {
    place: usize,
    /// The text, if it is another one than before.
    text: Option<&'a [u8]>,
}

/// The answers to what was said last in each place.
pub(super) struct Answers(Vec<Option<u32>>);

impl Default for Answers {
    fn default() -> Self {
        Self(vec![None; PLACES])
    }
}

impl Answers {
    /// The answer to what is said now: `ask` is asked only where it is something new.
    pub(super) fn get(&mut self, said: Said<'_>, ask: impl FnOnce(&[u8]) -> Option<u32>) -> Option<u32> {
        if let Some(text) = said.text {
            self.0[said.place] = ask(text);
        }
        self.0[said.place]
    }
}

impl LinkLogReader {
    /// How much was not read yet.
    pub(super) fn bytes_left(&self) -> u64 {
        self.left
    }

    pub(super) fn next(&mut self) -> Result<Option<LoggedLink<'_>>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        let length = self.number()?;
        self.left -= length;
        if length > 0 {
            read_text(&mut self.file, length, &mut self.source)?;
        }
        let (target, is_target_new) = self.place()?;
        if is_target_new {
            let length = self.number()?;
            self.left -= length;
            read_text(&mut self.file, length, &mut self.target)?;
        }
        let (anchor, is_anchor_new) = self.place()?;
        if is_anchor_new {
            let length = self.number()?;
            self.left -= length;
            read_text(&mut self.file, length, &mut self.anchor)?;
        }
        let mut flags = [0];
        self.file.read_exact(&mut flags)?;
        self.left -= 1;
        Ok(Some(LoggedLink {
            source: &self.source,
            target: Said { place: target, text: is_target_new.then_some(&*self.target) },
            anchor: Said { place: anchor, text: is_anchor_new.then_some(&*self.anchor) },
            flags: flags[0],
            is_new_source: length > 0,
        }))
    }

    fn place(&mut self) -> std::io::Result<(usize, bool)> {
        let number = self.number()?;
        Ok(((number >> 1) as usize % PLACES, number & 1 != 0))
    }

    fn number(&mut self) -> std::io::Result<u64> {
        let number = varint::read(&mut self.file)?;
        self.left -= varint::length(number) as u64;
        Ok(number)
    }
}

fn read_text(file: &mut impl Read, length: u64, text: &mut Vec<u8>) -> std::io::Result<()> {
    text.resize(length as usize, 0);
    file.read_exact(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_come_back_as_they_were_said_however_many_texts_share_a_place() {
        let scratch = tempfile::tempdir().unwrap();
        let mut log = LinkLog::create(&scratch.path().join("links.tmp")).unwrap();
        // Twice as many texts as places, each several times, near and far from each other.
        let links =
            || (0..400_000u32).map(|n| (n / 30, n.wrapping_mul(7919) % 131_072, n % 3, n / 5 % 90_000));
        for (source, target, flags, words) in links() {
            let (target, words) = (target.to_string(), words.to_string());
            let places = (log.targets.place(target.as_bytes()), log.words.place(words.as_bytes()));
            log.push(&source.to_string(), (places.0, &target), flags as u8, (places.1, &words)).unwrap();
        }
        let mut reader = log.finish().unwrap();
        let (mut targets, mut words) = (Answers::default(), Answers::default());
        let number = |text: &[u8]| -> Option<u32> { std::str::from_utf8(text).ok()?.parse().ok() };
        for (source, target, flags, anchor) in links() {
            let link = reader.next().unwrap().unwrap();
            assert_eq!(number(link.source), Some(source));
            assert_eq!(u32::from(link.flags), flags);
            assert_eq!(targets.get(link.target, number), Some(target));
            assert_eq!(words.get(link.anchor, number), Some(anchor));
        }
        assert!(reader.next().unwrap().is_none());
    }
}
