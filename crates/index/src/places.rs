//! From the key of a page to its document, where documents are in another order than keys.
//!
//! ```text
//! places   for each document, by ascending key: its number in the segment (u32)
//! ```
//!
//! Where keys ascend with the numbers of documents there is no such file: they are searched as they stand.
//!
//! Cost: 4 bytes for each document on disk; a binary search through two files.

use std::path::Path;

use journal::{SealedFile, u32_at, write_sealed};
use page::PageKey;

use crate::Error;
use crate::file::{self, INDEX_FORMAT, PLACES_KIND};

const FILE: &str = "places";

/// Writes the places of documents with these keys to `folder`, if the keys do not ascend. Returns the identity of the file
/// and its bytes.
pub(crate) fn write(folder: &Path, keys: &[PageKey]) -> Result<Option<(u64, u64)>, Error> {
    if keys.is_sorted() {
        return Ok(None);
    }
    let mut places: Vec<u32> = (0..keys.len() as u32).collect();
    places.sort_unstable_by_key(|&document| (keys[document as usize], document));
    let bytes: Vec<u8> = places.iter().flat_map(|place| place.to_le_bytes()).collect();
    let sealed = write_sealed(&folder.join(FILE), INDEX_FORMAT, PLACES_KIND, &bytes)?;
    Ok(Some((sealed.identity, sealed.file_bytes)))
}

/// The places of the documents of a segment.
#[derive(Debug, Default)]
pub(crate) struct Places {
    file: Option<SealedFile>,
}

impl Places {
    /// Opens and verifies those of a segment of so many documents that lies in `folder`.
    pub(crate) fn open(folder: &Path, identity: Option<u64>, documents: u64) -> Result<Self, Error> {
        let Some(identity) = identity else { return Ok(Self::default()) };
        let file = file::open(&folder.join(FILE), PLACES_KIND, identity)?;
        let bytes = file.all_bytes()?;
        let is_there = |place: &[u8]| u64::from(u32_at(place, 0)) < documents;
        if bytes.len() as u64 != documents.saturating_mul(4) || !bytes.chunks_exact(4).all(is_there) {
            return Err(Error::damaged(file.path(), "it does not have one place for each document"));
        }
        Ok(Self { file: Some(file) })
    }

    /// The document of the segment whose key is the n-th.
    #[inline]
    pub(crate) fn document(&self, nth: u32) -> u32 {
        let Some(file) = &self.file else { return nth };
        let at = u64::from(nth) * 4;
        u32_at(file.verified_bytes(at..at + 4), 0)
    }
}
