//! Many runs, in memory and on disk, become one on disk. Whatever their size, this needs a few pages of each.
//!
//! Table by table, all runs are read in the order of the keys, and the smallest key is written next; of equal ones that
//! of the oldest run. There are few runs, so the smallest is found by looking at all of them.

use std::path::Path;

use super::disk_run::{DiskRun, DiskRunWriter, PageBuffer};
use super::run::{Entries, Run, Table};
use super::shape::Shape;
use super::{Error, Fingerprint};

/// Pages that are read at once of each run.
const PAGES_AT_ONCE: usize = 4;

/// Writes one run of all that is in others, the older ones first.
pub(super) fn merge_to_disk<F: Fingerprint>(
    path: &Path,
    shape: &Shape,
    on_disk: &[DiskRun<F>],
    in_memory: &[Run<F>],
) -> Result<DiskRun<F>, Error> {
    let count = on_disk.iter().map(DiskRun::len).sum::<u64>()
        + in_memory.iter().map(|run| run.len() as u64).sum::<u64>();
    let mut writer = DiskRunWriter::create(path, shape, count)?;
    let written = write_tables(&mut writer, shape, on_disk, in_memory);
    written.and_then(|()| writer.finish(shape, count)).inspect_err(|_| {
        // Half a run helps nobody, and the disk may be full.
        let _ = fs_err::remove_file(path);
    })
}

fn write_tables<F: Fingerprint>(
    writer: &mut DiskRunWriter<F>,
    shape: &Shape,
    on_disk: &[DiskRun<F>],
    in_memory: &[Run<F>],
) -> Result<(), Error> {
    for table in 0..shape.tables() {
        let mut cursors = Vec::new();
        for run in on_disk {
            cursors.push(Cursor::new(
                Source::Disk { run, page: 0, buffer: PageBuffer::default() },
                shape,
                table,
            )?);
        }
        for run in in_memory {
            let source = Source::Memory { table: &run.tables[table], bucket: 0, order: Vec::new() };
            cursors.push(Cursor::new(source, shape, table)?);
        }
        while let Some(smallest) =
            cursors.iter_mut().filter(|cursor| cursor.head.is_some()).min_by_key(|cursor| {
                // The first of equals, which is the oldest.
                cursor.head.map(|head| head.key)
            })
        {
            if let Some(Head { key, fingerprint, id }) = smallest.head {
                writer.push(key, fingerprint, id)?;
            }
            smallest.advance(shape, table)?;
        }
        writer.end_table()?;
    }
    Ok(())
}

/// Reads a table of a run in the order of the keys.
struct Cursor<'a, F> {
    source: Source<'a, F>,
    at: usize,
    head: Option<Head<F>>,
}

/// The entry on which a cursor stands.
#[derive(Clone, Copy)]
struct Head<F> {
    key: u32,
    fingerprint: F,
    id: u32,
}

enum Source<'a, F> {
    Disk {
        run: &'a DiskRun<F>,
        /// The first page that is not in the buffer.
        page: usize,
        buffer: PageBuffer<F>,
    },
    Memory {
        table: &'a Table<F>,
        /// The first bucket that is not in `order`.
        bucket: usize,
        /// (key, place) of the entries of a bucket in one number each: a bucket is not sorted within.
        order: Vec<u64>,
    },
}

impl<'a, F: Fingerprint> Cursor<'a, F> {
    fn new(source: Source<'a, F>, shape: &Shape, table: usize) -> Result<Self, Error> {
        let mut cursor = Self { source, at: 0, head: None };
        cursor.advance(shape, table)?;
        Ok(cursor)
    }

    fn advance(&mut self, shape: &Shape, number: usize) -> Result<(), Error> {
        match &mut self.source {
            Source::Disk { run, page, buffer } => {
                if self.at == buffer.entries.ids.len() && *page < run.pages_per_table() {
                    let end = run.pages_per_table().min(*page + PAGES_AT_ONCE);
                    run.read_pages(number, *page..end, buffer)?;
                    (*page, self.at) = (end, 0);
                }
                self.head = entry(&buffer.entries, self.at, shape, number);
            }
            Source::Memory { table, bucket, order } => {
                while self.at == order.len() && *bucket < table.buckets() {
                    order.clear();
                    order.extend(table.bucket(*bucket).map(|place| {
                        let key = shape.key(number, table.entries.fingerprints[place]);
                        u64::from(key) << 32 | place as u64
                    }));
                    order.sort_unstable();
                    (*bucket, self.at) = (*bucket + 1, 0);
                }
                self.head = match order.get(self.at) {
                    Some(key_and_place) => {
                        entry(&table.entries, *key_and_place as u32 as usize, shape, number)
                    }
                    None => None,
                };
            }
        }
        self.at += usize::from(self.head.is_some());
        Ok(())
    }
}

fn entry<F: Fingerprint>(entries: &Entries<F>, place: usize, shape: &Shape, table: usize) -> Option<Head<F>> {
    let fingerprint = *entries.fingerprints.get(place)?;
    Some(Head { key: shape.key(table, fingerprint), fingerprint, id: entries.ids[place] })
}
