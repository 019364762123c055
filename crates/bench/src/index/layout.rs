//! What the same lists take in tantivy's layout, computed: documents and counts in blocks of 128, each packed with the bits of
//! its greatest gap and its greatest count, twelve bytes of skips and maxima for each; positions in blocks of 128 packed with
//! the bits of the greatest; what is left of a list in bytes of seven bits.

use super::Inverted;

/// What the peer is called in the table.
pub const NAME: &str = "tantivy's layout";

const BLOCK: usize = 128;
const SKIP_BYTES: u64 = 12;

/// Bytes of a layout.
#[derive(Debug, Default, PartialEq)]
pub struct LayoutBytes {
    /// Documents, counts, skips and maxima.
    pub postings: f64,
    /// Positions.
    pub positions: f64,
}

/// What all lists take.
pub fn bytes(inverted: &Inverted<'_>) -> LayoutBytes {
    let (mut postings, mut positions) = (0, 0);
    for word in 0..inverted.words.len() {
        let (mut gaps, mut counts, mut steps) = (Vec::new(), Vec::new(), Vec::new());
        let mut last = None;
        for document in inverted.list(word).chunk_by(|a, b| a.document == b.document) {
            gaps.push(last.map_or(document[0].document, |last| document[0].document - last - 1));
            last = Some(document[0].document);
            counts.push(document.len() as u32 - 1);
            let mut before = 0;
            for occurrence in document {
                steps.push(occurrence.position - before);
                before = occurrence.position;
            }
        }
        let blocks = (gaps.len() / BLOCK) as u64;
        let skips =
            if blocks > 0 { blocks * SKIP_BYTES + varint_bytes((blocks * SKIP_BYTES) as u32) } else { 0 };
        postings += skips + packed(&gaps) + packed(&counts);
        let blocks = (steps.len() / BLOCK) as u32;
        positions += packed(&steps) + varint_bytes(blocks) + u64::from(blocks);
    }
    LayoutBytes { postings: postings as f64, positions: positions as f64 }
}

/// Full blocks with the bits of their greatest number, the rest in bytes of seven bits.
fn packed(numbers: &[u32]) -> u64 {
    let (full, rest) = numbers.as_chunks::<BLOCK>();
    let block = |block: &[u32; BLOCK]| 16 * u64::from(bits(block.iter().fold(0, |all, number| all | number)));
    full.iter().map(block).sum::<u64>() + rest.iter().map(|&number| varint_bytes(number)).sum::<u64>()
}

fn bits(number: u32) -> u32 {
    32 - number.leading_zeros()
}

fn varint_bytes(number: u32) -> u64 {
    u64::from(bits(number).max(1).div_ceil(7))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Corpus;

    #[test]
    fn blocks_are_packed_and_the_rest_takes_bytes() {
        let documents = vec!["a a b".to_owned(); 130];
        let corpus = Corpus { name: String::new(), documents };
        let LayoutBytes { postings, positions } = bytes(&Inverted::new(&corpus));
        // Of each word: a block without bits for gaps, its skips with their length, two documents and two counts; and the
        // counts of `a` have a bit.
        assert_eq!(postings, 2.0 * (12.0 + 1.0 + 2.0 + 2.0) + 16.0);
        // `a` has 260 positions: two blocks of one bit and four more; `b` 130, all of them 2.
        assert_eq!(positions, (1.0 + 2.0 + 32.0 + 4.0) + (1.0 + 1.0 + 32.0 + 2.0));
    }
}
