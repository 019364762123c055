//! What an address is known by: 64 bits of it, or fewer, or 128.
//!
//! The first 64 bits are the fingerprint that the crawl has computed already, XXH3 of the address; by them signatures
//! are ordered, divided into shards and looked for. The other 64 are XXH3 with another seed, and only compared.

use std::fmt::Debug;
use std::hash::Hash;

use xxhash_rust::xxh3::xxh3_64_with_seed;

pub(crate) use crate::manifest::{SHARD_BITS, SHARDS};

/// The seed of the second half.
const LOW_SEED: u64 = 0x4352_4956_454c_4c4f;

/// A signature as it is compared.
pub trait Signature: Copy + Ord + Default + Hash + Debug + Send + Sync + 'static {
    /// How many bits follow the first 64.
    const LOW_BITS: u32;

    /// The signature of an address whose first bits are known.
    fn of(high: u64, url: &str) -> Self;

    /// Puts both halves together; the second one is dropped where it is not kept.
    fn from_parts(high: u64, low: u64) -> Self;

    /// The first 64 bits.
    fn high(self) -> u64;

    /// The others, or zero.
    fn low(self) -> u64;
}

impl Signature for u64 {
    const LOW_BITS: u32 = 0;

    fn of(high: u64, _url: &str) -> Self {
        high
    }

    fn from_parts(high: u64, _low: u64) -> Self {
        high
    }

    fn high(self) -> u64 {
        self
    }

    fn low(self) -> u64 {
        0
    }
}

impl Signature for u128 {
    const LOW_BITS: u32 = 64;

    fn of(high: u64, url: &str) -> Self {
        Self::from_parts(high, xxh3_64_with_seed(url.as_bytes(), LOW_SEED))
    }

    fn from_parts(high: u64, low: u64) -> Self {
        u128::from(high) << 64 | u128::from(low)
    }

    fn high(self) -> u64 {
        (self >> 64) as u64
    }

    fn low(self) -> u64 {
        self as u64
    }
}

/// Which shard a signature belongs to.
#[inline]
pub(crate) fn shard_of(high: u64) -> usize {
    (high >> (64 - SHARD_BITS)) as usize
}

/// A signature as tables and filters place it: first the bits behind those of the shard, so that what is asked for in
/// the order of signatures stands in that order, and then bits on which all of it bears.
#[inline]
pub(crate) fn mixed(high: u64) -> u64 {
    let mixed = (high ^ (high >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (high << SHARD_BITS) & !u64::from(u32::MAX) | mixed >> 32
}
