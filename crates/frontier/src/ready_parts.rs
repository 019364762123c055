//! The parts of the ready log: which files there are, and what is left of those that are nearly done.
//!
//! ```text
//! ready.log                   the first part; it is always there
//! ready-000001234567.log      the part whose first address has that ordinal
//! ```
//!
//! A part grows until it is large, is closed by a record without addresses, and never grows again. When most of its addresses
//! are settled it is [trimmed](trim_part): written anew with the others, under the same name and with the same ordinals. One
//! of which nothing is left is deleted. So the log is about as long as what waits, however long the crawl has been.

use std::path::{Path, PathBuf};

use fs_err as fs;
use journal::{FieldReader, FieldWriter, HEADER_BYTES, JournalReader, JournalWriter, Malformed};
use page::Ordinal;

use crate::Error;
use crate::ready_record::{READY, READY_OLDEST, RecordWriter, decode_ready};

const FIRST: &str = "ready.log";
const PREFIX: &str = "ready-";
const SUFFIX: &str = ".log";

/// A place in the log: a part, by the ordinal of its first address, and a byte of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReadyPlace {
    /// The ordinal of the first address that was in the part.
    pub part: Ordinal,
    /// Where in the part.
    pub byte: u64,
}

impl ReadyPlace {
    /// The beginning of the log.
    pub const START: Self = Self { part: Ordinal::new(0), byte: HEADER_BYTES };
}

impl Default for ReadyPlace {
    fn default() -> Self {
        Self::START
    }
}

/// The file of a part of the log in `folder`.
pub fn part_path(folder: &Path, part: Ordinal) -> PathBuf {
    match part.get() {
        0 => folder.join(FIRST),
        first => folder.join(format!("{PREFIX}{first:012}{SUFFIX}")),
    }
}

/// The parts that are there, in their order.
pub fn list_parts(folder: &Path) -> Result<Vec<Ordinal>, Error> {
    let mut parts = Vec::new();
    if !folder.exists() {
        return Ok(parts);
    }
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        parts.extend(name.to_str().and_then(part_of_name));
    }
    parts.sort();
    Ok(parts)
}

fn part_of_name(name: &str) -> Option<Ordinal> {
    if name == FIRST {
        return Some(Ordinal::new(0));
    }
    let digits = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    let is_number = digits.len() >= 12 && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_number).map(Ordinal::new)
}

/// Is it the record that closes a part? It names the ordinal behind the part, and no address.
pub(crate) fn is_closing(record: &[u8]) -> Result<bool, Malformed> {
    let mut fields = FieldReader::new(record);
    fields.number()?;
    Ok(fields.number()? == 0)
}

/// Closes a part: nothing comes behind it.
pub(crate) fn close_part(journal: &mut JournalWriter, next: Ordinal) -> Result<(), Error> {
    let mut record = FieldWriter::new();
    record.number(next.get()).number(0);
    journal.append(record.as_bytes());
    Ok(journal.sync()?)
}

/// Leaves of a closed part those addresses that are wanted, by their ordinals and redirects. Returns how many those are; if
/// there are none, the part is deleted, unless it is the first one. After a kill the part is the old one or the new one.
pub fn trim_part(
    folder: &Path,
    part: Ordinal,
    mut is_wanted: impl FnMut(Ordinal, u8) -> bool,
) -> Result<u64, Error> {
    let path = part_path(folder, part);
    let temporary = path.with_added_extension("tmp");
    let mut old = JournalReader::open_since(&path, READY, READY_OLDEST)?;
    let mut new = RecordWriter::new(JournalWriter::create(&temporary, READY)?);
    let (mut left, mut end) = (0, None);
    while let Some(record) = old.next_record()? {
        let malformed = |_| Error::Malformed { path: path.clone(), offset: record.offset };
        if is_closing(record.payload).map_err(malformed)? {
            let first = FieldReader::new(record.payload).number().map_err(malformed)?;
            end = Some(Ordinal::new(first));
            break;
        }
        decode_ready(record.payload, |ready| {
            if is_wanted(ready.ordinal, ready.hops) {
                new.add(ready);
                left += 1;
            }
        })
        .map_err(malformed)?;
    }
    let (offset, what) = (old.position(), "the end is missing");
    let end = end.ok_or(journal::Error::Damaged { path: path.clone(), offset, what })?;
    if left == 0 && part.get() > 0 {
        fs::remove_file(&temporary)?;
        fs::remove_file(&path)?;
    } else {
        close_part(new.finish_record(), end)?;
        fs::rename(&temporary, &path)?;
    }
    journal::sync_folder(folder)?;
    Ok(left)
}

/// Removes parts that no restart would miss, such as those that a kill left behind.
pub(crate) fn remove_parts(folder: &Path, is_needed: impl Fn(Ordinal) -> bool) -> Result<(), Error> {
    for part in list_parts(folder)?.into_iter().filter(|part| !is_needed(*part)) {
        fs::remove_file(part_path(folder, part))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_parts_and_nothing_else_does() {
        let folder = Path::new("frontier");
        for first in [0, 1, 65_536, 1_234_567_890_123_456] {
            let path = part_path(folder, Ordinal::new(first));
            let name = path.file_name().and_then(|name| name.to_str()).unwrap();
            assert_eq!(part_of_name(name), Some(Ordinal::new(first)), "{name}");
        }
        for name in [
            "ready-7.log",
            "ready-000000000007.log.tmp",
            "ready.log.tmp",
            "hosts.log",
            "ready-+00000000007.log",
        ] {
            assert_eq!(part_of_name(name), None, "{name}");
        }
    }
}
