//! Fingerprints of 64 and of 128 bits, as the index needs them.

use std::fmt::Debug;

/// A fingerprint whose bits can be compared: `u64` or `u128`.
pub trait Fingerprint: Copy + Eq + Ord + Debug + Send + Sync + sealed::Bits + 'static {
    /// In how many bits two fingerprints differ.
    fn distance(self, other: Self) -> u32;
}

impl Fingerprint for u64 {
    #[inline(always)]
    fn distance(self, other: Self) -> u32 {
        (self ^ other).count_ones()
    }
}

impl Fingerprint for u128 {
    #[inline(always)]
    fn distance(self, other: Self) -> u32 {
        (self ^ other).count_ones()
    }
}

pub(super) mod sealed {
    /// What only this module needs to do with a fingerprint; so the trait can grow.
    pub trait Bits: Sized {
        /// How many bits it has.
        const BITS: u32;
        /// How many bytes it has.
        const BYTES: usize;

        /// The `width` bits (1 to 32) that begin `shift` bits from the right.
        fn field(self, shift: u32, width: u32) -> u32;
        /// The bits in which they differ.
        fn difference(self, other: Self) -> Self;
        /// Appends the bytes, little-endian.
        fn put(self, bytes: &mut Vec<u8>);
        /// A number that equal fingerprints have in common, and few others.
        fn hash(self) -> u64;
        /// From exactly `BYTES` bytes.
        fn get(bytes: &[u8]) -> Self;
    }

    macro_rules! bits {
        ($type:ty) => {
            impl Bits for $type {
                const BITS: u32 = <$type>::BITS;
                const BYTES: usize = size_of::<$type>();

                #[inline(always)]
                fn field(self, shift: u32, width: u32) -> u32 {
                    (self >> shift) as u32 & (u32::MAX >> (32 - width))
                }

                #[inline(always)]
                fn difference(self, other: Self) -> Self {
                    self ^ other
                }

                fn put(self, bytes: &mut Vec<u8>) {
                    bytes.extend_from_slice(&self.to_le_bytes());
                }

                #[inline(always)]
                fn hash(self) -> u64 {
                    crate::mix::scramble(self as u64)
                }

                #[inline(always)]
                fn get(bytes: &[u8]) -> Self {
                    Self::from_le_bytes(bytes.try_into().expect("as many bytes as the type has"))
                }
            }
        };
    }

    bits!(u64);
    bits!(u128);
}
