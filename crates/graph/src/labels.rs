//! What arcs carry: flags, and the words of the link.
//!
//! Most links to a page say the same, so each target has a table of its anchors, the most frequent first, and an arc only
//! says which of them it is: its rank. An arc to a page with one anchor says nothing at all; the others say the rank in γ
//! (nine in ten say zero, one bit). Navigation and nofollow are usually the same for all arcs of a page: then they are said
//! once. Whether both ends are on one host follows from their numbers and is not stored.
//!
//! ```text
//! payload = bits, padded to words; Elias–Fano of where each node's labels start (nodes + 1);
//!           table entries, each an anchor number of w bits; Elias–Fano of where each target's table starts (nodes + 1);
//!           lengths of the four parts, and w (u64 each)
//! labels of a node = nothing if it has no arcs; else one bit: do all arcs have the same flags? ;
//!                    two bits of flags once or for each arc ; γ of the rank for each arc whose target has two anchors or more
//! ```
//!
//! Cost: see the table in the crate's example `sizes_and_speeds`; the words themselves are a list of their own, `anchors`.

use std::path::Path;

use crate::bit_buffer::BitBuffer;
use crate::bv::bit_reader::BitReader;
use crate::bytes::{Bytes, u64_at};
use crate::elias_fano::{EliasFano, EliasFanoBuilder};
use crate::sealed::{SealedWriter, open_sealed};
use crate::{Error, LinkFlags};

const KIND: [u8; 4] = *b"labl";

/// Takes tables of targets first, then the labels of arcs, both in order of nodes. The labels go to disk as they come;
/// the tables, a number for each pair of a target and one of its anchors, are in memory.
pub(crate) struct LabelWriter {
    file: SealedWriter,
    bits: BitBuffer,
    label_starts: Vec<u64>,
    entries: Vec<u32>,
    table_starts: Vec<u64>,
}

/// Words of bits that are written when there are many.
const WORDS_MAX: usize = 1 << 13;

impl LabelWriter {
    pub(crate) fn create(path: &Path) -> Result<Self, Error> {
        let file = SealedWriter::create(path, KIND)?;
        let bits = BitBuffer::default();
        Ok(Self { file, bits, label_starts: vec![0], entries: Vec::new(), table_starts: vec![0] })
    }

    /// Adds the anchors of the next target, the most frequent first.
    pub(crate) fn push_table(&mut self, anchors: impl Iterator<Item = u32>) {
        self.entries.extend(anchors);
        self.table_starts.push(self.entries.len() as u64);
    }

    /// Adds the labels of the arcs of the next node: target, flags, rank.
    pub(crate) fn push_labels(&mut self, labels: &[(u32, LinkFlags, u32)]) -> Result<(), Error> {
        if let Some((_, first, _)) = labels.first() {
            let is_same = labels.iter().all(|(_, flags, _)| flags.stored() == first.stored());
            self.bits.put(u64::from(is_same), 1);
            let spoken = if is_same { 1 } else { labels.len() };
            for (_, flags, _) in &labels[..spoken] {
                self.bits.put(u64::from(flags.stored()), 2);
            }
            for (target, _, rank) in labels {
                let target = *target as usize;
                if self.table_starts[target + 1] - self.table_starts[target] > 1 {
                    self.bits.put_gamma(u64::from(*rank));
                }
            }
        }
        self.label_starts.push(self.bits.len());
        if self.bits.words() > WORDS_MAX {
            self.file.put(&self.bits.take_whole_words())?;
        }
        Ok(())
    }

    /// Writes the rest; returns the bits of the labels, and of the tables with everything else.
    pub(crate) fn finish(mut self) -> Result<(u64, u64), Error> {
        self.file.put(&self.bits.take_bytes())?;
        let label_bytes = self.file.payload_bytes();
        let width = self.entries.iter().max().map_or(0, |largest| (largest | 1).ilog2() + 1);
        let mut entries = BitBuffer::default();
        self.entries.iter().for_each(|entry| entries.put(u64::from(*entry), width));
        let parts = [sequence(&self.label_starts), entries.take_bytes(), sequence(&self.table_starts)];
        for part in &parts {
            self.file.put(part)?;
        }
        let lengths = parts.iter().map(|part| part.len() as u64);
        for number in std::iter::once(label_bytes).chain(lengths).chain([u64::from(width)]) {
            self.file.put(&number.to_le_bytes())?;
        }
        let whole = self.file.payload_bytes();
        self.file.finish()?;
        Ok((self.bits.len(), 8 * (whole - label_bytes)))
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
    label_starts: EliasFano,
    entries: Bytes,
    entry_bits: u32,
    table_starts: EliasFano,
}

impl Labels {
    pub(crate) fn open(path: &Path, nodes: usize) -> Result<Self, Error> {
        let payload = open_sealed(path, KIND)?;
        Self::parse(&payload, nodes).ok_or_else(|| Error::damaged(path, "its lengths do not add up"))
    }

    fn parse(payload: &Bytes, nodes: usize) -> Option<Self> {
        let end = payload.len().checked_sub(40)?;
        let (mut parts, mut start) = (Vec::new(), 0usize);
        for part in 0..4 {
            let next = start.checked_add(usize::try_from(u64_at(payload, end + 8 * part)).ok()?)?;
            parts.push(payload.cut(start..next)?);
            start = next;
        }
        let label_starts = EliasFano::from_bytes(&parts[1])?;
        let table_starts = EliasFano::from_bytes(&parts[3])?;
        let is_whole = start == end && label_starts.len() == nodes + 1 && table_starts.len() == nodes + 1;
        let entry_bits = u64_at(payload, end + 32);
        (is_whole && entry_bits <= 32).then(|| Self {
            bits: parts[0].clone(),
            label_starts,
            entries: parts[2].clone(),
            entry_bits: entry_bits as u32,
            table_starts,
        })
    }

    /// The flags and anchor numbers of the arcs of a node, whose targets the graph knows.
    pub(crate) fn of_node(&self, node: u32, targets: &[u32]) -> Vec<(LinkFlags, u32)> {
        let mut reader = BitReader::new(&self.bits, self.label_starts.get(node as usize));
        if targets.is_empty() {
            return Vec::new();
        }
        let is_same = reader.bits(1) == 1;
        let first = reader.bits(2) as u8;
        let mut flags = vec![LinkFlags::from_stored(first); targets.len()];
        if !is_same {
            flags[1..].iter_mut().for_each(|flags| *flags = LinkFlags::from_stored(reader.bits(2) as u8));
        }
        let anchor = |target: &u32| {
            let (start, end) = self.table_starts.get_pair(*target as usize);
            let rank = if end - start > 1 { reader.gamma() } else { 0 };
            self.entry(start + rank)
        };
        flags.into_iter().zip(targets.iter().map(anchor)).collect()
    }

    /// The anchors of links to a node, the most frequent first.
    pub(crate) fn table(&self, target: u32) -> impl Iterator<Item = u32> {
        let (start, end) = self.table_starts.get_pair(target as usize);
        (start..end).map(|entry| self.entry(entry))
    }

    fn entry(&self, place: u64) -> u32 {
        BitReader::new(&self.entries, place * u64::from(self.entry_bits)).bits(self.entry_bits) as u32
    }
}
