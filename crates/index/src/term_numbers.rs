//! The file `numbers` of a segment: from a term to the number of its block in the list of terms ([`crate::term_blocks`]).
//!
//! A static function of the crate `filter` ([`filter::function`]) leads from the hash of a term to that number and to some bits
//! of the same hash, a signature: of what is no term, all but one in 256 are refused by it. The others are refused by the
//! block, which has the term or not. The place of the term in its block would take five bits more, and save nothing: whoever
//! reads a term reads those before it, with which it shares its beginning.
//!
//! ```text
//! numbers   values of the function, its table
//!           terms that share a hash with one before (u32), bytes of the table (u32), terms (u64)
//! ```
//!
//! Segments of few terms do without: there the list is searched, in a few steps. Where two terms have one hash, the function
//! leads to one of them, and for the other the list is searched; nobody has seen that happen.
//!
//! Cost: number and signature, an eighth of both, and half a bit: 31 bits for each of ten million terms, 23 of a hundred
//! thousand. Only what a look-up reads is verified, some three blocks of the file whatever its size. It is made from the
//! finished dictionary, which is gone through once for each million terms, so that no more are in memory.

use std::path::Path;

use filter::function::{Construction, FunctionBuilder, FunctionTable};
use journal::{SealedFile, SealedWriter, u32_at, u64_at};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::term_blocks::{TERMS_PER_BLOCK, TermBlocks};
use crate::{Error, file};

/// In fewer terms the list is searched.
const TERMS_MIN: u64 = 1 << 10;
const SIGNATURE_BITS: u32 = 8;
/// So many terms, about, are in memory while the function is made.
const TERMS_AT_ONCE: u64 = 1 << 20;
const TAIL_BYTES: u64 = 16;

/// How the function from terms to numbers is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TermFunction {
    /// By equations of three variables: two to three times as fast.
    #[default]
    Hypergraph,
    /// By equations of two variables, as the notes have it: a twentieth smaller.
    Graph,
}

impl TermFunction {
    /// Lists all of them.
    pub const ALL: [Self; 2] = [Self::Hypergraph, Self::Graph];

    /// Gives the name that people write.
    pub fn name(self) -> &'static str {
        self.construction().name()
    }

    fn construction(self) -> Construction {
        match self {
            Self::Hypergraph => Construction::Hypergraph,
            Self::Graph => Construction::Graph,
        }
    }
}

/// What the function says of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// It is in this block if it is a term.
    Block(u64),
    /// It is no term.
    Nothing,
    /// Nobody knows: the list has to be searched.
    Unknown,
}

fn hash_of(term: &[u8]) -> u64 {
    // Nobody knows two words with one hash.
    #[cfg(test)]
    let term = if term.starts_with(b"twin") { b"twin" } else { term };
    xxh3_64(term)
}

fn signature(hash: u64) -> u64 {
    hash & ((1 << SIGNATURE_BITS) - 1)
}

/// Bits of the greatest number of so many.
fn number_bits(terms: u64) -> u32 {
    u64::BITS - terms.saturating_sub(1).leading_zeros()
}

/// Writes the function of the terms of a dictionary; the caller finishes the file.
pub(crate) fn write(
    path: &Path,
    blocks: &TermBlocks,
    terms: u64,
    function: TermFunction,
) -> Result<SealedWriter, Error> {
    let mut file = file::create(path, *b"numb")?;
    let terms = if terms < TERMS_MIN { 0 } else { terms };
    let width = number_bits(terms.div_ceil(TERMS_PER_BLOCK)) + SIGNATURE_BITS;
    let mut builder = FunctionBuilder::new(terms as usize, width, function.construction());
    let number = |hash, block: u32| u64::from(block) << SIGNATURE_BITS | signature(hash);
    let (mut repeated, mut values, mut shard_keys) = (Vec::new(), Vec::new(), Vec::new());
    let passes = terms.div_ceil(TERMS_AT_ONCE).min(builder.shard_count() as u64) as usize;
    for pass in 0..passes {
        let shards = pass * builder.shard_count() / passes..(pass + 1) * builder.shard_count() / passes;
        let wanted = |hash| shards.contains(&builder.shard_of(hash));
        let mut keys = hashes_of(blocks, terms as usize / passes, wanted)?;
        // The order of hashes is that of shards.
        keys.sort_unstable();
        let mut rest = &keys[..];
        for shard in shards {
            let count = rest.partition_point(|(hash, _)| builder.shard_of(*hash) == shard);
            let (of_shard, behind) = rest.split_at(count);
            rest = behind;
            shard_keys.clear();
            shard_keys.extend_from_slice(of_shard);
            builder.add_shard(&mut shard_keys, number, &mut values, &mut repeated);
            file.put(&values)?;
            values.clear();
        }
    }
    let table = builder.finish(&mut values);
    file.put(&values)?;
    file.put(&table)?;
    file.put(&(repeated.len() as u32).to_le_bytes())?;
    file.put(&(table.len() as u32).to_le_bytes())?;
    file.put(&terms.to_le_bytes())?;
    Ok(file)
}

/// The hashes that are wanted, about so many, with the blocks of their terms.
fn hashes_of(
    blocks: &TermBlocks,
    count: usize,
    mut is_wanted: impl FnMut(u64) -> bool,
) -> Result<Vec<(u64, u32)>, Error> {
    // With a little more room than that it does not grow, and is not there twice while it does.
    let (mut keys, mut number) = (Vec::with_capacity(count + count / 16), 0u64);
    blocks.for_each_term(|term| {
        let hash = hash_of(term);
        if is_wanted(hash) {
            keys.push((hash, (number / TERMS_PER_BLOCK) as u32));
        }
        number += 1;
    })?;
    Ok(keys)
}

/// Gives the blocks of terms.
#[derive(Debug)]
pub(crate) struct TermNumbers {
    file: SealedFile,
    table: FunctionTable,
    terms: u64,
    has_repeated: bool,
}

impl TermNumbers {
    /// Verifies the table.
    pub(crate) fn new(file: SealedFile) -> Result<Self, Error> {
        let damaged = || Error::damaged(file.path(), "its lengths do not add up");
        let tail_start = file.payload_bytes().checked_sub(TAIL_BYTES).ok_or_else(damaged)?;
        let tail = file.bytes(tail_start..file.payload_bytes())?;
        let (repeated, table_bytes, terms) = (u32_at(tail, 0), u32_at(tail, 4), u64_at(tail, 8));
        let table_start = tail_start.checked_sub(u64::from(table_bytes)).ok_or_else(damaged)?;
        let table = FunctionTable::parse(file.bytes(table_start..tail_start)?, table_start);
        let table = table.ok_or_else(damaged)?;
        Ok(Self { table, terms, has_repeated: repeated > 0, file })
    }

    /// Whether there is a function.
    pub(crate) fn is_empty(&self) -> bool {
        self.terms == 0
    }

    /// Whether some terms are not found by the function.
    pub(crate) fn has_repeated(&self) -> bool {
        self.has_repeated
    }

    /// How many terms it was made of.
    pub(crate) fn terms(&self) -> u64 {
        self.terms
    }

    pub(crate) fn file(&self) -> &SealedFile {
        &self.file
    }

    pub(crate) fn file_mut(&mut self) -> &mut SealedFile {
        &mut self.file
    }

    /// What is known of a term.
    pub(crate) fn find(&self, term: &[u8]) -> Result<Found, Error> {
        let hash = hash_of(term);
        let Some(range) = self.table.range(hash) else { return Ok(Found::Unknown) };
        let number = self.table.get(hash, self.file.bytes(range)?);
        Ok(match number.filter(|number| signature(*number) == signature(hash)) {
            Some(number) => Found::Block(number >> SIGNATURE_BITS),
            _ => Found::Nothing,
        })
    }
}
