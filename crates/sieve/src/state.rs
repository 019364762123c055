//! The one small file that says what a sieve has seen, replaced whole at every flush.
//!
//! ```text
//! record = kind, generation, seen, note, parts
//! ```
//!
//! `parts` is what a kind has to say beside: the tiered one names its runs and logs there. Version 1 had none.

use std::fmt;
use std::path::Path;

use fs_err as fs;
use journal::{FieldReader, FieldWriter, Format, JournalReader, JournalWriter, Malformed};

use crate::manifest::Manifest;
use crate::{Error, SieveKind};

/// What the file begins with.
pub const STATE: Format = Format { magic: *b"CRVSIEVE", version: 2 };

/// The first version that is still read.
pub const STATE_OLDEST: u32 = 1;

/// No sieve has counted further.
const COUNT_MAX: u64 = u64::MAX / 2;

/// What `state` says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct State {
    /// By which version it was written.
    pub version: u32,
    /// Of which sort the sieve is.
    pub kind: SieveKind,
    /// Which list of fingerprints counts, for a sieve that has one.
    pub generation: u64,
    /// How many addresses have passed.
    pub seen: u64,
    /// What the outlet returned when they had.
    pub note: Vec<u8>,
    /// What the kind keeps beside.
    pub parts: Vec<u8>,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, seen) = (self.kind.name(), page::counted(self.seen, "address"));
        write!(f, "{name} sieve, {seen} seen")?;
        match self.kind {
            SieveKind::Mercator | SieveKind::Offline => write!(f, ", list seen-{} counts", self.generation),
            SieveKind::Tiered => match Manifest::decode(&self.parts) {
                Ok(parts) => write!(f, ", {parts}"),
                Err(_) => write!(f, ", its parts cannot be read"),
            },
            _ => Ok(()),
        }
    }
}

impl State {
    /// The state in a folder, of whatever kind, if there is one.
    pub fn of(dir: &Path) -> Result<Option<Self>, Error> {
        let path = dir.join("state");
        if !path.exists() {
            return Ok(None);
        }
        let mut journal = JournalReader::open_since(&path, STATE, STATE_OLDEST)?;
        let version = journal.version();
        let damaged = || Error::Damaged { path: path.clone(), what: "it cannot be read" };
        let record = journal.next_record()?.ok_or_else(damaged)?;
        let state = Self::decode(record.payload).map_err(|_| damaged())?;
        // Version 1 ends before the parts; anything else is no state of the version that it names.
        if (version == 1) != (state.version == 1) {
            return Err(damaged());
        }
        Ok(Some(state))
    }

    /// The state in a folder; a new one if there is none.
    pub(crate) fn read(dir: &Path, kind: SieveKind) -> Result<Self, Error> {
        match Self::of(dir)? {
            None => Ok(Self { version: STATE.version, kind, ..Self::default() }),
            Some(state) if state.kind == kind => Ok(state),
            Some(state) => Err(Error::OtherKind { path: dir.to_owned(), kind: state.kind.name() }),
        }
    }

    /// Reads the one record of the file.
    pub fn decode(record: &[u8]) -> Result<Self, Malformed> {
        let mut fields = FieldReader::new(record);
        let kind = SieveKind::from_number(fields.number()?).ok_or(Malformed)?;
        let (generation, seen) = (fields.number()?, fields.number()?);
        // Both are counted on; and what has passed is in a list, where there are lists.
        let lacks_list =
            matches!(kind, SieveKind::Mercator | SieveKind::Offline) && generation == 0 && seen > 0;
        if lacks_list || generation.max(seen) > COUNT_MAX {
            return Err(Malformed);
        }
        let note = fields.bytes()?.to_vec();
        if fields.is_empty() {
            return Ok(Self { version: 1, kind, generation, seen, note, parts: Vec::new() });
        }
        let parts = fields.bytes()?.to_vec();
        if fields.is_empty() {
            Ok(Self { version: STATE.version, kind, generation, seen, note, parts })
        } else {
            Err(Malformed)
        }
    }

    /// How many bits of an address tell it from others, where they are kept as they are.
    pub fn signature_bits(&self) -> u32 {
        match self.kind {
            SieveKind::Tiered => Manifest::decode(&self.parts).map_or(64, |parts| parts.signature_bits),
            _ => 64,
        }
    }

    /// How many addresses are expected to have been taken for others so far, because their signatures are the same:
    /// k² / 2n for k addresses and n signatures, as the notes have it.
    pub fn expected_collisions(&self) -> f64 {
        let seen = self.seen as f64;
        seen * seen / 2.0 / 2f64.powi(self.signature_bits() as i32)
    }

    /// Puts this state in force: from here on it survives the end of the machine.
    pub(crate) fn write(&self, dir: &Path) -> Result<(), Error> {
        let (path, temporary) = (dir.join("state"), dir.join("state.tmp"));
        let mut fields = FieldWriter::new();
        fields.number(self.kind as u64).number(self.generation).number(self.seen);
        fields.bytes(&self.note).bytes(&self.parts);
        let mut journal = JournalWriter::create(&temporary, STATE)?;
        journal.append(fields.as_bytes());
        journal.sync()?;
        fs::rename(&temporary, &path)?;
        Ok(journal::sync_folder(dir)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_that_no_sieve_can_be_in_is_refused() {
        let rows = [
            (SieveKind::Mercator, 0, 0, true),
            (SieveKind::Mercator, 1, 7, true),
            (SieveKind::Mercator, 0, 7, false),
            (SieveKind::Offline, 0, 1, false),
            (SieveKind::Tiered, 0, 7, true),
            (SieveKind::Tiered, 0, u64::MAX, false),
            (SieveKind::Mercator, u64::MAX, 7, false),
        ];
        for (kind, generation, seen, is_sound) in rows {
            let mut fields = FieldWriter::new();
            fields.number(kind as u64).number(generation).number(seen).bytes(b"note").bytes(b"");
            let read = State::decode(fields.as_bytes());
            assert_eq!(read.is_ok(), is_sound, "{kind:?}, generation {generation}, {seen} seen");
        }
    }
}
