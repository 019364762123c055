//! Making a space of an index, and putting the documents of a later one into it.
//!
//! A decomposition is made of all documents, or of every so many-th where their matrix would not fit into the memory; then all
//! are put into the space it spans, a stretch at a time. When documents come and go, their places follow from those of
//! the words without a new decomposition ([`fold_into_space`]), until so many have changed that the words may mean
//! something else ([`is_due`]). Only what is new is read: that is a hundredth of the lists if a hundredth of the documents is.

use std::ops::Range;
use std::path::Path;

use index::Index;
use latent::{ENTRIES_MAX, LatentSpace, SpaceTerms, SpaceWriter, decompose};

use super::words::{Sample, SpaceWords, TERMS_MAX};
use crate::Error;

/// How a space is made.
#[derive(Debug, Clone, Copy)]
pub struct SpaceSettings {
    /// How many dimensions it has, if there are as many documents and words.
    pub dimensions: usize,
    /// How many threads work; the space is the same with any number.
    pub threads: usize,
    /// Memory to use. With little, fewer words have a place, and fewer documents say where that is.
    pub memory_bytes: u64,
}

/// What is best on judged collections and still fits a kilobyte for five documents.
const DIMENSIONS: usize = 200;

impl Default for SpaceSettings {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self { dimensions: DIMENSIONS, threads, memory_bytes: 256 << 20 }
    }
}

/// What a document takes at most while its row is made: room for twice its entries, of eight bytes each.
const ROW_BYTES_MAX: u64 = 2 * 8 * ENTRIES_MAX as u64;

/// Rows take at most this share of the memory.
const ROWS_SHARE: u64 = 4;

/// A number of the place of a word takes so much while places are computed: four bytes, twice, and as much for all that is made
/// beside.
const PLACE_BYTES: u64 = 16;

/// With fewer words, pages that speak of the same have none in common.
const TERMS_MIN: usize = 4096;

impl SpaceSettings {
    /// No more documents are decomposed, or put into a space at a time.
    fn stretch(&self) -> u32 {
        (self.memory_bytes / ROWS_SHARE / ROW_BYTES_MAX).clamp(1 << 12, 1 << 18) as u32
    }

    /// No more words have a place.
    fn terms_max(&self) -> usize {
        let bytes = PLACE_BYTES * (self.dimensions as u64).max(1);
        usize::try_from(self.memory_bytes / bytes).unwrap_or(TERMS_MAX).clamp(TERMS_MIN, TERMS_MAX)
    }
}

/// Makes a space of all documents of an index, in the place of the one that is at `path`.
pub fn make_space(index: &Index, path: &Path, settings: SpaceSettings) -> Result<(), Error> {
    let words = SpaceWords::of_index(index, settings.terms_max())?;
    let (weights, documents) = (words.weights(), index.documents());
    let sample = Sample { documents: 0..documents, stride: documents.div_ceil(settings.stretch()).max(1) };
    let columns: Vec<u32> = (0..words.names.len() as u32).collect();
    let matrix = words.matrix(&sample, &columns, &weights, columns.len());
    let basis = decompose(&matrix, settings.dimensions, settings.threads);
    let terms = SpaceTerms::new(words.names.clone(), weights, &matrix, &basis, documents);
    drop(basis);
    let mut writer = SpaceWriter::create(path, &terms, index.set_id(), documents)?;
    if sample.stride == 1 {
        writer.fold_in(&matrix, settings.threads)?;
    } else {
        drop(matrix);
        put(&words, &columns, &terms, 0..documents, &mut writer, settings)?;
    }
    Ok(writer.finish()?)
}

/// Puts the documents of an index into the space of an earlier one: words keep their places, and so do documents that have the
/// same numbers as then, since words and weights say the same of them. It may be the one at `path`.
pub fn fold_into_space(
    index: &Index,
    space: &LatentSpace,
    path: &Path,
    settings: SpaceSettings,
) -> Result<(), Error> {
    let terms = SpaceTerms::of(space);
    let words = SpaceWords::of_names(index, terms.names().to_vec())?;
    let column = |name: &String| space.term(name).expect("names come from the space") as u32;
    let columns: Vec<u32> = words.names.iter().map(column).collect();
    let mut writer = SpaceWriter::create(path, &terms, index.set_id(), index.documents())?;
    let stays =
        index.members().first().is_some_and(|member| member.begins_with(space.of(), space.documents()));
    if stays {
        writer.copy_from(space)?;
    }
    let first = if stays { space.documents() } else { 0 };
    put(&words, &columns, &terms, first..index.documents(), &mut writer, settings)?;
    Ok(writer.finish()?)
}

fn put(
    words: &SpaceWords<'_>,
    columns: &[u32],
    terms: &SpaceTerms,
    documents: Range<u32>,
    writer: &mut SpaceWriter,
    settings: SpaceSettings,
) -> Result<(), Error> {
    for start in documents.clone().step_by(settings.stretch() as usize) {
        let end = documents.end.min(start.saturating_add(settings.stretch()));
        let sample = Sample { documents: start..end, stride: 1 };
        let matrix = words.matrix(&sample, columns, terms.weights(), terms.names().len());
        writer.fold_in(&matrix, settings.threads)?;
    }
    Ok(())
}

/// Whether a space should be decomposed anew for an index of so many documents: when it grew by a quarter since, or lost as
/// many, there are words and neighbourhoods that the space has never seen.
pub fn is_due(space: &LatentSpace, documents: u32) -> bool {
    let (before, now) = (u64::from(space.decomposed()), u64::from(documents));
    before.abs_diff(now) * 4 > before
}
