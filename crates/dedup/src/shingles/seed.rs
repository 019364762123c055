//! The shingles of the MinHash report: every window of 54 ASCII characters, hashed by FNV-1a of 64 bits.
//!
//! The tokeniser of the report puts a text into lower case and drops its formatting; here that means all white space and
//! all bytes beyond ASCII. The report's text describes the hash as "multiply, then XOR", which is FNV-1, and calls it
//! FNV-1a, which is the other way round. We follow the name (Fowler, Noll and Vo).
//!
//! FNV cannot be rolled, so each window costs a multiplication per byte, and each waits for the one before. Sixteen
//! windows go side by side instead.

use super::chars::pack_ascii;
use crate::lanes::{WINDOWS, fnv_windows};
use crate::mix::{FNV_OFFSET, FNV_PRIME};

fn fnv_1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(FNV_OFFSET, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME))
}

/// Appends the FNV-1a hashes of all windows of `length` bytes.
pub fn shingle(text: &[u8], length: usize, letters: &mut Vec<u8>, hashes: &mut Vec<u64>) {
    pack_ascii(text, letters);
    let mut rest = &letters[..];
    hashes.reserve((rest.len() + 1).saturating_sub(length));
    while rest.len() >= length + WINDOWS - 1 {
        hashes.extend(fnv_windows(rest, length));
        rest = &rest[WINDOWS..];
    }
    hashes.extend(rest.windows(length).map(fnv_1a));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fnv_1a_gives_the_values_of_its_authors() {
        for (text, expected) in
            [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)]
        {
            assert_eq!(fnv_1a(text.as_bytes()), expected);
        }
    }

    proptest! {
        #[test]
        fn each_window_has_its_own_fnv_1a(text in "[a-zA-Z0-9 \n.é]{0,200}", length in 1usize..60) {
            let letters: Vec<u8> =
                text.bytes().filter(|b| b.is_ascii() && !char::from(*b).is_whitespace()).map(|b| b.to_ascii_lowercase()).collect();
            let expected: Vec<u64> = letters.windows(length).map(fnv_1a).collect();
            let mut hashes = Vec::new();
            shingle(text.as_bytes(), length, &mut Vec::new(), &mut hashes);
            prop_assert_eq!(hashes, expected);
        }
    }
}
