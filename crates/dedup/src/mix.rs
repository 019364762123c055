//! Numbers that look random: the few ways in which this crate scrambles 64 bits.
//!
//! All of it is fixed for good: sketches and digests are kept on disk and compared years later.

/// An odd number without structure: the golden ratio's fraction.
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The FNV-1a hash of nothing.
pub const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

/// The factor of each step of FNV-1a.
pub const FNV_PRIME: u64 = 0x100_0000_01b3;

/// Multiplies to 128 bits and folds the halves. One multiplication; every bit of the result depends on every bit of
/// `a`, provided that `b` is a number without structure.
#[inline(always)]
pub fn fold_multiply(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// Scrambles 64 bits so that no two numbers become one: the finaliser of SplitMix64 (Stafford's variant 13).
#[inline(always)]
pub fn scramble(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// SplitMix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014): a stream of numbers from
/// one number.
#[derive(Debug, Clone)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// The next number.
    #[inline]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        scramble(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix_gives_the_numbers_of_its_reference() {
        let mut numbers = SplitMix64(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| numbers.next()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }
}
