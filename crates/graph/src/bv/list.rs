//! One list of targets, from its bits.
//!
//! A list is an outdegree; a reference to an earlier list with the blocks that are copied and left out in turn; intervals
//! of consecutive targets; and the rest as gaps. Copied targets and the others are ascending by themselves and are merged.
//!
//! Every count is compared with what is left of the outdegree before it is believed, every target with the number of nodes:
//! so damaged bits end in [`Damage`] and never in a panic, a huge allocation or an endless loop.
//!
//! After Boldi and Vigna, "The WebGraph Framework I: Compression Techniques" (2004), sections 4 and 5, and chapter 10 of
//! the notes.

use super::bit_reader::{BitReader, Code, signed};
use super::properties::Properties;

/// The bits say something that cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Damage(pub(crate) &'static str);

/// What comes first in a list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head {
    pub(crate) outdegree: usize,
    /// How many nodes back the list stands that this one copies from; zero for none.
    pub(crate) reference: usize,
}

/// Memory that is used again from list to list.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    copied: Vec<u32>,
    intervals: Vec<(u32, u32)>,
    residuals: Vec<u32>,
}

impl Properties {
    /// Reads the head of the list of `node`.
    #[inline]
    pub(crate) fn read_head(&self, reader: &mut BitReader, node: u32) -> Result<Head, Damage> {
        let outdegree = reader.read(self.outdegrees);
        if outdegree > self.nodes as u64 {
            return Err(Damage("an outdegree is greater than the number of nodes"));
        }
        let mut reference = 0;
        if outdegree > 0 && self.window > 0 {
            reference = reader.read(self.references);
            if reference > (self.window as u64).min(u64::from(node)) {
                return Err(Damage("a reference leaves the window"));
            }
        }
        Ok(Head { outdegree: outdegree as usize, reference: reference as usize })
    }

    /// Reads what follows the head. `referred` is the list that is copied from.
    #[inline]
    pub(crate) fn read_body(
        &self,
        reader: &mut BitReader,
        node: u32,
        head: Head,
        referred: &[u32],
        scratch: &mut Scratch,
        targets: &mut Vec<u32>,
    ) -> Result<(), Damage> {
        targets.clear();
        scratch.copied.clear();
        if head.reference > 0 {
            self.read_blocks(reader, referred, &mut scratch.copied)?;
        }
        let extra = head.outdegree.checked_sub(scratch.copied.len());
        let mut left = extra.ok_or(Damage("more targets are copied than there are"))?;
        scratch.intervals.clear();
        if left > 0 && self.min_interval > 0 {
            left = self.read_intervals(reader, node, left, &mut scratch.intervals)?;
        }
        // Where nothing else is to be merged, residuals go where they belong at once.
        let is_alone = scratch.copied.is_empty() && scratch.intervals.is_empty();
        let residuals = if is_alone { &mut *targets } else { &mut scratch.residuals };
        residuals.clear();
        if left > 0 {
            match self.residuals {
                Code::Zeta(3) => {
                    self.read_residuals(reader, node, left, |reader| reader.zeta(3), residuals)?
                }
                Code::Pi(2) => self.read_residuals(reader, node, left, |reader| reader.pi(2), residuals)?,
                code => self.read_residuals(reader, node, left, |reader| reader.read(code), residuals)?,
            }
        }
        if reader.is_beyond() {
            return Err(Damage("the last list is cut off"));
        }
        if !is_alone {
            merge(scratch, targets);
        }
        Ok(())
    }

    /// Passes over what follows the head. `referred` is the length of the list that is copied from.
    pub(crate) fn skip_body(
        &self,
        reader: &mut BitReader,
        head: Head,
        referred: usize,
    ) -> Result<(), Damage> {
        let copied = if head.reference > 0 { self.skip_blocks(reader, referred)? } else { 0 };
        let mut left =
            head.outdegree.checked_sub(copied).ok_or(Damage("more targets are copied than there are"))?;
        if left > 0 && self.min_interval > 0 {
            for _ in 0..reader.read(self.intervals) {
                reader.read(self.intervals);
                let length = reader.read(self.intervals) as usize + self.min_interval;
                left = left.checked_sub(length).ok_or(Damage("there are more intervals than targets"))?;
            }
        }
        for _ in 0..left {
            reader.read(self.residuals);
        }
        Ok(())
    }

    /// How many targets are copied.
    fn skip_blocks(&self, reader: &mut BitReader, referred: usize) -> Result<usize, Damage> {
        let (mut rest, mut copied, mut is_copied) = (referred, 0, true);
        for block in 0..reader.read(self.blocks) {
            let length = reader.read(self.blocks) as usize + usize::from(block > 0);
            rest = rest.checked_sub(length).ok_or(Damage("a block leaves the list it is copied from"))?;
            copied += if is_copied { length } else { 0 };
            is_copied = !is_copied;
        }
        Ok(if is_copied { copied + rest } else { copied })
    }

    fn read_blocks(
        &self,
        reader: &mut BitReader,
        referred: &[u32],
        copied: &mut Vec<u32>,
    ) -> Result<(), Damage> {
        let count = reader.read(self.blocks);
        if count > referred.len() as u64 {
            return Err(Damage("there are more blocks than targets to copy"));
        }
        let (mut rest, mut is_copied) = (referred, true);
        for block in 0..count {
            // Only the first block can be empty, so the others are counted from one.
            let length = reader.read(self.blocks).saturating_add(u64::from(block > 0));
            if length > rest.len() as u64 {
                return Err(Damage("a block leaves the list it is copied from"));
            }
            let (taken, others) = rest.split_at(length as usize);
            if is_copied {
                copied.extend_from_slice(taken);
            }
            (rest, is_copied) = (others, !is_copied);
        }
        if is_copied {
            copied.extend_from_slice(rest);
        }
        Ok(())
    }

    fn read_intervals(
        &self,
        reader: &mut BitReader,
        node: u32,
        mut left: usize,
        intervals: &mut Vec<(u32, u32)>,
    ) -> Result<usize, Damage> {
        const OUTSIDE: Damage = Damage("an interval leaves the graph");
        let count = reader.read(self.intervals);
        if count > (left / self.min_interval) as u64 {
            return Err(Damage("there are more intervals than targets"));
        }
        let mut end = 0i64;
        for interval in 0..count {
            let gap = reader.read(self.intervals);
            if gap > u64::from(u32::MAX) << 1 {
                return Err(OUTSIDE);
            }
            let start = if interval == 0 { i64::from(node) + signed(gap) } else { end + 1 + gap as i64 };
            let length = reader.read(self.intervals).saturating_add(self.min_interval as u64);
            if length > left as u64 {
                return Err(Damage("there are more targets in intervals than there are"));
            }
            end = start + length as i64;
            if start < 0 || end > self.nodes as i64 {
                return Err(OUTSIDE);
            }
            left -= length as usize;
            intervals.push((start as u32, length as u32));
        }
        Ok(left)
    }

    #[inline(always)]
    fn read_residuals(
        &self,
        reader: &mut BitReader,
        node: u32,
        count: usize,
        read: impl Fn(&mut BitReader) -> u64,
        residuals: &mut Vec<u32>,
    ) -> Result<(), Damage> {
        const OUTSIDE: Damage = Damage("a target leaves the graph");
        let first = i64::from(node).wrapping_add(signed(read(reader)));
        if first < 0 || first >= self.nodes as i64 {
            return Err(OUTSIDE);
        }
        let mut target = first as u64;
        residuals.push(target as u32);
        for _ in 1..count {
            target = target.saturating_add(read(reader)).saturating_add(1);
            if target >= self.nodes as u64 {
                return Err(OUTSIDE);
            }
            residuals.push(target as u32);
        }
        Ok(())
    }
}

/// Merges copied targets, intervals and residuals.
fn merge(scratch: &mut Scratch, targets: &mut Vec<u32>) {
    let Scratch { copied, intervals, residuals } = scratch;
    if intervals.is_empty() {
        return merge_two(copied, residuals, targets);
    }
    let total: usize = intervals.iter().map(|(_, length)| *length as usize).sum();
    if copied.is_empty() {
        targets.reserve(residuals.len() + total);
        return merge_intervals(intervals, residuals, targets);
    }
    let mut others = std::mem::take(residuals);
    let mut extra = Vec::with_capacity(others.len() + total);
    merge_intervals(intervals, &others, &mut extra);
    merge_two(copied, &extra, targets);
    std::mem::swap(residuals, &mut others);
}

fn merge_intervals(intervals: &[(u32, u32)], residuals: &[u32], targets: &mut Vec<u32>) {
    let mut rest = residuals;
    for (start, length) in intervals {
        let before = rest.iter().take_while(|residual| *residual < start).count();
        targets.extend_from_slice(&rest[..before]);
        rest = &rest[before..];
        targets.extend(*start..*start + *length);
    }
    targets.extend_from_slice(rest);
}

fn merge_two(left: &[u32], right: &[u32], targets: &mut Vec<u32>) {
    targets.reserve(left.len() + right.len());
    let mut rest = left;
    for target in right {
        let before = rest.iter().take_while(|copied| *copied < target).count();
        targets.extend_from_slice(&rest[..before]);
        rest = &rest[before..];
        targets.push(*target);
    }
    targets.extend_from_slice(rest);
}
