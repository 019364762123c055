//! The keys of all nodes, in order, compressed: each leaves out what it shares with the one before.
//!
//! Keys stand in blocks of 16. The first of a block is whole; of each other, only how many bytes it shares with the one
//! before and what follows them. Elias–Fano finds the block. Beside it stands a signature of eight bits for each key, which
//! nobody asks any more: the file has kept its form.
//!
//! ```text
//! payload = text, signatures (a byte each), Elias–Fano of block starts, text bytes (u64), count (u64)
//! block   = first key: length, bytes; 15 times: shared, length of the rest, rest             numbers of 7 bits a byte
//! ```
//!
//! Cost: some 18 bytes for addresses of 80; a key is read in 100 to 200 ns. While it is written, the signatures and half a
//! byte for each key are in memory.

use std::path::{Path, PathBuf};

use journal::{Bytes, SealedWriter, u64_at, varint};
use xxhash_rust::xxh3::xxh3_64;

use crate::Error;
use crate::elias_fano::{EliasFano, EliasFanoBuilder};
use crate::sealed::{create_sealed, open_sealed};

const KIND: [u8; 4] = *b"addr";
const BLOCK_KEYS: usize = 16;

/// Takes keys in ascending order.
pub(crate) struct KeyListWriter {
    file: SealedWriter,
    starts: Vec<u64>,
    signatures: Vec<u8>,
    before: Vec<u8>,
    entry: Vec<u8>,
}

impl KeyListWriter {
    pub(crate) fn create(path: &Path) -> Result<Self, Error> {
        let file = create_sealed(path, KIND)?;
        Ok(Self { file, starts: Vec::new(), signatures: Vec::new(), before: Vec::new(), entry: Vec::new() })
    }

    /// How many keys there are so far.
    pub(crate) fn len(&self) -> usize {
        self.signatures.len()
    }

    pub(crate) fn push(&mut self, key: &[u8]) -> Result<(), Error> {
        if self.len() >= u32::MAX as usize {
            return Err(Error::TooMany { what: "addresses", limit: u64::from(u32::MAX) });
        }
        debug_assert!(self.len() == 0 || *self.before < *key, "keys ascend");
        self.entry.clear();
        let mut shared = 0;
        if self.len().is_multiple_of(BLOCK_KEYS) {
            self.starts.push(self.file.payload_bytes());
        } else {
            shared = key.iter().zip(&self.before).take_while(|(one, other)| one == other).count();
            varint::put(&mut self.entry, shared as u64);
        }
        varint::put(&mut self.entry, (key.len() - shared) as u64);
        self.entry.extend_from_slice(&key[shared..]);
        self.file.put(&self.entry)?;
        self.signatures.push(signature_of(key));
        self.before.clear();
        self.before.extend_from_slice(key);
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<(), Error> {
        let text_bytes = self.file.payload_bytes();
        self.file.put(&self.signatures)?;
        let mut starts = EliasFanoBuilder::new(self.starts.len(), text_bytes);
        self.starts.iter().for_each(|start| starts.push(*start));
        self.file.put(&starts.into_bytes())?;
        self.file.put(&text_bytes.to_le_bytes())?;
        self.file.put(&(self.signatures.len() as u64).to_le_bytes())?;
        self.file.finish()?;
        Ok(())
    }
}

/// Eight bits that another key has with a chance of one in 256.
fn signature_of(key: &[u8]) -> u8 {
    (xxh3_64(key) >> 56) as u8
}

/// The keys, by number.
#[derive(Debug, Clone)]
pub(crate) struct KeyList {
    path: PathBuf,
    text: Bytes,
    signatures: Bytes,
    starts: EliasFano,
}

impl KeyList {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let payload = open_sealed(path, KIND)?;
        Self::parse(path, &payload).ok_or_else(|| Error::damaged(path, "its lengths do not add up"))
    }

    fn parse(path: &Path, payload: &Bytes) -> Option<Self> {
        let end = payload.len().checked_sub(16)?;
        let (text_bytes, count) = (u64_at(payload, end), u64_at(payload, end + 8));
        if text_bytes.checked_add(count)? > end as u64 {
            return None;
        }
        let (text_bytes, count) = (text_bytes as usize, count as usize);
        let starts = EliasFano::from_bytes(&payload.cut(text_bytes + count..end)?)?;
        (starts.len() == count.div_ceil(BLOCK_KEYS)).then_some(())?;
        Some(Self {
            path: path.to_owned(),
            text: payload.cut(0..text_bytes)?,
            signatures: payload.cut(text_bytes..text_bytes + count)?,
            starts,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// How many blocks there are.
    pub(crate) fn blocks(&self) -> usize {
        self.starts.len()
    }

    /// The first key of a block.
    pub(crate) fn head(&self, block: usize) -> &[u8] {
        let mut rest = self.block(block);
        take_slice(&mut rest)
    }

    fn block(&self, block: usize) -> &[u8] {
        self.text.get(self.starts.get(block) as usize..).unwrap_or_default()
    }

    /// The number of a key, if it is in this block. No key is put together for that: of each it is known how much it
    /// shares with the one before, and so, mostly, whether it comes before the key that is looked for.
    pub(crate) fn find_in_block(&self, block: usize, key: &[u8]) -> Option<usize> {
        let mut rest = self.block(block);
        let first = block * BLOCK_KEYS;
        // How much of the key the last one has that was looked at, and came before it.
        let mut matched = 0;
        for number in first..self.len().min(first + BLOCK_KEYS) {
            let shared = if number == first { 0 } else { varint::take(&mut rest).unwrap_or(0) as usize };
            let suffix = take_slice(&mut rest);
            if shared < matched {
                return None;
            }
            if shared == matched {
                let wanted = &key[matched..];
                let more = suffix.iter().zip(wanted).take_while(|(one, other)| one == other).count();
                if more == suffix.len() && more == wanted.len() {
                    return Some(number);
                }
                if suffix.get(more) > wanted.get(more) {
                    return None;
                }
                matched += more;
            }
        }
        None
    }

    pub(crate) fn len(&self) -> usize {
        self.signatures.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.text.len() + self.starts.bytes()
    }

    /// Replaces `key` by that of a node.
    pub(crate) fn get(&self, node: usize, key: &mut Vec<u8>) {
        key.clear();
        let mut rest = self.block(node / BLOCK_KEYS);
        take_suffix(&mut rest, key);
        for _ in 0..node % BLOCK_KEYS {
            take_next(&mut rest, key);
        }
    }

    /// All keys in order.
    pub(crate) fn iter(&self) -> KeyIter {
        KeyIter { text: self.text.clone(), place: 0, next: 0, count: self.len(), key: Vec::new() }
    }
}

// What is not whole ends early. It cannot happen unless somebody makes a file with a right checksum and wrong contents.

#[inline]
fn take_next(rest: &mut &[u8], key: &mut Vec<u8>) {
    let shared = varint::take(rest).unwrap_or(0);
    key.truncate(shared as usize);
    take_suffix(rest, key);
}

#[inline]
fn take_suffix(rest: &mut &[u8], key: &mut Vec<u8>) {
    key.extend_from_slice(take_slice(rest));
}

#[inline]
fn take_slice<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    let length = varint::take(rest).unwrap_or(0).min(rest.len() as u64);
    let (slice, others) = rest.split_at(length as usize);
    *rest = others;
    slice
}

/// Goes through all keys.
#[derive(Debug, Clone)]
pub(crate) struct KeyIter {
    text: Bytes,
    place: usize,
    next: usize,
    count: usize,
    key: Vec<u8>,
}

impl KeyIter {
    /// From the first key again.
    pub(crate) fn restart(&mut self) {
        (self.place, self.next) = (0, 0);
        self.key.clear();
    }

    /// The next key.
    pub(crate) fn next(&mut self) -> Option<&[u8]> {
        if self.next == self.count {
            return None;
        }
        let mut rest = &self.text[self.place..];
        if self.next.is_multiple_of(BLOCK_KEYS) {
            self.key.clear();
            take_suffix(&mut rest, &mut self.key);
        } else {
            take_next(&mut rest, &mut self.key);
        }
        self.place = self.text.len() - rest.len();
        self.next += 1;
        Some(&self.key)
    }
}
