//! MinHash: a sketch of a set, of fixed length, from which the similarity of two sets can be told.
//!
//! A sketch has k slots, and each slot of two sketches agrees with a probability that is the Jaccard similarity J of the
//! sets. With independent slots the share of agreeing ones has the error √(J(1−J)/k), which we call the ideal. The four
//! schemes differ in what a sketch costs and how far their errors are from it:
//!
//! | scheme | cost | error | |
//! |---|---|---|---|
//! | [`FastSimilarity`] | n + k ln k | below the ideal | the default |
//! | [`OnePermutation`] | n + k | below it for long texts, above for short ones | |
//! | [`MultiplyAdd`] | n · k | the ideal | slot by slot the minimum, so sketches of parts can be merged |
//! | [`XorMasks`] | n + k log n | above it, with a floor that more slots do not lower | that of the MinHash report |
//!
//! Here n counts the elements with their repeats where it stands alone; a text that mostly repeats itself is made a set
//! before it is met more than once.

mod bbit;
mod distinct;
mod fast_similarity;
mod multiply_add;
mod names;
mod one_permutation;
pub mod seed;

pub use bbit::BBit;
pub use fast_similarity::FastSimilarity;
pub use multiply_add::MultiplyAdd;
pub use names::UnknownScheme;
pub use one_permutation::OnePermutation;
pub use seed::XorMasks;

/// The slots of a sketch by default, as in the MinHash report.
pub const SLOTS: usize = 200;

/// The most slots that a sketch may have.
pub const SLOTS_MAX: usize = 4096;

/// The value of all slots of the sketch of an empty set. No slot of any other sketch has it.
pub const EMPTY_SLOT: u64 = u64::MAX;

/// A way to make sketches. Two sketches of one scheme, of equal length and seed can be compared: the share of slots in
/// which they agree estimates the Jaccard similarity of the sets.
pub trait MinHasher: Send + Sync {
    /// The slots of a sketch.
    fn slots(&self) -> usize;

    /// Writes the sketch of a set, given as the hashes of its elements in any order, with or without repeats.
    ///
    /// # Panics
    ///
    /// If `slots` is not as long as [`slots`](Self::slots) says.
    fn sketch(&self, hashes: &[u64], slots: &mut [u64]);
}

/// The schemes by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Scheme {
    /// That of the MinHash report: 199 XOR masks, 64 bits.
    Seed,
    /// One multiply-add permutation per slot.
    MultiplyAdd,
    /// One permutation, densified.
    OnePermutation,
    /// Fast Similarity Sketching (Dahlgaard, Knudsen, Thorup 2017).
    #[default]
    FastSimilarity,
}

impl Scheme {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Seed, Self::MultiplyAdd, Self::OnePermutation, Self::FastSimilarity];

    /// The hasher of a scheme. `slots` is brought into 1 to [`SLOTS_MAX`].
    pub fn hasher(self, slots: usize, seed: u64) -> Box<dyn MinHasher> {
        match self {
            Self::Seed => Box::new(XorMasks::new(slots, seed)),
            Self::MultiplyAdd => Box::new(MultiplyAdd::new(slots, seed)),
            Self::OnePermutation => Box::new(OnePermutation::new(slots, seed)),
            Self::FastSimilarity => Box::new(FastSimilarity::new(slots, seed)),
        }
    }

    /// The bits of a slot that can differ.
    pub fn slot_bits(self) -> u32 {
        if self == Self::Seed { 64 } else { 32 }
    }
}

/// The share of slots in which two sketches agree. Sketches of empty sets agree with nothing.
pub fn estimate(left: &[u64], right: &[u64]) -> f64 {
    // The first slot tells whether the set is empty, so that the loop has one comparison only.
    if left.first() == Some(&EMPTY_SLOT) || left.is_empty() {
        return 0.0;
    }
    let agreeing = left.iter().zip(right).filter(|(l, r)| l == r).count();
    agreeing as f64 / left.len() as f64
}

fn slots_within_limits(slots: usize) -> usize {
    slots.clamp(1, SLOTS_MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::mix::SplitMix64;

    fn sketch(hasher: &dyn MinHasher, hashes: &[u64]) -> Vec<u64> {
        let mut slots = vec![0; hasher.slots()];
        hasher.sketch(hashes, &mut slots);
        slots
    }

    #[test]
    fn the_empty_set_is_similar_to_nothing() {
        for scheme in Scheme::ALL {
            let hasher = scheme.hasher(SLOTS, 1);
            let empty = sketch(&*hasher, &[]);
            assert_eq!(empty, [EMPTY_SLOT; SLOTS], "{scheme}");
            assert_eq!(estimate(&empty, &empty), 0.0);
            assert_eq!(estimate(&empty, &sketch(&*hasher, &[1])), 0.0);
            assert_eq!(estimate(&sketch(&*hasher, &[1]), &empty), 0.0);
        }
    }

    #[test]
    fn any_number_of_slots_is_filled_by_any_set() {
        for scheme in Scheme::ALL {
            for slots in [1, 2, 31, 200, 4096] {
                let hasher = scheme.hasher(slots, 3);
                for size in [1, 2, 30, 500] {
                    let mut numbers = SplitMix64(size);
                    let set: Vec<u64> = (0..size).map(|_| numbers.next()).collect();
                    let sketch = sketch(&*hasher, &set);
                    assert_eq!(sketch.len(), slots);
                    assert!(!sketch.contains(&EMPTY_SLOT), "{scheme}, {slots} slots, {size} elements");
                    let limit = if scheme.slot_bits() == 64 { u64::MAX } else { u64::from(u32::MAX) };
                    assert!(sketch.iter().all(|slot| *slot <= limit));
                }
            }
            assert_eq!(scheme.hasher(0, 0).slots(), 1);
            assert_eq!(scheme.hasher(1_000_000, 0).slots(), SLOTS_MAX);
        }
    }

    #[test]
    fn estimates_are_right_on_average() {
        // 300 elements in common of 600, over many seeds and sets. The error of a mean of 60 estimates is 0.035/√60.
        for scheme in Scheme::ALL {
            let mut sum = 0.0;
            for seed in 1..=60 {
                let mut numbers = SplitMix64(seed * 1000);
                let all: Vec<u64> = (0..600).map(|_| numbers.next()).collect();
                let hasher = scheme.hasher(SLOTS, seed);
                sum += estimate(&sketch(&*hasher, &all[..450]), &sketch(&*hasher, &all[150..]));
            }
            let mean = sum / 60.0;
            assert!((mean - 0.5).abs() < 5.0 * 0.0045, "{scheme}: {mean}");
        }
    }

    proptest! {
        #[test]
        fn order_and_repeats_do_not_matter(
            set in prop::collection::vec(any::<u64>(), 1..400), slots in 1usize..300, seed: u64,
        ) {
            let mut other: Vec<u64> = set.iter().rev().chain(&set[..set.len() / 2]).copied().collect();
            other.rotate_left(set.len() / 3);
            for scheme in Scheme::ALL {
                let hasher = scheme.hasher(slots, seed);
                prop_assert_eq!(sketch(&*hasher, &set), sketch(&*hasher, &other));
            }
        }
    }
}
