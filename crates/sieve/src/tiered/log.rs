//! The log of what passed lately, from which the tables in memory are filled at a start.
//!
//! ```text
//! record = count (varint) Rice's parameter (u8) flags (u8: 1 has remarks, 2 signatures of 128 bits) bits
//! ```
//!
//! Each flush appends one record with its entries, sorted, in the code of `code.rs` with 2⁶⁴ as the range. The sieve's
//! state names the log and the byte up to which it counts; what stands behind it was never committed.

use std::path::{Path, PathBuf};

use journal::{Format, JournalReader, JournalWriter, varint};

use super::bits::{BitReader, BitWriter};
use super::code::{Code, Entry};
use super::signature::Signature;
use crate::Error;

/// What the file begins with.
pub const LOG: Format = Format { magic: *b"CRVSRECE", version: 1 };

/// The file of a log.
pub(crate) fn log_path(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("recent-{number}"))
}

/// Distances are between signatures as they are, whatever their length.
const RANGE_BITS: u32 = 64;

/// A record has at most so many entries: larger flushes write several.
const ENTRIES_MAX: usize = 1 << 20;

/// Appends entries, which are sorted here, and tells up to where the log counts then. They are not on the disk yet.
pub(crate) fn append<S: Signature>(log: &mut JournalWriter, entries: &mut [Entry<S>]) -> u64 {
    // Of two entries with the same key, which only remarks bring, the later one holds.
    if entries.iter().any(|entry| entry.remark.is_some()) {
        entries.sort_by_key(|entry| entry.key);
    } else {
        entries.sort_unstable_by_key(|entry| entry.key);
    }
    for part in entries.chunks(ENTRIES_MAX) {
        log.append(&encode(part));
    }
    log.position()
}

fn encode<S: Signature>(entries: &[Entry<S>]) -> Vec<u8> {
    let has_remarks = entries.iter().any(|entry| entry.remark.is_some());
    let code = Code::for_keys(entries.len() as u64, RANGE_BITS, has_remarks);
    let mut bytes = Vec::new();
    varint::put(&mut bytes, entries.len() as u64);
    bytes.extend([code.rice as u8, u8::from(has_remarks) | flags_of::<S>()]);
    let (mut bits, mut last) = (BitWriter::default(), 0);
    for entry in entries {
        code.put(&mut bits, entry.key.high() - last, entry);
        last = entry.key.high();
    }
    bytes.extend_from_slice(&bits.finish());
    bytes
}

/// Shows the first 64 bits of the keys of one record and tells how many there are; nothing if it is none.
pub fn show_record(mut record: &[u8], mut see: impl FnMut(u64)) -> Option<u64> {
    let mut again = record;
    decode_entries(&mut record, |entry: Entry<u64>| see(entry.key))
        .or_else(|| decode_entries(&mut again, |entry: Entry<u128>| see(entry.key.high())))
}

const HAS_REMARKS: u8 = 1;
const HAS_LOW_HALVES: u8 = 2;

fn flags_of<S: Signature>() -> u8 {
    if S::LOW_BITS > 0 { HAS_LOW_HALVES } else { 0 }
}

fn decode_entries<S: Signature>(record: &mut &[u8], mut see: impl FnMut(Entry<S>)) -> Option<u64> {
    let count = varint::take(record)?;
    let (head, stream) = record.split_at_checked(2)?;
    let code = Code { rice: u32::from(head[0]), has_remarks: head[1] & HAS_REMARKS != 0 };
    if code.rice > 56 || head[1] & !HAS_REMARKS != flags_of::<S>() {
        return None;
    }
    let (mut bits, mut high) = (BitReader::new(stream, 0), 0u64);
    for _ in 0..count {
        high = high.checked_add(code.take_distance(&mut bits, RANGE_BITS)?)?;
        let (low, remark) = code.take_rest::<S>(&mut bits)?;
        see(Entry { key: S::from_parts(high, low), remark });
    }
    Some(count)
}

/// Reads a log up to where it counts.
pub(crate) fn read<S: Signature>(path: &Path, end: u64, mut see: impl FnMut(Entry<S>)) -> Result<(), Error> {
    let mut journal = JournalReader::open(path, LOG)?;
    let damaged = |what| Error::Damaged { path: path.to_owned(), what };
    while journal.position() < end {
        let Some(record) = journal.next_record()? else { return Err(damaged("it is cut off")) };
        let mut payload = record.payload;
        decode_entries(&mut payload, &mut see).ok_or_else(|| damaged("a record cannot be read"))?;
    }
    if journal.position() == end {
        Ok(())
    } else {
        Err(damaged("its end is not where the sieve's state says"))
    }
}
