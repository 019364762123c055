//! Partitioned Elias–Fano: a block is cut where its values become denser or sparser, and each part has the form that suits it.
//!
//! ```text
//! for each part
//!     length     3 bits           sixteens of values, less one; the last part has what is left
//!     reach      δ                how far its last value is from the least that it can have
//!     kind       1 bit            0: Elias–Fano, 1: a bitmap; not there if the values leave no gap
//!     values     what the kind says, of all but the last value
//! ```
//!
//! Which parts take the fewest bits is found for all 2⁷ ways at once, by the shortest way from the first sixteen to the last.
//! Counts and positions are written as their sums. After Ottaviano, Venturini, "Partitioned Elias–Fano Indexes", with parts of
//! at most a block, since blocks are what a search goes to.

use super::elias_fano::{self, low_width};
use super::sums::{numbers_of, sums_of};
use super::{BLOCK, BitReader, BitWriter, Codec, ListShape, Within, gamma};

/// Values of the shortest part.
const STEP: usize = 16;
const STEPS: usize = BLOCK / STEP;
const LENGTH_BITS: u32 = 3;

/// Elias–Fano, bitmaps and runs by turns.
#[derive(Debug)]
pub(super) struct Partitioned;

impl Codec for Partitioned {
    fn write(&self, numbers: &[u32], _list: &ListShape, bits: &mut BitWriter) {
        let mut room = [0; BLOCK];
        write(sums_of(numbers, &mut room), 0, bits);
    }

    fn read(&self, bits: &mut BitReader<'_>, _list: &ListShape, numbers: &mut [u32]) {
        let mut room = [0; BLOCK];
        let sums = &mut room[..numbers.len()];
        read(sums, 0, bits);
        numbers_of(sums, numbers);
    }

    fn write_increasing(&self, values: &[u32], within: Within, _list: &ListShape, bits: &mut BitWriter) {
        let mut room = [0; BLOCK];
        room.iter_mut().zip(values).for_each(|(wide, &value)| *wide = value.into());
        write(&room[..values.len()], within.first.into(), bits);
    }

    fn read_increasing(
        &self,
        bits: &mut BitReader<'_>,
        within: Within,
        _list: &ListShape,
        values: &mut [u32],
    ) {
        let mut room = [0; BLOCK];
        let wide = &mut room[..values.len()];
        read(wide, within.first.into(), bits);
        values.iter_mut().zip(wide).for_each(|(value, wide)| *value = (*wide).min(u32::MAX.into()) as u32);
    }
}

/// A part: how many values it has, and how many more than these are possible up to its last.
#[derive(Debug, Clone, Copy)]
struct Part {
    count: u64,
    reach: u64,
}

impl Part {
    fn of(values: &[u64], first: u64) -> Self {
        let count = values.len() as u64;
        Self { count, reach: values[values.len() - 1] - first - (count - 1) }
    }

    /// Values before the last, and how many are possible for them.
    fn inside(self) -> (u64, u64) {
        (self.count - 1, self.reach + self.count - 1)
    }

    fn elias_fano_bits(self) -> u64 {
        let (count, possible) = self.inside();
        let width = low_width(possible, count);
        count * u64::from(width + 1) + (possible >> width)
    }

    fn is_bitmap(self) -> bool {
        self.inside().1 <= self.elias_fano_bits()
    }

    fn bits(self) -> u64 {
        let head = u64::from(LENGTH_BITS) + reach_bits(self.reach);
        if self.reach == 0 { head } else { head + 1 + self.elias_fano_bits().min(self.inside().1) }
    }
}

/// γ of the length, then the bits: δ for numbers of up to 40 bits.
fn reach_bits(reach: u64) -> u64 {
    let width = (reach + 1).ilog2();
    u64::from(gamma::length(width) + width)
}

fn write_reach(reach: u64, bits: &mut BitWriter) {
    let width = (reach + 1).ilog2();
    gamma::write(width, bits);
    bits.write_number(reach + 1 - (1 << width), width);
}

fn read_reach(bits: &mut BitReader<'_>) -> u64 {
    let width = gamma::read(bits).min(40);
    (1 << width) + bits.read_number(width) - 1
}

fn write(values: &[u64], first: u64, bits: &mut BitWriter) {
    let (mut start, mut next_possible) = (0, first);
    for end in best_ends(values, first) {
        let part = &values[start..end];
        bits.write_bits(((end - start).div_ceil(STEP) - 1) as u32, LENGTH_BITS);
        write_part(part, next_possible, bits);
        next_possible = part[part.len() - 1] + 1;
        start = end;
    }
}

/// Where the parts end with which these values take the fewest bits.
fn best_ends(values: &[u64], first: u64) -> impl Iterator<Item = usize> {
    let steps = values.len().div_ceil(STEP);
    let at = |step: usize| (step * STEP).min(values.len());
    // The fewest bits from each step to the end, and where the first part of them ends.
    let mut best = [(0u64, 0usize); STEPS + 1];
    for start in (0..steps).rev() {
        let next_possible = if start == 0 { first } else { values[at(start) - 1] + 1 };
        let cost = |end: usize| Part::of(&values[at(start)..at(end)], next_possible).bits() + best[end].0;
        best[start] = (start + 1..=steps).map(|end| (cost(end), end)).min().unwrap_or_default();
    }
    let length = values.len();
    std::iter::successors(Some(0), move |&step| Some(best[step].1).filter(|_| step < steps))
        .skip(1)
        .map(move |step| (step * STEP).min(length))
}

fn write_part(values: &[u64], first: u64, bits: &mut BitWriter) {
    let part = Part::of(values, first);
    write_reach(part.reach, bits);
    if part.reach == 0 {
        return;
    }
    bits.write_bits(u32::from(part.is_bitmap()), 1);
    let (count, possible) = part.inside();
    let inside = &values[..count as usize];
    if !part.is_bitmap() {
        return elias_fano::write(inside, first, low_width(possible, count), bits);
    }
    let mut place = first;
    for &value in inside {
        bits.write_unary((value - place) as u32);
        place = value + 1;
    }
    // What is behind the last one is known to be zeros.
}

fn read(values: &mut [u64], first: u64, bits: &mut BitReader<'_>) {
    let (mut start, mut next_possible) = (0, first);
    while start < values.len() {
        let steps = bits.read_bits(LENGTH_BITS) as usize + 1;
        let end = (start + steps * STEP).min(values.len());
        let part = &mut values[start..end];
        read_part(part, next_possible, bits);
        next_possible = part[part.len() - 1] + 1;
        start = end;
    }
}

fn read_part(values: &mut [u64], first: u64, bits: &mut BitReader<'_>) {
    let part = Part { count: values.len() as u64, reach: read_reach(bits) };
    let last = first + part.reach + part.count - 1;
    let Some((end, inside)) = values.split_last_mut() else { return };
    *end = last;
    if part.reach == 0 {
        inside.iter_mut().zip(first..).for_each(|(value, run)| *value = run);
    } else if bits.read_bits(1) == 0 {
        let (count, possible) = part.inside();
        elias_fano::read(inside, first, low_width(possible, count), bits);
    } else {
        let mut place = first;
        for value in inside.iter_mut() {
            *value = place + u64::from(bits.read_unary());
            place = *value + 1;
        }
    }
    // Bits that nobody wrote may go beyond the last value.
    inside.iter_mut().for_each(|value| *value = (*value).min(last));
}
