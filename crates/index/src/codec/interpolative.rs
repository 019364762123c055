//! Interpolative: the value in the middle first, in minimal binary within what is possible for it, then the two halves, each
//! within what that leaves. Values that have no choice take no bits, and so clustered ones take few.
//!
//! Numbers that are not increasing are written as their sums, the last of which stands first. After Moffat, Stuiver, "Binary
//! Interpolative Coding for Effective Index Compression". Small and slow: nothing can be read before what is in the middle.

use super::sums::{numbers_of, read_last, sums_of, write_last};
use super::{BLOCK, BitReader, BitWriter, Codec, ListShape, Within, minimal_binary};

/// The middle first.
#[derive(Debug)]
pub(super) struct Interpolative;

impl Codec for Interpolative {
    fn write(&self, numbers: &[u32], _list: &ListShape, bits: &mut BitWriter) {
        let mut room = [0; BLOCK];
        let sums = sums_of(numbers, &mut room);
        let Some((&last, before)) = sums.split_last() else { return };
        write_last(last, bits);
        write(before, 0, last.saturating_sub(1), bits);
    }

    fn read(&self, bits: &mut BitReader<'_>, _list: &ListShape, numbers: &mut [u32]) {
        let mut room = [0; BLOCK];
        let sums = &mut room[..numbers.len()];
        let Some((last, before)) = sums.split_last_mut() else { return };
        *last = read_last(bits);
        read(before, 0, last.saturating_sub(1), bits);
        numbers_of(sums, numbers);
    }

    fn write_increasing(&self, values: &[u32], within: Within, _list: &ListShape, bits: &mut BitWriter) {
        let mut room = [0; BLOCK];
        room.iter_mut().zip(values).for_each(|(wide, &value)| *wide = value.into());
        write(&room[..values.len()], within.first.into(), within.last.into(), bits);
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
        read(wide, within.first.into(), within.last.into(), bits);
        values.iter_mut().zip(wide).for_each(|(value, wide)| *value = (*wide).min(u32::MAX.into()) as u32);
    }
}

/// How many values the one in the middle of `count` may have, and the least, within two that are possible.
fn choices(count: usize, first: u64, last: u64) -> (u64, u64) {
    let (before, after) = (count / 2, count - count / 2 - 1);
    let least = first + before as u64;
    // Bits that nobody wrote may leave no room; then there is no choice.
    (least, (last + 1).saturating_sub(least + after as u64).max(1))
}

fn write(values: &[u64], first: u64, last: u64, bits: &mut BitWriter) {
    if values.is_empty() {
        return;
    }
    let middle = values.len() / 2;
    let (least, count) = choices(values.len(), first, last);
    minimal_binary::write(values[middle] - least, count, bits);
    write(&values[..middle], first, values[middle].saturating_sub(1), bits);
    write(&values[middle + 1..], values[middle] + 1, last, bits);
}

fn read(values: &mut [u64], first: u64, last: u64, bits: &mut BitReader<'_>) {
    if values.is_empty() {
        return;
    }
    let middle = values.len() / 2;
    let (least, count) = choices(values.len(), first, last);
    let value = least + minimal_binary::read(count, bits);
    values[middle] = value;
    let (before, after) = values.split_at_mut(middle);
    read(before, first, value.saturating_sub(1), bits);
    read(&mut after[1..], value + 1, last, bits);
}
