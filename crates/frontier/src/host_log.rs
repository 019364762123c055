//! What is known about sites and must outlive a crash: their robots.txt, and until when they want to be left alone.
//!
//! ```text
//! record = site, time, 0, robots body                   robots.txt was read
//!        | site, time, 1                                 there is no robots.txt: all is allowed
//!        | site, time, 2, until                          the site asked for a pause (429, 503, Retry-After)
//! ```
//!
//! The last fact of each sort holds. The log is small: one robots.txt per site and day.

use std::fmt;
use std::path::Path;

use fs_err as fs;
use journal::{FieldReader, FieldWriter, Format, JournalReader, JournalWriter, Malformed};
use page::Timestamp;

use crate::Error;

/// What the log begins with.
pub const HOSTS: Format = Format { magic: *b"CRVHOSTS", version: 1 };

/// One thing that was learnt about a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostFact {
    /// Its robots.txt.
    Robots(Vec<u8>),
    /// It has none.
    NoRobots,
    /// It wants to be left alone until then.
    PauseUntil(Timestamp),
}

impl fmt::Display for HostFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Robots(body) => {
                write!(f, "has a robots.txt of {}", page::counted(body.len() as u64, "byte"))
            }
            Self::NoRobots => f.write_str("has no robots.txt"),
            Self::PauseUntil(until) => write!(f, "is left alone until {until}"),
        }
    }
}

/// Where a fact stands in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FactPlace {
    offset: u64,
    bytes: u32,
}

/// The log of facts about sites.
#[derive(Debug)]
pub struct HostLog {
    journal: JournalWriter,
}

impl HostLog {
    /// Opens the log, or starts it, and shows every fact in it, with its place.
    pub fn open(
        path: &Path,
        mut see: impl FnMut(&str, Timestamp, HostFact, FactPlace),
    ) -> Result<Self, Error> {
        let journal = JournalWriter::open(path, HOSTS)?;
        let mut reader = JournalReader::open(path, HOSTS)?;
        while let Some(record) = reader.next_record()? {
            let offset = record.offset;
            let (site, at, fact) = decode_host_fact(record.payload)
                .map_err(|_| Error::Malformed { path: path.to_owned(), offset })?;
            see(site, at, fact, FactPlace { offset, bytes: record.payload.len() as u32 });
        }
        Ok(Self { journal })
    }

    /// Reads one fact, and when it was learnt.
    pub fn read_fact(path: &Path, place: FactPlace) -> Result<(HostFact, Timestamp), Error> {
        let FactPlace { offset, bytes } = place;
        let record = journal::read_record_at(&fs::File::open(path)?, offset, bytes as usize)?;
        let (_, at, fact) =
            decode_host_fact(&record).map_err(|_| Error::Malformed { path: path.to_owned(), offset })?;
        Ok((fact, at))
    }

    /// Writes what could not be written before.
    pub fn flush(&mut self) -> Result<(), Error> {
        Ok(self.journal.flush()?)
    }

    /// Adds a fact; it survives the end of the process when this returns. If it fails, the fact is written with the next one,
    /// or by [`flush`](Self::flush).
    pub fn append(&mut self, site: &str, at: Timestamp, fact: &HostFact) -> Result<(), Error> {
        let mut fields = FieldWriter::new();
        fields.text(site).number(at.0);
        match fact {
            HostFact::Robots(body) => fields.number(0).bytes(body),
            HostFact::NoRobots => fields.number(1),
            HostFact::PauseUntil(until) => fields.number(2).number(until.0),
        };
        self.journal.append(fields.as_bytes());
        Ok(self.journal.flush()?)
    }
}

/// Reads a record of the log: the site, when the fact was learnt, and the fact.
pub fn decode_host_fact(record: &[u8]) -> Result<(&str, Timestamp, HostFact), Malformed> {
    let mut fields = FieldReader::new(record);
    let (site, at) = (fields.text()?, Timestamp(fields.number()?));
    let fact = match fields.number()? {
        0 => HostFact::Robots(fields.bytes()?.to_vec()),
        1 => HostFact::NoRobots,
        2 => HostFact::PauseUntil(Timestamp(fields.number()?)),
        _ => return Err(Malformed),
    };
    Ok((site, at, fact))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_outlive_the_process() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hosts.log");
        let facts = [
            HostFact::Robots(b"User-agent: *".to_vec()),
            HostFact::NoRobots,
            HostFact::PauseUntil(Timestamp(9)),
        ];
        let mut log = HostLog::open(&path, |_, _, _, _| panic!("a new log is empty")).unwrap();
        for fact in &facts {
            log.append("http://a.test", Timestamp(5), fact).unwrap();
        }
        drop(log);
        let mut found = Vec::new();
        HostLog::open(&path, |site, at, fact, place| {
            assert_eq!((site, at), ("http://a.test", Timestamp(5)));
            assert_eq!(HostLog::read_fact(&path, place).unwrap(), (fact.clone(), at));
            found.push(fact);
        })
        .unwrap();
        assert_eq!(found, facts);
    }
}
