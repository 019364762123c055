//! A function from some keys to numbers, which does not keep the keys.
//!
//! A key stands for the equation w[h(x)] + w[g(x)] (+ w[k(x)]) = f(x) in a vector w of variables, here with XOR for the sum.
//! The system is solved by peeling ([`peeling`]), with the places of a key in one of two ways ([`Construction`]):
//!
//! - [`Construction::Graph`]: two places, so that keys are the edges of a graph, which can be peeled if it has no circle. With
//!   2.09 variables a key it has none in one of three attempts. More than half of the variables are zero: they are left out,
//!   and a vector of bits with ranks says which ([`ranked`]). So it takes a number and 2.5 bits a key.
//! - [`Construction::Hypergraph`]: three places in three neighbouring segments of the vector, so that 1.12 to 1.2 variables a
//!   key are enough; all of them are kept ([`fuse`]).
//!
//! What comes of a key that is in no equation is any number; whoever wants to know puts a part of the hash into the number, a
//! signature. Keys are divided by their hashes into shards, which are solved one after the other; if there is no solution, with
//! other places, and later a few more variables.
//!
//! ```text
//! table  = width (u16), construction (u16), shards (u32); 16 bytes for each shard
//! values = what the shards say, one behind the other; eight zeros
//! ```
//!
//! Cost: to make it, some 30 bytes a key of one shard; to ask it, two cache misses at once and once more of a graph, whose
//! shards are small enough to lie in three pages of memory; three at once of a hypergraph.
//!
//! After Majewski, Wormald, Havas and Czech, "A Family of Perfect Hashing Methods" (1996), with the ranks of the notes, and of
//! three places those of Graf and Lemire, "Binary Fuse Filters" (2022).

mod fuse;
mod packed;
mod peeling;
mod ranked;

use std::ops::{Deref, Range};

use fuse::FuseShard;
use packed::{PADDING_BYTES, PackedNumbers};
use ranked::RankedShard;

/// A number has at most so many bits: then it is a part of eight bytes, wherever it begins.
pub const WIDTH_MAX: u32 = 57;

const HEADER_BYTES: usize = 8;
const SHARD_BYTES: usize = 16;

/// How the places of a key are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Construction {
    /// Two places; variables that are zero are left out.
    #[default]
    Graph,
    /// Three places, near each other.
    Hypergraph,
}

impl Construction {
    /// Lists all of them.
    pub const ALL: [Self; 2] = [Self::Graph, Self::Hypergraph];

    /// Gives the name that people write.
    pub fn name(self) -> &'static str {
        match self {
            Self::Graph => "graph",
            Self::Hypergraph => "hypergraph",
        }
    }

    /// What is written; it never changes.
    fn code(self) -> u16 {
        match self {
            Self::Hypergraph => 0,
            Self::Graph => 1,
        }
    }

    /// So many keys are in one shard, about.
    fn shard_keys(self) -> usize {
        match self {
            Self::Graph => ranked::SHARD_KEYS,
            Self::Hypergraph => fuse::SHARD_KEYS,
        }
    }
}

/// A number below `end`, by the upper bits of a hash.
#[inline]
fn scaled(hash: u64, end: u64) -> usize {
    ((u128::from(hash) * u128::from(end)) >> 64) as usize
}

/// Bijective, and every bit depends on all (the end of MurmurHash3).
#[inline]
fn mix(mut hash: u64) -> u64 {
    hash = (hash ^ hash >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ hash >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ hash >> 33
}

/// Another hash of the same key for each seed.
#[inline]
fn seeded(hash: u64, seed: u16) -> u64 {
    mix(hash ^ u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

#[inline]
fn u64_at(bytes: &[u8], place: usize) -> u64 {
    let eight = bytes.get(place..).and_then(|rest| rest.first_chunk());
    eight.map_or(0, |eight| u64::from_le_bytes(*eight))
}

/// Makes a function, shard after shard: so that nobody has to have all keys at once.
#[derive(Debug)]
pub struct FunctionBuilder {
    width: u32,
    construction: Construction,
    shard_count: usize,
    table: Vec<u8>,
    /// Variables of the shards before, of a hypergraph; bytes of a graph.
    end: u64,
    shards: usize,
    fuse_values: PackedNumbers,
}

impl FunctionBuilder {
    /// Begins a function of so many keys to numbers of `width` bits.
    ///
    /// # Panics
    /// If a number has more than [`WIDTH_MAX`] bits.
    pub fn new(keys: usize, width: u32, construction: Construction) -> Self {
        assert!(width <= WIDTH_MAX, "a number has at most {WIDTH_MAX} bits");
        let shard_count = keys.div_ceil(construction.shard_keys());
        let mut table = (width as u16).to_le_bytes().to_vec();
        table.extend_from_slice(&construction.code().to_le_bytes());
        table.extend_from_slice(&(shard_count as u32).to_le_bytes());
        let fuse_values = PackedNumbers::new(width);
        Self { width, construction, shard_count, table, end: 0, shards: 0, fuse_values }
    }

    /// Tells how many shards there are.
    pub fn shard_count(&self) -> usize {
        self.shard_count
    }

    /// Tells in which shard the key with this hash is; the greater the hash, the greater the shard.
    #[inline]
    pub fn shard_of(&self, hash: u64) -> usize {
        scaled(hash, self.shard_count as u64)
    }

    /// Solves the next shard: `keys` are all hashes of it, each with a number of the caller's, from which `number` makes that
    /// to which it leads. Adds to `values`. Keys whose hash another one has, too, lead to the same as that one: they are
    /// taken out and put into `repeated`, in their order.
    pub fn add_shard(
        &mut self,
        keys: &mut Vec<(u64, u32)>,
        number: impl Fn(u64, u32) -> u64,
        values: &mut Vec<u8>,
        repeated: &mut Vec<u32>,
    ) {
        assert!(self.shards < self.shard_count, "there are no more shards");
        let mask = (1 << self.width) - 1;
        let number = |&(hash, key): &(u64, u32)| number(hash, key) & mask;
        let entry = match self.construction {
            Construction::Hypergraph => {
                let mut shard = FuseShard::default();
                let found = peeling::solve(
                    keys,
                    number,
                    |keys, attempt| {
                        shard = FuseShard::new(keys, attempt);
                        (shard.variables(), Box::new(move |hash| shard.places(hash)))
                    },
                    repeated,
                );
                found.into_iter().for_each(|value| self.fuse_values.push(value, values));
                let first = self.end;
                self.end += shard.variables() as u64;
                shard.entry(first)
            }
            Construction::Graph => {
                let mut shard = RankedShard::default();
                let found = peeling::solve(
                    keys,
                    number,
                    |keys, attempt| {
                        shard = RankedShard::new(keys, attempt);
                        (shard.variables(), Box::new(move |hash| shard.places(hash)))
                    },
                    repeated,
                );
                let (before, begin) = (values.len(), self.end);
                shard.write(&found, self.width, values);
                self.end += (values.len() - before) as u64;
                shard.entry(begin)
            }
        };
        self.table.extend_from_slice(&entry);
        self.shards += 1;
    }

    /// Gives the table, when all shards are there; adds to `values` what is still missing.
    pub fn finish(self, values: &mut Vec<u8>) -> Vec<u8> {
        assert_eq!(self.shards, self.shard_count, "all shards are there");
        self.fuse_values.finish(values);
        values.extend_from_slice(&[0; PADDING_BYTES]);
        self.table
    }
}

/// Makes a function of keys that are all there: gives table and values one behind the other, and which hashes were there
/// before, by their places: these lead to the number of the first.
pub fn solve(
    hashes: &[u64],
    number: impl Fn(usize) -> u64,
    width: u32,
    construction: Construction,
) -> (Vec<u8>, Vec<u32>) {
    let mut builder = FunctionBuilder::new(hashes.len(), width, construction);
    let by_shard = ByShard::new(hashes, &builder);
    let (mut values, mut repeated, mut keys) = (Vec::new(), Vec::new(), Vec::new());
    for shard in 0..builder.shard_count() {
        keys.clear();
        keys.extend(by_shard.members(shard).iter().map(|&key| (hashes[key as usize], key)));
        builder.add_shard(&mut keys, |_, key| number(key as usize), &mut values, &mut repeated);
    }
    let mut bytes = builder.finish(&mut values);
    bytes.append(&mut values);
    (bytes, repeated)
}

/// Keys in the order of their shards.
struct ByShard {
    order: Vec<u32>,
    starts: Vec<usize>,
}

impl ByShard {
    fn new(hashes: &[u64], builder: &FunctionBuilder) -> Self {
        let count = builder.shard_count();
        let mut starts = vec![0; count + 1];
        hashes.iter().for_each(|hash| starts[builder.shard_of(*hash) + 1] += 1);
        (0..count).for_each(|at| starts[at + 1] += starts[at]);
        let (mut next, mut order) = (starts.clone(), vec![0; hashes.len()]);
        for (key, hash) in hashes.iter().enumerate() {
            let place = &mut next[builder.shard_of(*hash)];
            order[*place] = key as u32;
            *place += 1;
        }
        Self { order, starts }
    }

    fn members(&self, shard: usize) -> &[u32] {
        &self.order[self.starts[shard]..self.starts[shard + 1]]
    }
}

/// Which values belong to which keys: the table of a function, read.
#[derive(Debug, Clone)]
pub struct FunctionTable {
    width: u32,
    shards: Shards,
    values_bytes: u64,
}

#[derive(Debug, Clone)]
enum Shards {
    /// Each with its first variable.
    Hypergraph(Vec<(u64, FuseShard)>),
    /// Each with its first byte.
    Graph(Vec<(u64, RankedShard)>),
}

impl FunctionTable {
    /// Tells how long the table is that begins so; nothing if it is none.
    pub fn length(bytes: &[u8]) -> Option<usize> {
        let head = u64_at(bytes.get(..HEADER_BYTES)?, 0);
        HEADER_BYTES.checked_add(((head >> 32) as usize).checked_mul(SHARD_BYTES)?)
    }

    /// Reads the table of a function with so many bytes of values; nothing if they do not add up.
    pub fn parse(table: &[u8], values_bytes: u64) -> Option<Self> {
        (Self::length(table)? == table.len()).then_some(())?;
        let head = u64_at(table, 0) as u32;
        let (width, construction) = (head & 0xffff, head >> 16);
        let construction = Construction::ALL.into_iter().find(|one| u32::from(one.code()) == construction)?;
        let content = values_bytes.checked_sub(PADDING_BYTES as u64).filter(|_| width <= WIDTH_MAX)?;
        let entries = || table[HEADER_BYTES..].chunks_exact(SHARD_BYTES);
        let shards = match construction {
            Construction::Hypergraph => {
                let (mut shards, mut end) = (Vec::with_capacity(entries().len()), 0u64);
                for entry in entries() {
                    let (first, shard) = FuseShard::parse(entry)?;
                    (first == end).then_some(())?;
                    end = end.checked_add(shard.variables() as u64)?;
                    shards.push((first, shard));
                }
                (end.checked_mul(u64::from(width))?.div_ceil(8) == content).then_some(())?;
                Shards::Hypergraph(shards)
            }
            Construction::Graph => {
                let shards: Option<Vec<_>> = entries().map(RankedShard::parse).collect();
                let shards = shards?;
                let ends = shards.iter().skip(1).map(|(begin, _)| *begin).chain([content]);
                let mut next = 0;
                for ((begin, shard), end) in shards.iter().zip(ends) {
                    (*begin == next && begin.checked_add(shard.units_bytes())? <= end).then_some(())?;
                    next = end;
                }
                // Nothing stands behind the last, and nothing at all without one.
                (!shards.is_empty() || content == 0).then_some(())?;
                Shards::Graph(shards)
            }
        };
        Some(Self { width, shards, values_bytes })
    }

    /// Where the bits of a variable begin.
    #[inline]
    fn bit_of(&self, variable: u64) -> u64 {
        variable * u64::from(self.width)
    }

    /// The byte in which they begin.
    #[inline]
    fn byte_of(&self, variable: u64) -> u64 {
        self.bit_of(variable) / 8
    }

    /// Tells where in the values the number of a key is: all that [`FunctionTable::get`] looks at, and as little as holds it.
    /// Nothing if the function has no keys.
    #[inline]
    pub fn range(&self, hash: u64) -> Option<Range<u64>> {
        match &self.shards {
            Shards::Hypergraph(shards) => {
                let (first, shard) = shards.get(scaled(hash, shards.len() as u64))?;
                let [start, _, last] = shard.places(hash).map(|place| self.byte_of(first + place as u64));
                Some(start..last + PADDING_BYTES as u64)
            }
            Shards::Graph(shards) => {
                let number = scaled(hash, shards.len() as u64);
                let (begin, _) = shards.get(number)?;
                let end = shards
                    .get(number + 1)
                    .map_or(self.values_bytes, |(begin, _)| begin + PADDING_BYTES as u64);
                Some(*begin..end)
            }
        }
    }

    /// Gives the number of a key, if these are the values of its range; of a key that has none, any number or nothing.
    #[inline]
    pub fn get(&self, hash: u64, values: &[u8]) -> Option<u64> {
        match &self.shards {
            Shards::Hypergraph(shards) => {
                let (first, shard) = shards.get(scaled(hash, shards.len() as u64))?;
                let [start, ..] = shard.places(hash).map(|place| self.byte_of(first + place as u64));
                let bit_of = |place| (self.bit_of(first + place as u64) - 8 * start) as usize;
                Some(shard.get(hash, self.width, bit_of, values))
            }
            Shards::Graph(shards) => {
                let (_, shard) = shards.get(scaled(hash, shards.len() as u64))?;
                Some(shard.get(hash, self.width, values))
            }
        }
    }

    /// The same, of all values.
    #[inline]
    fn get_of_all(&self, hash: u64, values: &[u8]) -> Option<u64> {
        match &self.shards {
            Shards::Hypergraph(shards) => {
                let (first, shard) = shards.get(scaled(hash, shards.len() as u64))?;
                Some(shard.get(hash, self.width, |place| self.bit_of(first + place as u64) as usize, values))
            }
            Shards::Graph(shards) => {
                let (begin, shard) = shards.get(scaled(hash, shards.len() as u64))?;
                Some(shard.get(hash, self.width, values.get(*begin as usize..)?))
            }
        }
    }
}

/// A function whose bytes are all there.
#[derive(Debug, Clone)]
pub struct StaticFunction<B> {
    table: FunctionTable,
    values_start: usize,
    bytes: B,
}

impl<B: Deref<Target = [u8]>> StaticFunction<B> {
    /// Reads what [`solve`] made; nothing if the lengths do not add up.
    pub fn from_bytes(bytes: B) -> Option<Self> {
        let values_start = FunctionTable::length(&bytes)?;
        let values_bytes = bytes.len().checked_sub(values_start)? as u64;
        let table = FunctionTable::parse(&bytes[..values_start], values_bytes)?;
        Some(Self { table, values_start, bytes })
    }

    /// Gives the number of a key; of a key that has none, any number or nothing.
    #[inline]
    pub fn get(&self, hash: u64) -> Option<u64> {
        self.table.get_of_all(hash, self.bytes.get(self.values_start..)?)
    }

    /// Tells how long it is.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }
}

#[cfg(test)]
mod tests;
