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

use std::collections::BTreeMap;
use std::path::Path;

use journal::{Generation, Kind, SealedFile, write_sealed};
use page::PageKey;
use serde::{Deserialize, Serialize};

use crate::file::{self, INDEX_FORMAT};
use crate::manifest::{Manifest, SEGMENT, SegmentEntry};
use crate::{Error, Index};

/// The kind of such a file.
pub(crate) const DEAD_KIND: Kind = *b"dead";

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
    /// Opens and verifies those of a segment that lies in `folder`.
    pub(crate) fn open(folder: &Path, segment: &SegmentEntry) -> Result<Self, Error> {
        let Some(entry) = &segment.dead else { return Ok(Self::default()) };
        let file = file::open(&folder.join(entry.file_name()), DEAD_KIND, entry.header_checksum)?;
        let bytes = file.all_bytes()?;
        let count: u64 = bytes.iter().map(|byte| u64::from(byte.count_ones())).sum();
        if bytes.len() as u64 != segment.counts.documents.div_ceil(8) || count != entry.documents {
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

/// Declares the documents with these keys dead: no search finds them from now on. Keys that the index does not have are
/// passed over. `stamp` says what is dead then, in the caller's own words; [`Index::dead_stamp`] gives it back until
/// documents are added. Returns how many documents died.
pub fn bury(dir: &Path, keys: &[PageKey], stamp: &str) -> Result<u64, Error> {
    // Before anything is locked, since locking makes the folder.
    Manifest::read(dir)?;
    let generation = Generation::begin(dir, SEGMENT)?;
    let mut manifest = Manifest::read(dir)?;
    let before = manifest.report().dead;
    let bits_by_segment = bits_with(&Index::open(dir)?, keys);
    for (&segment, bits) in &bits_by_segment {
        let entry = &mut manifest.segments[segment];
        entry.dead = Some(write_bits(&dir.join(&entry.folder), entry.dead.as_ref(), bits)?);
    }
    manifest.dead_stamp = stamp.to_owned();
    let used: Vec<&str> = manifest.segments.iter().map(|segment| &*segment.folder).collect();
    generation.commit(&manifest.to_json(), &used)?;
    for &segment in bits_by_segment.keys() {
        let entry = &manifest.segments[segment];
        // What cannot be removed now takes a little space and is never read.
        let _ = remove_others(&dir.join(&entry.folder), entry.dead.as_ref());
    }
    Ok(manifest.report().dead - before)
}

/// The bits of the segments in which documents die: of those that are dead already and of these.
fn bits_with(index: &Index, keys: &[PageKey]) -> BTreeMap<usize, Vec<u8>> {
    let mut bits_by_segment = BTreeMap::new();
    for doc in keys.iter().filter_map(|&key| index.find_key(key)) {
        let (number, segment) = index.segment_at(doc);
        let bits = bits_by_segment.entry(number).or_insert_with(|| segment.dead_bits());
        let document = doc.get() - segment.base().get();
        bits[document as usize / 8] |= 1 << (document % 8);
    }
    bits_by_segment
}

fn write_bits(folder: &Path, before: Option<&DeadEntry>, bits: &[u8]) -> Result<DeadEntry, Error> {
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
fn remove_others(folder: &Path, in_force: Option<&DeadEntry>) -> Result<(), Error> {
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
