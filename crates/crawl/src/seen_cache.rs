//! The links a worker met lately: most links of a page stand on its neighbours too, and need not go to the sieve again.
//!
//! A table of fixed size with one place per fingerprint; a newcomer takes the place of whoever had it. Forgetting is
//! harmless, since the sieve knows; so no better policy is worth its price.

use page::Fingerprint;

use crate::Distance;

/// Remembers recent offers, with the distance at which they were made.
#[derive(Debug)]
pub(crate) struct SeenCache {
    slots: Vec<Slot>,
}

/// An offer that was made.
#[derive(Debug, Clone, Copy)]
struct Slot {
    fingerprint: Fingerprint,
    distance: Distance,
}

/// An empty place: so far away is nobody.
const EMPTY: Slot =
    Slot { fingerprint: Fingerprint::new(0), distance: Distance { depth: u16::MAX, hops: u8::MAX } };

impl SeenCache {
    pub(crate) fn new(memory_bytes: usize) -> Self {
        let slots = (memory_bytes / size_of::<Slot>()).max(1024).next_power_of_two() / 2;
        Self { slots: vec![EMPTY; slots] }
    }

    /// True if the address was offered lately at this distance or a smaller one; remembers it.
    pub(crate) fn knows(&mut self, fingerprint: Fingerprint, distance: Distance) -> bool {
        let place = fingerprint.get() as usize & (self.slots.len() - 1);
        let slot = &mut self.slots[place];
        let is_as_near = slot.distance.depth <= distance.depth && slot.distance.hops <= distance.hops;
        if slot.fingerprint == fingerprint && is_as_near {
            return true;
        }
        *slot = Slot { fingerprint, distance };
        false
    }

    /// Forgets an address that was not offered after all.
    pub(crate) fn forget(&mut self, fingerprint: Fingerprint) {
        let place = fingerprint.get() as usize & (self.slots.len() - 1);
        if self.slots[place].fingerprint == fingerprint {
            self.slots[place] = EMPTY;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smaller_depth_is_news() {
        let mut cache = SeenCache::new(0);
        let mut knows = |print, depth, hops| cache.knows(Fingerprint::new(print), Distance { depth, hops });
        assert!(!knows(0, 5, 1), "an empty cache knows nothing, not even zero");
        assert!(knows(0, 5, 1) && knows(0, 6, 1) && knows(0, 5, 2));
        assert!(!knows(0, 4, 1) && !knows(0, 4, 0));
        assert!(!knows(1 << 60, 4, 0), "another address in the same place");
        assert!(!knows(0, 9, 0), "which pushed the first out");
        cache.forget(Fingerprint::new(1 << 60));
        assert!(
            cache.knows(Fingerprint::new(0), Distance { depth: 9, hops: 0 }),
            "who is not there cannot be forgotten"
        );
        cache.forget(Fingerprint::new(0));
        assert!(!cache.knows(Fingerprint::new(0), Distance { depth: 9, hops: 0 }));
    }
}
