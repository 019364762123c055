//! Lists of documents that are numbered as they came become lists of the same documents in another order.
//!
//! The postings of a list are collected, sorted by their new numbers, and handed on. A list that is larger than the memory
//! goes to scratch files by parts, each sorted, which are merged as the runs of a build are ([`crate::merge`]).
//!
//! Cost: sorting each list; its postings in memory, up to a limit.

use std::path::PathBuf;

use crate::Error;
use crate::field::Place;
use crate::list_sink::{ListHead, ListSink};
use crate::merge::Inverted;
use crate::postings::Posting;
use crate::run::RunWriter;

/// Hands lists on with other numbers.
pub(crate) struct Reordering<'r, S> {
    sink: &'r mut S,
    /// The new number of each document.
    numbers: &'r [u32],
    /// A folder for scratch files, which is there while a list needs it.
    scratch: PathBuf,
    memory_bytes: usize,
    list: Collected,
    /// What is known of the list, if it is taken.
    is_needed: bool,
    parts: Inverted,
}

impl<'r, S: ListSink> Reordering<'r, S> {
    pub(crate) fn new(sink: &'r mut S, numbers: &'r [u32], scratch: PathBuf, memory_bytes: usize) -> Self {
        let (list, parts) = (Collected::default(), Inverted::default());
        Self { sink, numbers, scratch, memory_bytes, list, is_needed: true, parts }
    }

    /// Writes what was collected to a scratch file.
    fn write_part(&mut self, term: &[u8]) -> Result<(), Error> {
        fs_err::create_dir_all(&self.scratch)?;
        let path = self.scratch.join(format!("part-{}", self.parts.runs.len()));
        let mut run = RunWriter::create(&path, BUFFER_BYTES)?;
        let documents = self.list.postings.len() as u64;
        run.start_list(&ListHead { term, documents, is_needed: self.is_needed })?;
        self.list.give(&mut run)?;
        self.parts.runs.push(run.finish()?);
        Ok(())
    }
}

/// What is read or written of a scratch file at once.
const BUFFER_BYTES: usize = 64 << 10;

impl<S: ListSink> ListSink for Reordering<'_, S> {
    fn start_list(&mut self, head: &ListHead<'_>) -> Result<bool, Error> {
        self.is_needed = head.is_needed;
        let is_taken = self.sink.start_list(head)?;
        self.list.term.clear();
        self.list.term.extend_from_slice(head.term);
        Ok(is_taken)
    }

    fn add(&mut self, posting: &Posting) -> Result<(), Error> {
        let document = self.numbers[posting.document as usize];
        self.list.add(document, &posting.places);
        if self.list.bytes() < self.memory_bytes {
            return Ok(());
        }
        let term = std::mem::take(&mut self.list.term);
        self.write_part(&term)?;
        self.list.term = term;
        Ok(())
    }

    fn end_list(&mut self, term: &[u8]) -> Result<(), Error> {
        if self.parts.runs.is_empty() {
            self.list.give(self.sink)?;
            return self.sink.end_list(term);
        }
        self.write_part(term)?;
        let parts = std::mem::take(&mut self.parts).with_few_runs(&self.scratch, BUFFER_BYTES)?;
        parts.merge(&[], None, BUFFER_BYTES, &mut InTheMiddle(self.sink))?;
        parts.delete()?;
        fs_err::remove_dir(&self.scratch)?;
        self.sink.end_list(term)
    }
}

/// The postings of a list that is begun already go to where the list does.
struct InTheMiddle<'s, S>(&'s mut S);

impl<S: ListSink> ListSink for InTheMiddle<'_, S> {
    fn start_list(&mut self, _head: &ListHead<'_>) -> Result<bool, Error> {
        Ok(true)
    }

    fn add(&mut self, posting: &Posting) -> Result<(), Error> {
        self.0.add(posting)
    }

    fn end_list(&mut self, _term: &[u8]) -> Result<(), Error> {
        Ok(())
    }
}

/// Postings in any order.
#[derive(Default)]
struct Collected {
    term: Vec<u8>,
    postings: Vec<Span>,
    places: Vec<Place>,
}

/// A document, and which places are its own.
#[derive(Clone, Copy)]
struct Span {
    document: u32,
    start: u32,
    end: u32,
}

impl Collected {
    fn bytes(&self) -> usize {
        self.postings.len() * size_of::<Span>() + self.places.len() * size_of::<Place>()
    }

    #[inline]
    fn add(&mut self, document: u32, places: &[Place]) {
        let start = self.places.len() as u32;
        self.places.extend_from_slice(places);
        self.postings.push(Span { document, start, end: self.places.len() as u32 });
    }

    /// Gives all postings in the order of their documents, and has none then.
    fn give(&mut self, sink: &mut impl ListSink) -> Result<(), Error> {
        self.postings.sort_unstable_by_key(|span| span.document);
        let mut posting = Posting::default();
        for span in self.postings.drain(..) {
            posting.document = span.document;
            posting.places.clear();
            posting.places.extend_from_slice(&self.places[span.start as usize..span.end as usize]);
            sink.add(&posting)?;
        }
        self.places.clear();
        Ok(())
    }
}
