//! MinHash: a sketch of a set, of fixed length, from which the similarity of two sets can be told.

mod multiply_add;

pub use multiply_add::MultiplyAdd;

/// The slots of a sketch by default, as in the MinHash report.
pub const SLOTS: usize = 200;

/// The value of all slots of the sketch of an empty set.
pub const EMPTY_SLOT: u64 = u64::MAX;

/// A way to make sketches. Two sketches of one scheme, of equal length and seed can be compared: the share of slots in
/// which they agree estimates the Jaccard similarity of the sets.
pub trait MinHasher: Send + Sync {
    /// The slots of a sketch.
    fn slots(&self) -> usize;

    /// Writes the sketch of a set, given as the hashes of its elements in any order, with or without repeats.
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
    /// The hasher of a scheme.
    pub fn hasher(self, slots: usize, seed: u64) -> Box<dyn MinHasher> {
        Box::new(MultiplyAdd::new(slots, seed))
    }
}

/// The share of slots in which two sketches agree. Sketches of empty sets agree with nothing.
pub fn estimate(left: &[u64], right: &[u64]) -> f64 {
    let agreeing = left.iter().zip(right).filter(|(l, r)| l == r && **l != EMPTY_SLOT).count();
    agreeing as f64 / left.len().max(1) as f64
}
