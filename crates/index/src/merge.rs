//! The multiway merge: many sorted sets of lists become one, in a single pass over all of them.
//!
//! A priority queue holds the sources by their present term. The smallest term leaves; every source that has it contributes
//! its postings, in the order of the documents; then these sources move on. (Notes, section 2.1.) With more runs than
//! [`FAN_IN`] some are first merged into longer ones, so that open files and buffers stay bounded.
//!
//! Where several threads invert documents by turns the documents of their lists lie between each other: whoever has the
//! next document gives all that come before the next one of the others.
//!
//! Cost: a buffer per run, one posting; the time is linear in the size of the runs for each pass.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::Path;

use crate::Error;
use crate::list_sink::{ListHead, ListSink};
use crate::postings::Posting;
use crate::run::{Run, RunReader, RunWriter};
use crate::sorted_lists::{ListsInMemory, SortedLists};

/// At most so many runs are open at once.
const FAN_IN: usize = 64;

/// How much of each run is read at once: all buffers of all threads together take a fourth of the memory, as what has not
/// become a run may still have half of it.
pub(crate) fn run_buffer_bytes(memory_bytes: usize, threads: usize) -> usize {
    (memory_bytes / (4 * FAN_IN * threads)).clamp(4 << 10, 256 << 10)
}

/// What the lists of a segment are made from.
#[derive(Debug, Default)]
pub(crate) struct Inverted {
    pub(crate) runs: Vec<Run>,
    pub(crate) in_memory: Vec<SortedLists>,
}

impl Inverted {
    /// Merges runs until few enough are left to be open together.
    pub(crate) fn with_few_runs(mut self, folder: &Path, buffer_bytes: usize) -> Result<Self, Error> {
        let mut merged_count = 0;
        while self.runs.len() > FAN_IN {
            let mut longer = Vec::new();
            let mut runs = self.runs.into_iter().peekable();
            while runs.peek().is_some() {
                let group = Self { runs: runs.by_ref().take(FAN_IN).collect(), in_memory: Vec::new() };
                let path = folder.join(format!("merged-{merged_count}"));
                let mut writer = RunWriter::create(&path, buffer_bytes)?;
                group.merge(&[], None, buffer_bytes, &mut writer)?;
                group.delete()?;
                longer.push(writer.finish()?);
                merged_count += 1;
            }
            self.runs = longer;
        }
        Ok(self)
    }

    /// Gives `sink` the lists of the terms from `from` to before `until`.
    pub(crate) fn merge(
        &self,
        from: &[u8],
        until: Option<&[u8]>,
        buffer_bytes: usize,
        sink: &mut impl ListSink,
    ) -> Result<(), Error> {
        let mut sources: Vec<Source<'_>> =
            self.in_memory.iter().map(|lists| Source::Memory(lists.from(from))).collect();
        for run in &self.runs {
            sources.push(Source::File(run.from(from, buffer_bytes)?));
        }
        merge_sources(&mut sources, until, sink)
    }

    /// Terms that cut all of them into so many ranges, about as much work each; fewer if there is little to do.
    pub(crate) fn borders(&self, ranges: usize) -> Vec<Vec<u8>> {
        let in_memory = self.in_memory.iter().flat_map(|lists| lists.marks(MARK_OCCURRENCES));
        let mut marks: Vec<&[u8]> = self.runs.iter().flat_map(Run::marks).chain(in_memory).collect();
        marks.sort_unstable();
        let border = |number: usize| marks.get(number * marks.len() / ranges).map(|mark| mark.to_vec());
        let mut borders: Vec<Vec<u8>> = (1..ranges).filter_map(border).collect();
        borders.dedup();
        borders
    }

    /// Deletes the runs.
    pub(crate) fn delete(self) -> Result<(), Error> {
        self.runs.into_iter().try_for_each(Run::delete)
    }
}

/// As many take about as many bytes as there are between two marks of a run.
const MARK_OCCURRENCES: usize = 8192;

/// Lists that are merged.
enum Source<'a> {
    Memory(ListsInMemory<'a>),
    File(RunReader),
}

impl Source<'_> {
    fn next_list(&mut self) -> Result<bool, Error> {
        match self {
            Self::Memory(lists) => Ok(lists.next_list()),
            Self::File(run) => run.next_list(),
        }
    }

    fn term(&self) -> &[u8] {
        match self {
            Self::Memory(lists) => lists.term(),
            Self::File(run) => &run.term,
        }
    }

    fn is_needed(&self) -> bool {
        match self {
            Self::Memory(lists) => lists.is_needed(),
            Self::File(run) => run.is_needed,
        }
    }

    fn documents(&self) -> u64 {
        match self {
            Self::Memory(lists) => lists.documents(),
            Self::File(run) => run.documents_left,
        }
    }

    #[inline]
    fn document(&self) -> Option<u32> {
        match self {
            Self::Memory(lists) => lists.document(),
            Self::File(run) => run.document(),
        }
    }

    /// Gives the postings of documents before `limit`.
    fn give(&mut self, limit: u32, posting: &mut Posting, sink: &mut impl ListSink) -> Result<(), Error> {
        while self.document().is_some_and(|document| document < limit) {
            match self {
                Self::Memory(lists) => lists.take(posting),
                Self::File(run) => run.take(posting)?,
            }
            sink.add(posting)?;
        }
        Ok(())
    }
}

/// Sources by their terms; the memory of a term is used again.
type Queue = BinaryHeap<Reverse<(Vec<u8>, usize)>>;

fn merge_sources(
    sources: &mut [Source<'_>],
    until: Option<&[u8]>,
    sink: &mut impl ListSink,
) -> Result<(), Error> {
    let mut queue = Queue::with_capacity(sources.len());
    for index in 0..sources.len() {
        enqueue(&mut queue, sources, (Vec::new(), index))?;
    }
    let mut with_term: Vec<(Vec<u8>, usize)> = Vec::new();
    while let Some(Reverse(first)) = queue.pop() {
        if until.is_some_and(|until| *first.0 >= *until) {
            break;
        }
        with_term.push(first);
        while queue.peek().is_some_and(|Reverse((next, _))| *next == with_term[0].0) {
            with_term.extend(queue.pop().map(|Reverse(next)| next));
        }
        merge_list(&with_term, sources, sink)?;
        for source in with_term.drain(..) {
            enqueue(&mut queue, sources, source)?;
        }
    }
    Ok(())
}

fn enqueue(
    queue: &mut Queue,
    sources: &mut [Source<'_>],
    (mut term, index): (Vec<u8>, usize),
) -> Result<(), Error> {
    if sources[index].next_list()? {
        term.clear();
        term.extend_from_slice(sources[index].term());
        queue.push(Reverse((term, index)));
    }
    Ok(())
}

fn merge_list(
    with_term: &[(Vec<u8>, usize)],
    sources: &mut [Source<'_>],
    sink: &mut impl ListSink,
) -> Result<(), Error> {
    let (term, mut posting) = (&*with_term[0].0, Posting::default());
    let indexes = || with_term.iter().map(|&(_, index)| index);
    let documents = indexes().map(|index| sources[index].documents()).sum();
    let is_needed = indexes().any(|index| sources[index].is_needed());
    if !sink.start_list(&ListHead { term, documents, is_needed })? {
        return indexes().try_for_each(|index| sources[index].give(u32::MAX, &mut posting, &mut Nowhere));
    }
    while let Some((document, index)) =
        indexes().filter_map(|index| Some((sources[index].document()?, index))).min()
    {
        let others = indexes().filter(|&other| other != index);
        let limit = others.filter_map(|other| sources[other].document()).min().unwrap_or(u32::MAX);
        // A document is inverted once; but whatever a run may say, this ends.
        sources[index].give(limit.max(document + 1), &mut posting, sink)?;
    }
    sink.end_list(term)
}

/// Takes postings and forgets them.
struct Nowhere;

impl ListSink for Nowhere {
    fn start_list(&mut self, _head: &ListHead<'_>) -> Result<bool, Error> {
        Ok(true)
    }

    fn add(&mut self, _posting: &Posting) -> Result<(), Error> {
        Ok(())
    }

    fn end_list(&mut self, _term: &[u8]) -> Result<(), Error> {
        Ok(())
    }
}
