//! Numbers of a fixed width one behind the other, low bits first.

use super::u64_at;

/// A number may be read as part of eight bytes, wherever it begins: so many zeros stand behind the last.
pub(super) const PADDING_BYTES: usize = 8;

/// Takes numbers.
#[derive(Debug)]
pub(super) struct PackedNumbers {
    width: u32,
    carry: u128,
    carried: u32,
}

impl PackedNumbers {
    pub(super) fn new(width: u32) -> Self {
        Self { width, carry: 0, carried: 0 }
    }

    #[inline]
    pub(super) fn push(&mut self, number: u64, bytes: &mut Vec<u8>) {
        self.carry |= u128::from(number & ((1 << self.width) - 1)) << self.carried;
        self.carried += self.width;
        if self.carried >= 64 {
            bytes.extend_from_slice(&(self.carry as u64).to_le_bytes());
            self.carry >>= 64;
            self.carried -= 64;
        }
    }

    pub(super) fn finish(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.carry.to_le_bytes()[..self.carried.div_ceil(8) as usize]);
    }
}

/// The number whose first bit this is, with whatever stands behind it.
#[inline]
pub(super) fn number_at(bytes: &[u8], bit: usize) -> u64 {
    u64_at(bytes, bit / 8) >> (bit % 8)
}
