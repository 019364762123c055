//! Golomb: the quotient by a modulus in unary, then the remainder in minimal binary.
//!
//! If a word of f of all N documents is in each of them with probability p = f / N, whatever the others are (the Bernoulli
//! model), gaps have a geometric distribution, for which Golomb's code is the best there is if its modulus is
//! ⌈−log(2 − p) / log(1 − p)⌉. So documents need no more than f and N, which are known. Counts and positions have no such
//! model: the modulus is that of the mean of each block, which stands before it in δ.
//!
//! The modulus is the least b with (1 − p)ᵇ · (2 − p) ≤ 1, found with multiplications alone: logarithms differ in their last
//! bit from machine to machine, and the bytes must not.

use super::{BitReader, BitWriter, Codec, ListShape, Within, delta, gaps_of, minimal_binary, sum_up};

/// Golomb's code.
#[derive(Debug)]
pub(super) struct Golomb;

impl Codec for Golomb {
    fn write(&self, numbers: &[u32], _list: &ListShape, bits: &mut BitWriter) {
        if numbers.is_empty() {
            return;
        }
        let count = numbers.len() as u64;
        let sum: u64 = numbers.iter().map(|&number| u64::from(number)).sum();
        let modulus = modulus_of(count, sum + count);
        delta::write(modulus - 1, bits);
        numbers.iter().for_each(|&number| write(number, modulus, bits));
    }

    fn read(&self, bits: &mut BitReader<'_>, _list: &ListShape, numbers: &mut [u32]) {
        if numbers.is_empty() {
            return;
        }
        let modulus = delta::read(bits).saturating_add(1);
        numbers.iter_mut().for_each(|number| *number = read(modulus, bits));
    }

    fn write_increasing(&self, values: &[u32], within: Within, list: &ListShape, bits: &mut BitWriter) {
        let modulus = modulus_of(list.documents.into(), list.documents_all.into());
        let mut gaps = [0; super::BLOCK];
        gaps_of(values, within.first, &mut gaps).iter().for_each(|&gap| write(gap, modulus, bits));
    }

    fn read_increasing(
        &self,
        bits: &mut BitReader<'_>,
        within: Within,
        list: &ListShape,
        values: &mut [u32],
    ) {
        let modulus = modulus_of(list.documents.into(), list.documents_all.into());
        values.iter_mut().for_each(|value| *value = read(modulus, bits));
        sum_up(within.first, values);
    }
}

/// The modulus for gaps of a word that is in `frequency` of `all` documents.
pub(super) fn modulus_of(frequency: u64, all: u64) -> u32 {
    if frequency >= all {
        return 1;
    }
    let absent = (all - frequency) as f64 / all as f64;
    let is_enough = |modulus: u32| power(absent, modulus) * (1.0 + absent) <= 1.0;
    // ln 2 / p is near it.
    let near = std::f64::consts::LN_2 * all as f64 / frequency.max(1) as f64;
    let mut modulus = (near as u32).clamp(1, 1 << 31);
    while modulus > 1 && is_enough(modulus - 1) {
        modulus -= 1;
    }
    while !is_enough(modulus) && modulus < 1 << 31 {
        modulus += 1;
    }
    modulus
}

fn power(base: f64, mut exponent: u32) -> f64 {
    let (mut square, mut result) = (base, 1.0);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result *= square;
        }
        square *= square;
        exponent >>= 1;
    }
    result
}

#[inline]
pub(super) fn write(number: u32, modulus: u32, bits: &mut BitWriter) {
    bits.write_unary(number / modulus);
    minimal_binary::write((number % modulus).into(), modulus.into(), bits);
}

#[inline]
pub(super) fn read(modulus: u32, bits: &mut BitReader<'_>) -> u32 {
    let quotient = bits.read_unary();
    quotient.wrapping_mul(modulus).wrapping_add(minimal_binary::read(modulus.into(), bits) as u32)
}
