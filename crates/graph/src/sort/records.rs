//! Strings of bytes in any order in, in order and each once out, in bounded memory.
//!
//! Records are gathered in one stretch of memory with an index of where each begins. When the budget is full the index is
//! sorted and the records go to disk as a run in which each leaves out what it shares with the one before (the addresses
//! of one host share most of it). At the end all runs are merged.
//!
//! Cost: comparisons, some 0.5 µs a record for addresses; a third of their bytes of scratch.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::{LoserTree, varint};
use crate::Error;

/// Takes records in any order, with repeats. None is longer than 64 KiB.
#[derive(Debug)]
pub(crate) struct RecordSorter {
    memory_bytes: usize,
    text: Vec<u8>,
    index: Vec<(u32, u16)>,
    scratch: PathBuf,
    runs: Vec<File>,
}

/// A longer record is cut off.
const RECORD_BYTES_MAX: usize = u16::MAX as usize;

impl RecordSorter {
    /// Works within `memory_bytes`; what does not fit goes to files in `scratch` that have no name.
    pub(crate) fn new(memory_bytes: usize, scratch: &Path) -> Self {
        let memory_bytes = memory_bytes.clamp(1 << 12, 1 << 31);
        Self {
            memory_bytes,
            text: Vec::new(),
            index: Vec::new(),
            scratch: scratch.to_owned(),
            runs: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, record: &[u8]) -> Result<(), Error> {
        let record = &record[..record.len().min(RECORD_BYTES_MAX)];
        if self.text.len() + record.len() + 8 * (self.index.len() + 1) > self.memory_bytes {
            self.spill()?;
        }
        self.index.push((self.text.len() as u32, record.len() as u16));
        self.text.extend_from_slice(record);
        Ok(())
    }

    fn sort(&mut self) {
        let text = &self.text;
        self.index.sort_unstable_by(|one, other| cut(text, *one).cmp(cut(text, *other)));
    }

    fn spill(&mut self) -> Result<(), Error> {
        if self.index.is_empty() {
            return Ok(());
        }
        self.sort();
        let path = self.scratch.join("records.run");
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path);
        let mut file = BufWriter::new(file.map_err(Error::io("create", &path))?);
        std::fs::remove_file(&path).map_err(Error::io("remove", &path))?;
        let (mut before, mut entry): (&[u8], _) = (&[], Vec::new());
        for (place, piece) in self.index.iter().enumerate() {
            let record = cut(&self.text, *piece);
            if place > 0 && record == before {
                continue;
            }
            let shared = record.iter().zip(before).take_while(|(one, other)| one == other).count();
            entry.clear();
            varint::put(&mut entry, shared as u64);
            varint::put(&mut entry, (record.len() - shared) as u64);
            entry.extend_from_slice(&record[shared..]);
            file.write_all(&entry).map_err(Error::io("write", &path))?;
            before = record;
        }
        let mut file = file.into_inner().map_err(|error| Error::io("write", &path)(error.into_error()))?;
        file.seek(SeekFrom::Start(0)).map_err(Error::io("read", &path))?;
        self.runs.push(file);
        self.text.clear();
        self.index.clear();
        Ok(())
    }

    /// Sorts what is left and begins to merge.
    pub(crate) fn finish(mut self) -> Result<SortedRecords, Error> {
        if self.runs.is_empty() {
            self.sort();
            return Ok(SortedRecords::Memory { text: self.text, index: self.index, next: 0 });
        }
        self.spill()?;
        (self.text, self.index) = (Vec::new(), Vec::new());
        let mut runs: Vec<RecordRun> = self
            .runs
            .into_iter()
            .map(|file| RecordRun { file: BufReader::new(file), record: Vec::new() })
            .collect();
        let heads = runs.iter_mut().map(RecordRun::next).collect::<Result<_, _>>();
        let heads = heads.map_err(Error::io("read", &self.scratch))?;
        Ok(SortedRecords::Runs {
            runs,
            tree: LoserTree::new(heads),
            before: Vec::new(),
            scratch: self.scratch,
            is_first: true,
        })
    }
}

fn cut(text: &[u8], (start, length): (u32, u16)) -> &[u8] {
    &text[start as usize..start as usize + usize::from(length)]
}

/// Records in order, each once.
pub(crate) enum SortedRecords {
    Memory { text: Vec<u8>, index: Vec<(u32, u16)>, next: usize },
    Runs { runs: Vec<RecordRun>, tree: LoserTree<Head>, before: Vec<u8>, scratch: PathBuf, is_first: bool },
}

/// What a run offers: its next record, or the end, which comes after every record.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Head {
    Record(Vec<u8>),
    End,
}

impl SortedRecords {
    /// The next record.
    pub(crate) fn next(&mut self) -> Result<Option<&[u8]>, Error> {
        match self {
            Self::Memory { text, index, next } => {
                while *next > 0
                    && *next < index.len()
                    && cut(text, index[*next]) == cut(text, index[*next - 1])
                {
                    *next += 1;
                }
                let piece = index.get(*next).copied();
                *next += 1;
                Ok(piece.map(|piece| cut(text, piece)))
            }
            Self::Runs { runs, tree, before, scratch, is_first } => loop {
                let (Head::Record(record), run) = tree.winner() else { return Ok(None) };
                let is_new = *is_first || record != before;
                if is_new {
                    before.clone_from(record);
                    *is_first = false;
                }
                let run = *run;
                let head = runs[run].next().map_err(Error::io("read", scratch))?;
                tree.replace(head);
                if is_new {
                    return Ok(Some(before));
                }
            },
        }
    }
}

/// A run that is being read.
#[derive(Debug)]
pub(crate) struct RecordRun {
    file: BufReader<File>,
    record: Vec<u8>,
}

impl RecordRun {
    fn next(&mut self) -> std::io::Result<Head> {
        let Some(shared) = self.number()? else { return Ok(Head::End) };
        let length = self.number()?.unwrap_or(0);
        self.record.truncate(shared);
        let start = self.record.len();
        self.record.resize(start + length, 0);
        self.file.read_exact(&mut self.record[start..])?;
        Ok(Head::Record(self.record.clone()))
    }

    fn number(&mut self) -> std::io::Result<Option<usize>> {
        let (mut number, mut shift, mut byte) = (0, 0, [0]);
        loop {
            if self.file.read(&mut byte)? == 0 {
                return Ok(None);
            }
            number |= usize::from(byte[0] & 0x7f) << shift;
            shift += 7;
            if byte[0] & 0x80 == 0 {
                return Ok(Some(number));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn records_come_out_like_those_of_a_set(
            records in prop::collection::vec(prop::collection::vec(0u8..4, 0..12), 0..3000), is_small in any::<bool>(),
        ) {
            let scratch = tempfile::tempdir().unwrap();
            let mut sorter = RecordSorter::new(if is_small { 0 } else { 1 << 20 }, scratch.path());
            for record in &records {
                sorter.push(record).unwrap();
            }
            let mut sorted = sorter.finish().unwrap();
            let expected: BTreeSet<&[u8]> = records.iter().map(|record| &record[..]).collect();
            for record in expected {
                prop_assert_eq!(sorted.next().unwrap(), Some(record));
            }
            prop_assert_eq!(sorted.next().unwrap(), None);
        }
    }
}
