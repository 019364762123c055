//! The multiway merge: many sorted runs become one, in a single pass over all of them.
//!
//! A priority queue holds the runs by their present term. The smallest term leaves; every run that has it contributes
//! its postings, in the order of the runs, which is the order of the documents; then these runs move on. (Notes,
//! section 2.1.) With more runs than [`FAN_IN`] neighbouring runs are first merged into longer ones, so that open
//! files and buffers stay bounded.
//!
//! Cost: a buffer per run, one posting; the time is linear in the size of the runs for each pass.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::accumulator::ListHead;
use crate::postings::Posting;
use crate::run::{RunReader, RunWriter};

/// At most so many runs are open at once.
const FAN_IN: usize = 64;

/// Receives merged lists.
pub(crate) trait ListSink {
    /// Whether it takes the list: otherwise its postings are passed over.
    fn start_list(&mut self, head: &ListHead<'_>) -> Result<bool, Error>;
    fn add(&mut self, posting: &Posting) -> Result<(), Error>;
    fn end_list(&mut self, term: &[u8]) -> Result<(), Error>;
}

impl ListSink for RunWriter {
    fn start_list(&mut self, head: &ListHead<'_>) -> Result<bool, Error> {
        RunWriter::start_list(self, head)?;
        Ok(true)
    }

    fn add(&mut self, posting: &Posting) -> Result<(), Error> {
        RunWriter::add(self, posting)
    }

    fn end_list(&mut self, _term: &[u8]) -> Result<(), Error> {
        Ok(())
    }
}

/// Merges `runs`, which are in the order of their documents, into `sink`, and deletes them.
pub(crate) fn merge_runs(
    mut runs: Vec<PathBuf>,
    folder: &Path,
    buffer_bytes_total: usize,
    sink: &mut impl ListSink,
) -> Result<(), Error> {
    let buffer_bytes = (buffer_bytes_total / (FAN_IN + 1)).clamp(4 << 10, 1 << 20);
    let mut merged_count = 0;
    while runs.len() > FAN_IN {
        let mut longer = Vec::new();
        for group in runs.chunks(FAN_IN) {
            let mut writer = RunWriter::create(&folder.join(format!("merged-{merged_count}")), buffer_bytes)?;
            merge_group(group, buffer_bytes, &mut writer)?;
            longer.push(writer.finish()?);
            merged_count += 1;
        }
        runs = longer;
    }
    merge_group(&runs, buffer_bytes, sink)
}

fn merge_group(paths: &[PathBuf], buffer_bytes: usize, sink: &mut impl ListSink) -> Result<(), Error> {
    let mut runs = Vec::with_capacity(paths.len());
    let mut queue = BinaryHeap::with_capacity(paths.len());
    for (index, path) in paths.iter().enumerate() {
        runs.push(RunReader::open(path, buffer_bytes)?);
        enqueue(&mut queue, &mut runs, index)?;
    }
    let mut with_term = Vec::new();
    while let Some(Reverse((term, first))) = queue.pop() {
        with_term.clear();
        with_term.push(first);
        // The queue is ordered by (term, run), so runs with the same term come in the order of their documents.
        while queue.peek().is_some_and(|Reverse((next, _))| *next == term) {
            let Reverse((_, index)) = queue.pop().expect("it was just seen");
            with_term.push(index);
        }
        merge_list(&term, &with_term, &mut runs, sink)?;
        for &index in &with_term {
            enqueue(&mut queue, &mut runs, index)?;
        }
    }
    Ok(paths.iter().try_for_each(fs_err::remove_file)?)
}

fn enqueue(
    queue: &mut BinaryHeap<Reverse<(Vec<u8>, usize)>>,
    runs: &mut [RunReader],
    index: usize,
) -> Result<(), Error> {
    if runs[index].next_list()? {
        queue.push(Reverse((runs[index].term.clone(), index)));
    }
    Ok(())
}

fn merge_list(
    term: &[u8],
    with_term: &[usize],
    runs: &mut [RunReader],
    sink: &mut impl ListSink,
) -> Result<(), Error> {
    let mut posting = Posting::default();
    let documents = with_term.iter().map(|&index| runs[index].documents_left).sum();
    let is_needed = with_term.iter().any(|&index| runs[index].is_needed);
    let is_taken = sink.start_list(&ListHead { term, documents, is_needed })?;
    for &index in with_term {
        while runs[index].next_posting(&mut posting)? {
            if is_taken {
                sink.add(&posting)?;
            }
        }
    }
    if is_taken { sink.end_list(term) } else { Ok(()) }
}
