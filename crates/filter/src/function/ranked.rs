//! Two places of a key, one in each half of the variables; those that are zero are left out.
//!
//! A unit of sixteen bytes says of 112 variables which are not zero, and how many are not in the units before: so the rank of
//! a variable is one read and one count of bits.
//!
//! ```text
//! shard  = first byte of its values (u64), units (u32), seed (u16), zero (u16)
//! values = units: variables that are not zero before it (u16), a bit for each of 112 variables
//!          variables that are not zero, `width` bits each, low ones first; zeros up to a multiple of sixteen bytes
//! ```

use super::packed::{PackedNumbers, number_at};
use super::{mix, scaled, seeded, u64_at};

/// So few that what a look-up reads is near: a graph of any size is as good.
pub(super) const SHARD_KEYS: usize = 2048;

/// Variables for each key: half of them for each place. With fewer than two a graph has a circle almost surely.
const VARIABLES_PER_KEY: f64 = 2.09;

/// Half of a unit is no more than what two bytes count.
const UNITS_MAX: u32 = 1 << 9;
const UNIT_BYTES: usize = 16;
const UNIT_VARIABLES: usize = 112;
const COUNT_BITS: u32 = 16;

/// How the variables of some keys are laid out.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RankedShard {
    units: u32,
    seed: u16,
}

impl RankedShard {
    /// The shape for so many keys: if it did not work out very often, with more room.
    pub(super) fn new(keys: usize, attempt: u16) -> Self {
        let room = 1.0 + 0.02 * f64::from(attempt / 8);
        let variables = (keys as f64 * VARIABLES_PER_KEY * room).ceil() as usize + 2;
        Self { units: variables.div_ceil(UNIT_VARIABLES) as u32, seed: attempt }
    }

    pub(super) fn entry(&self, begin: u64) -> [u8; 16] {
        let shape = u64::from(self.units) | u64::from(self.seed) << 32;
        (u128::from(begin) | u128::from(shape) << 64).to_le_bytes()
    }

    /// Where its values begin, and what comes of it; nothing if it cannot be.
    pub(super) fn parse(entry: &[u8]) -> Option<(u64, Self)> {
        let shape = u64_at(entry, 8);
        let shard = Self { units: shape as u32, seed: (shape >> 32) as u16 };
        (shard.units > 0 && shard.units <= UNITS_MAX).then_some((u64_at(entry, 0), shard))
    }

    pub(super) fn units_bytes(&self) -> u64 {
        u64::from(self.units) * UNIT_BYTES as u64
    }

    pub(super) fn variables(&self) -> usize {
        self.units as usize * UNIT_VARIABLES
    }

    /// The places of a key, which are not the same.
    #[inline]
    pub(super) fn places(&self, hash: u64) -> [usize; 2] {
        let hash = seeded(hash, self.seed);
        let half = self.variables() as u64 / 2;
        [scaled(hash, half), half as usize + scaled(mix(hash ^ 0x9e37_79b9_7f4a_7c15), half)]
    }

    /// Writes all variables.
    pub(super) fn write(&self, variables: &[u64], width: u32, bytes: &mut Vec<u8>) {
        let mut count = 0u128;
        for unit in variables.chunks(UNIT_VARIABLES) {
            let (mut word, before) = (0u128, count);
            for (place, &value) in unit.iter().enumerate() {
                word |= u128::from(value != 0) << (place as u32 + COUNT_BITS);
                count += u128::from(value != 0);
            }
            bytes.extend_from_slice(&(word | before).to_le_bytes());
        }
        let mut numbers = PackedNumbers::new(width);
        variables.iter().filter(|value| **value != 0).for_each(|value| numbers.push(*value, bytes));
        numbers.finish(bytes);
        bytes.resize(bytes.len().next_multiple_of(UNIT_BYTES), 0);
    }

    /// The number of a key; its values begin where those of the shard do.
    #[inline]
    pub(super) fn get(&self, hash: u64, width: u32, values: &[u8]) -> u64 {
        let [one, other] = self.places(hash).map(|place| self.variable(place, width, values));
        (one ^ other) & ((1 << width) - 1)
    }

    /// A variable, with whatever stands behind it; zero if it was left out.
    #[inline]
    fn variable(&self, place: usize, width: u32, values: &[u8]) -> u64 {
        let at = place / UNIT_VARIABLES * UNIT_BYTES;
        let Some(unit) = values.get(at..).and_then(|rest| rest.first_chunk()) else { return 0 };
        let unit = u128::from_le_bytes(*unit);
        let bit = 1u128 << ((place % UNIT_VARIABLES) as u32 + COUNT_BITS);
        let rank = (unit as u16 as usize) + ((unit & (bit - 1)) >> COUNT_BITS).count_ones() as usize;
        let value = number_at(values, 8 * self.units as usize * UNIT_BYTES + rank * width as usize);
        // Half of them are zero: a branch would be wrong as often.
        value & (0u64.wrapping_sub(u64::from(unit & bit != 0)))
    }
}
