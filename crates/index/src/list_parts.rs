//! A part of the lists of a segment: those of a range of terms, written by a thread of its own.
//!
//! Where a list begins depends on all lists before it, so each range becomes a part: bits in scratch files, and how long each
//! list is. Then the parts are appended in order. Up to the first list that asks for a whole byte a part has to be moved by
//! some bits; behind it bytes are copied. What comes out has the bytes that one thread would have written.
//!
//! Cost: the bytes of the lists once more on disk, for a moment; in memory a buffer for each run and each thread.

use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use fs_err::File;
use journal::varint;

use crate::list_entry::{ListEntry, StreamOffsets};
use crate::list_sink::{ListHead, ListSink};
use crate::postings::{BitFile, ListForm, Posting, PostingsWriter};
use crate::stems::is_stem_key;
use crate::{Error, TERM_BYTES_MAX};

type Scratch = BufWriter<File>;

/// Writes the lists of a range of terms.
pub(crate) struct PartWriter {
    paths: [PathBuf; 4],
    lists: PostingsWriter<Scratch>,
    entries: Scratch,
    entry: Vec<u8>,
    list_count: u64,
    /// The first list of each stream that asked for a whole byte.
    aligned_lists: [Option<u64>; 2],
}

impl PartWriter {
    pub(crate) fn create(folder: &Path, number: usize, form: ListForm) -> Result<Self, Error> {
        let path = |stream: &str| folder.join(format!("part-{number}-{stream}"));
        let paths = ["postings", "positions", "skips", "entries"].map(path);
        let file = |place: usize| File::create(&paths[place]).map(BufWriter::new);
        let lists = PostingsWriter::new(form, file(0)?, file(1)?, file(2)?);
        let entries = file(3)?;
        Ok(Self { paths, lists, entries, entry: Vec::new(), list_count: 0, aligned_lists: [None; 2] })
    }

    pub(crate) fn finish(self) -> Result<Part, Error> {
        let [postings_path, positions_path, skips, entries] = self.paths;
        let PostingsWriter { postings, positions, skips: mut skips_file, .. } = self.lists;
        skips_file.flush()?;
        { self.entries }.flush()?;
        let stream = |path, file: BitFile<Scratch>, aligned_list| {
            let (mut file, bits, first_aligned) = file.finish()?;
            file.flush()?;
            Ok::<_, Error>(PartStream { path, bits, first_aligned, aligned_list })
        };
        let postings = stream(postings_path, postings, self.aligned_lists[0])?;
        let positions = stream(positions_path, positions, self.aligned_lists[1])?;
        Ok(Part { postings, positions, skips, entries, list_count: self.list_count })
    }
}

impl ListSink for PartWriter {
    fn start_list(&mut self, head: &ListHead<'_>) -> Result<bool, Error> {
        if head.is_needed {
            self.lists.start_list(head.documents as u32, !is_stem_key(head.term));
        }
        Ok(head.is_needed)
    }

    fn add(&mut self, posting: &Posting) -> Result<(), Error> {
        self.lists.add(posting)
    }

    fn end_list(&mut self, term: &[u8]) -> Result<(), Error> {
        let list = self.lists.end_list()?;
        let streams = [self.lists.postings.has_aligned(), self.lists.positions.has_aligned()];
        for (first, has_aligned) in self.aligned_lists.iter_mut().zip(streams) {
            *first = first.or(has_aligned.then_some(self.list_count));
        }
        self.list_count += 1;
        self.entry.clear();
        varint::put(&mut self.entry, term.len() as u64);
        self.entry.extend_from_slice(term);
        let length = |range: &std::ops::Range<u64>| range.end - range.start;
        let lengths = [length(&list.postings), length(&list.positions), length(&list.skips)];
        let numbers = [list.documents.into(), list.occurrences];
        numbers.iter().chain(&lengths).for_each(|&number| varint::put(&mut self.entry, number));
        Ok(self.entries.write_all(&self.entry)?)
    }
}

/// The lists of a range of terms.
pub(crate) struct Part {
    postings: PartStream,
    positions: PartStream,
    skips: PathBuf,
    entries: PathBuf,
    list_count: u64,
}

/// A stream of bits of a part.
struct PartStream {
    path: PathBuf,
    bits: u64,
    /// How many bits come before the first place that has to be at a byte, and which list it is in.
    first_aligned: Option<u64>,
    aligned_list: Option<u64>,
}

impl PartStream {
    /// Where a list ends in the whole file, if the part begins at bit `begin` of it.
    fn end(&self, begin: u64, list: u64, end_in_part: u64) -> u64 {
        match (self.first_aligned, self.aligned_list) {
            (Some(first), Some(aligned_list)) if list >= aligned_list => {
                (begin + first).next_multiple_of(8) + (end_in_part - first.next_multiple_of(8))
            }
            _ => begin + end_in_part,
        }
    }

    fn append_to<W: Write>(&self, file: &mut BitFile<W>) -> Result<(), Error> {
        let mut bits = BufReader::new(File::open(&self.path)?);
        let movable = self.first_aligned.unwrap_or(self.bits);
        file.copy(&mut bits, movable)?;
        if self.first_aligned.is_some() {
            file.align();
            file.copy(&mut bits, self.bits.saturating_sub(movable.next_multiple_of(8)))?;
        }
        Ok(fs_err::remove_file(&self.path)?)
    }
}

impl Part {
    /// Shows every list with its place in a segment that goes on with this part at `begin`.
    pub(crate) fn for_each_entry(
        &self,
        begin: StreamOffsets,
        mut see: impl FnMut(&[u8], &ListEntry) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut entries = BufReader::new(File::open(&self.entries)?);
        let (mut term, mut in_part, mut at) =
            (Vec::with_capacity(TERM_BYTES_MAX), StreamOffsets::default(), begin);
        for list in 0..self.list_count {
            term.resize(varint::read(&mut entries)? as usize, 0);
            entries.read_exact(&mut term)?;
            let mut number = || varint::read(&mut entries);
            let (documents, occurrences) = (number()? as u32, number()?);
            in_part.postings_bits += number()?;
            in_part.positions_bits += number()?;
            let end = StreamOffsets {
                postings_bits: self.postings.end(begin.postings_bits, list, in_part.postings_bits),
                positions_bits: self.positions.end(begin.positions_bits, list, in_part.positions_bits),
                skips: at.skips + number()?,
            };
            see(&term, &ListEntry::new(documents, occurrences, at, end))?;
            at = end;
        }
        Ok(fs_err::remove_file(&self.entries)?)
    }

    /// Writes its bits behind those that are there.
    pub(crate) fn append_to<W: Write>(&self, lists: &mut PostingsWriter<W>) -> Result<(), Error> {
        self.postings.append_to(&mut lists.postings)?;
        self.positions.append_to(&mut lists.positions)?;
        lists.copy_skips(&mut File::open(&self.skips)?)?;
        Ok(fs_err::remove_file(&self.skips)?)
    }
}
