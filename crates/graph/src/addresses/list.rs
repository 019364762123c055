//! The keys of all nodes, in order, compressed: each leaves out what it shares with the one before.
//!
//! Keys stand in blocks of 16. The first of a block is whole; of each other, only how many bytes it shares with the one
//! before and what follows them. Elias–Fano finds the block. A function leads from a key to its number ([`RankFunction`]);
//! whether it is there is seen in the list itself, so that the answer is exact.
//!
//! ```text
//! payload = text, Elias–Fano of block starts, function, text bytes (u64), function bytes (u64), count (u64)
//! block   = first key: length, bytes; 15 times: shared, length of the rest, rest             numbers of 7 bits a byte
//! ```
//!
//! Cost: some 18 bytes for addresses of 80, and 20 bits for the function; a key is read in 100 to 200 ns, and a number
//! found in 200 to 300. While it is written, nine bytes for each key are in memory, and some more at the end.

use std::path::{Path, PathBuf};

use journal::{Bytes, SealedWriter, u64_at, varint};

use super::rank_function::{BLOCK_KEYS, RankFunction, RankFunctionBuilder};
use crate::Error;
use crate::elias_fano::{EliasFano, EliasFanoBuilder};
use crate::sealed::{create_sealed, open_sealed};

const KIND: [u8; 4] = *b"addr";
const TAIL_BYTES: usize = 24;

/// Takes keys in ascending order.
pub(crate) struct KeyListWriter {
    file: SealedWriter,
    starts: Vec<u64>,
    function: RankFunctionBuilder,
    before: Vec<u8>,
    entry: Vec<u8>,
}

impl KeyListWriter {
    pub(crate) fn create(path: &Path) -> Result<Self, Error> {
        let file = create_sealed(path, KIND)?;
        let function = RankFunctionBuilder::default();
        Ok(Self { file, starts: Vec::new(), function, before: Vec::new(), entry: Vec::new() })
    }

    /// How many keys there are so far.
    pub(crate) fn len(&self) -> usize {
        self.function.len()
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
            shared = shared_bytes(key, &self.before);
            varint::put(&mut self.entry, shared as u64);
        }
        varint::put(&mut self.entry, (key.len() - shared) as u64);
        self.entry.extend_from_slice(&key[shared..]);
        self.file.put(&self.entry)?;
        self.function.push(key, &self.before);
        self.before.clear();
        self.before.extend_from_slice(key);
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<(), Error> {
        let (text_bytes, count) = (self.file.payload_bytes(), self.len() as u64);
        let mut starts = EliasFanoBuilder::new(self.starts.len(), text_bytes);
        self.starts.iter().for_each(|start| starts.push(*start));
        self.file.put(&starts.into_bytes())?;
        let function = self.function.finish(&self.before);
        self.file.put(&function)?;
        for number in [text_bytes, function.len() as u64, count] {
            self.file.put(&number.to_le_bytes())?;
        }
        self.file.finish()?;
        Ok(())
    }
}

/// How many bytes two keys begin with that are the same.
#[inline]
fn shared_bytes(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// The keys, by number.
#[derive(Debug, Clone)]
pub(crate) struct KeyList {
    path: PathBuf,
    count: usize,
    text: Bytes,
    starts: EliasFano,
    function: RankFunction,
}

impl KeyList {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let payload = open_sealed(path, KIND)?;
        Self::parse(path, &payload).ok_or_else(|| Error::damaged(path, "its lengths do not add up"))
    }

    fn parse(path: &Path, payload: &Bytes) -> Option<Self> {
        let end = payload.len().checked_sub(TAIL_BYTES)?;
        let [text_bytes, function_bytes, count] = [0, 8, 16].map(|place| u64_at(payload, end + place));
        let starts_end = (end as u64).checked_sub(function_bytes)? as usize;
        let text_bytes = usize::try_from(text_bytes).ok()?;
        let starts = EliasFano::from_bytes(&payload.cut(text_bytes..starts_end)?)?;
        (starts.len() as u64 == count.div_ceil(BLOCK_KEYS as u64)).then_some(())?;
        Some(Self {
            path: path.to_owned(),
            count: count as usize,
            text: payload.cut(0..text_bytes)?,
            starts,
            function: RankFunction::from_bytes(&payload.cut(starts_end..end)?)?,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The size of the list and of the function, in bytes.
    pub(crate) fn bytes(&self) -> (usize, usize) {
        (self.text.len() + self.starts.bytes(), self.function.bytes())
    }

    /// The number of a key, if it is in the list.
    pub(crate) fn find(&self, key: &[u8]) -> Option<usize> {
        if let Some((block, place)) = self.function.place(key)
            && block < self.starts.len()
            && self.is_at(block, place, key)
        {
            return Some(block * BLOCK_KEYS + place);
        }
        self.find_lost(key)
    }

    /// Looks into the one block that may hold a key to which no function leads.
    fn find_lost(&self, key: &[u8]) -> Option<usize> {
        let lost = self.function.lost();
        let next = lost.partition_point(|block| {
            let head = (*block as usize) < self.starts.len();
            head && take_slice(&mut self.block(*block as usize)) <= key
        });
        let block = lost[next.checked_sub(1)?] as usize;
        let place = (0..BLOCK_KEYS).find(|place| self.is_at(block, *place, key))?;
        Some(block * BLOCK_KEYS + place)
    }

    fn block(&self, block: usize) -> &[u8] {
        self.text.get(self.starts.get(block) as usize..).unwrap_or_default()
    }

    /// Whether a key is the one at this place of a block. None is put together for that: each says how much of the one
    /// before it has, and so how much of the key.
    fn is_at(&self, block: usize, place: usize, key: &[u8]) -> bool {
        if block * BLOCK_KEYS + place >= self.count {
            return false;
        }
        let mut rest = self.block(block);
        let head = take_slice(&mut rest);
        let (mut matched, mut length) = (shared_bytes(head, key), head.len());
        for _ in 0..place {
            let shared = varint::take(&mut rest).unwrap_or(0) as usize;
            let suffix = take_slice(&mut rest);
            length = shared.saturating_add(suffix.len());
            if shared <= matched {
                matched = shared + if shared == matched { shared_bytes(suffix, &key[matched..]) } else { 0 };
            }
        }
        matched == key.len() && length == key.len()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_the_function_takes_for_others_are_found_all_the_same() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("addresses");
        let keys: Vec<String> = (0..1000).map(|number| format!("{:04}", 3 * number)).collect();
        let mut writer = KeyListWriter::create(&path).unwrap();
        keys.iter().for_each(|key| writer.push(key.as_bytes()).unwrap());
        writer.function.confuse((500, 77), (9, 4));
        writer.finish().unwrap();
        let list = KeyList::open(&path).unwrap();
        assert_eq!(list.function.lost(), [9, 500 / BLOCK_KEYS as u32]);
        for (number, key) in keys.iter().enumerate() {
            assert_eq!(list.find(key.as_bytes()), Some(number));
            assert_eq!(list.find(format!("{key}0").as_bytes()), None);
            assert_eq!(list.find(&key.as_bytes()[..3]), None);
        }
    }
}
