//! From documents to copies: the stages, one after the other.
//!
//! ```text
//! sketch   documents -> digests, keys, slots          on disk, can be continued      sketching.rs, files.rs
//! exact    digests   -> first of equal documents      in memory                      ../exact.rs
//! groups   keys      -> runs -> checks -> classes     band by band, can be continued key_runs.rs, run_checks.rs
//! pairs    keys      -> runs -> candidates -> copies  sorted on disk                 candidates.rs, neighbours.rs
//! ```

mod banded_groups;
mod block_log;
mod candidates;
mod config;
mod different_pairs;
mod exhaustive;
pub(crate) mod files;
mod key_runs;
mod look;
mod neighbours;
mod pair;
mod reports;
mod run_checks;
pub(crate) mod sketching;
mod work_folder;

use std::path::Path;

pub use config::{Clustering, DedupConfig, SLOTS_MAX, Verification};
pub use look::{BANDS_FORMAT, ColumnKind, SKETCHES_FORMAT, WorkRecord, check_column};
pub use reports::{Checks, PairsReport, SketchReport, Stage, Watcher};
pub use work_folder::WorkFolder;

use files::SketchFiles;
use key_runs::KeySorter;
use neighbours::Neighbours;

use crate::exact::ExactCopies;
use crate::features::KeyLayout;
use crate::groups::DuplicateGroups;
use crate::set_cache::SetCache;
use crate::union_find::UnionFind;
use crate::verify::{Criterion, Verifier};
use crate::{Documents, Error};

/// Finds copies, and keeps what it works with in a folder.
#[derive(Debug)]
pub struct Deduplicator {
    folder: WorkFolder,
    config: DedupConfig,
    stamp: String,
    files: SketchFiles,
}

/// Two documents that are copies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CopyPair {
    /// The smaller number.
    pub first: u32,
    /// The larger number.
    pub second: u32,
    /// How similar they are, exactly or by estimate, as the configuration demands.
    pub similarity: f64,
}

impl Deduplicator {
    /// Works in a folder. Unfinished work there is taken up if its sketches were made in the same way and of documents
    /// with the same stamp, else all begins anew.
    ///
    /// The stamp says which documents these are, for instance a path and a time. Documents may be added at the end
    /// under the same stamp; if others change, the stamp must.
    pub fn open(work: &Path, config: DedupConfig, stamp: &str) -> Result<Self, Error> {
        Self::open_in(WorkFolder::lasting(work)?, config, stamp)
    }

    /// Works in a folder that is locked already, perhaps a temporary one.
    pub fn open_in(folder: WorkFolder, config: DedupConfig, stamp: &str) -> Result<Self, Error> {
        config.check()?;
        let layout = KeyLayout::new(&config);
        let name = format!(
            "{:?} {:?} {:?} {} slots, seed {}, {layout:?} {stamp}",
            config.shingling, config.text, config.scheme, config.slots, config.seed
        );
        let files =
            SketchFiles::open(folder.path(), &name, layout.columns, layout.stored_slots(config.slots))?;
        Ok(Self { folder, config, stamp: stamp.to_owned(), files })
    }

    /// How many documents are sketched.
    pub fn documents(&self) -> u32 {
        self.files.documents()
    }

    /// Reads and sketches all documents that are not sketched yet. Documents may have been added since.
    pub fn sketch(
        &mut self,
        documents: &dyn Documents,
        watcher: &dyn Watcher,
    ) -> Result<SketchReport, Error> {
        let before = self.files.documents();
        if documents.count() < before {
            return Err(Error::OtherDocuments { sketched: before, given: documents.count() });
        }
        sketching::sketch_new(&self.config, &mut self.files, documents, watcher)?;
        if !self.folder.is_temporary() {
            self.files.sync()?;
        }
        let report = self.files.report();
        Ok(SketchReport { new_documents: report.documents - u64::from(before), ..report })
    }

    /// The groups of documents that are copies of each other, directly or by way of others.
    pub fn groups(
        &mut self,
        documents: &dyn Documents,
        watcher: &dyn Watcher,
    ) -> Result<DuplicateGroups, Error> {
        self.with_work(documents, |work| {
            let (classes, checks) = match work.config.clustering {
                Clustering::Banded => banded_groups::banded_groups(work, documents, watcher)?,
                _ => {
                    let mut classes = UnionFind::new(work.files.documents());
                    let checks = candidates::copies(work, documents, watcher, &mut |pair, _| {
                        classes.union(pair.first(), pair.second());
                        Ok(())
                    })?;
                    (classes, checks)
                }
            };
            let mut names = classes.into_names();
            for document in 0..names.len() {
                let first = work.copies.first_of(document as u32).unwrap_or(document as u32);
                names[document] = names[first as usize];
            }
            let mut groups = DuplicateGroups::new(names);
            groups.exact_copies = work.copies.copies;
            groups.checks = checks;
            Ok(groups)
        })
    }

    /// Shows every pair at or above the threshold, ascending by both numbers, each once.
    pub fn pairs(
        &mut self,
        documents: &dyn Documents,
        watcher: &dyn Watcher,
        see: &mut dyn FnMut(CopyPair) -> Result<(), Error>,
    ) -> Result<PairsReport, Error> {
        self.with_work(documents, |work| {
            let mut neighbours = Neighbours::new(work.folder, work.config.memory_bytes / 8);
            let checks = candidates::copies(work, documents, watcher, &mut |pair, similarity| {
                neighbours.add(pair, similarity)
            })?;
            let pairs = neighbours.pairs(work.copies, see)?;
            let documents = work.files.documents().into();
            Ok(PairsReport { documents, exact_copies: work.copies.copies, pairs, checks })
        })
    }

    fn with_work<R>(
        &self,
        documents: &dyn Documents,
        run: impl FnOnce(&Work<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let sketched = self.files.documents();
        if sketched != documents.count() {
            return Err(Error::OtherDocuments { sketched, given: documents.count() });
        }
        let copies = ExactCopies::find(&self.files, self.config.memory_bytes / 2)?;
        run(&Work {
            folder: self.folder.path(),
            config: &self.config,
            stamp: &self.stamp,
            layout: KeyLayout::new(&self.config),
            criterion: Criterion::new(&self.config),
            files: &self.files,
            copies: &copies,
            sets: SetCache::new(self.config.memory_bytes / 4),
        })
    }
}

/// What all stages behind the sketches need.
struct Work<'a> {
    folder: &'a Path,
    config: &'a DedupConfig,
    stamp: &'a str,
    layout: KeyLayout,
    criterion: Criterion,
    files: &'a SketchFiles,
    copies: &'a ExactCopies,
    /// A quarter of the memory, for all threads.
    sets: SetCache,
}

impl Work<'_> {
    /// What groups depend on, beside how many documents there are.
    fn groups_name(&self) -> String {
        let DedupConfig { shingling, text, scheme, slots, seed, threshold, clustering, verification, .. } =
            self.config;
        format!(
            "{shingling:?} {text:?} {scheme:?} {slots} {seed} {threshold} {clustering:?} {verification:?} {}",
            self.stamp
        )
    }

    fn threads(&self) -> usize {
        self.config.execution.threads()
    }

    /// Sorts with a quarter of the memory, and shows runs with a document from `first_new` on.
    fn key_sorter(&self, first_new: u32) -> KeySorter<'_> {
        KeySorter {
            first_new,
            files: self.files,
            copies: self.copies,
            threads: self.threads(),
            memory_bytes: self.config.memory_bytes / 4,
        }
    }

    /// For one of the threads.
    fn verifier<'b>(&'b self, documents: &'b dyn Documents) -> Verifier<'b> {
        Verifier::new(&self.criterion, self.config, documents, &self.sets)
    }
}
