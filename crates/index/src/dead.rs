//! Tombstones: which documents of a segment are dead.
//!
//! A segment is never changed. That a document of it was replaced by a newer version of its page, or forgotten, is said by
//! a file beside the others, which the manifest names:
//!
//! ```text
//! dead-N   a bit for each document of the segment, low ones first: 1 if it is dead
//! ```
//!
//! More dead documents are another file, with the next number; the rename that puts the manifest in force is the moment
//! from which they are dead, all at once. Cursors pass over them, and a merge drops them ([`crate::segment_merge`]). Until
//! then they are counted by document frequencies and average lengths.
//!
//! Cost: a bit of a document on disk; for cursors, a load of it in segments that have dead documents.

use std::path::Path;

use journal::{SealedFile, write_sealed};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::file::{self, DEAD_KIND, INDEX_FORMAT};

const PREFIX: &str = "dead-";

/// What the manifest says of the dead documents of a segment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeadEntry {
    /// The number in the name of the file.
    number: u64,
    /// How many are dead; at least one.
    pub(crate) documents: u64,
    header_checksum: u64,
}

impl DeadEntry {
    fn file_name(&self) -> String {
        format!("{PREFIX}{}", self.number)
    }
}

/// The dead documents of a segment, which may be none.
#[derive(Debug, Default)]
pub(crate) struct DeadSet {
    file: Option<SealedFile>,
    documents: u32,
}

impl DeadSet {
    /// Opens and verifies those of a segment of so many documents that lies in `folder`.
    pub(crate) fn open(folder: &Path, entry: Option<&DeadEntry>, documents: u64) -> Result<Self, Error> {
        let Some(entry) = entry else { return Ok(Self::default()) };
        let file = file::open(&folder.join(entry.file_name()), DEAD_KIND, entry.header_checksum)?;
        let bytes = file.all_bytes()?;
        let count: u64 = bytes.iter().map(|byte| u64::from(byte.count_ones())).sum();
        if bytes.len() as u64 != documents.div_ceil(8) || count != entry.documents {
            return Err(Error::damaged(file.path(), "it does not have one bit for each document"));
        }
        Ok(Self { documents: count as u32, file: Some(file) })
    }

    /// How many documents are dead.
    pub(crate) fn len(&self) -> u32 {
        self.documents
    }

    /// A bit for each document; nothing where none is dead.
    pub(crate) fn bits(&self) -> &[u8] {
        self.file.as_ref().map_or(&[], |file| file.verified_bytes(0..file.payload_bytes()))
    }

    /// Whether a document of the segment is dead.
    #[inline]
    pub(crate) fn has(&self, document: u32) -> bool {
        is_set(self.bits(), document)
    }
}

/// Whether the bit of a document is set; bits that are not there are not.
#[inline]
pub(crate) fn is_set(bits: &[u8], document: u32) -> bool {
    bits.get(document as usize / 8).is_some_and(|byte| byte >> (document % 8) & 1 != 0)
}

/// Writes the bits of a segment that lies in `folder`, behind those before.
pub(crate) fn write_bits(folder: &Path, before: Option<&DeadEntry>, bits: &[u8]) -> Result<DeadEntry, Error> {
    let mut entry = DeadEntry {
        number: before.map_or(0, |entry| entry.number) + 1,
        documents: bits.iter().map(|byte| u64::from(byte.count_ones())).sum(),
        header_checksum: 0,
    };
    let sealed = write_sealed(&folder.join(entry.file_name()), INDEX_FORMAT, DEAD_KIND, bits)?;
    journal::sync_folder(folder)?;
    entry.header_checksum = sealed.identity;
    Ok(entry)
}

/// Removes the files that are not the one in force.
pub(crate) fn remove_others(folder: &Path, in_force: Option<&DeadEntry>) -> Result<(), Error> {
    let in_force = in_force.map(DeadEntry::file_name);
    for file in fs_err::read_dir(folder)? {
        let file = file?;
        let name = file.file_name();
        let is_dead = name.to_str().is_some_and(|name| name.starts_with(PREFIX));
        if is_dead && name.to_str() != in_force.as_deref() {
            fs_err::remove_file(file.path())?;
        }
    }
    Ok(())
}
