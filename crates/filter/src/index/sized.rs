//! Sets of very different sizes: one sliced index per size class.
//!
//! In one shape every set pays for the largest. Here a set of n keys goes to the class of the next power of two, which
//! has its own shape; the rows of a class are only as many as its sets need. A search asks every class, at the cost of k
//! more rows each, and sees at most the wanted share of false positives in any.
//!
//! After Bingmann et al., "COBS: a Compact Bit-Sliced Signature Index" (2019), which groups sets the same way.

use std::collections::BTreeMap;

use super::id_map::IdMap;
use super::{FilterIndex, IndexError, SlicedBloofi};
use crate::{BloomFilter, KeyHash};

/// Smaller sets share the lowest class.
const KEYS_MIN: usize = 16;

/// Sets of keys in classes by size, see the module.
///
/// Keys are hashed with the seed 0: [`KeyHash::of`]`(key, 0)`.
#[derive(Debug, Clone)]
pub struct SizedSlicedBloofi {
    rate: f64,
    sets_expected: usize,
    /// By the logarithm of the most keys.
    classes: BTreeMap<u32, SlicedBloofi>,
    /// The class of every id.
    class_of: IdMap,
}

impl SizedSlicedBloofi {
    /// An index that wrongly finds at most a share `rate` of foreign sets. `sets_expected` (in a class) only guides the
    /// choice of probes.
    pub fn new(rate: f64, sets_expected: usize) -> Self {
        Self { rate, sets_expected, classes: BTreeMap::new(), class_of: IdMap::default() }
    }

    /// Adds a set under an id that is not in use.
    pub fn insert(&mut self, id: u64, keys: &[KeyHash]) -> Result<(), IndexError> {
        self.class_of.check_free(id)?;
        let class = class_for(keys.len());
        let index = self.classes.entry(class).or_insert_with(|| {
            SlicedBloofi::new(SlicedBloofi::shape_for(1 << class, self.rate, self.sets_expected))
        });
        index.insert(id, &filter_of(index, keys))?;
        self.class_of.set(id, class as usize);
        Ok(())
    }

    /// Puts another set under an id that is in use; it changes its class if its size does.
    pub fn update(&mut self, id: u64, keys: &[KeyHash]) -> Result<(), IndexError> {
        let class = self.class_of.slot(id)? as u32;
        if class == class_for(keys.len()) {
            let index = self.classes.get_mut(&class).expect("the class of an id has an index");
            let filter = filter_of(index, keys);
            return index.update(id, &filter);
        }
        self.delete(id)?;
        self.insert(id, keys)
    }

    /// Forgets a set.
    pub fn delete(&mut self, id: u64) -> Result<(), IndexError> {
        let class = self.class_of.remove(id)? as u32;
        let index = self.classes.get_mut(&class).expect("the class of an id has an index");
        index.delete(id)?;
        if index.is_empty() {
            self.classes.remove(&class);
        }
        Ok(())
    }

    /// Replaces the content of `ids` by those of the sets that may contain the key.
    pub fn search(&self, key: &KeyHash, ids: &mut Vec<u64>) {
        self.search_all(std::slice::from_ref(key), ids);
    }

    /// Replaces the content of `ids` by those of the sets that may contain every key.
    pub fn search_all(&self, keys: &[KeyHash], ids: &mut Vec<u64>) {
        ids.clear();
        self.classes.values().for_each(|index| index.append_all(keys, ids));
    }

    /// The number of sets.
    pub fn len(&self) -> usize {
        self.class_of.len()
    }

    /// Whether there is no set.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of classes in use.
    pub fn class_count(&self) -> usize {
        self.classes.len()
    }

    /// The heap memory that is held, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.classes
            .values()
            .map(|index| size_of::<(u32, SlicedBloofi)>() + index.memory_bytes())
            .sum::<usize>()
            + self.class_of.memory_bytes()
    }

    /// The ids in use, in no particular order.
    pub fn ids(&self) -> Vec<u64> {
        self.class_of.ids().collect()
    }
}

fn class_for(key_count: usize) -> u32 {
    key_count.max(KEYS_MIN).next_power_of_two().trailing_zeros()
}

fn filter_of(index: &SlicedBloofi, keys: &[KeyHash]) -> BloomFilter {
    let mut filter = BloomFilter::new(*index.shape());
    for key in keys {
        filter.insert(key);
    }
    filter
}
