//! The one small file that says what a sieve has seen, replaced whole at every flush.
//!
//! ```text
//! record = kind, generation, seen, note
//! ```

use std::fmt;
use std::path::Path;

use fs_err as fs;
use journal::{FieldReader, FieldWriter, Format, JournalReader, JournalWriter, Malformed};

use crate::Error;

/// What the file begins with.
pub const STATE: Format = Format { magic: *b"CRVSIEVE", version: 1 };

/// The sorts of sieves that keep a state. The numbers are written to disk and never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum SieveKind {
    /// [`MercatorSieve`](crate::MercatorSieve).
    #[default]
    Mercator = 0,
    /// [`BloomSieve`](crate::BloomSieve).
    Bloom = 1,
}

/// What `state` says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct State {
    /// Of which sort the sieve is.
    pub kind: SieveKind,
    /// Which list of fingerprints counts, for a sieve that has one.
    pub generation: u64,
    /// How many addresses have passed.
    pub seen: u64,
    /// What the outlet returned when they had.
    pub note: Vec<u8>,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, seen) = (format!("{:?}", self.kind).to_lowercase(), page::counted(self.seen, "address"));
        write!(f, "{name} sieve, {seen} seen, list seen-{} counts", self.generation)
    }
}

impl State {
    /// The state in a folder; a new one if there is none.
    pub(crate) fn read(dir: &Path, kind: SieveKind) -> Result<Self, Error> {
        let path = dir.join("state");
        if !path.exists() {
            return Ok(Self { kind, ..Self::default() });
        }
        let mut journal = JournalReader::open(&path, STATE)?;
        let damaged = || Error::Damaged { path: path.clone(), what: "it cannot be read" };
        let record = journal.next_record()?.ok_or_else(damaged)?;
        let state = Self::decode(record.payload).map_err(|_| damaged())?;
        if state.kind == kind { Ok(state) } else { Err(Error::OtherKind { path: dir.to_owned() }) }
    }

    /// Reads the one record of the file.
    pub fn decode(record: &[u8]) -> Result<Self, Malformed> {
        let mut fields = FieldReader::new(record);
        let kind = match fields.number()? {
            0 => SieveKind::Mercator,
            1 => SieveKind::Bloom,
            _ => return Err(Malformed),
        };
        Ok(Self {
            kind,
            generation: fields.number()?,
            seen: fields.number()?,
            note: fields.bytes()?.to_vec(),
        })
    }

    /// Puts this state in force: from here on it survives the end of the machine.
    pub(crate) fn write(&self, dir: &Path) -> Result<(), Error> {
        let (path, temporary) = (dir.join("state"), dir.join("state.tmp"));
        let mut fields = FieldWriter::new();
        fields.number(self.kind as u64).number(self.generation).number(self.seen).bytes(&self.note);
        let mut journal = JournalWriter::create(&temporary, STATE)?;
        journal.append(fields.as_bytes());
        journal.sync()?;
        fs::rename(&temporary, &path)?;
        Ok(journal::sync_folder(dir)?)
    }
}
