//! What arcs carry: flags, and the words of the link.
//!
//! Most links to a page say the same, so each target has a table of the words that its arcs carry, the most frequent first,
//! and the flags that most of them have (`tables.rs`). An arc is then a rank in the table of its target and a difference of
//! flags, and nearly all are zero: of each node only those arcs are named where they are not. A node whose arcs are all as
//! expected takes no bit. Whether both ends are on one host follows from their numbers and is not stored. The words
//! themselves are a list of their own (`words.rs`).
//!
//! ```text
//! payload = bits of all nodes; Elias–Fano of where each node starts (nodes + 1);
//!           bits of all tables; Elias–Fano of where their blocks start, and of words of one table before each (see `tables.rs`);
//!           lengths of the five parts, and how many words are in several tables (u64 each)
//! node    = nothing if all arcs are as expected; else
//!           differences of flags (see `flags.rs`);
//!           which arcs have a rank above zero (see `subset.rs`), of those whose targets have two words or more;
//!           of each of these its rank, less one, in minimal binary below the length of the table, less one
//! ```
//!
//! Cost in bits a link, on manuals of Debian 12 with navigation marked (example `sizes_and_speeds`):
//!
//! ```text
//!                                                            pages    links   flags, ranks   tables, starts   words
//! Rust and Java                                             42 241  981 570        0.24           1.07          2.28
//! Erlang, Linux, Qt, Boost, libstdc++, GTK, R               14 780  497 152        0.30           0.56          2.49
//! Python, Django, PostgreSQL, Apache                         3 220   50 155        2.09           1.95         16.32
//! ```
//!
//! The last are small, with few links a page, which say something else each time: the entropy of the rank given the target
//! is 1.65 there, and 0.22 and 0.20 in the others. Flags are read in 50 ns an arc, words in 2 µs, most of it to inflate.
//!
//! That only surprises are named is what BV does with lists.

mod flags;
mod subset;
mod tables;
#[cfg(test)]
mod tests;
mod words;

use std::path::Path;

use journal::{Bytes, Kind, SealedWriter, u64_at};

use crate::bit_buffer::BitBuffer;
use crate::bv::bit_reader::BitReader;
use crate::elias_fano::{EliasFano, EliasFanoBuilder};
use crate::sealed::{create_sealed, open_sealed};
use crate::{Error, LinkFlags};
pub(crate) use tables::TableWriter;
use tables::{CompressedTables, Table, Tables};
pub use words::WordReader;
pub(crate) use words::{WordWriter, Words};

const KIND: Kind = *b"labl";
const PARTS: usize = 5;

/// Takes the labels of the arcs of all nodes, in order. They go to disk as they come.
pub(crate) struct LabelWriter {
    file: SealedWriter,
    tables: CompressedTables,
    bits: BitBuffer,
    starts: Vec<u64>,
}

/// What the writer knows of an arc.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ArcLabel {
    pub(crate) target: u32,
    pub(crate) flags: LinkFlags,
    pub(crate) rank: u32,
}

/// Words of bits that are written when there are many.
const WORDS_MAX: usize = 1 << 13;

impl LabelWriter {
    pub(crate) fn create(path: &Path, tables: CompressedTables) -> Result<Self, Error> {
        let file = create_sealed(path, KIND)?;
        Ok(Self { file, tables, bits: BitBuffer::default(), starts: vec![0] })
    }

    /// Adds the labels of the arcs of the next node.
    pub(crate) fn push(&mut self, arcs: &[ArcLabel]) -> Result<(), Error> {
        let Self { bits, tables, .. } = self;
        let facts = &tables.facts;
        let differences: Vec<u8> =
            arcs.iter().map(|arc| arc.flags.stored() ^ facts.flags(arc.target)).collect();
        let ranked: Vec<(u32, u32)> = arcs
            .iter()
            .map(|arc| (arc.rank, facts.length(arc.target)))
            .filter(|(_, length)| *length > 1)
            .collect();
        let unusual: Vec<usize> = (0..ranked.len()).filter(|place| ranked[*place].0 > 0).collect();
        if !unusual.is_empty() || differences.iter().any(|difference| *difference != 0) {
            flags::put(bits, &differences);
            subset::put(bits, &unusual, ranked.len());
            for (rank, length) in unusual.iter().map(|place| ranked[*place]) {
                bits.put_below(u64::from(rank) - 1, u64::from(length) - 1);
            }
        }
        self.starts.push(self.bits.len());
        if self.bits.words() > WORDS_MAX {
            self.file.put(&self.bits.take_whole_words())?;
        }
        Ok(())
    }

    /// Writes the rest; returns the bits of the labels, and of the tables with everything else.
    pub(crate) fn finish(mut self) -> Result<(u64, u64), Error> {
        let label_bits = self.bits.len();
        self.file.put(&self.bits.take_bytes())?;
        let label_bytes = self.file.payload_bytes();
        let mut lengths = vec![label_bytes];
        for part in std::iter::once(sequence(&self.starts)).chain(self.tables.parts) {
            self.file.put(&part)?;
            lengths.push(part.len() as u64);
        }
        for number in lengths.into_iter().chain([self.tables.shared_words]) {
            self.file.put(&number.to_le_bytes())?;
        }
        let rest_bytes = self.file.payload_bytes() - label_bytes;
        self.file.finish()?;
        Ok((label_bits, 8 * rest_bytes))
    }
}

fn sequence(numbers: &[u64]) -> Vec<u8> {
    let mut builder = EliasFanoBuilder::new(numbers.len(), numbers.last().copied().unwrap_or(0));
    numbers.iter().for_each(|number| builder.push(*number));
    builder.into_bytes()
}

/// Labels of arcs, from their file.
#[derive(Debug, Clone)]
pub(crate) struct Labels {
    bits: Bytes,
    starts: EliasFano,
    tables: Tables,
}

impl Labels {
    pub(crate) fn open(path: &Path, nodes: usize) -> Result<Self, Error> {
        let payload = open_sealed(path, KIND)?;
        Self::parse(&payload, nodes).ok_or_else(|| Error::damaged(path, "its lengths do not add up"))
    }

    fn parse(payload: &Bytes, nodes: usize) -> Option<Self> {
        let end = payload.len().checked_sub(8 * (PARTS + 1))?;
        let (mut parts, mut start) = (Vec::new(), 0usize);
        for part in 0..PARTS {
            let next = start.checked_add(usize::try_from(u64_at(payload, end + 8 * part)).ok()?)?;
            parts.push(payload.cut(start..next)?);
            start = next;
        }
        let starts = EliasFano::from_bytes(&parts[1])?;
        let shared_words = u64_at(payload, end + 8 * PARTS);
        let tables = Tables::parse(nodes, [&parts[2], &parts[3], &parts[4]], shared_words)?;
        let is_whole = start == end && starts.len() == nodes + 1;
        is_whole.then(|| Self { bits: parts[0].clone(), starts, tables })
    }

    /// The flags of the arcs of a node, whose targets the graph knows.
    pub(crate) fn flags(&self, node: u32, targets: &[u32]) -> Vec<LinkFlags> {
        let mut flags: Vec<u8> = targets.iter().map(|target| self.tables.flags(*target)).collect();
        if let Some(mut reader) = self.reader(node) {
            flags::take(&mut reader, targets.len())
                .into_iter()
                .for_each(|(place, difference)| flags[place] ^= difference);
        }
        flags.into_iter().map(LinkFlags::from_stored).collect()
    }

    /// The flags and words of the arcs of a node, whose targets the graph knows.
    pub(crate) fn of_node(&self, node: u32, targets: &[u32]) -> Vec<(LinkFlags, u32)> {
        let mut tables: Vec<Table> = targets.iter().map(|target| self.tables.table(*target)).collect();
        let mut ranks = vec![0; targets.len()];
        if let Some(mut reader) = self.reader(node) {
            for (place, difference) in flags::take(&mut reader, targets.len()) {
                tables[place].flags ^= difference;
            }
            let ranked: Vec<usize> = (0..targets.len()).filter(|place| tables[*place].length > 1).collect();
            for unusual in subset::take(&mut reader, ranked.len()) {
                let place = ranked[unusual];
                ranks[place] = 1 + reader.below(tables[place].length - 1) as usize;
            }
        }
        let label = |(mut table, rank): (Table, usize)| {
            (LinkFlags::from_stored(table.flags), table.nth(rank).unwrap_or(0))
        };
        tables.into_iter().zip(ranks).map(label).collect()
    }

    /// Where the labels of a node stand, unless all of its arcs are as expected.
    fn reader(&self, node: u32) -> Option<BitReader<'_>> {
        let (start, end) = self.starts.get_pair(node as usize);
        (start < end).then(|| BitReader::new(&self.bits, start))
    }

    /// The words that arcs to a node carry, the most frequent first.
    pub(crate) fn table(&self, target: u32) -> impl Iterator<Item = u32> {
        self.tables.table(target)
    }
}
