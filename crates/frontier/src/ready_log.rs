//! The log of all addresses that ever passed the sieve, in that order: what a crawl is restarted from.
//!
//! Each address has its *ordinal*, its place in the log. The page table of the store names the ordinals that are
//! done, so what is left to fetch after a crash is this log without those. The log grows only when the sieve is
//! flushed, and the sieve's state says up to where it is valid ([`ReadyLog::open_at`]).
//!
//! ```text
//! record = first ordinal, count, (depth | hops << 16, address)*
//! ```
//!
//! `hops` are the redirects between the address that was found and this one. Version 1 did not count them, so a log of
//! that version can be gone on with: its first records say zero.

use std::path::Path;

use journal::{FieldReader, FieldWriter, Format, JournalReader, JournalWriter, Malformed};
use page::Ordinal;

use crate::Error;

/// What the log begins with.
pub const READY: Format = Format { magic: *b"CRVREADY", version: 2 };
/// The first version of it that is still read. It is raised to the last when somebody writes.
pub const READY_OLDEST: u32 = 1;

/// Addresses are written in records of about this size.
const RECORD_BYTES: usize = 64 << 10;

/// The end of the log, where addresses are added.
#[derive(Debug)]
pub struct ReadyLog {
    journal: JournalWriter,
    next_ordinal: Ordinal,
    addresses: FieldWriter,
    gathered: u64,
}

/// An address of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadyUrl<'a> {
    /// Its place in the log.
    pub ordinal: Ordinal,
    /// How many links away from a seed.
    pub depth: u16,
    /// How many redirects away from the address that was found.
    pub hops: u8,
    /// The address in normal form.
    pub url: &'a str,
}

impl ReadyLog {
    /// Starts an empty log.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let journal = JournalWriter::create(path, READY)?;
        Ok(Self { journal, next_ordinal: Ordinal::new(0), addresses: FieldWriter::new(), gathered: 0 })
    }

    /// Goes on with a log that is valid up to byte `end` and has `count` addresses there.
    pub fn open_at(path: &Path, end: u64, count: u64) -> Result<Self, Error> {
        JournalWriter::raise_version(path, READY, READY_OLDEST)?;
        let journal = JournalWriter::open_at(path, READY, end)?;
        Ok(Self { journal, next_ordinal: Ordinal::new(count), addresses: FieldWriter::new(), gathered: 0 })
    }

    /// How long a log is, without a torn end, and how many addresses it has: for when nothing else knows.
    pub fn measure(path: &Path) -> Result<(u64, u64), Error> {
        JournalWriter::raise_version(path, READY, READY_OLDEST)?;
        let end = JournalWriter::open(path, READY)?.position();
        let mut scan = ReadyScan::open(path, journal::HEADER_BYTES, end)?;
        let mut count = 0;
        while scan.next_record(|_| count += 1)? {}
        Ok((end, count))
    }

    /// Adds an address and returns its ordinal.
    pub fn append(&mut self, depth: u16, hops: u8, url: &str) -> Ordinal {
        self.addresses.number(u64::from(depth) | u64::from(hops) << 16).text(url);
        self.gathered += 1;
        let ordinal = self.next_ordinal;
        self.next_ordinal = ordinal.next();
        if self.addresses.as_bytes().len() >= RECORD_BYTES {
            self.close_record();
        }
        ordinal
    }

    fn close_record(&mut self) {
        if self.gathered == 0 {
            return;
        }
        let mut record = FieldWriter::new();
        record
            .number(self.next_ordinal.get() - self.gathered)
            .number(self.gathered)
            .fixed(self.addresses.as_bytes());
        self.journal.append(record.as_bytes());
        self.addresses.clear();
        self.gathered = 0;
    }

    /// Makes everything durable. Returns the length of the log and the number of its addresses: what
    /// [`open_at`](Self::open_at) wants.
    pub fn sync(&mut self) -> Result<(u64, u64), Error> {
        self.close_record();
        self.journal.sync()?;
        Ok((self.journal.position(), self.next_ordinal.get()))
    }
}

/// Reads the log from its beginning.
#[derive(Debug)]
pub struct ReadyScan {
    path: std::path::PathBuf,
    journal: JournalReader,
    end: u64,
}

impl ReadyScan {
    /// Reads what is between two bytes where records start; the first is at [`journal::HEADER_BYTES`].
    pub fn open(path: &Path, start: u64, end: u64) -> Result<Self, Error> {
        let mut journal = JournalReader::open_since(path, READY, READY_OLDEST)?;
        journal.seek(start);
        Ok(Self { path: path.to_owned(), journal, end })
    }

    /// Shows the addresses of one record, in order. False at the end.
    pub fn next_record(&mut self, see: impl FnMut(ReadyUrl<'_>)) -> Result<bool, Error> {
        let offset = self.journal.position();
        if offset >= self.end {
            return Ok(false);
        }
        let what = "the end is missing";
        let lost = || journal::Error::Damaged { path: self.path.clone(), offset, what };
        let record = self.journal.next_record()?.ok_or_else(lost)?;
        decode_ready(record.payload, see)
            .map_err(|_| Error::Malformed { path: self.path.clone(), offset })?;
        Ok(true)
    }
}

/// Shows the addresses in a record of the log, in order.
pub fn decode_ready(record: &[u8], mut see: impl FnMut(ReadyUrl<'_>)) -> Result<(), Malformed> {
    let mut fields = FieldReader::new(record);
    let (first, count) = (fields.number()?, fields.number()?);
    for index in 0..count {
        let ordinal = Ordinal::new(first.checked_add(index).ok_or(Malformed)?);
        let distance: u32 = fields.small()?;
        let hops = u8::try_from(distance >> 16).map_err(|_| Malformed)?;
        see(ReadyUrl { ordinal, depth: distance as u16, hops, url: fields.text()? });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use journal::HEADER_BYTES;

    fn read(path: &Path, end: u64) -> Vec<(u64, u16, u8, String)> {
        let mut found = Vec::new();
        let mut scan = ReadyScan::open(path, HEADER_BYTES, end).unwrap();
        while scan
            .next_record(|ready| {
                found.push((ready.ordinal.get(), ready.depth, ready.hops, ready.url.to_owned()))
            })
            .unwrap()
        {}
        found
    }

    #[test]
    fn what_was_not_sealed_is_cut_off_and_numbers_go_on() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ready.log");
        let mut log = ReadyLog::create(&path).unwrap();
        for number in 0..5000 {
            assert_eq!(
                log.append(number as u16, 0, &format!("http://a.test/a-rather-long-path/{number}")),
                Ordinal::new(number)
            );
        }
        let (end, count) = log.sync().unwrap();
        log.append(0, 0, "http://lost.test/");
        log.sync().unwrap();
        drop(log);
        assert_eq!(ReadyLog::measure(&path).unwrap().1, count + 1);

        let mut log = ReadyLog::open_at(&path, end, count).unwrap();
        assert_eq!(log.append(7, 3, "http://b.test/"), Ordinal::new(5000));
        let (end, _) = log.sync().unwrap();
        let all = read(&path, end);
        assert_eq!(all.len(), 5001);
        assert_eq!(all[4999].3, "http://a.test/a-rather-long-path/4999");
        assert_eq!(all[5000], (5000, 7, 3, "http://b.test/".into()));
    }

    #[test]
    fn a_log_of_version_1_is_gone_on_with() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ready.log");
        let mut record = FieldWriter::new();
        record.number(0).number(2).number(0).text("http://a.test/").number(65_535).text("http://a.test/x");
        let mut old = JournalWriter::create(&path, Format { version: 1, ..READY }).unwrap();
        old.append(record.as_bytes());
        old.sync().unwrap();
        let before = [(0, 0, 0, "http://a.test/".to_owned()), (1, 65_535, 0, "http://a.test/x".to_owned())];
        assert_eq!(read(&path, old.position()), before, "who only reads it");

        let mut log = ReadyLog::open_at(&path, old.position(), 2).unwrap();
        assert_eq!(log.append(65_535, 10, "http://b.test/"), Ordinal::new(2));
        let (end, _) = log.sync().unwrap();
        assert_eq!(read(&path, end)[..2], before, "who has written to it");
        assert_eq!(read(&path, end)[2], (2, 65_535, 10, "http://b.test/".into()));
        assert!(
            JournalReader::open(&path, Format { version: 1, ..READY }).is_err(),
            "an old build refuses it"
        );
    }
}
