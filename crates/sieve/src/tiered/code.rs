//! How sorted signatures become bits: each as its distance to the one before, in Rice's code.
//!
//! Signatures are hashes, so the distances between n of them in a range of u are geometric with mean u/n. Rice's code
//! with the best parameter takes within 0.1 bits of what such distances hold, log₂(u/n) + 1.44: at twenty million
//! signatures of 64 bits 41.3 bits where 41.2 are the least that is possible.
//!
//! ```text
//! key = distance >> k in unary, the k low bits of the distance, for 128 bits the other 64, tag and remark if there are
//! any
//! ```

use super::bits::{BitReader, BitWriter};
use super::remark::{Remark, put_remark, take_remark};
use super::signature::Signature;

/// A signature and what is kept of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry<S> {
    pub(crate) key: S,
    pub(crate) remark: Option<Remark>,
}

/// How a stream of keys is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Code {
    /// The parameter of Rice's code, at most 56.
    pub(crate) rice: u32,
    /// Whether there are tags.
    pub(crate) has_remarks: bool,
}

/// Larger ones would not fit into what a reader sees at once; they pay only for a handful of keys.
const RICE_MAX: u32 = 56;

impl Code {
    /// The best code for so many keys in a range of 2 to the `range_bits`.
    pub(crate) fn for_keys(count: u64, range_bits: u32, has_remarks: bool) -> Self {
        let mean = 2f64.powi(range_bits as i32) / count.max(1) as f64;
        // A quotient beyond j has probability (1 − 1/mean)^(j·2^k): so many bits are expected in unary.
        let cost = |rice: u32| f64::from(rice) + 1.0 / (1.0 - (-(2f64.powi(rice as i32)) / mean).exp());
        let best = (0..=RICE_MAX.min(range_bits)).min_by(|&one, &other| cost(one).total_cmp(&cost(other)));
        Self { rice: best.unwrap_or(0), has_remarks }
    }

    /// Writes an entry that stands `distance` behind the one before.
    #[inline]
    pub(crate) fn put<S: Signature>(self, bits: &mut BitWriter, distance: u64, entry: &Entry<S>) {
        bits.put_unary(distance >> self.rice);
        bits.put(distance & ((1 << self.rice) - 1), self.rice);
        if S::LOW_BITS > 0 {
            bits.put(entry.key.low(), S::LOW_BITS);
        }
        if self.has_remarks {
            put_remark(bits, entry.remark);
        }
    }

    /// Reads the distance of the next entry; nothing if none was written that could be so far away.
    #[inline]
    pub(crate) fn take_distance(self, bits: &mut BitReader<'_>, range_bits: u32) -> Option<u64> {
        let quotient_max = 1 << range_bits.saturating_sub(self.rice).min(40);
        // One look at memory instead of two: a key is found by reading those before it, each of which waits for the
        // last.
        if let Some((quotient, rest)) = bits.take_short(self.rice) {
            return (quotient <= quotient_max).then_some(quotient << self.rice | rest);
        }
        let quotient = bits.take_unary(quotient_max)?;
        quotient.checked_shl(self.rice)?.checked_add(bits.take(self.rice))
    }

    /// Reads what stands behind the distance.
    #[inline]
    pub(crate) fn take_rest<S: Signature>(self, bits: &mut BitReader<'_>) -> Option<(u64, Option<Remark>)> {
        let low = if S::LOW_BITS > 0 { bits.take_word() } else { 0 };
        Some((low, if self.has_remarks { take_remark(bits)? } else { None }))
    }
}
