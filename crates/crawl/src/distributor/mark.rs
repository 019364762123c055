//! The mark: what the sieve's state says about the other files, so that all of them change together or not at all.

use frontier::{ReadyLog, ReadyPlace};
use journal::{FieldReader, FieldWriter, Malformed};
use page::Ordinal;
use sieve::{Candidate, Outlet};

/// What the sieve's state carries for us.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The ready log is valid up to this place…
    pub(crate) ready: ReadyPlace,
    /// …and has had this many addresses.
    pub(crate) ready_count: u64,
    /// The sieve has taken the links of this many page records…
    pub(crate) records_through: u64,
    /// …as these rules of admission let them: see [`crate::CrawlConfig::rules_fingerprint`].
    pub(crate) rules: u64,
}

impl Mark {
    pub(crate) fn encode(self) -> Vec<u8> {
        let mut fields = FieldWriter::new();
        fields
            .number(self.ready.byte)
            .number(self.ready_count)
            .number(self.records_through)
            .number(self.rules)
            .number(self.ready.part.get());
        fields.as_bytes().to_vec()
    }

    pub(crate) fn decode(note: &[u8]) -> Result<Self, Malformed> {
        if note.is_empty() {
            return Ok(Self::default());
        }
        let mut fields = FieldReader::new(note);
        let (byte, ready_count) = (fields.number()?, fields.number()?);
        let (records_through, rules) = (fields.number()?, fields.number()?);
        // Earlier versions had one part.
        let part = Ordinal::new(if fields.is_empty() { 0 } else { fields.number()? });
        Ok(Self { ready: ReadyPlace { part, byte }, ready_count, records_through, rules })
    }
}

/// What passes the sieve goes to the ready log; the mark seals it.
pub(super) struct ReadyOutlet<'a> {
    pub(super) log: &'a mut ReadyLog,
    pub(super) records_through: u64,
    pub(super) mark: Mark,
}

impl Outlet for ReadyOutlet<'_> {
    fn pass(&mut self, candidate: Candidate<'_>) -> std::io::Result<()> {
        self.log.append(candidate.depth, candidate.hops, candidate.url);
        Ok(())
    }

    fn seal(&mut self) -> std::io::Result<Vec<u8>> {
        let (ready, ready_count) = self.log.sync().map_err(frontier::Error::into_io)?;
        self.mark = Mark { ready, ready_count, records_through: self.records_through, ..self.mark };
        Ok(self.mark.encode())
    }
}
