//! Counts texts for which the masks of the MinHash report are weak.
//!
//! The smallest of `hash XOR mask` is found by walking down the tree of the hashes' bits, so a shingle wins more often the
//! fewer others share its first bits, whatever the mask. More masks do not help: beside the usual J(1 − J)/k, the squared
//! error has a part of 0.5 J(1 − J)/n for n shingles in the union. With fewer shingles than masks it is felt.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use dedup::{DedupConfig, DocumentReader, Documents, Shingler, Unreadable, make_set};

/// Documents that are looked at while they are read.
pub struct ShortTexts<'d> {
    documents: &'d dyn Documents,
    config: &'d DedupConfig,
    count: AtomicU64,
}

/// A text of so many bytes per slot has enough shingles, unless it says the same thing again and again.
const LONG_BYTES_PER_SLOT: usize = 16;

impl<'d> ShortTexts<'d> {
    /// Nothing is counted yet.
    pub fn new(documents: &'d dyn Documents, config: &'d DedupConfig) -> Self {
        Self { documents, config, count: AtomicU64::new(0) }
    }

    /// How many short texts were read so far. Texts without a shingle are compared with nothing and not counted.
    pub fn count(&self) -> u64 {
        self.count.load(Relaxed)
    }
}

impl Documents for ShortTexts<'_> {
    fn count(&self) -> u32 {
        self.documents.count()
    }

    fn reader(&self) -> Box<dyn DocumentReader + '_> {
        Box::new(CountingReader {
            reader: self.documents.reader(),
            texts: self,
            shingler: Shingler::new(self.config.shingling, self.config.text),
            hashes: Vec::new(),
        })
    }
}

struct CountingReader<'d> {
    reader: Box<dyn DocumentReader + 'd>,
    texts: &'d ShortTexts<'d>,
    shingler: Shingler,
    hashes: Vec<u64>,
}

impl DocumentReader for CountingReader<'_> {
    fn read(&mut self, document: u32, text: &mut Vec<u8>) -> Result<(), Unreadable> {
        self.reader.read(document, text)?;
        let slots = self.texts.config.slots;
        if text.len() < slots * LONG_BYTES_PER_SLOT {
            self.shingler.shingle(text, &mut self.hashes);
            make_set(&mut self.hashes);
            let is_short = !self.hashes.is_empty() && self.hashes.len() < slots;
            self.texts.count.fetch_add(is_short.into(), Relaxed);
        }
        Ok(())
    }
}
