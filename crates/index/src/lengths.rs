//! Lengths of fields, a byte each: exact up to 31 words, then sixteen steps to each doubling.
//!
//! A length only tells how much a word counts, and a page of 1,000 words is as long as one of 1,030. What a byte says is
//! at most the length, and less than a sixteenth below it; half a million words are as long as a page can be.
//!
//! Cost: six bytes per document, which lie together.

use journal::SealedFile;

use crate::field::FIELD_COUNT;

const EXACT: u32 = 32;
const STEP_BITS: u32 = 4;

/// The byte of a length.
pub fn encode_length(length: u32) -> u8 {
    if length < EXACT {
        return length as u8;
    }
    let octave = length.ilog2() - EXACT.ilog2();
    let step = (length >> (length.ilog2() - STEP_BITS)) & ((1 << STEP_BITS) - 1);
    (EXACT + (octave << STEP_BITS) + step).min(u8::MAX.into()) as u8
}

/// The length of a byte: the shortest that has it.
pub fn decode_length(code: u8) -> u32 {
    let code = u32::from(code);
    if code < EXACT {
        return code;
    }
    let (octave, step) = ((code - EXACT) >> STEP_BITS, (code - EXACT) & ((1 << STEP_BITS) - 1));
    ((1 << STEP_BITS) | step) << (octave + EXACT.ilog2() - STEP_BITS)
}

/// The codes of the lengths of a document's fields; zeros if the file has none for it.
#[inline]
pub(crate) fn codes_of(file: &SealedFile, document: u32) -> [u8; FIELD_COUNT] {
    let at = u64::from(document) * FIELD_COUNT as u64;
    file.verified_bytes(at..at + FIELD_COUNT as u64).try_into().unwrap_or_default()
}

/// The codes of all documents, of a file that has been verified.
#[inline]
pub(crate) fn all_codes(file: &SealedFile) -> &[[u8; FIELD_COUNT]] {
    file.verified_bytes(0..file.payload_bytes()).as_chunks().0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_comes_back_nearly_as_it_was_and_never_longer() {
        for length in (0..100_000).chain([1 << 18, 400_000]) {
            let back = decode_length(encode_length(length));
            assert!(back <= length && u64::from(length - back) * 16 <= u64::from(length), "{length}: {back}");
            assert!(length >= EXACT || back == length);
        }
        for code in 0..=u8::MAX {
            assert_eq!(encode_length(decode_length(code)), code);
        }
        assert!(encode_length(u32::MAX) == u8::MAX);
    }
}
