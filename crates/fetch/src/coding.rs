//! Compression undone, within bounds: gzip and deflate, at most two layers.
//!
//! Both are the same deflate stream in different wrappers, and servers get the wrappers wrong: `deflate` comes with
//! and without its zlib header, gzip members come in rows or with rubbish behind them. So the wrapper is read here
//! and only the stream is left to the inflater, one per thread, which is reset instead of made anew (its window is
//! 32 KiB that would have to be cleared each time).
//!
//! A bomb makes a gigabyte out of a megabyte. The output is bounded by `decoded_bytes_max` and, beyond one mebibyte,
//! by `decoded_ratio_max` times the input; what was made until then is kept. A stream that is damaged or ends early
//! gives what came before the damage.

use std::cell::RefCell;

use flate2::{Crc, Decompress, FlushDecompress, Status};
use page::Truncation;

use crate::limits::FetchLimits;

/// More layers are not taken off: nobody needs them, and each multiplies the work.
const LAYERS_MAX: usize = 2;
/// Below this, any ratio is fine: pages of a few kilobytes of white space exist.
const RATIO_FREE_BYTES: usize = 1 << 20;

/// Tools that compress in blocks make a member of each; nobody makes blocks so small that a page has more. Empty ones
/// would cost microseconds each and add nothing that the other limits count.
const GZIP_MEMBERS_MAX: usize = 1000;

/// A compression that we can undo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    Deflate,
}

impl Coding {
    /// The codings of a header in the order in which they are undone, the last one first; `None` when there is one
    /// that we do not know, or when there are too many: then the body stays as it is.
    pub fn stack<'a>(names: impl Iterator<Item = &'a str>) -> Option<Vec<Self>> {
        let mut codings = Vec::new();
        for name in names {
            if name.eq_ignore_ascii_case("gzip") || name.eq_ignore_ascii_case("x-gzip") {
                codings.push(Self::Gzip);
            } else if name.eq_ignore_ascii_case("deflate") {
                codings.push(Self::Deflate);
            } else if !name.eq_ignore_ascii_case("identity") {
                return None;
            }
        }
        codings.reverse();
        (codings.len() <= LAYERS_MAX).then_some(codings)
    }
}

/// Undoes `codings` in order. `None` when there is nothing to undo: no codings, an empty body, or a body that is
/// not what its header says.
pub(crate) fn decode(
    codings: &[Coding],
    body: &[u8],
    limits: &FetchLimits,
) -> Option<(Vec<u8>, Option<Truncation>)> {
    let mut decoded: Option<(Vec<u8>, Option<Truncation>)> = None;
    for coding in codings {
        let (input, earlier) = match &decoded {
            Some((output, truncated)) => (output.as_slice(), *truncated),
            None => (body, None),
        };
        let output_bytes_max = limits
            .decoded_bytes_max
            .min(limits.decoded_ratio_max.saturating_mul(body.len()).max(RATIO_FREE_BYTES));
        let Some((output, truncated)) = undo(*coding, input, output_bytes_max) else { break };
        decoded = Some((output, earlier.or(truncated)));
    }
    decoded
}

fn undo(coding: Coding, input: &[u8], output_bytes_max: usize) -> Option<(Vec<u8>, Option<Truncation>)> {
    let mut output =
        Vec::with_capacity(input.len().saturating_mul(4).clamp(256, 256 << 10).min(output_bytes_max));
    let ending = match coding {
        Coding::Gzip => undo_gzip(input, &mut output, output_bytes_max)?,
        Coding::Deflate => undo_deflate(input, &mut output, output_bytes_max),
    };
    // Not even the first block: it was never deflated.
    if coding == Coding::Deflate && ending == Ending::Damaged && output.is_empty() {
        return None;
    }
    let truncated = match ending {
        Ending::Whole { .. } => None,
        Ending::Full => Some(Truncation::Length),
        Ending::Damaged => Some(Truncation::Unspecified),
    };
    Some((output, truncated))
}

/// How an inflated stream ended.
#[derive(Debug, PartialEq, Eq)]
enum Ending {
    /// At its own end, after so many bytes of input.
    Whole { bytes_read: usize },
    /// At our limit.
    Full,
    /// Too early, or not as a deflate stream.
    Damaged,
}

/// One member after the other. Bytes behind a member that are no further member are ignored, as browsers do.
fn undo_gzip(mut input: &[u8], output: &mut Vec<u8>, output_bytes_max: usize) -> Option<Ending> {
    let mut member_start = gzip_header_length(input)?;
    for _ in 0..GZIP_MEMBERS_MAX {
        let already_made = output.len();
        let bytes_read = match inflate(&input[member_start..], output, output_bytes_max) {
            Ending::Whole { bytes_read } => bytes_read,
            other => return Some(other),
        };
        let footer = &input[member_start + bytes_read..];
        let mut checksum = Crc::new();
        checksum.update(&output[already_made..]);
        if footer.len() < 8 || footer[..4] != checksum.sum().to_le_bytes() {
            return Some(Ending::Damaged);
        }
        input = &footer[8..];
        match gzip_header_length(input) {
            Some(length) => member_start = length,
            None => return Some(Ending::Whole { bytes_read: 0 }),
        }
    }
    Some(Ending::Damaged)
}

/// The length of a gzip header (RFC 1952); `None` when these bytes do not start with one. A header that is cut off
/// counts with what is there, so that the stream behind it is seen to be missing.
fn gzip_header_length(input: &[u8]) -> Option<usize> {
    let [0x1f, 0x8b, 8, flags, ..] = *input else { return None };
    let mut length = 10.min(input.len());
    if flags & 4 != 0 {
        let extra = input.get(length..length + 2).map_or(0, |bytes| u16::from_le_bytes([bytes[0], bytes[1]]));
        length = (length + 2 + usize::from(extra)).min(input.len());
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            let text = &input[length..];
            length += memchr::memchr(0, text).map_or(text.len(), |end| end + 1);
        }
    }
    if flags & 2 != 0 {
        length = (length + 2).min(input.len());
    }
    Some(length)
}

/// With the zlib header that the standard asks for, or without, as some servers send it.
fn undo_deflate(input: &[u8], output: &mut Vec<u8>, output_bytes_max: usize) -> Ending {
    if let [first, second, stream @ ..] = input
        && first & 0x0f == 8
        && u16::from_be_bytes([*first, *second]) % 31 == 0
    {
        let ending = inflate(stream, output, output_bytes_max);
        if ending != Ending::Damaged || !output.is_empty() {
            return ending;
        }
    }
    inflate(input, output, output_bytes_max)
}

thread_local! {
    static INFLATER: RefCell<Decompress> = RefCell::new(Decompress::new(false));
}

/// Appends the content of a bare deflate stream to `output`, until that holds `output_bytes_max` bytes.
fn inflate(input: &[u8], output: &mut Vec<u8>, output_bytes_max: usize) -> Ending {
    INFLATER.with_borrow_mut(|inflater| {
        inflater.reset(false);
        loop {
            let bytes_read = inflater.total_in() as usize;
            let made_before = output.len();
            if output.len() == output.capacity() {
                let room = output
                    .len()
                    .max(256)
                    .min(output_bytes_max.saturating_add(1).saturating_sub(output.len()));
                output.reserve_exact(room.max(1));
            }
            let step = inflater.decompress_vec(&input[bytes_read..], output, FlushDecompress::None);
            let stuck = inflater.total_in() as usize == bytes_read && output.len() == made_before;
            if output.len() > output_bytes_max {
                output.truncate(output_bytes_max);
                return Ending::Full;
            }
            match step {
                Ok(Status::StreamEnd) => return Ending::Whole { bytes_read: inflater.total_in() as usize },
                Ok(_) if !stuck => {}
                _ => return Ending::Damaged,
            }
        }
    })
}
