//! SHA-1 of a payload, written `sha1:` and base 32: the form in which wget, Heritrix and their readers know it.
//!
//! SHA-1 is no longer safe against somebody who wants a collision. It stays because every archive tool compares
//! these digests; nothing of ours trusts two payloads to be equal because of it alone.

use std::fmt;

use sha1::{Digest as _, Sha1};

/// Twenty bytes that identify a content.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Digest(pub [u8; 20]);

impl Digest {
    /// The digest of some pieces, one after the other.
    pub fn of(pieces: &[&[u8]]) -> Self {
        let mut hasher = Sha1::new();
        for piece in pieces {
            hasher.update(piece);
        }
        Self(hasher.finalize().into())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
        let mut text = *b"sha1:................................";
        for (group, five_bytes) in self.0.chunks_exact(5).enumerate() {
            let bits = five_bytes.iter().fold(0u64, |bits, &byte| bits << 8 | u64::from(byte));
            for place in 0..8 {
                text[5 + group * 8 + place] = ALPHABET[(bits >> (35 - 5 * place)) as usize & 31];
            }
        }
        f.write_str(std::str::from_utf8(&text).expect("the alphabet is ASCII"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_that_other_archives_carry() {
        let cases =
            [("", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"), ("abc", "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5")];
        for (content, digest) in cases {
            assert_eq!(Digest::of(&[content.as_bytes()]).to_string(), digest);
        }
        assert_eq!(Digest::of(&[b"a", b"bc"]), Digest::of(&[b"abc"]));
    }
}
