//! One of the indexes that are open as one.
//!
//! Keys are places in the page table of a collection, so two collections have the same ones. Where several are open, the
//! number of the index stands in the high bits of a key: whoever is given one by a search knows whose it is.

use std::ops::Range;
use std::path::{Path, PathBuf};

use page::{DocId, PageKey, SetId};

use crate::manifest::Manifest;

/// The number of an index stands above so many bits of a key: no page table has a tebibyte.
const KEY_BITS: u32 = 40;

/// What is known of one of the indexes that are open as one.
#[derive(Debug)]
pub struct IndexMember {
    number: usize,
    dir: PathBuf,
    source_stamp: String,
    dead_stamp: String,
    set_id: SetId,
    beginnings: Vec<(u64, SetId)>,
    documents: Range<DocId>,
    segments: Range<usize>,
}

impl IndexMember {
    pub(crate) fn new(
        number: usize,
        dir: &Path,
        manifest: &Manifest,
        documents: Range<DocId>,
        segments: Range<usize>,
    ) -> Self {
        Self {
            number,
            dir: dir.to_owned(),
            source_stamp: manifest.source_stamp().to_owned(),
            dead_stamp: manifest.dead_stamp.clone(),
            set_id: manifest.set_id(),
            beginnings: manifest.beginnings(),
            documents,
            segments,
        }
    }

    /// Its place among those that were opened.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The folder that was opened.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The numbers of its documents, dead ones too.
    pub fn documents(&self) -> Range<DocId> {
        self.documents.clone()
    }

    pub(crate) fn segments(&self) -> Range<usize> {
        self.segments.clone()
    }

    /// What its last build was told about its source.
    pub fn source_stamp(&self) -> &str {
        &self.source_stamp
    }

    /// What [`crate::bury`] was told last, if nothing was added since.
    pub fn dead_stamp(&self) -> &str {
        &self.dead_stamp
    }

    /// Which pages have which numbers, counted from its first.
    pub fn set_id(&self) -> SetId {
        self.set_id
    }

    /// Whether its first documents are those of an earlier state of it, as many and with the same numbers.
    pub fn begins_with(&self, set_id: SetId, documents: u32) -> bool {
        self.beginnings.contains(&(documents.into(), set_id))
    }

    /// The key under which all that are open know what has this key here.
    pub fn key(&self, key: PageKey) -> PageKey {
        PageKey::new((self.number as u64) << KEY_BITS | key.get())
    }
}

/// The number of an index among several, and the key there.
pub(crate) fn split(key: PageKey) -> (usize, PageKey) {
    ((key.get() >> KEY_BITS) as usize, PageKey::new(key.get() & ((1 << KEY_BITS) - 1)))
}
