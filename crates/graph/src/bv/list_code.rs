//! How one list is written: what it copies of another one in blocks, and of the rest the intervals and the residuals.
//!
//! ```text
//! list = outdegree γ; if it is not 0: how far back the other is, unary (none if the window is 0);
//!        if it copies: number of blocks γ, their lengths γ (less one, but the first); copied and left out take turns
//!        if there is a rest: number of intervals γ; the start γ and the length γ of each; residuals as gaps, ζ₃ or π₂
//! ```
//!
//! The first interval and the first residual count from the node, forth or back, and the others from the one before. After
//! Boldi and Vigna, "The WebGraph Framework I" (2004).

use crate::bit_buffer::BitBuffer;

/// A list, taken apart. It is used again and again, for the sake of its memory.
#[derive(Debug, Default)]
pub(super) struct ListCode {
    outdegree: usize,
    /// How many targets of the other list are copied, left out, copied … The last block goes without saying.
    blocks: Vec<u32>,
    /// What is not copied.
    extra: Vec<u32>,
    /// First target and length.
    intervals: Vec<(u32, u32)>,
    residuals: Vec<u32>,
}

/// Takes numbers in the codes of a list.
pub(super) trait CodeSink {
    fn put_unary(&mut self, number: u64);
    fn put_gamma(&mut self, number: u64);
    fn put_residual(&mut self, number: u64);
}

impl ListCode {
    /// Takes a list apart, beside another that it may copy from. An empty one is as good as none.
    pub(super) fn set(&mut self, list: &[u32], referred: &[u32], min_interval: usize) {
        self.outdegree = list.len();
        self.find_blocks(list, referred);
        self.intervals.clear();
        self.residuals.clear();
        match min_interval {
            0 => self.residuals.extend_from_slice(&self.extra),
            _ => self.find_intervals(min_interval.max(2)),
        }
    }

    /// Whether something is copied. If not, the list takes more than without the other one.
    pub(super) fn copies(&self) -> bool {
        self.extra.len() < self.outdegree
    }

    /// Which of two targets comes first is anybody's guess, so nothing branches on that: both lists go on by what the
    /// comparison says, and what may be a target that is not copied, or the end of a block, is written down in any case.
    fn find_blocks(&mut self, list: &[u32], referred: &[u32]) {
        self.extra.resize(list.len(), 0);
        self.blocks.resize(referred.len() + 1, 0);
        let (mut at, mut other_at, mut extras, mut blocks) = (0, 0, 0, 0);
        let (mut is_copying, mut block_start) = (true, 0);
        while at < list.len() && other_at < referred.len() {
            let (target, other) = (list[at], referred[other_at]);
            let (is_before, is_same) = (target < other, target == other);
            self.extra[extras] = target;
            extras += usize::from(is_before);
            let ends = !is_before & (is_same != is_copying);
            self.blocks[blocks] = (other_at - block_start) as u32;
            blocks += usize::from(ends);
            block_start = if ends { other_at } else { block_start };
            is_copying ^= ends;
            at += usize::from(is_before | is_same);
            other_at += usize::from(!is_before);
        }
        // What comes last is said only where copying ends before the other list does.
        if is_copying && other_at < referred.len() {
            self.blocks[blocks] = (other_at - block_start) as u32;
            blocks += 1;
        }
        self.blocks.truncate(blocks);
        let rest = &list[at..];
        self.extra[extras..extras + rest.len()].copy_from_slice(rest);
        self.extra.truncate(extras + rest.len());
    }

    fn find_intervals(&mut self, min_interval: usize) {
        let extra = &self.extra[..];
        let mut start = 0;
        while start < extra.len() {
            let mut end = start + 1;
            while end < extra.len() && extra[end] == extra[end - 1] + 1 {
                end += 1;
            }
            if end - start >= min_interval {
                self.intervals.push((extra[start], (end - start) as u32));
            } else {
                // Too few for a call that copies them.
                extra[start..end].iter().for_each(|target| self.residuals.push(*target));
            }
            start = end;
        }
    }

    /// Writes it; `reference` is how far back the other list is, 0 for none, and nothing is said of it if there is no
    /// window.
    pub(super) fn put(
        &self,
        node: u32,
        reference: Option<usize>,
        min_interval: usize,
        sink: &mut impl CodeSink,
    ) {
        sink.put_gamma(self.outdegree as u64);
        if self.outdegree == 0 {
            return;
        }
        if let Some(back) = reference {
            sink.put_unary(back as u64);
            if back > 0 {
                self.put_blocks(sink);
            }
        }
        if !self.extra.is_empty() && min_interval > 0 {
            self.put_intervals(node, min_interval as u32, sink);
        }
        let Some(first) = self.residuals.first() else { return };
        sink.put_residual(natural(*first, node));
        for pair in self.residuals.windows(2) {
            sink.put_residual(u64::from(pair[1] - pair[0] - 1));
        }
    }

    fn put_blocks(&self, sink: &mut impl CodeSink) {
        sink.put_gamma(self.blocks.len() as u64);
        for (place, block) in self.blocks.iter().enumerate() {
            // Only the first may be empty.
            sink.put_gamma(u64::from(block - u32::from(place > 0)));
        }
    }

    fn put_intervals(&self, node: u32, min_interval: u32, sink: &mut impl CodeSink) {
        sink.put_gamma(self.intervals.len() as u64);
        let mut end_before = None;
        for (first, length) in &self.intervals {
            sink.put_gamma(match end_before {
                None => natural(*first, node),
                // Between two intervals is at least one target that does not belong.
                Some(end) => u64::from(first - end - 1),
            });
            sink.put_gamma(u64::from(length - min_interval));
            end_before = Some(first + length);
        }
    }
}

/// How far a target is from its node: 0, −1, 1, −2, 2 … as 0, 1, 2, 3, 4 …
fn natural(target: u32, node: u32) -> u64 {
    let difference = i64::from(target) - i64::from(node);
    (difference << 1 ^ difference >> 63) as u64
}

/// Counts the bits that would be written; residuals in π₂ or in ζ₃.
#[derive(Debug, Default)]
pub(super) struct Length<const PI: bool>(pub(super) u64);

impl<const PI: bool> CodeSink for Length<PI> {
    #[inline]
    fn put_unary(&mut self, number: u64) {
        self.0 += number + 1;
    }

    #[inline]
    fn put_gamma(&mut self, number: u64) {
        self.0 += u64::from(2 * (number + 1).ilog2() + 1);
    }

    #[inline]
    fn put_residual(&mut self, number: u64) {
        self.0 += u64::from(if PI { pi_bits(number) } else { zeta_bits(number) });
    }
}

/// Writes the bits; residuals in π₂ or in ζ₃.
#[derive(Default)]
pub(super) struct Bits<const PI: bool>(pub(super) BitBuffer);

impl<const PI: bool> CodeSink for Bits<PI> {
    #[inline]
    fn put_unary(&mut self, number: u64) {
        self.0.put_unary(number);
    }

    #[inline]
    fn put_gamma(&mut self, number: u64) {
        self.0.put_gamma(number);
    }

    #[inline]
    fn put_residual(&mut self, number: u64) {
        if PI { put_pi(&mut self.0, number) } else { put_zeta(&mut self.0, number) }
    }
}

/// The parameter of ζ: three bits at a time.
const ZETA_K: u32 = 3;
/// The parameter of π: the length in a Rice code with two bits.
const PI_K: u32 = 2;

pub(crate) fn zeta_bits(number: u64) -> u32 {
    let threes = (number + 1).ilog2() / ZETA_K;
    let is_short = (number + 1) >> (threes * ZETA_K) == 1;
    threes + 1 + (threes + 1) * ZETA_K - u32::from(is_short)
}

fn put_zeta(bits: &mut BitBuffer, number: u64) {
    let number = number + 1;
    let threes = number.ilog2() / ZETA_K;
    bits.put_unary(u64::from(threes));
    let (shift, width) = (threes * ZETA_K, (threes + 1) * ZETA_K);
    match number >> shift {
        // What is left of the least numbers without the one at the top fits into a bit less.
        1 => bits.put(number ^ 1 << shift, width - 1),
        _ => bits.put(number, width),
    }
}

fn pi_bits(number: u64) -> u32 {
    let length = (number + 1).ilog2();
    (length >> PI_K) + 1 + PI_K + length
}

fn put_pi(bits: &mut BitBuffer, number: u64) {
    let length = (number + 1).ilog2();
    bits.put_unary(u64::from(length >> PI_K));
    bits.put(u64::from(length), PI_K);
    if length > 0 {
        bits.put(number + 1, length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bv::bit_reader::BitReader;

    #[test]
    fn residuals_are_read_as_they_were_written_and_as_long_as_was_said() {
        let numbers = || (0..2000).chain((11..40).flat_map(|bit| [(1 << bit) - 2, (1 << bit) - 1, 1 << bit]));
        let (mut zeta, mut pi) = (Bits::<false>::default(), Bits::<true>::default());
        let (mut zeta_length, mut pi_length) = (Length::<false>::default(), Length::<true>::default());
        for number in numbers() {
            let sinks: [&mut dyn CodeSink; 4] = [&mut zeta, &mut pi, &mut zeta_length, &mut pi_length];
            sinks.into_iter().for_each(|sink| sink.put_residual(number));
            assert_eq!((zeta.0.len(), pi.0.len()), (zeta_length.0, pi_length.0), "{number}");
        }
        let (zeta, pi) = (zeta.0.take_bytes(), pi.0.take_bytes());
        let (mut zeta, mut pi) = (BitReader::new(&zeta, 0), BitReader::new(&pi, 0));
        for number in numbers() {
            assert_eq!((zeta.zeta(3), pi.pi(2)), (number, number));
        }
    }
}
