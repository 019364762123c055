//! The scheme of the MinHash report: the least fingerprint, and the least after each of 199 XOR masks.
//!
//! The report goes over all fingerprints once per mask. But the least `x ⊕ mask` is the fingerprint that agrees with the
//! mask in the most leading bits. So we sort the fingerprints roughly, by their leading bits, and each mask finds its
//! few candidates by going down the tree of these bits, to the side of the mask's own bit wherever that is not empty.
//! The signatures are those of the report, bit by bit. Cost: n + k log n instead of n · k.
//!
//! The masks of the report are "random numbers, always the same"; it does not print them. Ours are SplitMix64 from
//! [`MASK_SEED`].
//!
//! **Its error.** Going down that tree, an element wins with probability 2^−(branches above it), not 1/n. For a fixed
//! hash the estimate therefore goes to a value beside J however many masks there are, and the mean square error is about
//! J(1−J)(1/k + 0.525/n), n being the size of the union: [`xor_error`]. Below n = k it is much worse than k slots
//! promise: [`union_is_too_small`].

use super::distinct::without_many_repeats;
use super::{EMPTY_SLOT, MinHasher, slots_within_limits};
use crate::mix::SplitMix64;

/// Where the masks come from.
pub const MASK_SEED: u64 = 0x4d69_6e48_6173_6831;

/// The mean square error of the estimate that k XOR masks give, relative to J(1−J): multiply by that and take the root.
const FLOOR: f64 = 0.525;

/// The bits by which fingerprints are sorted, at most.
const SORTED_BITS_MAX: u32 = 12;

/// The standard error of an estimate at similarity `jaccard` by `slots` XOR masks, for two sets whose union has `union`
/// elements.
pub fn xor_error_at(jaccard: f64, slots: usize, union: usize) -> f64 {
    (jaccard * (1.0 - jaccard)).sqrt() * xor_error(slots, union)
}

/// The standard error relative to √(J(1−J)): √(1/k + 0.525/n). Without the second term it is the ideal.
pub fn xor_error(slots: usize, union: usize) -> f64 {
    (1.0 / slots.max(1) as f64 + FLOOR / union.max(1) as f64).sqrt()
}

/// Whether the union of two sets is so small that the masks do much worse than their number promises.
pub fn union_is_too_small(slots: usize, union: usize) -> bool {
    union < slots
}

/// MinHash with XOR masks.
#[derive(Debug, Clone)]
pub struct XorMasks {
    /// The first is zero.
    masks: Vec<u64>,
}

impl XorMasks {
    /// A hasher with so many slots. Seed 0 is the report; any other one draws other masks.
    pub fn new(slots: usize, seed: u64) -> Self {
        let mut numbers = SplitMix64(MASK_SEED ^ seed);
        let masks = std::iter::once(0).chain(std::iter::repeat_with(|| numbers.next()));
        Self { masks: masks.take(slots_within_limits(slots)).collect() }
    }
}

impl MinHasher for XorMasks {
    fn slots(&self) -> usize {
        self.masks.len()
    }

    fn sketch(&self, hashes: &[u64], slots: &mut [u64]) {
        assert_eq!(slots.len(), self.masks.len(), "a sketch of another length");
        if hashes.is_empty() {
            slots.fill(EMPTY_SLOT);
            return;
        }
        // Equal fingerprints share a bucket, which every mask would go through.
        let sorted = RoughlySorted::new(&without_many_repeats(hashes));
        for (slot, mask) in slots.iter_mut().zip(&self.masks) {
            *slot = sorted.least_after(*mask).min(EMPTY_SLOT - 1);
        }
    }
}

/// Fingerprints in the order of their leading bits.
struct RoughlySorted {
    bits: u32,
    fingerprints: Vec<u64>,
    /// Where the fingerprints start whose leading bits are 0, 1, …; one more for the end.
    starts: Vec<usize>,
}

impl RoughlySorted {
    fn new(hashes: &[u64]) -> Self {
        // About four in a bucket. At least one bit, since a shift by 64 is none.
        let bits = (hashes.len() / 4).max(2).ilog2().min(SORTED_BITS_MAX);
        let bucket = |hash: u64| (hash >> (64 - bits)) as usize;
        // Counts, one place to the right; then sums, which are the starts; then each start moves to its end, which is
        // the next one's start.
        let mut starts = vec![0usize; (1 << bits) + 2];
        hashes.iter().for_each(|hash| starts[bucket(*hash) + 2] += 1);
        for i in 2..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut fingerprints = vec![0; hashes.len()];
        for hash in hashes {
            let next = &mut starts[bucket(*hash) + 1];
            fingerprints[*next] = *hash;
            *next += 1;
        }
        Self { bits, fingerprints, starts }
    }

    /// The least `fingerprint ⊕ mask`.
    fn least_after(&self, mask: u64) -> u64 {
        let (mut first, mut width) = (0, 1usize << self.bits);
        for bit in 0..self.bits {
            width /= 2;
            let is_set = mask << bit >> 63 == 1;
            let (near, far) = if is_set { (first + width, first) } else { (first, first + width) };
            let near_is_empty = self.starts[near] == self.starts[near + width];
            first = if near_is_empty { far } else { near };
        }
        let bucket = &self.fingerprints[self.starts[first]..self.starts[first + 1]];
        bucket.iter().map(|fingerprint| fingerprint ^ mask).min().expect("one side was not empty")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sketch(hasher: &XorMasks, hashes: &[u64]) -> Vec<u64> {
        let mut slots = vec![0; hasher.slots()];
        hasher.sketch(hashes, &mut slots);
        slots
    }

    #[test]
    fn the_first_signature_is_the_least_fingerprint() {
        for seed in [0, 1] {
            assert_eq!(sketch(&XorMasks::new(200, seed), &[9, 5, 7])[0], 5);
        }
    }

    #[test]
    fn the_masks_never_change() {
        let masks = XorMasks::new(200, 0).masks;
        assert_eq!(masks.len(), 200);
        assert_eq!(masks[..3], [0, 0x3bd2_bc98_4720_15ef, 0xaef6_1beb_5aae_b5af]);
    }

    #[test]
    fn no_slot_looks_empty() {
        let hasher = XorMasks::new(2, 0);
        let complement = !hasher.masks[1];
        assert!(!sketch(&hasher, &[complement]).contains(&EMPTY_SLOT));
        assert!(!sketch(&hasher, &[u64::MAX]).contains(&EMPTY_SLOT));
    }

    #[test]
    fn the_law_of_its_error() {
        assert!((xor_error_at(0.5, 200, 100) - 0.0506).abs() < 1e-4);
        assert!((xor_error_at(0.5, 200, 1_000_000) - 0.0354).abs() < 1e-4);
        assert!(union_is_too_small(200, 199) && !union_is_too_small(200, 200));
    }

    #[test]
    fn small_unions_have_the_error_that_the_law_foretells() {
        // Half in common of 100 elements: 0.0506 foretold, and 0.0354 if the slots were independent.
        let (rounds, mut sum_of_squares) = (600, 0.0);
        for seed in 0..rounds {
            let mut numbers = SplitMix64(seed);
            let all: Vec<u64> = (0..100).map(|_| numbers.next()).collect();
            let hasher = XorMasks::new(200, 0);
            let (left, right) = (sketch(&hasher, &all[..75]), sketch(&hasher, &all[25..]));
            sum_of_squares += (super::super::estimate(&left, &right) - 0.5).powi(2);
        }
        let error = (sum_of_squares / rounds as f64).sqrt();
        assert!((error / xor_error_at(0.5, 200, 100) - 1.0).abs() < 0.1, "{error}");
    }

    proptest! {
        #[test]
        fn signatures_are_those_of_the_report(
            hashes in prop::collection::vec(any::<u64>(), 1..3000),
            narrow in prop::collection::vec(0u64..1000, 1..50),
        ) {
            let hasher = XorMasks::new(60, 0);
            for set in [hashes, narrow] {
                let plain: Vec<u64> = hasher
                    .masks
                    .iter()
                    .map(|mask| set.iter().map(|hash| hash ^ mask).min().expect("not empty"))
                    .collect();
                prop_assert_eq!(sketch(&hasher, &set), plain);
            }
        }
    }
}
