//! The records of the ready log.
//!
//! ```text
//! record = first ordinal, count, (depth | hops << 16, address)*
//! ```
//!
//! `hops` are the redirects between the address that was found and this one. Version 1 did not count them, so a log of
//! that version can be gone on with: its first records say zero. Version 3 has several parts, and a record without
//! addresses at the end of each but the last.

use journal::{FieldReader, FieldWriter, Format, JournalWriter, Malformed};
use page::Ordinal;

/// What each part of the log begins with.
pub const READY: Format = Format { magic: *b"CRVREADY", version: 3 };
/// The first version of it that is still read. It is raised to the last when somebody writes.
pub const READY_OLDEST: u32 = 1;

/// Addresses are written in records of about this size.
const RECORD_BYTES: usize = 64 << 10;

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

/// Gathers addresses into records. Their ordinals grow; a record has those that follow each other.
#[derive(Debug)]
pub(crate) struct RecordWriter {
    journal: JournalWriter,
    addresses: FieldWriter,
    first: Ordinal,
    gathered: u64,
}

impl RecordWriter {
    pub(crate) fn new(journal: JournalWriter) -> Self {
        Self { journal, addresses: FieldWriter::new(), first: Ordinal::new(0), gathered: 0 }
    }

    /// Adds an address.
    pub(crate) fn add(&mut self, ready: ReadyUrl<'_>) {
        if ready.ordinal.get() != self.first.get().saturating_add(self.gathered) {
            self.close_record();
        }
        if self.gathered == 0 {
            self.first = ready.ordinal;
        }
        self.addresses.number(u64::from(ready.depth) | u64::from(ready.hops) << 16).text(ready.url);
        self.gathered += 1;
        if self.addresses.as_bytes().len() >= RECORD_BYTES {
            self.close_record();
        }
    }

    fn close_record(&mut self) {
        if self.gathered == 0 {
            return;
        }
        let mut record = FieldWriter::new();
        record.number(self.first.get()).number(self.gathered).fixed(self.addresses.as_bytes());
        self.journal.append(record.as_bytes());
        self.addresses.clear();
        self.gathered = 0;
    }

    /// The journal, with all that was added in its records.
    pub(crate) fn finish_record(&mut self) -> &mut JournalWriter {
        self.close_record();
        &mut self.journal
    }
}
