//! Documents that are equal, shingle for shingle. They are found first, by a digest of 128 bits, so that a page that
//! was met a hundred thousand times costs as much as any other page: only the first of equal documents goes on.
//!
//! Method: a first pass over the digests finds which may be there twice ([`RepeatFilter`]). In a second pass these, with
//! the document number in place of the lowest 32 bits, are gathered and sorted. What is left of the digest has 96 bits,
//! so that among ten million documents two are taken for equal by accident with probability 1e-15. Where memory is
//! short, they are sorted in several parts, by their first bits. O(n) for texts that are all different, O(n log n) at
//! worst; four bytes per document for the filter, and 16 for each copy of a part.

use crate::Error;
use crate::deduplicator::files::SketchFiles;
use crate::deduplicator::sketching::NO_DIGEST;
use crate::repeat_filter::RepeatFilter;

/// For each document the first that equals it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ExactCopies {
    firsts: Vec<u32>,
    /// Documents that equal an earlier one.
    pub copies: u64,
}

/// In place of the first document, for those that have no shingles and equal nothing.
const NOTHING: u32 = u32::MAX;

impl ExactCopies {
    /// Finds them, with so much memory beside the result.
    pub fn find(files: &SketchFiles, memory_bytes: u64) -> Result<Self, Error> {
        let bytes = u64::from(files.documents()) * 16;
        let parts = bytes.div_ceil(memory_bytes.max(1 << 20)).max(1);
        let mut firsts = vec![NOTHING; files.documents() as usize];
        let mut copies = 0;
        let mut filter = RepeatFilter::new(files.documents() as usize);
        files.digests(|document, digest| {
            if digest != NO_DIGEST {
                filter.see((digest >> 64) as u64);
                firsts[document as usize] = document;
            }
        })?;
        let mut sorted = Vec::new();
        for part in 0..u128::from(parts) {
            sorted.clear();
            files.digests(|document, digest| {
                let may_be_copy = digest != NO_DIGEST && filter.may_be_repeat((digest >> 64) as u64);
                if may_be_copy && ((digest >> 64) * u128::from(parts)) >> 64 == part {
                    sorted.push((digest >> 32 << 32) | u128::from(document));
                }
            })?;
            sorted.sort_unstable();
            for class in sorted.chunk_by(|left, right| left >> 32 == right >> 32) {
                for entry in class {
                    firsts[*entry as u32 as usize] = class[0] as u32;
                }
                copies += class.len() as u64 - 1;
            }
        }
        Ok(Self { firsts, copies })
    }

    /// The first document that equals this one; none if it has no shingles.
    pub fn first_of(&self, document: u32) -> Option<u32> {
        Some(self.firsts[document as usize]).filter(|first| *first != NOTHING)
    }

    /// True if copies of this document are looked for: it has shingles and is the first of its kind.
    pub fn is_first(&self, document: u32) -> bool {
        self.firsts[document as usize] == document
    }

    /// The number of documents.
    pub fn documents(&self) -> u32 {
        self.firsts.len() as u32
    }
}
