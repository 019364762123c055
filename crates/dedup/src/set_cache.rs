//! Sets of shingles at hand, so that a document that is compared often is not read as often.
//!
//! Two generations: what is used is in the young one; when that is full it becomes the old one, and the old one is
//! forgotten. So what was used lately is kept, as in a least-recently-used cache, with nothing but two maps.

use std::collections::HashMap;
use std::mem;
use std::rc::Rc;

use crate::{DocumentReader, Documents, Shingler, Shingling, TextOptions, Unreadable, make_set};

/// Reads documents and keeps their sets.
pub(crate) struct SetCache<'a> {
    reader: Box<dyn DocumentReader + 'a>,
    shingler: Shingler,
    text: Vec<u8>,
    hashes: Vec<u64>,
    young: HashMap<u32, Rc<Vec<u64>>>,
    old: HashMap<u32, Rc<Vec<u64>>>,
    young_bytes: u64,
    generation_bytes_max: u64,
    unreadable: Vec<(u32, Unreadable)>,
}

/// A buffer that one huge document has blown up is given back.
const KEPT_ITEMS_MAX: usize = 1 << 22;

/// Empties a buffer, and frees it if it is huge.
pub(crate) fn forget_huge<T>(buffer: &mut Vec<T>) {
    buffer.clear();
    if buffer.capacity() > KEPT_ITEMS_MAX {
        *buffer = Vec::new();
    }
}

/// What a set costs beside its hashes, about.
const ENTRY_BYTES: u64 = 64;

impl<'a> SetCache<'a> {
    /// With so much memory, beside that for the set that is asked for.
    pub fn new(
        documents: &'a dyn Documents,
        shingling: Shingling,
        text: TextOptions,
        memory_bytes: u64,
    ) -> Self {
        Self {
            reader: documents.reader(),
            shingler: Shingler::new(shingling, text),
            text: Vec::new(),
            hashes: Vec::new(),
            young: HashMap::new(),
            old: HashMap::new(),
            young_bytes: 0,
            generation_bytes_max: memory_bytes / 2,
            unreadable: Vec::new(),
        }
    }

    /// The set of a document, sorted. One that cannot be read any more is empty.
    pub fn get(&mut self, document: u32) -> Rc<Vec<u64>> {
        if let Some(set) = self.young.get(&document) {
            return Rc::clone(set);
        }
        let set = self.old.remove(&document).unwrap_or_else(|| self.read(document));
        self.young_bytes += mem::size_of_val(set.as_slice()) as u64 + ENTRY_BYTES;
        if self.young_bytes > self.generation_bytes_max {
            self.old = mem::take(&mut self.young);
            self.young_bytes = mem::size_of_val(set.as_slice()) as u64 + ENTRY_BYTES;
        }
        self.young.insert(document, Rc::clone(&set));
        set
    }

    fn read(&mut self, document: u32) -> Rc<Vec<u64>> {
        if let Err(why) = self.reader.read(document, &mut self.text) {
            self.text.clear();
            self.unreadable.push((document, why));
        }
        self.shingler.shingle(&self.text, &mut self.hashes);
        forget_huge(&mut self.text);
        make_set(&mut self.hashes);
        // A huge set is not copied: it moves.
        let is_huge = self.hashes.capacity() > KEPT_ITEMS_MAX;
        let mut set = if is_huge { mem::take(&mut self.hashes) } else { self.hashes.clone() };
        set.shrink_to_fit();
        Rc::new(set)
    }

    /// The documents that could not be read since the last call.
    pub fn take_unreadable(&mut self) -> Vec<(u32, Unreadable)> {
        mem::take(&mut self.unreadable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_the_same_from_any_cache_and_few_are_kept() {
        let texts: Vec<String> =
            (0..50).map(|n| format!("the text number {n} has its {} words", n % 7)).collect();
        let documents: &[String] = &texts;
        let wanted: Vec<u32> = (0..400).map(|n| n * n % 50).collect();
        let read_all = |memory_bytes| {
            let mut cache =
                SetCache::new(&documents, Shingling::Words(2), TextOptions::default(), memory_bytes);
            let sets: Vec<_> = wanted.iter().map(|document| cache.get(*document)).collect();
            (sets, cache.young.len() + cache.old.len())
        };
        let (all, kept_all) = read_all(1 << 20);
        let (few, kept_few) = read_all(1000);
        assert_eq!(all, few);
        assert!(kept_few < kept_all && kept_few <= 9, "{kept_few} of {kept_all}");
    }
}
