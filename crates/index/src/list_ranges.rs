//! Lists that several threads write at once, each a range of the terms.
//!
//! Each range becomes a part ([`crate::list_parts`]); whoever is free takes the next one, and the parts are appended in order.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use crate::Error;
use crate::list_parts::{Part, PartWriter};
use crate::merge::Inverted;
use crate::segment_writer::FinalLists;

/// More ranges than threads, as one may take longer than others.
const RANGES_PER_THREAD: usize = 4;

/// Merges lists and writes them, with so many threads.
pub(crate) fn write_lists(
    inverted: &Inverted,
    folder: &Path,
    threads: usize,
    buffer_bytes: usize,
    lists: &mut FinalLists,
) -> Result<(), Error> {
    let borders = if threads == 1 { Vec::new() } else { inverted.borders(threads * RANGES_PER_THREAD) };
    if borders.is_empty() {
        return inverted.merge(&[], None, buffer_bytes, lists);
    }
    let (form, next, (sender, parts)) = (lists.form().clone(), AtomicUsize::new(0), mpsc::channel());
    let write_part = |number: usize| -> Result<Part, Error> {
        let from = number.checked_sub(1).map_or(&[][..], |before| &borders[before]);
        let until = borders.get(number).map(Vec::as_slice);
        let mut part = PartWriter::create(folder, number, form.clone())?;
        inverted.merge(from, until, buffer_bytes, &mut part)?;
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
