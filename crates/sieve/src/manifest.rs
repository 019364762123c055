//! What the sieve's state says of a tiered sieve: its logs and its runs.
//!
//! ```text
//! parts = signature bits, next number, logs, (number, bytes)*, runs, (shard, number, level, count, identity (8 bytes))*
//! ```
//!
//! The runs of a shard stand in the order of their age, the oldest first.

use std::fmt;

use journal::{FieldReader, FieldWriter, Malformed};

/// The bits of a signature that choose a shard.
pub(crate) const SHARD_BITS: u32 = 4;

/// How many shards there are.
pub(crate) const SHARDS: usize = 1 << SHARD_BITS;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// How long signatures are.
    pub signature_bits: u32,
    /// The next log or run has this number.
    pub next_number: u64,
    /// Logs in the order of their age: number, and up to which byte each counts.
    pub logs: Vec<(u64, u64)>,
    /// The runs of all shards.
    pub runs: Vec<RunFacts>,
}

/// What is known of a run without opening it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunFacts {
    /// Of which shard it is.
    pub shard: usize,
    /// Its file is `run-N`.
    pub number: u64,
    /// How often its keys were merged.
    pub level: u32,
    /// How many keys it has.
    pub count: u64,
    /// The root of its checksums.
    pub identity: u64,
}

impl Manifest {
    /// Reads what [`Manifest::encode`] wrote.
    pub fn decode(parts: &[u8]) -> Result<Self, Malformed> {
        let mut fields = FieldReader::new(parts);
        let (signature_bits, next_number) = (fields.small()?, fields.number()?);
        let mut logs = Vec::new();
        for _ in 0..fields.small::<u16>()? {
            logs.push((fields.number()?, fields.number()?));
        }
        let mut runs = Vec::new();
        for _ in 0..fields.small::<u32>()? {
            runs.push(RunFacts {
                shard: fields.small()?,
                number: fields.number()?,
                level: fields.small()?,
                count: fields.number()?,
                identity: u64::from_le_bytes(fields.fixed()?),
            });
        }
        let bits_fit = matches!(signature_bits, 48..=64 | 128);
        let is_sound = bits_fit && runs.iter().all(|run| run.shard < SHARDS) && fields.is_empty();
        if is_sound { Ok(Self { signature_bits, next_number, logs, runs }) } else { Err(Malformed) }
    }

    /// Writes it into the state.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut fields = FieldWriter::new();
        fields.number(u64::from(self.signature_bits)).number(self.next_number).number(self.logs.len() as u64);
        for &(number, bytes) in &self.logs {
            fields.number(number).number(bytes);
        }
        fields.number(self.runs.len() as u64);
        for run in &self.runs {
            fields.number(run.shard as u64).number(run.number).number(u64::from(run.level)).number(run.count);
            fields.fixed(&run.identity.to_le_bytes());
        }
        fields.into_bytes()
    }
}

impl fmt::Display for Manifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys = self.runs.iter().map(|run| run.count).fold(0, u64::saturating_add);
        let (runs, keys) = (page::counted(self.runs.len() as u64, "run"), page::counted(keys, "key"));
        write!(f, "signatures of {} bits, {keys} in {runs}", self.signature_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_sieve_says_of_itself_is_refused_and_what_it_may_say_can_be_shown() {
        let facts = RunFacts { shard: 15, number: 2, level: 1, count: u64::MAX, identity: 3 };
        let of = |signature_bits, shard| {
            let runs = vec![facts, RunFacts { shard, ..facts }];
            Manifest { signature_bits, next_number: 9, logs: vec![(1, 2)], runs }
        };
        let rows =
            [(48, 0, true), (64, 0, true), (128, 15, true), (64, 16, false), (0, 0, false), (65, 0, false)];
        for (bits, shard, is_sound) in rows {
            let manifest = of(bits, shard);
            let read = Manifest::decode(&manifest.encode());
            assert_eq!(
                read,
                if is_sound { Ok(manifest) } else { Err(Malformed) },
                "{bits} bits, shard {shard}"
            );
        }
        assert!(of(64, 0).to_string().ends_with("in 2 runs"));
    }
}
