//! Building an index in bounded memory.
//!
//! Documents are inverted in memory ([`crate::accumulator`]); when the budget is reached the lists are written as a
//! sorted run ([`crate::run`]); at the end the runs are merged into the final form ([`crate::merge`]), which is made
//! in `building/`, renamed to `generation-N/` and committed by the manifest ([`crate::manifest`]). A crash at any
//! moment leaves the old index as it was.
//!
//! Cost: memory is the budget plus what one document needs (16 bytes per word); disk is the old index, the new one,
//! and runs of about three bytes per word. The bytes of the index do not depend on the budget.

use std::fs::TryLockError;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::accumulator::Accumulator;
use crate::dictionary::DictionaryWriter;
use crate::file::EnvelopeWriter;
use crate::manifest::{FILE_NAMES, IndexReport, Manifest, sync_folder};
use crate::merge::{ListSink, merge_runs};
use crate::postings::{Posting, PostingsWriter};
use crate::run::write_run;
use crate::{END, Error};

/// A document to be indexed.
#[derive(Debug, Clone, Copy)]
pub struct IndexDocument<'a> {
    /// Where the page is kept. The index does not look into it; it gives it back with the document.
    pub key: u64,
    /// The title: its words are found like those of the text, and marked.
    pub title: &'a str,
    /// The text.
    pub text: &'a str,
}

/// Takes documents, gives an index.
pub struct IndexBuilder {
    dir: PathBuf,
    building: BuildingFolder,
    memory_budget_bytes: usize,
    accumulator: Accumulator,
    runs: Vec<PathBuf>,
    keys: EnvelopeWriter,
    lengths: EnvelopeWriter,
    report: IndexReport,
}

impl IndexBuilder {
    /// Begins a build in `dir`, the index folder of a collection, which is made if it is not there.
    ///
    /// An index that is already there stays in use until [`IndexBuilder::finish`].
    pub fn create(dir: &Path, memory_budget_bytes: u64) -> Result<Self, Error> {
        let building = BuildingFolder::create(dir)?;
        Ok(Self {
            dir: dir.to_owned(),
            keys: EnvelopeWriter::create(&building.path.join("keys"), *b"keys")?,
            lengths: EnvelopeWriter::create(&building.path.join("lengths"), *b"leng")?,
            building,
            memory_budget_bytes: memory_budget_bytes.min(RUN_BYTES_MAX) as usize,
            accumulator: Accumulator::default(),
            runs: Vec::new(),
            report: IndexReport::default(),
        })
    }

    /// Adds the next document; documents are numbered from 0 in the order in which they come.
    pub fn add(&mut self, document: &IndexDocument<'_>) -> Result<(), Error> {
        let number = u32::try_from(self.report.documents).ok().filter(|&number| number < END - 1);
        let number = number.ok_or(Error::TooMany { what: "documents", limit: u64::from(END - 1) })?;
        let length = self.accumulator.add(number, document);
        self.keys.write_all(&document.key.to_le_bytes()).map_err(Error::io("write", self.keys.path()))?;
        self.lengths.write_all(&length.to_le_bytes()).map_err(Error::io("write", self.lengths.path()))?;
        self.report.documents += 1;
        self.report.occurrences += u64::from(length);
        if self.accumulator.bytes() >= self.memory_budget_bytes {
            self.flush()?;
        }
        Ok(())
    }

    /// Merges what was added and makes it the index of the folder. `source_stamp` describes what was indexed, in
    /// the caller's own words; [`crate::Index::source_stamp`] gives it back.
    pub fn finish(mut self, source_stamp: &str) -> Result<IndexReport, Error> {
        self.flush()?;
        let Self { dir, building, memory_budget_bytes, accumulator, runs, keys, lengths, mut report } = self;
        drop(accumulator);
        report.runs = runs.len() as u64;
        let lists = FinalLists::merge(runs, &building.path, memory_budget_bytes, &mut report)?;
        let mut header_checksums = [0; FILE_NAMES.len()];
        for (file, checksum) in lists.into_iter().chain([keys, lengths]).zip(&mut header_checksums) {
            let (bytes, header_checksum) = file.finish()?;
            *checksum = header_checksum;
            report.bytes += bytes;
        }
        let generation = next_generation(&dir)?;
        let manifest =
            Manifest { generation, source_stamp: source_stamp.to_owned(), report, header_checksums };
        building.become_generation(&dir.join(manifest.folder_name()))?;
        manifest.commit(&dir)?;
        remove_other_generations(&dir, &manifest.folder_name());
        Ok(manifest.report)
    }

    fn flush(&mut self) -> Result<(), Error> {
        if self.accumulator.is_empty() {
            return Ok(());
        }
        let path = self.building.path.join(format!("run-{}", self.runs.len()));
        self.runs.push(write_run(&path, &mut self.accumulator, RUN_BUFFER_BYTES)?);
        Ok(())
    }
}

const RUN_BUFFER_BYTES: usize = 256 << 10;

/// A larger budget is not made use of: the terms of a run are addressed with 32 bits, with room for a last document.
const RUN_BYTES_MAX: u64 = 3 << 30;

/// The final form of the lists.
struct FinalLists {
    dictionary: DictionaryWriter,
    postings: PostingsWriter,
    posting_count: u64,
}

impl FinalLists {
    /// Merges the runs; returns the files in the order of [`FILE_NAMES`].
    fn merge(
        runs: Vec<PathBuf>,
        folder: &Path,
        memory_budget_bytes: usize,
        report: &mut IndexReport,
    ) -> Result<[EnvelopeWriter; 5], Error> {
        let dictionary = DictionaryWriter::create(folder)?;
        let mut lists = Self { dictionary, postings: PostingsWriter::create(folder)?, posting_count: 0 };
        merge_runs(runs, folder, memory_budget_bytes, &mut lists)?;
        let (terms, blocks, term_count) = lists.dictionary.finish();
        let (postings, positions, skips) = lists.postings.finish()?;
        report.terms = term_count;
        report.postings = lists.posting_count;
        Ok([terms, blocks, postings, positions, skips])
    }
}

impl ListSink for FinalLists {
    fn start_list(&mut self, _term: &[u8], documents: u64) -> Result<(), Error> {
        self.posting_count += documents;
        Ok(())
    }

    fn add(&mut self, posting: &Posting) -> Result<(), Error> {
        self.postings.add(posting)
    }

    fn end_list(&mut self, term: &[u8]) -> Result<(), Error> {
        let (documents, start, end) = self.postings.end_list()?;
        self.dictionary.add(term, documents, start, end)
    }
}

/// The folder of a build that has not been committed. It goes when the build does.
struct BuildingFolder {
    path: PathBuf,
    /// Held open, and thereby locked, as long as the build lasts; the system lets go of it after a crash.
    _lock: std::fs::File,
}

impl BuildingFolder {
    fn create(dir: &Path) -> Result<Self, Error> {
        std::fs::create_dir_all(dir).map_err(Error::io("create", dir))?;
        let lock_path = dir.join("lock");
        let lock = std::fs::File::create(&lock_path).map_err(Error::io("create", &lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::Busy { path: dir.to_owned() }),
            Err(TryLockError::Error(error)) => return Err(Error::io("lock", &lock_path)(error)),
        }
        let path = dir.join("building");
        if path.exists() {
            std::fs::remove_dir_all(&path).map_err(Error::io("remove", &path))?;
        }
        std::fs::create_dir(&path).map_err(Error::io("create", &path))?;
        Ok(Self { path, _lock: lock })
    }

    /// Renames the folder; it still does not count before the manifest names it.
    fn become_generation(&self, generation: &Path) -> Result<(), Error> {
        sync_folder(&self.path)?;
        std::fs::rename(&self.path, generation).map_err(Error::io("rename", &self.path))?;
        generation.parent().map_or(Ok(()), sync_folder)
    }
}

impl Drop for BuildingFolder {
    fn drop(&mut self) {
        // If this fails the next build tries again.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

const GENERATION_PREFIX: &str = "generation-";

/// A number that no folder has, not even one that a crash left uncommitted.
fn next_generation(dir: &Path) -> Result<u64, Error> {
    let mut highest = 0u64;
    for entry in std::fs::read_dir(dir).map_err(Error::io("list", dir))? {
        let name = entry.map_err(Error::io("list", dir))?.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(GENERATION_PREFIX)?.parse().ok());
        highest = highest.max(number.unwrap_or(0));
    }
    Ok(highest.saturating_add(1))
}

/// Best effort: a folder that stays takes space but is never read.
fn remove_other_generations(dir: &Path, kept: &str) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| name.starts_with(GENERATION_PREFIX) && name != kept) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}
