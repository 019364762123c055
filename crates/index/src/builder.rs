//! Building an index in bounded memory.
//!
//! Documents are inverted in memory ([`crate::accumulator`]); when the budget is reached the lists are written as a
//! sorted run ([`crate::run`]); at the end the runs are merged into the final form ([`crate::merge`]), which is made
//! in `building/`, renamed to `segment-N/` and committed by the manifest ([`crate::manifest`]), alone or after the
//! segments that were there before. A crash at any moment leaves the old index as it was.
//!
//! Cost: memory is the budget plus what one document needs (16 bytes per word); disk is the old index, the new one,
//! and runs of about three bytes per word. The bytes of a segment do not depend on the budget.

use std::fs::TryLockError;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::accumulator::Accumulator;
use crate::dictionary::{DictionaryReader, DictionaryWriter};
use crate::file::{EnvelopeReader, EnvelopeWriter};
use crate::manifest::{FILE_NAMES, IndexReport, Manifest, SegmentCounts, SegmentEntry, sync_folder};
use crate::merge::{ListSink, merge_runs};
use crate::postings::{Posting, PostingsWriter};
use crate::run::write_run;
use crate::{END, Error, term_filter};

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
    /// The segments that stay.
    earlier: Vec<SegmentEntry>,
    earlier_documents: u64,
    memory_budget_bytes: usize,
    accumulator: Accumulator,
    runs: Vec<PathBuf>,
    keys: EnvelopeWriter,
    lengths: EnvelopeWriter,
    counts: SegmentCounts,
}

impl IndexBuilder {
    /// Begins to make the index anew in `dir`, the index folder of a collection, which is made if it is not there.
    ///
    /// An index that is already there stays in use until [`IndexBuilder::finish`].
    pub fn create(dir: &Path, memory_budget_bytes: u64) -> Result<Self, Error> {
        Self::begin(dir, memory_budget_bytes, BuildingFolder::create(dir)?, Vec::new())
    }

    /// Begins to add a segment to the index in `dir`: its documents come after those that are there.
    ///
    /// Readers see all of the new documents or none, as of [`IndexBuilder::finish`].
    pub fn append(dir: &Path, memory_budget_bytes: u64) -> Result<Self, Error> {
        // Before anything is locked, since locking makes the folder.
        Manifest::read(dir)?;
        let building = BuildingFolder::create(dir)?;
        // Once more under the lock, as another build may have just ended.
        let earlier = Manifest::read(dir)?.segments;
        Self::begin(dir, memory_budget_bytes, building, earlier)
    }

    fn begin(
        dir: &Path,
        memory_budget_bytes: u64,
        building: BuildingFolder,
        earlier: Vec<SegmentEntry>,
    ) -> Result<Self, Error> {
        Ok(Self {
            dir: dir.to_owned(),
            earlier_documents: earlier.iter().map(|segment| segment.counts.documents).sum(),
            earlier,
            keys: EnvelopeWriter::create(&building.path.join("keys"), *b"keys")?,
            lengths: EnvelopeWriter::create(&building.path.join("lengths"), *b"leng")?,
            building,
            memory_budget_bytes: memory_budget_bytes.min(RUN_BYTES_MAX) as usize,
            accumulator: Accumulator::default(),
            runs: Vec::new(),
            counts: SegmentCounts::default(),
        })
    }

    /// Adds the next document; documents are numbered in the order in which they come, from 0 or from where the index
    /// that is added to ends.
    pub fn add(&mut self, document: &IndexDocument<'_>) -> Result<(), Error> {
        let limit = u64::from(END - 1);
        if self.earlier_documents + self.counts.documents >= limit {
            return Err(Error::TooMany { what: "documents", limit });
        }
        let length = self.accumulator.add(self.counts.documents as u32, document);
        self.keys.write_all(&document.key.to_le_bytes()).map_err(Error::io("write", self.keys.path()))?;
        self.lengths.write_all(&length.to_le_bytes()).map_err(Error::io("write", self.lengths.path()))?;
        self.counts.documents += 1;
        self.counts.occurrences += u64::from(length);
        if self.accumulator.bytes() >= self.memory_budget_bytes {
            self.flush()?;
        }
        Ok(())
    }

    /// Merges what was added and makes it the index of the folder, alone or after what was there. `source_stamp`
    /// describes what is then indexed, in the caller's own words; [`crate::Index::source_stamp`] gives it back.
    ///
    /// Where nothing was added to an index, it only gets the new stamp.
    pub fn finish(mut self, source_stamp: &str) -> Result<IndexReport, Error> {
        let dir = self.dir.clone();
        let mut manifest = Manifest { segments: std::mem::take(&mut self.earlier) };
        // Held until the manifest is there.
        let _building = match manifest.segments.last_mut() {
            Some(last) if self.counts.documents == 0 => {
                last.source_stamp = source_stamp.to_owned();
                self.building
            }
            _ => {
                let folder = next_folder(&dir)?;
                let (building, counts, header_checksums) = self.write_files()?;
                building.become_segment(&dir.join(&folder))?;
                let source_stamp = source_stamp.to_owned();
                manifest.segments.push(SegmentEntry { folder, source_stamp, counts, header_checksums });
                building
            }
        };
        manifest.commit(&dir)?;
        remove_other_segments(&dir, &manifest);
        Ok(manifest.report())
    }

    /// Writes the final files into the folder of the build.
    fn write_files(mut self) -> Result<(BuildingFolder, SegmentCounts, [u64; FILE_NAMES.len()]), Error> {
        self.flush()?;
        let Self { building, memory_budget_bytes, accumulator, runs, keys, lengths, mut counts, .. } = self;
        drop(accumulator);
        counts.runs = runs.len() as u64;
        let lists = FinalLists::merge(runs, &building.path, memory_budget_bytes, &mut counts)?;
        let mut header_checksums = [0; FILE_NAMES.len()];
        for (file, checksum) in lists.into_iter().chain([keys, lengths]).zip(&mut header_checksums) {
            let (bytes, header_checksum) = file.finish()?;
            *checksum = header_checksum;
            counts.bytes += bytes;
        }
        let open = |number: usize, kind| {
            EnvelopeReader::open(&building.path.join(FILE_NAMES[number]), kind, header_checksums[number])
        };
        let dictionary = DictionaryReader::new(open(0, *b"term")?, open(1, *b"blck")?)?;
        let filter = term_filter::write(&building.path.join("filter"), &dictionary, counts.terms)?;
        let (bytes, header_checksum) = filter.finish()?;
        header_checksums[FILE_NAMES.len() - 1] = header_checksum;
        counts.bytes += bytes;
        Ok((building, counts, header_checksums))
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
    /// Merges the runs; returns the first files of [`FILE_NAMES`], in their order.
    fn merge(
        runs: Vec<PathBuf>,
        folder: &Path,
        memory_budget_bytes: usize,
        counts: &mut SegmentCounts,
    ) -> Result<[EnvelopeWriter; 5], Error> {
        let dictionary = DictionaryWriter::create(folder)?;
        let mut lists = Self { dictionary, postings: PostingsWriter::create(folder)?, posting_count: 0 };
        merge_runs(runs, folder, memory_budget_bytes, &mut lists)?;
        let (terms, blocks, term_count) = lists.dictionary.finish();
        let (postings, positions, skips) = lists.postings.finish()?;
        counts.terms = term_count;
        counts.postings = lists.posting_count;
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
    fn become_segment(&self, segment: &Path) -> Result<(), Error> {
        sync_folder(&self.path)?;
        std::fs::rename(&self.path, segment).map_err(Error::io("rename", &self.path))?;
        segment.parent().map_or(Ok(()), sync_folder)
    }
}

impl Drop for BuildingFolder {
    fn drop(&mut self) {
        // If this fails the next build tries again.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

const SEGMENT_PREFIX: &str = "segment-";

/// A name that no folder has, not even one that a crash left uncommitted.
fn next_folder(dir: &Path) -> Result<String, Error> {
    let mut highest = 0u64;
    for entry in std::fs::read_dir(dir).map_err(Error::io("list", dir))? {
        let name = entry.map_err(Error::io("list", dir))?.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(SEGMENT_PREFIX)?.parse().ok());
        highest = highest.max(number.unwrap_or(0));
    }
    Ok(format!("{SEGMENT_PREFIX}{}", highest.saturating_add(1)))
}

/// Best effort: a folder that stays takes space but is never read.
fn remove_other_segments(dir: &Path, manifest: &Manifest) {
    let is_named = |name: &str| manifest.segments.iter().any(|segment| segment.folder == name);
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| name.starts_with(SEGMENT_PREFIX) && !is_named(name)) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}
