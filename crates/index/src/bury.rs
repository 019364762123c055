//! Burying documents: from a commit on they are dead, which [`crate::dead`] tells.

use std::collections::BTreeMap;
use std::path::Path;

use journal::Generation;
use page::PageKey;

use crate::dead::{remove_others, write_bits};
use crate::manifest::{Manifest, SEGMENT};
use crate::{Error, Index};

/// Declares the documents with these keys dead: no search finds them from now on. Keys that the index does not have are
/// passed over. `stamp` says what is dead then, in the caller's own words; [`Index::dead_stamp`] gives it back until
/// documents are added. Returns how many documents died.
pub fn bury(dir: &Path, keys: &[PageKey], stamp: &str) -> Result<u64, Error> {
    // Before anything is locked, since locking makes the folder.
    Manifest::read(dir)?;
    let generation = Generation::begin(dir, SEGMENT)?;
    let mut manifest = Manifest::read(dir)?;
    let before = manifest.report().dead;
    let touched = bury_in(dir, &mut manifest, keys)?;
    manifest.dead_stamp = stamp.to_owned();
    let used: Vec<&str> = manifest.segments.iter().map(|segment| &*segment.folder).collect();
    generation.commit(&manifest.to_json(), &used)?;
    remove_others_of(dir, &manifest, &touched);
    Ok(manifest.report().dead - before)
}

/// Declares documents of the index in `dir` dead in a manifest that is to be committed, whose segments are those of the
/// index. Returns which of them have other dead documents then.
pub(crate) fn bury_in(dir: &Path, manifest: &mut Manifest, keys: &[PageKey]) -> Result<Vec<usize>, Error> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let bits_by_segment = bits_with(&Index::open(dir)?, keys);
    for (&segment, bits) in &bits_by_segment {
        let entry = &mut manifest.segments[segment];
        entry.dead = Some(write_bits(&dir.join(&entry.folder), entry.dead.as_ref(), bits)?);
    }
    Ok(bits_by_segment.into_keys().collect())
}

/// Removes what said before which documents of these segments are dead.
pub(crate) fn remove_others_of(dir: &Path, manifest: &Manifest, segments: &[usize]) {
    for entry in segments.iter().map(|&segment| &manifest.segments[segment]) {
        // What cannot be removed now takes a little space and is never read.
        let _ = remove_others(&dir.join(&entry.folder), entry.dead.as_ref());
    }
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
