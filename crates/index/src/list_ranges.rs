//! Lists that several threads write at once, each a range of the terms.
//!
//! Each range becomes a part ([`crate::list_parts`]); whoever is free takes the next one, and the parts are appended in order.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use crate::Error;
use crate::list_parts::{Part, PartWriter};
use crate::list_sink::ListSink;
use crate::merge::Inverted;
use crate::reorder::Reordering;
use crate::segment_writer::FinalLists;

/// More ranges than threads, as one may take longer than others.
const RANGES_PER_THREAD: usize = 4;

/// Lists that are to be merged and written.
pub(crate) struct ListsWork<'w> {
    pub(crate) inverted: &'w Inverted,
    pub(crate) folder: &'w Path,
    pub(crate) buffer_bytes: usize,
    /// None if documents keep their numbers.
    pub(crate) new_order: Option<NewOrder<'w>>,
}

/// Other numbers for documents, and the memory that a thread may take for that.
#[derive(Clone, Copy)]
pub(crate) struct NewOrder<'w> {
    pub(crate) numbers: &'w [u32],
    pub(crate) memory_bytes: usize,
}

impl ListsWork<'_> {
    /// Merges lists and writes them, with so many threads.
    pub(crate) fn write_lists(&self, threads: usize, lists: &mut FinalLists) -> Result<(), Error> {
        let borders =
            if threads == 1 { Vec::new() } else { self.inverted.borders(threads * RANGES_PER_THREAD) };
        if borders.is_empty() {
            return self.merge(0, &[], None, lists);
        }
        let (form, next, (sender, parts)) = (lists.form().clone(), AtomicUsize::new(0), mpsc::channel());
        let write_part = |number: usize| -> Result<Part, Error> {
            let from = number.checked_sub(1).map_or(&[][..], |before| &borders[before]);
            let until = borders.get(number).map(Vec::as_slice);
            let mut part = PartWriter::create(self.folder, number, form.clone())?;
            self.merge(number, from, until, &mut part)?;
            part.finish()
        };
        let (write_part, next, count) = (&write_part, &next, borders.len() + 1);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let sender = sender.clone();
                scope.spawn(move || {
                    let numbers = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
                    for number in numbers.take_while(|&number| number < count) {
                        // Nobody listens any more if another part failed.
                        if sender.send((number, write_part(number))).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            append_in_order(parts, lists)
        })
    }

    /// Gives `sink` the lists of a range of terms, which has a number.
    fn merge(
        &self,
        number: usize,
        from: &[u8],
        until: Option<&[u8]>,
        sink: &mut impl ListSink,
    ) -> Result<(), Error> {
        let Some(NewOrder { numbers, memory_bytes }) = self.new_order else {
            return self.inverted.merge(from, until, self.buffer_bytes, sink);
        };
        let scratch = self.folder.join(format!("reordering-{number}"));
        let mut sink = Reordering::new(sink, numbers, scratch, memory_bytes);
        self.inverted.merge(from, until, self.buffer_bytes, &mut sink)
    }
}

fn append_in_order(
    parts: mpsc::Receiver<(usize, Result<Part, Error>)>,
    lists: &mut FinalLists,
) -> Result<(), Error> {
    let (mut waiting, mut next) = (BTreeMap::new(), 0);
    for (number, part) in parts {
        waiting.insert(number, part?);
        while let Some(part) = waiting.remove(&next) {
            lists.append(part)?;
            next += 1;
        }
    }
    Ok(())
}
