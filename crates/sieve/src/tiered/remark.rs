//! What is kept of an address beside that it was seen: when it was visited last and what came of it, or that it shall be
//! forgotten. The newest remark holds.
//!
//! ```text
//! entry  = key, and where a run has remarks at all: tag (2 bits), remark
//! tag    = 0 no remark, 1 a visit, 2 forgotten
//! visit  = time (40 bits, seconds since 1970) outcome (16 bits) digest (32 bits)
//! ```

use super::bits::{BitReader, BitWriter};

/// The last visit to an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Visit {
    /// When it ended, in seconds since 1970.
    pub at_seconds: u64,
    /// The status of the answer, or 0 if none came.
    pub outcome: u16,
    /// 32 bits of the print of its text, or 0: the same text has the same.
    pub digest: u32,
}

/// What a sieve knows of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// It has not passed, or was forgotten since.
    Unseen,
    /// It has passed, and nothing more is kept of it.
    Seen,
    /// It has passed and was visited.
    Visited(Visit),
}

/// What is kept of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Remark {
    /// It was visited.
    Visited(Visit),
    /// It counts as never seen: a tombstone, which is dropped when it meets the oldest run.
    Forgotten,
}

const TAG_BITS: u32 = 2;
const TIME_BITS: u32 = 40;

pub(crate) fn put_remark(bits: &mut BitWriter, remark: Option<Remark>) {
    match remark {
        None => bits.put(0, TAG_BITS),
        Some(Remark::Visited(visit)) => {
            bits.put(1, TAG_BITS);
            bits.put(visit.at_seconds.min((1 << TIME_BITS) - 1), TIME_BITS);
            bits.put(u64::from(visit.outcome), 16);
            bits.put(u64::from(visit.digest), 32);
        }
        Some(Remark::Forgotten) => bits.put(2, TAG_BITS),
    }
}

/// Nothing if no such tag was ever written.
pub(crate) fn take_remark(bits: &mut BitReader<'_>) -> Option<Option<Remark>> {
    Some(match bits.take(TAG_BITS) {
        0 => None,
        1 => Some(Remark::Visited(Visit {
            at_seconds: bits.take(TIME_BITS),
            outcome: bits.take(16) as u16,
            digest: bits.take(32) as u32,
        })),
        2 => Some(Remark::Forgotten),
        _ => return None,
    })
}
