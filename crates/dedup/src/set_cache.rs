//! Sets of shingles at hand, so that a document that is compared often is not read as often.
//!
//! Two generations: what is used is in the young one; when that is full it becomes the old one, and the old one is
//! forgotten. So what was used lately is kept, as in a least-recently-used cache, with nothing but two maps.
//!
//! All threads share one cache, which outlives them: the same documents meet again in the next band, and there with any
//! thread. A thread reads without the lock; two that miss the same set at the same time both read it, and do no harm.

use std::collections::HashMap;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::{DocumentReader, Documents, Shingler, Shingling, TextOptions, Unreadable, make_set};

/// Keeps sets, for all threads.
pub(crate) struct SetCache {
    generations: Mutex<Generations>,
}

#[derive(Default)]
struct Generations {
    young: HashMap<u32, Arc<Vec<u64>>>,
    old: HashMap<u32, Arc<Vec<u64>>>,
    young_bytes: u64,
    generation_bytes_max: u64,
}

/// Gets sets from the cache, or reads documents, for one thread.
pub(crate) struct SetReader<'a> {
    cache: &'a SetCache,
    reader: Box<dyn DocumentReader + 'a>,
    shingler: Shingler,
    text: Vec<u8>,
    hashes: Vec<u64>,
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

impl SetCache {
    /// With so much memory, beside that for the sets that are being compared.
    pub fn new(memory_bytes: u64) -> Self {
        let generations = Generations { generation_bytes_max: memory_bytes / 2, ..Generations::default() };
        Self { generations: Mutex::new(generations) }
    }

    fn lock(&self) -> MutexGuard<'_, Generations> {
        self.generations.lock().expect("no thread panics with this lock")
    }
}

impl Generations {
    /// A set, which is young again.
    fn get(&mut self, document: u32) -> Option<Arc<Vec<u64>>> {
        if let Some(set) = self.young.get(&document) {
            return Some(Arc::clone(set));
        }
        let set = self.old.remove(&document)?;
        self.insert(document, Arc::clone(&set));
        Some(set)
    }

    fn insert(&mut self, document: u32, set: Arc<Vec<u64>>) {
        let bytes = mem::size_of_val(set.as_slice()) as u64 + ENTRY_BYTES;
        if self.young_bytes + bytes > self.generation_bytes_max {
            self.old = mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        // Another thread may have read the same one meanwhile.
        if self.young.insert(document, set).is_none() {
            self.young_bytes += bytes;
        }
    }
}

impl<'a> SetReader<'a> {
    /// Reads these documents when the cache does not have their sets.
    pub fn new(
        cache: &'a SetCache,
        documents: &'a dyn Documents,
        shingling: Shingling,
        text: TextOptions,
    ) -> Self {
        Self {
            cache,
            reader: documents.reader(),
            shingler: Shingler::new(shingling, text),
            text: Vec::new(),
            hashes: Vec::new(),
            unreadable: Vec::new(),
        }
    }

    /// The set of a document, sorted. One that cannot be read any more is empty.
    pub fn get(&mut self, document: u32) -> Arc<Vec<u64>> {
        if let Some(set) = self.cache.lock().get(document) {
            return set;
        }
        let set = self.read(document);
        self.cache.lock().insert(document, Arc::clone(&set));
        set
    }

    fn read(&mut self, document: u32) -> Arc<Vec<u64>> {
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
        Arc::new(set)
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
            let cache = SetCache::new(memory_bytes);
            let mut threads = [(); 2]
                .map(|()| SetReader::new(&cache, &documents, Shingling::Words(2), TextOptions::default()));
            // Whichever thread asks.
            let sets: Vec<_> = (wanted.iter().enumerate())
                .map(|(turn, document)| threads[turn % 2].get(*document))
                .collect();
            let kept = cache.lock();
            (sets, kept.young.len() + kept.old.len())
        };
        let (all, kept_all) = read_all(1 << 20);
        let (few, kept_few) = read_all(1000);
        assert_eq!(all, few);
        assert!(kept_few < kept_all && kept_few <= 9, "{kept_few} of {kept_all}");
    }
}
