//! From a key to its rank, without keeping the keys: a monotone minimal perfect hash function.
//!
//! Chapter 4 of the notes stores f(x) as the sum of the variables at h(x), g(x) … of a random hypergraph, in c·log₂ n bits
//! a key. Since the keys are sorted, less is enough: the function gives the length of the prefix that all keys of a
//! bucket share and the place within the bucket, and a second function leads from the prefix to the bucket. It is the
//! two-step function of `sux` (after Belazzougui, Boldi, Pagh, Vigna, "Theory and Practice of Monotone Minimal Perfect
//! Hashing", 2009). For keys that were never in the list it gives anything: whoever asks must check.
//!
//! Its bytes belong to one version of two libraries. They are a cache beside the list of keys, sealed with the list's
//! checksum: if they cannot be read, the function is made again, in some 0.4 µs a key.

use std::convert::Infallible;
use std::path::{Path, PathBuf};

use dsi_progress_logger::no_logging;
use epserde::deser::Deserialize;
use epserde::ser::Serialize;
use lender::{FallibleLend, FallibleLender, FallibleLending};
use sux::func::Lcp2MmphfSliceU8;
use sux::utils::FallibleRewindableLender;
use xxhash_rust::xxh3::xxh3_64;

use super::list::{KeyIter, KeyList};
use crate::Error;
use crate::sealed::{GRAPH_FORMAT, open_sealed};

const KIND: [u8; 4] = *b"mmph";

type Function = Lcp2MmphfSliceU8;

/// Gives the rank of a key of the list.
#[derive(Debug)]
pub(crate) struct RankFunction {
    function: Option<Function>,
    bytes: usize,
}

impl RankFunction {
    /// Reads the function that belongs to a list, or makes it and tries to keep it beside the list.
    pub(crate) fn open(list: &KeyList) -> Result<Self, Error> {
        if list.len() == 0 {
            return Ok(Self { function: None, bytes: 0 });
        }
        let path = cache_path(list.path());
        let stamp = stamp(list);
        if let Some(found) = Self::read(&path, stamp) {
            return Ok(found);
        }
        let keys = Keys { keys: list.iter() };
        let function = Function::try_new(keys, list.len(), no_logging![])
            .map_err(|error| Error::damaged(list.path(), format!("its keys cannot be hashed: {error}")))?;
        let mut payload = stamp.to_vec();
        // SAFETY: what may be undefined here are padding bytes, and the types of the function have none: they are
        // vectors of numbers.
        let outcome = unsafe { function.serialize(&mut payload) };
        if outcome.is_ok() {
            // A folder that cannot be written to costs time at the next start, no more.
            let _ = journal::replace_sealed(&path, GRAPH_FORMAT, KIND, &payload);
        }
        Ok(Self { function: Some(function), bytes: payload.len() - stamp.len() })
    }

    fn read(path: &Path, stamp: [u8; 8]) -> Option<Self> {
        let payload = open_sealed(path, KIND).ok()?;
        let blob = payload.strip_prefix(&stamp)?;
        // SAFETY: these are bytes that `serialize` of this type wrote (their checksum is right), and the library
        // compares its version and the type's hash before it reads on.
        let function = unsafe { Function::deserialize_full(&mut &*blob) }.ok()?;
        Some(Self { function: Some(function), bytes: blob.len() })
    }

    /// The rank of a key; of a key that is not in the list, any number.
    #[inline]
    pub(crate) fn rank(&self, key: &[u8]) -> Option<usize> {
        self.function.as_ref().map(|function| function.get(key))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

fn cache_path(list: &Path) -> PathBuf {
    list.with_added_extension("function")
}

/// Tells lists apart: the ends and the signatures of all keys.
fn stamp(list: &KeyList) -> [u8; 8] {
    (xxh3_64(list.signatures()) ^ list.bytes() as u64).to_le_bytes()
}

/// The keys as the library wants to borrow them, several times over.
struct Keys {
    keys: KeyIter,
}

impl<'lend> FallibleLending<'lend> for Keys {
    type Lend = &'lend [u8];
}

impl FallibleLender for Keys {
    type Error = Infallible;

    lender::check_covariance_fallible!();

    fn next(&mut self) -> Result<Option<FallibleLend<'_, Self>>, Infallible> {
        Ok(self.keys.next())
    }
}

impl FallibleRewindableLender for Keys {
    type RewindError = Infallible;

    fn rewind(mut self) -> Result<Self, Infallible> {
        self.keys.restart();
        Ok(self)
    }
}
