//! The links a worker met lately: most links of a page stand on its neighbours too, and need not go to the sieve again.
//!
//! A table of fixed size with one place per fingerprint; a newcomer takes the place of whoever had it. Forgetting is
//! harmless, since the sieve knows; so no better policy is worth its price.

/// Remembers recent offers, with the depth at which they were made.
#[derive(Debug)]
pub(crate) struct SeenCache {
    slots: Vec<(u64, u16)>,
}

impl SeenCache {
    pub(crate) fn new(memory_bytes: usize) -> Self {
        let slots = (memory_bytes / size_of::<(u64, u16)>()).max(1024).next_power_of_two() / 2;
        Self { slots: vec![(0, u16::MAX); slots] }
    }

    /// True if the address was offered lately at this depth or a smaller one; remembers it.
    pub(crate) fn knows(&mut self, fingerprint: u64, depth: u16) -> bool {
        let place = fingerprint as usize & (self.slots.len() - 1);
        let slot = &mut self.slots[place];
        if slot.0 == fingerprint && slot.1 <= depth {
            return true;
        }
        *slot = (fingerprint, depth);
        false
    }

    /// Forgets an address that was not offered after all.
    pub(crate) fn forget(&mut self, fingerprint: u64) {
        let place = fingerprint as usize & (self.slots.len() - 1);
        if self.slots[place].0 == fingerprint {
            self.slots[place] = (0, u16::MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smaller_depth_is_news() {
        let mut cache = SeenCache::new(0);
        assert!(!cache.knows(0, 5), "an empty cache knows nothing, not even zero");
        assert!(cache.knows(0, 5) && cache.knows(0, 6));
        assert!(!cache.knows(0, 4));
        assert!(!cache.knows(1 << 60, 4), "another address in the same place");
        assert!(!cache.knows(0, 9), "which pushed the first out");
        cache.forget(1 << 60);
        assert!(cache.knows(0, 9), "who is not there cannot be forgotten");
        cache.forget(0);
        assert!(!cache.knows(0, 9));
    }
}
