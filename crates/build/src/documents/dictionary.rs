//! What the texts of a collection have in common, learnt from its first documents.

use super::block::RawBlock;

/// So much text is gathered before a dictionary is made of it.
pub(super) const SAMPLE_BYTES: usize = 4 << 20;

/// From less nothing is learnt that is worth its own bytes.
const SAMPLE_BYTES_MIN: usize = 1 << 20;

/// Of one document at most so much is part of the sample, so that a long one does not speak for all.
const PIECE_BYTES_MAX: usize = 8 << 10;

const DICTIONARY_BYTES_MAX: usize = 256 << 10;

/// Where all there is has less text than a sample, a dictionary is so many times smaller: it is part of what is kept.
const SAMPLE_RATIO: usize = 16;

/// Texts from which a dictionary is made.
#[derive(Debug, Default)]
pub(super) struct Sample {
    pieces: Vec<u8>,
    sizes: Vec<usize>,
    /// The bytes of all there is, of which the pieces are the beginnings.
    whole_bytes: usize,
}

impl Sample {
    /// Adds the beginning of a text.
    pub(super) fn add(&mut self, text: &[u8]) {
        let piece = &text[..text.len().min(PIECE_BYTES_MAX)];
        if !piece.is_empty() {
            self.pieces.extend_from_slice(piece);
            self.sizes.push(piece.len());
        }
        self.whole_bytes += text.len();
    }

    /// Adds the texts of a block.
    pub(super) fn add_block(&mut self, block: &RawBlock) {
        let mut start = 0;
        for &end in &block.text_ends {
            self.add(&block.texts[start..end]);
            start = end;
        }
    }

    /// Whether there is no need for more.
    pub(super) fn is_full(&self) -> bool {
        self.whole_bytes >= SAMPLE_BYTES
    }

    /// Makes a dictionary; `None` if there is too little to learn from.
    pub(super) fn train(&self) -> Option<Vec<u8>> {
        if self.pieces.len() < SAMPLE_BYTES_MIN {
            return None;
        }
        let bytes_max = if self.is_full() { DICTIONARY_BYTES_MAX } else { self.pieces.len() / SAMPLE_RATIO };
        // zstd refuses a sample of which nothing can be learnt; texts are squeezed as well without.
        let dictionary = zstd::dict::from_continuous(&self.pieces, &self.sizes, bytes_max).ok();
        dictionary.filter(|dictionary| !dictionary.is_empty())
    }
}
