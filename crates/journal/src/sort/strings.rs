//! Sorting strings of bytes, each once.
//!
//! Strings are gathered in one stretch of memory with an index of where each begins. In a run each leaves out what it
//! shares with the one before (the addresses of one host share most of it).
//!
//! Cost: comparisons, some 0.5 µs a string for addresses; a third of their bytes of scratch.

use std::path::{Path, PathBuf};

use super::SortRecord;
use super::merge::Merge;
use super::runs::RunFile;
use crate::{Error, varint};

/// A longer string is cut off.
pub const STRING_BYTES_MAX: usize = u16::MAX as usize;

/// Takes strings in any order, with repeats, and gives them back in theirs, each once.
#[derive(Debug)]
pub struct StringSort {
    scratch: PathBuf,
    memory_bytes: usize,
    text: Vec<u8>,
    index: Vec<Piece>,
    runs: Option<RunFile>,
}

/// Where a string is in the text.
#[derive(Debug, Clone, Copy)]
struct Piece {
    start: u32,
    length: u16,
}

impl StringSort {
    /// Works within `memory_bytes`; what does not fit goes to a file in `scratch`.
    pub fn new(scratch: &Path, memory_bytes: usize) -> Self {
        // Places in the text have 32 bits.
        let memory_bytes = memory_bytes.clamp(1 << 12, 1 << 31);
        Self { scratch: scratch.to_owned(), memory_bytes, text: Vec::new(), index: Vec::new(), runs: None }
    }

    /// Takes a string.
    pub fn push(&mut self, string: &[u8]) -> Result<(), Error> {
        let string = &string[..string.len().min(STRING_BYTES_MAX)];
        if self.text.len() + string.len() + 8 * (self.index.len() + 1) > self.memory_bytes
            && !self.index.is_empty()
        {
            self.sort();
            self.spill()?;
        }
        self.index.push(Piece { start: self.text.len() as u32, length: string.len() as u16 });
        self.text.extend_from_slice(string);
        Ok(())
    }

    fn sort(&mut self) {
        let text = &self.text;
        self.index.sort_unstable_by(|one, other| cut(text, *one).cmp(cut(text, *other)));
        self.index.dedup_by(|one, other| cut(text, *one) == cut(text, *other));
    }

    fn spill(&mut self) -> Result<(), Error> {
        let mut runs = match self.runs.take() {
            None => RunFile::create(&self.scratch, self.memory_bytes)?,
            Some(full) if full.is_full() => {
                Merge::<Vec<u8>>::of(full, true)?.into_one_run(&self.scratch, self.memory_bytes)?
            }
            Some(runs) => runs,
        };
        let (mut before, mut pieces): (&[u8], _) = (&[], self.index.iter());
        runs.write(|bytes| {
            let Some(piece) = pieces.next() else { return Ok(false) };
            let string = cut(&self.text, *piece);
            put_after(string, before, bytes);
            before = string;
            Ok(true)
        })?;
        self.runs = Some(runs);
        self.text.clear();
        self.index.clear();
        Ok(())
    }

    /// Sorts what is left and begins to merge.
    pub fn finish(mut self) -> Result<SortedStrings, Error> {
        self.sort();
        if self.runs.is_some() {
            self.spill()?;
        }
        let source = match self.runs {
            None => Source::Memory { text: self.text, index: self.index.into_iter() },
            Some(runs) => {
                drop((self.text, self.index));
                Source::Runs { merge: Merge::of(runs, true)?, string: Vec::new() }
            }
        };
        Ok(SortedStrings { source })
    }
}

fn cut(text: &[u8], piece: Piece) -> &[u8] {
    &text[piece.start as usize..][..usize::from(piece.length)]
}

fn put_after(string: &[u8], before: &[u8], bytes: &mut Vec<u8>) {
    let shared = string.iter().zip(before).take_while(|(one, other)| one == other).count();
    varint::put(bytes, shared as u64);
    varint::put(bytes, (string.len() - shared) as u64);
    bytes.extend_from_slice(&string[shared..]);
}

/// A string leaves out what it shares with the one before.
impl SortRecord for Vec<u8> {
    fn put_after(&self, before: &Self, bytes: &mut Vec<u8>) {
        put_after(self, before, bytes);
    }

    fn step(&mut self, bytes: &mut &[u8]) -> Option<()> {
        let mut rest = *bytes;
        let shared = varint::take(&mut rest)?;
        let length = usize::try_from(varint::take(&mut rest)?).ok()?;
        let (suffix, rest) = rest.split_at_checked(length)?;
        self.truncate(shared as usize);
        self.extend_from_slice(suffix);
        *bytes = rest;
        Some(())
    }
}

/// Gives strings in order, each once.
#[derive(Debug)]
pub struct SortedStrings {
    source: Source,
}

#[derive(Debug)]
enum Source {
    Memory { text: Vec<u8>, index: std::vec::IntoIter<Piece> },
    Runs { merge: Merge<Vec<u8>>, string: Vec<u8> },
}

impl SortedStrings {
    /// Gives the next string.
    // Not an iterator: the string is lent, and reading may fail.
    #[expect(clippy::should_implement_trait, reason = "it lends, and gives a result of an option")]
    pub fn next(&mut self) -> Result<Option<&[u8]>, Error> {
        match &mut self.source {
            Source::Memory { text, index } => Ok(index.next().map(|piece| cut(text, piece))),
            Source::Runs { merge, string } => {
                let Some(next) = merge.next()? else { return Ok(None) };
                *string = next;
                Ok(Some(string))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn check(strings: &[Vec<u8>], memory_bytes: usize) {
        let scratch = tempfile::tempdir().unwrap();
        let mut sort = StringSort::new(scratch.path(), memory_bytes);
        strings.iter().for_each(|string| sort.push(string).unwrap());
        let mut sorted = sort.finish().unwrap();
        let cut_off = strings.iter().map(|string| &string[..string.len().min(STRING_BYTES_MAX)]);
        for string in cut_off.collect::<BTreeSet<_>>() {
            assert_eq!(sorted.next().unwrap(), Some(string));
        }
        assert_eq!(sorted.next().unwrap(), None);
        assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn strings_come_out_like_those_of_a_set(
            strings in prop::collection::vec(prop::collection::vec(0u8..4, 0..12), 0..3000), is_small in any::<bool>(),
        ) {
            check(&strings, if is_small { 0 } else { 1 << 20 });
        }
    }

    #[test]
    fn strings_longer_than_the_budget_and_than_the_limit_come_back() {
        let strings: Vec<Vec<u8>> = (0..300u32)
            .map(|n| vec![(n * 7 % 13) as u8; n as usize * 7919 % (STRING_BYTES_MAX + 3)])
            .collect();
        check(&strings, 0);
    }

    #[test]
    fn more_runs_than_are_merged_at_once_come_back_in_order() {
        let strings: Vec<Vec<u8>> = (0..90_000u32)
            .map(|n| format!("https://host.example/{}", n.wrapping_mul(2_654_435_761) % 50_000).into_bytes())
            .collect();
        check(&strings, 0);
    }
}
