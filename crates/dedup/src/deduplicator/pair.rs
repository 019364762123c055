//! Two documents in one word, the smaller number first, so that words sort as pairs do.

/// Two different documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Pair(u64);

impl Pair {
    /// In either order.
    pub fn new(left: u32, right: u32) -> Self {
        Self(u64::from(left.min(right)) << 32 | u64::from(left.max(right)))
    }

    /// The smaller number.
    pub fn first(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// The larger number.
    pub fn second(self) -> u32 {
        self.0 as u32
    }

    /// As a number that sorts in the same way.
    pub fn packed(self) -> u64 {
        self.0
    }

    /// Back from a number.
    pub fn from_packed(packed: u64) -> Self {
        Self(packed)
    }
}
