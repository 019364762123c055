//! A space on disk: where terms and documents are.
//!
//! ```text
//! payload (of a sealed file, kind "spac"):
//!   of          u64         identity of the set whose documents these are
//!   documents   u32
//!   dimensions  u32
//!   terms       u32
//!   decomposed  u32         how many documents the places of the terms come from
//!   kept        f32         how much of their matrix the dimensions hold
//!   name bytes  u32
//!   singular values         f32 × dimensions
//!   weights                 f32 × terms
//!   name ends               u32 × terms
//!   names                   in the order of their bytes
//!   places of terms         (scale f32, i8 × dimensions) × terms
//!   documents               (scale f32, i8 × dimensions) × documents, each of length 1, or 0 if nothing is known of it
//! ```
//!
//! A document takes 204 bytes with 200 dimensions. The file is written under another name and renamed.
//!
//! Cost: opening verifies every byte. A cosine is one product of `dimensions` numbers; the nearest of all documents are found
//! by looking at each, 20 million numbers a millisecond.

use std::ops::Range;
use std::path::Path;

use journal::{Bytes, Format, Kind, SealedFile, u32_at, u64_at};
use page::SetId;

use crate::error::Error;
use crate::quantized;

/// How spaces are written.
pub const LATENT_FORMAT: Format = Format { magic: *b"CRLATENT", version: 1 };

pub(crate) const KIND: Kind = *b"spac";

/// What stands at the beginning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Head {
    pub(crate) of: SetId,
    pub(crate) documents: u32,
    pub(crate) dimensions: u32,
    pub(crate) terms: u32,
    pub(crate) decomposed: u32,
    pub(crate) kept: f32,
    pub(crate) name_bytes: u32,
}

const HEAD_BYTES: usize = 32;

impl Head {
    pub(crate) fn to_bytes(self) -> [u8; HEAD_BYTES] {
        let mut bytes = [0; HEAD_BYTES];
        bytes[..8].copy_from_slice(&self.of.get().to_le_bytes());
        let rest = [
            self.documents,
            self.dimensions,
            self.terms,
            self.decomposed,
            self.kept.to_bits(),
            self.name_bytes,
        ];
        for (place, number) in bytes[8..].as_chunks_mut::<4>().0.iter_mut().zip(rest) {
            *place = number.to_le_bytes();
        }
        bytes
    }

    fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.get(..HEAD_BYTES)?;
        Some(Self {
            of: SetId::new(u64_at(bytes, 0)),
            documents: u32_at(bytes, 8),
            dimensions: u32_at(bytes, 12),
            terms: u32_at(bytes, 16),
            decomposed: u32_at(bytes, 20),
            kept: f32::from_bits(u32_at(bytes, 24)),
            name_bytes: u32_at(bytes, 28),
        })
    }
}

/// Where terms and documents are, open for reading. Cheap to clone; threads may share one.
#[derive(Debug, Clone)]
pub struct LatentSpace {
    head: Head,
    singular_values: Vec<f32>,
    weights: Vec<f32>,
    name_ends: Vec<u32>,
    names: Bytes,
    places: Bytes,
    documents: Bytes,
}

/// A direction in a space: what somebody means.
#[derive(Debug, Clone, PartialEq)]
pub struct Meaning {
    /// Of length 1, quantised.
    bytes: Vec<u8>,
}

impl Meaning {
    /// What somebody means who means all of these, each by its weight; `None` if they cancel out or there is none.
    pub fn together(meanings: &[(Meaning, f32)]) -> Option<Self> {
        let mut sum = vec![0.0; meanings.first()?.0.bytes.len() - quantized::bytes_of(0)];
        for (meaning, weight) in meanings {
            sum.iter_mut().zip(quantized::read(&meaning.bytes)).for_each(|(x, y)| *x += weight * y);
        }
        Self::towards(&sum)
    }

    fn towards(direction: &[f32]) -> Option<Self> {
        let mut bytes = Vec::new();
        quantized::write_unit(direction, &mut bytes);
        (quantized::split(&bytes).0 > 0.0).then_some(Self { bytes })
    }
}

impl LatentSpace {
    /// Opens and verifies a file.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let payload = SealedFile::open(path, LATENT_FORMAT, KIND)?.into_payload()?;
        let lie = |reason| Error::damaged(path, reason);
        let head = Head::of_bytes(&payload).ok_or(lie("it is too short"))?;
        let (dimensions, terms) = (head.dimensions as usize, head.terms as usize);
        let sizes = [
            HEAD_BYTES,
            4 * dimensions,
            4 * terms,
            4 * terms,
            head.name_bytes as usize,
            terms.saturating_mul(quantized::bytes_of(dimensions)),
            (head.documents as usize).saturating_mul(quantized::bytes_of(dimensions)),
        ];
        let [_, singular_values, weights, name_ends, names, places, documents] =
            parts(&payload, sizes).ok_or(lie("it does not have what its head says"))?;
        let name_ends: Vec<u32> = numbers(&name_ends).map(u32::from_le_bytes).collect();
        let are_names = std::str::from_utf8(&names).is_ok_and(|names| {
            let is_whole = |end: &u32| names.is_char_boundary(*end as usize);
            name_ends.is_sorted() && name_ends.iter().all(is_whole)
        });
        if !are_names || name_ends.last().is_some_and(|end| *end != head.name_bytes) {
            return Err(lie("its names are no names"));
        }
        let floats = |bytes: &Bytes| numbers(bytes).map(f32::from_le_bytes).collect::<Vec<f32>>();
        let (singular_values, weights) = (floats(&singular_values), floats(&weights));
        Ok(Self { head, singular_values, weights, name_ends, names, places, documents })
    }

    /// Whose documents these are.
    pub fn of(&self) -> SetId {
        self.head.of
    }

    /// How many documents have a place.
    pub fn documents(&self) -> u32 {
        self.head.documents
    }

    /// How many dimensions it has.
    pub fn dimensions(&self) -> usize {
        self.head.dimensions as usize
    }

    /// How many terms have a place.
    pub fn terms(&self) -> usize {
        self.head.terms as usize
    }

    /// From how many documents the places of the terms come; others were folded in.
    pub fn decomposed(&self) -> u32 {
        self.head.decomposed
    }

    /// How much of the matrix of those documents the dimensions hold, from 0 to 1.
    pub fn kept(&self) -> f32 {
        self.head.kept
    }

    /// How much each dimension matters, the most important first.
    pub fn singular_values(&self) -> Vec<f32> {
        self.singular_values.clone()
    }

    /// What a term is called.
    pub fn name(&self, term: usize) -> &str {
        let start = term.checked_sub(1).map_or(0, |before| self.name_ends[before]);
        let name = &self.names[start as usize..self.name_ends[term] as usize];
        std::str::from_utf8(name).expect("names were looked at when the file was opened")
    }

    /// How telling a term is, from 0 to 1.
    pub fn weight(&self, term: usize) -> f32 {
        self.weights[term]
    }

    /// The term of this name.
    pub fn term(&self, name: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.terms());
        while low < high {
            let middle = (low + high) / 2;
            match self.name(middle).cmp(name) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    pub(crate) fn places(&self) -> &[u8] {
        &self.places
    }

    pub(crate) fn document_places(&self) -> &[u8] {
        &self.documents
    }

    /// The meaning of a document; `None` if nothing is known of it.
    pub fn meaning_of_document(&self, document: u32) -> Option<Meaning> {
        let known = Some(document).filter(|document| *document < self.documents())?;
        let bytes = self.vector(&self.documents, known as usize).to_vec();
        (quantized::split(&bytes).0 > 0.0).then_some(Meaning { bytes })
    }

    /// How near a document is to a meaning, from −1 to 1; 0 where nothing is known of it.
    #[inline]
    pub fn cosine(&self, meaning: &Meaning, document: u32) -> f32 {
        match document < self.documents() {
            true => cosine(&meaning.bytes, self.vector(&self.documents, document as usize)),
            false => 0.0,
        }
    }

    /// How near each document of a range is to a meaning.
    pub fn cosines(&self, meaning: &Meaning, documents: Range<u32>) -> impl Iterator<Item = (u32, f32)> {
        let documents = documents.start..documents.end.min(self.documents());
        documents.map(|document| (document, self.cosine(meaning, document)))
    }

    #[inline]
    fn vector<'b>(&self, vectors: &'b Bytes, number: usize) -> &'b [u8] {
        let size = quantized::bytes_of(self.dimensions());
        &vectors[number * size..(number + 1) * size]
    }
}

/// Reads a whole file and says what it holds: documents, terms, dimensions.
pub fn check_file(path: &Path) -> Result<[u64; 3], Error> {
    let Head { documents, terms, dimensions, .. } = LatentSpace::open(path)?.head;
    Ok([documents, terms, dimensions].map(u64::from))
}

#[inline]
fn cosine(one: &[u8], other: &[u8]) -> f32 {
    let ((one_scale, one), (other_scale, other)) = (quantized::split(one), quantized::split(other));
    one_scale * other_scale * quantized::dot(one, other) as f32
}

/// Cuts a payload into parts of these sizes, which must be all of it.
fn parts<const N: usize>(payload: &Bytes, sizes: [usize; N]) -> Option<[Bytes; N]> {
    let mut end = 0usize;
    let mut parts = Vec::with_capacity(N);
    for size in sizes {
        let start = end;
        end = end.checked_add(size)?;
        parts.push(payload.cut(start..end)?);
    }
    parts.try_into().ok().filter(|_| end == payload.len())
}

fn numbers(bytes: &Bytes) -> impl Iterator<Item = [u8; 4]> {
    bytes.as_chunks().0.iter().copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Matrix, SpaceTerms, SpaceWriter, decompose};

    const NAMES: [&str; 6] = ["cani", "di", "e", "gatti", "io", "parlo"];

    /// The documents of the notes, and one that is folded in.
    fn space(folder: &Path) -> std::path::PathBuf {
        let rows: [&[(u32, f32)]; 3] = [
            &[(0, 1.0), (1, 1.0), (4, 1.0), (5, 1.0)],
            &[(0, 1.0), (2, 1.0), (3, 1.0)],
            &[(1, 1.0), (3, 1.0), (4, 1.0), (5, 1.0)],
        ];
        let matrix = Matrix::of_rows(6, &rows);
        let names = NAMES.map(str::to_owned).to_vec();
        let terms = SpaceTerms::new(names, vec![1.0; 6], &matrix, &decompose(&matrix, 2, 1), 3);
        let path = folder.join("space");
        let mut writer = SpaceWriter::create(&path, &terms, SetId::new(7), 5).unwrap();
        writer.fold_in(&matrix, 2).unwrap();
        writer.fold_in(&Matrix::of_rows(6, &[&[(0, 2.0)], &[]]), 1).unwrap();
        assert!(!path.exists(), "it is there when it is finished");
        writer.finish().unwrap();
        path
    }

    #[test]
    fn who_asks_for_dogs_finds_cats() {
        let folder = tempfile::tempdir().unwrap();
        let space = LatentSpace::open(&space(folder.path())).unwrap();
        assert_eq!((space.of(), space.documents(), space.terms()), (SetId::new(7), 5, 6));
        assert_eq!(space.term("gatti"), Some(3));
        assert_eq!([space.term(""), space.term("gatto"), space.term("z")], [None; 3]);
        let dogs = space.meaning_of_document(3).expect("it has a word");
        let near: Vec<f32> = space.cosines(&dogs, 0..99).map(|(_, cosine)| cosine).collect();
        // The document about cats is as near as the one about dogs, and the one that has both is nearer.
        assert!((near[0] - near[2]).abs() < 0.02 && near[1] > near[0] && near[2] > 0.3, "{near:?}");
        assert_eq!((near[4], near.len()), (0.0, 5), "of a document without words nothing is known");
        assert_eq!([space.meaning_of_document(4), space.meaning_of_document(5)], [None, None]);
        let both =
            Meaning::together(&[(dogs.clone(), 1.0), (space.meaning_of_document(2).unwrap(), 1.0)]).unwrap();
        assert!(space.cosine(&both, 2) > near[2] && space.cosine(&both, 3) < 0.999);
        assert_eq!((Meaning::together(&[]), Meaning::together(&[(dogs, 0.0)])), (None, None));
    }

    #[test]
    fn a_space_gives_its_terms_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = space(folder.path());
        let space = LatentSpace::open(&path).unwrap();
        let terms = SpaceTerms::of(&space);
        assert_eq!(terms.names(), NAMES);
        SpaceWriter::create(&path, &terms, SetId::new(8), 0).unwrap().finish().unwrap();
        let again = LatentSpace::open(&path).unwrap();
        assert_eq!((again.documents(), again.decomposed(), again.kept()), (0, 3, space.kept()));
        assert!(terms.weights() == SpaceTerms::of(&again).weights() && again.places() == space.places());
    }

    #[test]
    fn a_flipped_or_missing_byte_of_a_space_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = space(folder.path());
        let bytes = std::fs::read(&path).unwrap();
        for place in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[place] ^= 0x10;
            for damaged in [flipped.as_slice(), &bytes[..place]] {
                std::fs::write(&path, damaged).unwrap();
                let error = LatentSpace::open(&path).unwrap_err().to_string();
                assert!(error.contains(path.to_str().unwrap()), "{error}");
            }
        }
    }
}
