//! Making a space: terms have their places from a decomposition, documents are put among them.
//!
//! The place of a document is the sum of those of its terms, each by its weight. It is the same for the documents that were
//! decomposed and for those that came later ("folding-in"), because both go through the places of the terms as they are kept.
//!
//! Cost: the places of the terms in memory; documents go to the disk as they come.

use std::path::{Path, PathBuf};

use journal::SealedWriter;
use page::SetId;

use crate::decompose::Basis;
use crate::error::Error;
use crate::matrix::{Entry, Matrix};
use crate::panels::in_parallel;
use crate::quantized;
use crate::space::{Head, KIND, LATENT_FORMAT, LatentSpace};

/// The terms of a space: what they are called, what they weigh, where they are.
#[derive(Debug, Clone)]
pub struct SpaceTerms {
    pub(crate) names: Vec<String>,
    pub(crate) weights: Vec<f32>,
    pub(crate) singular_values: Vec<f32>,
    /// Quantised, one behind the other.
    pub(crate) places: Vec<u8>,
    /// How many documents were decomposed.
    pub(crate) decomposed: u32,
    /// How much of their matrix the dimensions hold, from 0 to 1.
    pub(crate) kept: f32,
}

impl SpaceTerms {
    /// The terms of a decomposition of so many documents, of which `matrix` may have been a sample. Names come in the order of
    /// their bytes, as the columns do.
    pub fn new(
        names: Vec<String>,
        weights: Vec<f32>,
        matrix: &Matrix,
        basis: &Basis,
        documents: u32,
    ) -> Self {
        debug_assert!(names.is_sorted() && names.len() == weights.len());
        let mut places = Vec::with_capacity(names.len() * quantized::bytes_of(basis.dimensions()));
        (0..names.len()).for_each(|term| quantized::write(basis.term(term), &mut places));
        let held: f64 = basis.singular_values().iter().map(|value| f64::from(*value).powi(2)).sum();
        let kept = (held / matrix.energy().max(f64::MIN_POSITIVE)).min(1.0) as f32;
        let singular_values = basis.singular_values().to_vec();
        Self { names, weights, singular_values, places, decomposed: documents, kept }
    }

    /// Those of a space that is there, so that other documents can be put among them.
    pub fn of(space: &LatentSpace) -> Self {
        let terms = 0..space.terms();
        Self {
            names: terms.clone().map(|term| space.name(term).to_owned()).collect(),
            weights: terms.map(|term| space.weight(term)).collect(),
            singular_values: space.singular_values(),
            places: space.places().to_vec(),
            decomposed: space.decomposed(),
            kept: space.kept(),
        }
    }

    /// What they are called, in the order of their bytes.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// What each weighs, by its place among the names.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }
}

/// Writes a space: the terms, and then document after document.
#[derive(Debug)]
pub struct SpaceWriter {
    path: PathBuf,
    file: SealedWriter,
    /// How many documents are still to come.
    missing: usize,
    dimensions: usize,
    /// The places of the terms, as they will be read.
    places: Vec<f32>,
}

/// Documents that a thread takes at a time.
const BATCH: usize = 512;

impl SpaceWriter {
    /// Begins a space of the documents of the set `of`, which are so many; it comes to `path` when it is finished.
    pub fn create(path: &Path, terms: &SpaceTerms, of: SetId, documents: u32) -> Result<Self, Error> {
        let dimensions = terms.singular_values.len();
        let head = Head {
            of,
            documents,
            dimensions: dimensions as u32,
            terms: terms.names.len() as u32,
            decomposed: terms.decomposed,
            kept: terms.kept,
            name_bytes: terms.names.iter().map(|name| name.len() as u32).sum(),
        };
        let mut payload = head.to_bytes().to_vec();
        payload.extend(terms.singular_values.iter().flat_map(|value| value.to_le_bytes()));
        payload.extend(terms.weights.iter().flat_map(|weight| weight.to_le_bytes()));
        let mut end = 0;
        for name in &terms.names {
            end += name.len() as u32;
            payload.extend(end.to_le_bytes());
        }
        terms.names.iter().for_each(|name| payload.extend(name.as_bytes()));
        let mut file = SealedWriter::create(&path.with_added_extension("tmp"), LATENT_FORMAT, KIND)?;
        file.put(&payload)?;
        file.put(&terms.places)?;
        let mut places = Vec::with_capacity(terms.names.len() * dimensions);
        let each = terms.places.chunks(quantized::bytes_of(dimensions));
        each.for_each(|place| places.extend(quantized::read(place)));
        Ok(Self { path: path.to_owned(), file, missing: documents as usize, dimensions, places })
    }

    /// Puts the documents of another space, whose terms have the same places, behind those that are there.
    ///
    /// # Panics
    /// If there are more than were announced, or if the spaces have not as many dimensions.
    pub fn copy_from(&mut self, space: &LatentSpace) -> Result<(), Error> {
        assert_eq!(space.dimensions(), self.dimensions, "the terms are those of that space");
        let missing = self.missing.checked_sub(space.documents() as usize);
        self.missing = missing.expect("no more documents come than were announced");
        Ok(self.file.put(space.document_places())?)
    }

    /// Puts documents behind those that are there.
    ///
    /// # Panics
    /// If there are more than were announced.
    pub fn fold_in(&mut self, documents: &Matrix, threads: usize) -> Result<(), Error> {
        let missing = self.missing.checked_sub(documents.documents());
        self.missing = missing.expect("no more documents come than were announced");
        let batches = in_parallel(documents.documents().div_ceil(BATCH), threads, |batch| {
            let mut bytes = Vec::with_capacity(BATCH * quantized::bytes_of(self.dimensions));
            for document in batch * BATCH..documents.documents().min((batch + 1) * BATCH) {
                quantized::write_unit(&self.place_of(documents.row(document)), &mut bytes);
            }
            bytes
        });
        Ok(batches.iter().try_for_each(|bytes| self.file.put(bytes))?)
    }

    fn place_of(&self, row: &[Entry]) -> Vec<f32> {
        let mut place = vec![0.0; self.dimensions];
        for entry in row {
            let term = &self.places[entry.term as usize * self.dimensions..][..self.dimensions];
            place.iter_mut().zip(term).for_each(|(x, y)| *x += entry.weight * y);
        }
        place
    }

    /// Puts the space where it belongs, in the place of the one that was there.
    ///
    /// # Panics
    /// If there are fewer documents than were announced.
    pub fn finish(self) -> Result<(), Error> {
        assert_eq!(self.missing, 0, "all documents come that were announced");
        self.file.finish_as(&self.path)?;
        Ok(())
    }
}
