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

/// Makes a dictionary; `None` if there is too little to learn from.
pub(super) fn train(blocks: &[RawBlock]) -> Option<Vec<u8>> {
    let (mut sample, mut sizes) = (Vec::new(), Vec::new());
    for block in blocks {
        let mut start = 0;
        for &end in &block.text_ends {
            let piece = &block.texts[start..end.min(start + PIECE_BYTES_MAX)];
            if !piece.is_empty() {
                sample.extend_from_slice(piece);
                sizes.push(piece.len());
            }
            start = end;
        }
    }
    if sample.len() < SAMPLE_BYTES_MIN {
        return None;
    }
    let is_full = blocks.iter().map(RawBlock::bytes).sum::<usize>() >= SAMPLE_BYTES;
    let bytes_max = if is_full { DICTIONARY_BYTES_MAX } else { sample.len() / SAMPLE_RATIO };
    // zstd refuses a sample of which nothing can be learnt; texts are squeezed as well without.
    zstd::dict::from_continuous(&sample, &sizes, bytes_max).ok().filter(|dictionary| !dictionary.is_empty())
}
