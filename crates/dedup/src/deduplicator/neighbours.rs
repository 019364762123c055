//! All pairs in order, also those of documents that equal others.
//!
//! Copies were looked for among the first of equal documents only. If a and b are copies, then so are all that equal a
//! and all that equal b. To show them in order without writing each of them down, the pairs are sorted from both ends:
//! then the neighbours of any first stand side by side in a file, and the pairs of a document are its own equals and
//! the equals of the neighbours of its first. Memory: 16 bytes per document, and the pairs of one document at a time.

use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use fs_err as fs;
use journal::ExternalSort;

use super::CopyPair;
use super::pair::Pair;
use crate::Error;
use crate::exact::ExactCopies;

/// Document (32 bits), neighbour (32 bits), similarity (64 bits).
const ENTRY_BYTES: usize = 16;

/// Gathers pairs.
pub(crate) struct Neighbours {
    path: PathBuf,
    sorter: ExternalSort<u128>,
}

impl Neighbours {
    /// With files in a folder.
    pub fn new(folder: &Path, memory_bytes: u64) -> Self {
        let sorter = ExternalSort::new(folder, usize::try_from(memory_bytes).unwrap_or(usize::MAX));
        Self { path: folder.join("neighbours.run"), sorter }
    }

    /// Takes a pair of documents that are the first of their kind.
    pub fn add(&mut self, pair: Pair, similarity: f64) -> Result<(), Error> {
        let mut add = |from: u32, to: u32| {
            let ends = u128::from(from) << 96 | u128::from(to) << 64;
            self.sorter.push(ends | u128::from(similarity.to_bits()))
        };
        add(pair.first(), pair.second())?;
        Ok(add(pair.second(), pair.first())?)
    }

    /// Shows all pairs and tells how many there were.
    pub fn pairs(
        self,
        copies: &ExactCopies,
        see: &mut dyn FnMut(CopyPair) -> Result<(), Error>,
    ) -> Result<u64, Error> {
        let Self { path, sorter } = self;
        let starts = write_sorted(&path, sorter, copies.documents())?;
        let file = fs::File::open(&path)?;
        let equals = Equals::new(copies);
        let mut shown = 0;
        let (mut bytes, mut row) = (Vec::new(), Vec::new());
        for first in 0..copies.documents() {
            let Some(kind) = copies.first_of(first) else { continue };
            let entries = starts[kind as usize]..starts[kind as usize + 1];
            row.clear();
            row.extend(equals.of(kind).iter().map(|equal| (*equal, 1.0)));
            bytes.resize((entries.end - entries.start) as usize * ENTRY_BYTES, 0);
            file.file().read_exact_at(&mut bytes, entries.start * ENTRY_BYTES as u64)?;
            for entry in bytes.as_chunks().0 {
                let entry = u128::from_le_bytes(*entry);
                let similarity = f64::from_bits(entry as u64);
                row.extend(equals.of((entry >> 64) as u32).iter().map(|equal| (*equal, similarity)));
            }
            row.retain(|(second, _)| *second > first);
            row.sort_unstable_by_key(|(second, _)| *second);
            for &(second, similarity) in &row {
                see(CopyPair { first, second, similarity })?;
            }
            shown += row.len() as u64;
        }
        fs::remove_file(&path)?;
        Ok(shown)
    }
}

/// Writes all entries in order and tells where those of each document start.
fn write_sorted(path: &Path, sorter: ExternalSort<u128>, documents: u32) -> Result<Vec<u64>, Error> {
    let mut file = BufWriter::with_capacity(1 << 18, fs::File::create(path)?);
    let mut starts = vec![0u64; documents as usize + 1];
    let mut sorted = sorter.finish()?;
    while let Some(entry) = sorted.next()? {
        file.write_all(&entry.to_le_bytes())?;
        starts[(entry >> 96) as usize + 1] += 1;
    }
    file.flush()?;
    for document in 0..documents as usize {
        starts[document + 1] += starts[document];
    }
    Ok(starts)
}

/// The documents of each kind, one kind behind the other, by the first of the kind.
struct Equals {
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Equals {
    fn new(copies: &ExactCopies) -> Self {
        let documents = copies.documents();
        let kinds = || (0..documents).filter_map(|document| Some((document, copies.first_of(document)?)));
        let mut starts = vec![0; documents as usize + 2];
        for (_, kind) in kinds() {
            starts[kind as usize + 2] += 1;
        }
        for document in 0..=documents as usize {
            starts[document + 1] += starts[document];
        }
        // The start of a kind stands one place too far, until its members have moved it there.
        let mut members = vec![0; starts[documents as usize + 1] as usize];
        for (document, kind) in kinds() {
            let place = &mut starts[kind as usize + 1];
            members[*place as usize] = document;
            *place += 1;
        }
        Self { starts, members }
    }

    /// All documents whose first is this one, itself included, ascending.
    fn of(&self, kind: u32) -> &[u32] {
        &self.members[self.starts[kind as usize] as usize..self.starts[kind as usize + 1] as usize]
    }
}
