//! The pigeonhole: if two fingerprints differ in at most k bits, then of k + 1 blocks at least one is the same in both.
//!
//! ```text
//! k = 3, 64 bits:   |--- table 0 ---|--- table 1 ---|--- table 2 ---|--- table 3 ---|
//!                   63            48 47           32 31           16 15             0
//! ```
//!
//! A table sorts by the *key* of its block: the highest bits of it, 24 at most. A search may take fewer of them, as a
//! small table has few buckets; then it sees more entries, and never fewer.

use super::Fingerprint;

/// The largest distance: eight tables, and blocks of eight bits for fingerprints of 64.
pub const DISTANCE_MAX: u32 = 7;

/// No shape has more tables.
pub(super) const TABLES_MAX: usize = DISTANCE_MAX as usize + 1;

/// More bits would make more buckets than entries for all that fits into memory.
const KEY_BITS_MAX: u32 = 24;

/// Entries of a bucket, about, where the block is wide enough: a cache line of fingerprints of 64 bits.
const BUCKET_ENTRIES: usize = 8;

/// How fingerprints of some length are cut for some distance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) distance: u32,
    blocks: [Block; TABLES_MAX],
}

/// The bits that decide the place of an entry in one table.
#[derive(Debug, Clone, Copy, Default)]
struct Block {
    /// The bits from here on, to the left, belong to other blocks.
    end: u32,
    /// How many of the highest bits of the block are the key.
    key_bits: u32,
}

impl Shape {
    pub(super) fn new<F: Fingerprint>(distance: u32) -> Self {
        assert!(distance <= DISTANCE_MAX, "the distance is at most {DISTANCE_MAX}");
        let tables = distance + 1;
        let mut blocks = [Block::default(); TABLES_MAX];
        for (table, block) in (0..tables).zip(&mut blocks) {
            let end = F::BITS - table * F::BITS / tables;
            let start = F::BITS - (table + 1) * F::BITS / tables;
            *block = Block { end, key_bits: (end - start).min(KEY_BITS_MAX) };
        }
        Self { distance, blocks }
    }

    pub(super) fn tables(&self) -> usize {
        self.distance as usize + 1
    }

    /// How many bits of the key of a table are worth a bucket each, for so many entries.
    pub(super) fn bucket_bits(&self, table: usize, entries: usize) -> u32 {
        (entries / BUCKET_ENTRIES).max(2).ilog2().min(self.blocks[table].key_bits)
    }

    /// The key of a fingerprint in a table.
    #[inline(always)]
    pub(super) fn key<F: Fingerprint>(&self, table: usize, fingerprint: F) -> u32 {
        self.key_prefix(table, fingerprint, self.blocks[table].key_bits)
    }

    /// The first bits of the key of a fingerprint in a table.
    #[inline(always)]
    pub(super) fn key_prefix<F: Fingerprint>(&self, table: usize, fingerprint: F, bits: u32) -> u32 {
        fingerprint.field(self.blocks[table].end - bits, bits)
    }

    /// Whether `table` is the first one in which two fingerprints have the same key. An entry that is near in several
    /// blocks lies in the way of a search several times, and is told by this one alone.
    pub(super) fn is_first<F: Fingerprint>(&self, table: usize, left: F, right: F) -> bool {
        let difference = left.difference(right);
        self.key(table, difference) == 0 && (0..table).all(|earlier| self.key(earlier, difference) != 0)
    }

    /// The same for a search that takes only `bits(table)` bits of the keys.
    pub(super) fn is_first_by<F: Fingerprint>(
        &self,
        bits: &[u32; TABLES_MAX],
        table: usize,
        left: F,
        right: F,
    ) -> bool {
        let difference = left.difference(right);
        (0..table).all(|earlier| self.key_prefix(earlier, difference, bits[earlier]) != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cover_all_bits_and_some_key_is_the_same_within_the_distance() {
        for distance in 0..=DISTANCE_MAX {
            let shape = Shape::new::<u64>(distance);
            let key_bits: u32 = shape.blocks.iter().map(|block| block.key_bits).sum();
            assert_eq!(key_bits, 64.min(KEY_BITS_MAX * (distance + 1)), "distance {distance}");
            // The worst case: one flipped bit at the head of each block but one.
            for spared in 0..shape.tables() {
                let flips = (0..shape.tables()).filter(|table| *table != spared);
                let other = flips.fold(0u64, |bits, table| bits | 1 << (shape.blocks[table].end - 1));
                assert!(shape.is_first(spared, 0, other), "distance {distance}, block {spared}");
            }
        }
    }
}
