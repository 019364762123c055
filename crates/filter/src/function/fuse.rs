//! Three places of a key, in three neighbouring segments of the variables, all of which are kept.
//!
//! ```text
//! shard  = first variable (u64), segments (u32), segment bits (u16), seed (u16)
//! values = variables of all shards, `width` bits each, low ones first
//! ```

use super::packed::number_at;
use super::{scaled, seeded, u64_at};

/// The more keys, the fewer variables for each.
pub(super) const SHARD_KEYS: usize = 1 << 20;

const SEGMENT_BITS_MAX: u16 = 24;

/// How the variables of some keys are laid out.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FuseShard {
    /// In how many segments the first place of a key may be; there are two more.
    segments: u32,
    segment_bits: u16,
    seed: u16,
}

impl FuseShard {
    /// The shape for so many keys: the more often it did not work out, the more room.
    pub(super) fn new(keys: usize, attempt: u16) -> Self {
        // Few keys have short segments, so that there are some.
        let segment_bits = ((keys.max(2) as f64).ln() / 3.33f64.ln() + 2.25) as u16;
        let segment_bits = segment_bits.min((keys / 4).max(1).ilog2() as u16);
        let variables = keys as f64 * (1.12 + 0.01 * f64::from(attempt)) + 4.0;
        let segments = (variables / f64::from(1u32 << segment_bits)).ceil() as u32;
        Self { segments: segments.saturating_sub(2).max(1), segment_bits, seed: attempt }
    }

    pub(super) fn entry(&self, first: u64) -> [u8; 16] {
        let shape =
            u64::from(self.segments) | u64::from(self.segment_bits) << 32 | u64::from(self.seed) << 48;
        (u128::from(first) | u128::from(shape) << 64).to_le_bytes()
    }

    /// Its first variable, and what comes of it; nothing if it cannot be.
    pub(super) fn parse(entry: &[u8]) -> Option<(u64, Self)> {
        let shape = u64_at(entry, 8);
        let (segment_bits, seed) = ((shape >> 32) as u16, (shape >> 48) as u16);
        let shard = Self { segments: shape as u32, segment_bits, seed };
        (shard.segments > 0 && segment_bits < SEGMENT_BITS_MAX).then_some((u64_at(entry, 0), shard))
    }

    pub(super) fn variables(&self) -> usize {
        (self.segments as usize + 2) << self.segment_bits
    }

    /// The places of a key, counted from the first variable of the shard, in their order.
    #[inline]
    pub(super) fn places(&self, hash: u64) -> [usize; 3] {
        let hash = seeded(hash, self.seed);
        let segment = 1usize << self.segment_bits;
        let first = scaled(hash, u64::from(self.segments) << self.segment_bits);
        let offset = |hash: u64| hash as usize & (segment - 1);
        [first, (first + segment) ^ offset(hash >> 18), (first + 2 * segment) ^ offset(hash)]
    }

    /// The number of a key, if this is where in the values the variables of its places begin.
    #[inline]
    pub(super) fn get(&self, hash: u64, width: u32, bit_of: impl Fn(usize) -> usize, values: &[u8]) -> u64 {
        let [one, other, third] = self.places(hash).map(|place| number_at(values, bit_of(place)));
        (one ^ other ^ third) & ((1 << width) - 1)
    }
}
