//! From a key of a sorted list to its rank, without keeping the keys: a monotone minimal perfect hash function, signed.
//!
//! To keep the rank itself, a static function needs log₂ n bits a key. Since the keys are sorted, less is enough: all keys of
//! a block of the list share a prefix, by which the block is called; no other block has the same one, because this is the
//! longest that they share, and to its left and right both bits follow. One function gives for a key how long the prefix
//! of its block is, and which key of the block it is; a second one leads from the prefix to the block.
//!
//! Only the most frequent lengths have a code; a block with another is called by each of its keys as a whole. How many
//! bits a code has is chosen so that both functions together are least.
//!
//! For a key that was never in the list the functions give anything. A signature of five bits beside the rank says so in 31
//! of 32 cases; the others are for the list to see.
//!
//! ```text
//! bytes = code bits (u32), lengths (u32), lengths (u32 each); blocks that are not found (u32), these (u32 each);
//!         bytes of the first function (u64), first function, second function
//! ```
//!
//! Cost: 17 to 22 bits a key; two hashes and some six cache misses, by threes, to ask. While it is made, nine bytes a key.
//!
//! After Belazzougui, Boldi, Pagh and Vigna, "Theory and Practice of Monotone Minimal Perfect Hashing" (2009), section 4;
//! the blocks are those of the list, and the codes ours.

use std::cmp::Reverse;
use std::collections::HashMap;

use filter::function::{Construction, StaticFunction, solve};
use journal::{Bytes, u32_at, u64_at};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::prefix::Prefix;

/// So many keys are in a block of the list.
pub(super) const BLOCK_KEYS: usize = 16;
const PLACE_BITS: u32 = BLOCK_KEYS.ilog2();
const SIGNATURE_BITS: u32 = 5;
/// With more bits for a code, a whole rank is not longer.
const CODE_BITS_MAX: u32 = 12;

/// Takes the keys of a list in order.
#[derive(Default)]
pub(super) struct RankFunctionBuilder {
    hashes: Vec<u64>,
    blocks: Vec<Block>,
    /// The first key of the block.
    head: Vec<u8>,
}

/// What the keys of a block share.
struct Block {
    prefix: Prefix,
    hash: u64,
}

impl RankFunctionBuilder {
    /// Adds the next key; `before` is the last one.
    pub(super) fn push(&mut self, key: &[u8], before: &[u8]) {
        if self.hashes.len().is_multiple_of(BLOCK_KEYS) {
            self.end_block(before);
            self.head.clear();
            self.head.extend_from_slice(key);
        }
        self.hashes.push(xxh3_64(key));
    }

    /// How many keys there are so far.
    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Takes away what tells a key and a block from others.
    #[cfg(test)]
    pub(super) fn confuse(&mut self, (key, with_key): (usize, usize), (block, with_block): (usize, usize)) {
        self.hashes[key] = self.hashes[with_key];
        let Block { prefix, hash } = self.blocks[with_block];
        self.blocks[block] = Block { prefix, hash };
    }

    fn end_block(&mut self, last: &[u8]) {
        if self.blocks.len() * BLOCK_KEYS < self.hashes.len() {
            let prefix = Prefix::shared(&self.head, last);
            let hash = prefix_hash(last, prefix).expect("what keys share is a part of each");
            self.blocks.push(Block { prefix, hash });
        }
    }

    /// Makes the bytes of the function; `last` is the last key.
    pub(super) fn finish(mut self, last: &[u8]) -> Vec<u8> {
        self.end_block(last);
        let lengths = Lengths::choose(&self.blocks, self.hashes.len());
        let number = |key: usize| {
            let place = (key % BLOCK_KEYS) as u64;
            let code = u64::from(lengths.code(self.blocks[key / BLOCK_KEYS].prefix));
            (code << PLACE_BITS | place) << SIGNATURE_BITS | signature(self.hashes[key])
        };
        let width = SIGNATURE_BITS + PLACE_BITS + lengths.code_bits;
        let (first, repeated) = solve(&self.hashes, number, width, Construction::Hypergraph);
        let mut lost: Vec<u32> = repeated.into_iter().map(|key| key / BLOCK_KEYS as u32).collect();
        let (names, blocks) = lengths.names(&self.blocks, &self.hashes);
        let (second, repeated) = solve(
            &names,
            |name| u64::from(blocks[name]),
            block_bits(self.blocks.len()),
            Construction::Hypergraph,
        );
        lost.extend(repeated.into_iter().map(|name| blocks[name as usize]));
        lost.sort_unstable();
        lost.dedup();
        let mut bytes = lengths.code_bits.to_le_bytes().to_vec();
        for numbers in [&lengths.by_code, &lost] {
            bytes.extend_from_slice(&(numbers.len() as u32).to_le_bytes());
            numbers.iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
        }
        bytes.extend_from_slice(&(first.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&first);
        bytes.extend_from_slice(&second);
        bytes
    }
}

fn block_bits(blocks: usize) -> u32 {
    usize::BITS - blocks.saturating_sub(1).leading_zeros()
}

fn signature(hash: u64) -> u64 {
    hash & ((1 << SIGNATURE_BITS) - 1)
}

/// A hash of what a key has of this prefix, other than that of any whole key; nothing if it is shorter.
#[inline]
fn prefix_hash(key: &[u8], prefix: Prefix) -> Option<u64> {
    let (bytes, bits) = prefix.of(key)?;
    Some(xxh3_64_with_seed(bytes, 1 + u64::from(bits)))
}

/// Which lengths of prefixes have a code.
struct Lengths {
    code_bits: u32,
    by_code: Vec<u32>,
    codes: HashMap<u32, u32>,
}

impl Lengths {
    fn choose(blocks: &[Block], keys: usize) -> Self {
        let mut counts: HashMap<u32, u32> = HashMap::new();
        blocks.iter().for_each(|block| *counts.entry(block.prefix.0).or_default() += 1);
        let mut by_code: Vec<u32> = counts.keys().copied().collect();
        by_code.sort_unstable_by_key(|length| (Reverse(counts[length]), *length));
        let bits = |code_bits: u32| {
            let coded: u32 = by_code.iter().take((1 << code_bits) - 1).map(|length| counts[length]).sum();
            let names = coded as usize + (blocks.len() - coded as usize) * BLOCK_KEYS;
            keys * code_bits as usize + names * block_bits(blocks.len()) as usize
        };
        let code_bits = (0..=CODE_BITS_MAX).min_by_key(|code_bits| bits(*code_bits)).expect("there are some");
        by_code.truncate((1 << code_bits) - 1);
        let codes = by_code.iter().copied().zip(0..).collect();
        Self { code_bits, by_code, codes }
    }

    /// The code of a length, or the one behind all: the block has no name of its own.
    fn code(&self, prefix: Prefix) -> u32 {
        self.codes.get(&prefix.0).copied().unwrap_or(self.by_code.len() as u32)
    }

    /// What leads to blocks, as hashes, and to which.
    fn names(&self, blocks: &[Block], hashes: &[u64]) -> (Vec<u64>, Vec<u32>) {
        let (mut names, mut named) = (Vec::new(), Vec::new());
        for ((block, keys), number) in blocks.iter().zip(hashes.chunks(BLOCK_KEYS)).zip(0u32..) {
            match self.codes.contains_key(&block.prefix.0) {
                true => names.push(block.hash),
                false => names.extend_from_slice(keys),
            }
            named.resize(names.len(), number);
        }
        (names, named)
    }
}

/// Gives the rank of a key of the list.
#[derive(Debug, Clone)]
pub(super) struct RankFunction {
    bytes: usize,
    lengths: Vec<u32>,
    /// Blocks with keys that are not found, because something else has the same hash. Mostly none.
    lost: Vec<u32>,
    first: StaticFunction<Bytes>,
    second: StaticFunction<Bytes>,
}

impl RankFunction {
    /// Reads what [`RankFunctionBuilder::finish`] made; nothing if the lengths do not add up.
    pub(super) fn from_bytes(bytes: &Bytes) -> Option<Self> {
        let (lengths, at) = numbers_at(bytes, 4)?;
        let (lost, at) = numbers_at(bytes, at)?;
        (bytes.len() >= at + 8).then_some(())?;
        let first_end = (at as u64 + 8).checked_add(u64_at(bytes, at))?;
        let first_end = usize::try_from(first_end).ok()?;
        Some(Self {
            bytes: bytes.len(),
            lengths,
            lost,
            first: StaticFunction::from_bytes(bytes.cut(at + 8..first_end)?)?,
            second: StaticFunction::from_bytes(bytes.cut(first_end..bytes.len())?)?,
        })
    }

    /// The block of a key and its place there; of a key that is not in the list, anything or nothing.
    #[inline]
    pub(super) fn place(&self, key: &[u8]) -> Option<(usize, usize)> {
        let hash = xxh3_64(key);
        let number = self.first.get(hash)?;
        if number & ((1 << SIGNATURE_BITS) - 1) != signature(hash) {
            return None;
        }
        let place = (number >> SIGNATURE_BITS) as usize % BLOCK_KEYS;
        let code = (number >> (SIGNATURE_BITS + PLACE_BITS)) as usize;
        let name = match self.lengths.get(code) {
            Some(length) => prefix_hash(key, Prefix(*length))?,
            None => hash,
        };
        Some((self.second.get(name)? as usize, place))
    }

    /// Blocks that have to be looked through.
    pub(super) fn lost(&self) -> &[u32] {
        &self.lost
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Numbers behind their count, and where they end.
fn numbers_at(bytes: &Bytes, at: usize) -> Option<(Vec<u32>, usize)> {
    (bytes.len() >= at + 4).then_some(())?;
    let (start, count) = (at + 4, u32_at(bytes, at) as usize);
    let numbers = bytes.cut(start..start + 4 * count)?;
    let (numbers, _) = numbers.as_chunks();
    Some((numbers.iter().map(|number| u32::from_le_bytes(*number)).collect(), start + 4 * count))
}
