//! Writing posting lists: which documents, how often, where.
//!
//! Three streams that are read at different paces lie in three files, one list after the other without padding:
//!
//! ```text
//! postings   blocks of up to 128 documents, each
//!                gaps      δ(document − previous document − 1) for each; the first after −1
//!                titles    one bit for each: does the term occur in the title?
//!                counts    γ(occurrences − 1) for each
//! positions  for each document: ζ₃(first position), then ζ₃(position − previous position − 1)
//! skips      lists of more than one block only: for each block 16 bytes, relative to the begin of the list
//!                last document u32   end in postings u32 (bit)   end in positions u64 (bit)
//! ```
//!
//! A block is the unit of skipping: to reach document `d` a binary search in `skips` finds the first block whose last
//! document is not before `d`, and only that one is decoded. Counts stand after all gaps, so that documents which
//! are only passed through never pay for them; positions stand in another file, so that only phrases page them in.
//!
//! Why these codes. Counts: most are one, and γ writes one in one bit. Gaps: were documents shuffled, Golomb would be
//! optimal; they come in the order of the crawl, so a site's words come in bursts, and over such gaps δ needs about
//! 4.3 bits where Golomb needs 6.9. Positions follow a power law, flatter than δ expects: on real sites ζ₃ needs 10.7
//! bits, δ 11.9 and γ 13.5; it is as close to the best as ζ₄, and its decoder has tables.
//!
//! Cost: nothing is held but one block; a list may be larger than memory. A skip entry is one bit per posting.

use std::path::Path;

use dsi_bitstream::codes::{DeltaWrite, GammaWrite, ZetaWrite};
use dsi_bitstream::impls::{BufBitWriter, WordAdapter};
use dsi_bitstream::traits::{BitWrite, LE};
use journal::SealedWriter;

use crate::{Error, file};

/// Documents in a block.
pub(crate) const BLOCK_DOCUMENTS: usize = 128;

/// Bytes of an entry of the file `skips`.
pub(crate) const SKIP_BYTES: u64 = 16;

/// Entries of a list in the file `skips`.
pub(crate) fn skip_count(documents: u32) -> u64 {
    let blocks = u64::from(documents).div_ceil(BLOCK_DOCUMENTS as u64);
    if blocks > 1 { blocks } else { 0 }
}

/// How much of each stream a list takes, or where in them a list begins.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct StreamOffsets {
    pub(crate) postings_bits: u64,
    pub(crate) positions_bits: u64,
    pub(crate) skips: u64,
}

type BitWriter = BufBitWriter<LE, WordAdapter<u64, SealedWriter>>;

/// One document in which a term occurs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Posting {
    pub(crate) document: u32,
    pub(crate) in_title: bool,
    /// Increasing, at least one.
    pub(crate) positions: Vec<u32>,
}

/// Writes the files `postings`, `positions` and `skips`, posting after posting.
pub(crate) struct PostingsWriter {
    postings: BitWriter,
    positions: BitWriter,
    skips: SealedWriter,
    /// Where the streams are now.
    offsets: StreamOffsets,
    list_start: StreamOffsets,
    list_documents: u32,
    block: Vec<(u32, u32, bool)>,
    /// The last document of the blocks already written, or −1.
    previous: i64,
    /// An entry that is written only if another block follows.
    pending_skip: Option<[u8; SKIP_BYTES as usize]>,
}

impl PostingsWriter {
    pub(crate) fn create(folder: &Path) -> Result<Self, Error> {
        let stream = |name: &str, kind| file::create(&folder.join(name), kind);
        Ok(Self {
            postings: BitWriter::new(WordAdapter::new(stream("postings", *b"post")?)),
            positions: BitWriter::new(WordAdapter::new(stream("positions", *b"posi")?)),
            skips: stream("skips", *b"skip")?,
            offsets: StreamOffsets::default(),
            list_start: StreamOffsets::default(),
            list_documents: 0,
            block: Vec::with_capacity(BLOCK_DOCUMENTS),
            previous: -1,
            pending_skip: None,
        })
    }

    /// Adds the next document of the present list.
    pub(crate) fn add(&mut self, posting: &Posting) -> Result<(), Error> {
        if self.block.len() == BLOCK_DOCUMENTS {
            self.end_block()?;
        }
        self.block.push((posting.document, posting.positions.len() as u32, posting.in_title));
        self.list_documents += 1;
        let mut next_possible = 0;
        for &position in &posting.positions {
            self.offsets.positions_bits +=
                self.positions.write_zeta3(u64::from(position - next_possible))? as u64;
            next_possible = position + 1;
        }
        Ok(())
    }

    /// Ends the list: how many documents it has and where it lies.
    pub(crate) fn end_list(&mut self) -> Result<(u32, StreamOffsets, StreamOffsets), Error> {
        self.end_block()?;
        if self.list_documents as usize > BLOCK_DOCUMENTS {
            self.write_pending_skip()?;
        }
        let list = (self.list_documents, self.list_start, self.offsets);
        self.pending_skip = None;
        self.previous = -1;
        self.list_documents = 0;
        self.list_start = self.offsets;
        Ok(list)
    }

    fn end_block(&mut self) -> Result<(), Error> {
        self.write_pending_skip()?;
        self.offsets.postings_bits += self.write_block()? as u64;
        self.previous = self.block.last().map_or(-1, |&(document, ..)| i64::from(document));
        self.block.clear();
        let end_bit = self.offsets.postings_bits - self.list_start.postings_bits;
        let end_bit = u32::try_from(end_bit)
            .map_err(|_| Error::TooMany { what: "bits in a posting list", limit: u32::MAX.into() })?;
        let mut skip = [0; SKIP_BYTES as usize];
        skip[..4].copy_from_slice(&(self.previous as u32).to_le_bytes());
        skip[4..8].copy_from_slice(&end_bit.to_le_bytes());
        let positions_end = self.offsets.positions_bits - self.list_start.positions_bits;
        skip[8..].copy_from_slice(&positions_end.to_le_bytes());
        self.pending_skip = Some(skip);
        Ok(())
    }

    fn write_block(&mut self) -> std::io::Result<usize> {
        let mut bits = 0;
        let mut previous = self.previous;
        for &(document, ..) in &self.block {
            bits += self.postings.write_delta((i64::from(document) - previous - 1) as u64)?;
            previous = i64::from(document);
        }
        for &(_, _, in_title) in &self.block {
            bits += self.postings.write_bits(u64::from(in_title), 1)?;
        }
        for &(_, count, _) in &self.block {
            bits += self.postings.write_gamma(u64::from(count - 1))?;
        }
        Ok(bits)
    }

    fn write_pending_skip(&mut self) -> Result<(), Error> {
        if let Some(skip) = self.pending_skip.take() {
            self.skips.put(&skip)?;
            self.offsets.skips += 1;
        }
        Ok(())
    }

    /// The files, all bits of which have been handed on.
    pub(crate) fn finish(self) -> Result<(SealedWriter, SealedWriter, SealedWriter), Error> {
        let (postings, positions) = (self.postings.into_inner()?, self.positions.into_inner()?);
        Ok((postings.into_inner(), positions.into_inner(), self.skips))
    }
}
