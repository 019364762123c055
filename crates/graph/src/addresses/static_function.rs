//! A static function: from each of many keys, given by their hashes, to a number of some bits, without keeping the keys.
//!
//! Chapter 4 of the notes: each key x is an equation w[h(x)] + w[g(x)] + w[k(x)] = f(x) in a vector w of variables, here with
//! XOR for the sum. The system is solved by peeling: as long as there is a variable that stands in one equation only, that
//! equation is put aside, and solved by this variable when all others have their values. The three places of a key are in
//! three neighbouring segments of the vector, so that 1.12 to 1.2 variables a key are enough instead of 1.23.
//!
//! What comes of a key that is in no equation is any number. Keys are divided by their hashes into shards of a million or
//! less, which are solved one after the other; if there is no solution, with other places and a few more variables.
//!
//! ```text
//! bytes = width (u32), shards (u32); for each shard: first variable (u64), segments (u32), segment bits (u16), seed (u16);
//!         variables, `width` bits each, low ones first; eight zeros
//! ```
//!
//! Cost: to make it, 30 bytes a key of one shard; to ask it, three cache misses at once.
//!
//! After Majewski, Wormald, Havas and Czech, "A Family of Perfect Hashing Methods" (1996), with the places of Graf and
//! Lemire, "Binary Fuse Filters" (2022).

use journal::{Bytes, u32_at, u64_at};

/// So many keys are in one shard, about.
const SHARD_KEYS: usize = 1 << 20;
const HEADER_BYTES: usize = 8;
const SHARD_BYTES: usize = 16;
/// A variable may be read as part of eight bytes, wherever it begins.
pub(super) const WIDTH_MAX: u32 = 57;
const PADDING_BYTES: usize = 8;

/// Gives the number of a key.
#[derive(Debug, Clone)]
pub(super) struct StaticFunction {
    width: u32,
    shards: Vec<Shard>,
    variables: Bytes,
}

/// Where the variables of some keys are.
#[derive(Debug, Clone, Copy)]
struct Shard {
    first: u64,
    /// In how many segments the first place of a key may be; there are two more.
    segments: u32,
    segment_bits: u16,
    seed: u16,
}

impl Shard {
    /// The shape of the vector for so many keys: the more often it did not work out, the more room.
    fn new(first: u64, keys: usize, attempt: u16) -> Self {
        // Few keys have short segments, so that there are some.
        let segment_bits = ((keys.max(2) as f64).ln() / 3.33f64.ln() + 2.25) as u16;
        let segment_bits = segment_bits.min((keys / 4).max(1).ilog2() as u16);
        let variables = keys as f64 * (1.12 + 0.01 * f64::from(attempt)) + 4.0;
        let segments = (variables / f64::from(1u32 << segment_bits)).ceil() as u32;
        Self { first, segments: segments.saturating_sub(2).max(1), segment_bits, seed: attempt }
    }

    fn variables(&self) -> u64 {
        (u64::from(self.segments) + 2) << self.segment_bits
    }

    /// The three places of a key, counted from the first variable of the shard.
    #[inline]
    fn places(&self, hash: u64) -> [usize; 3] {
        let hash = mix(hash ^ u64::from(self.seed).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let segment = 1usize << self.segment_bits;
        let first = scaled(hash, u64::from(self.segments) << self.segment_bits);
        let offset = |hash: u64| hash as usize & (segment - 1);
        [first, (first + segment) ^ offset(hash >> 18), (first + 2 * segment) ^ offset(hash)]
    }
}

/// Bijective, and every bit depends on all (the end of MurmurHash3).
#[inline]
fn mix(mut hash: u64) -> u64 {
    hash = (hash ^ hash >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ hash >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ hash >> 33
}

/// A number below `end`, by the upper bits of a hash.
#[inline]
fn scaled(hash: u64, end: u64) -> usize {
    ((u128::from(hash) * u128::from(end)) >> 64) as usize
}

impl StaticFunction {
    /// Makes the bytes of the function that leads from each hash to its number, `width` bits of it. Returns also which
    /// hashes were there before, by their places: these lead to the number of the first.
    pub(super) fn solve(hashes: &[u64], number: impl Fn(usize) -> u64, width: u32) -> (Vec<u8>, Vec<u32>) {
        assert!(width <= WIDTH_MAX, "a number has at most {WIDTH_MAX} bits");
        let by_shard = ByShard::new(hashes);
        let (mut shards, mut repeated) = (Vec::new(), Vec::new());
        let (mut table, mut values) = (Vec::new(), PackedNumbers::new(width));
        let mut first = 0;
        for shard in 0..by_shard.count() {
            let mut members = by_shard.members(shard).to_vec();
            let (solved, system) = System::peeled(hashes, &mut members, first, &mut repeated);
            system.solve(&members, hashes, &solved, &number, |value| values.push(value));
            first += solved.variables();
            shards.push(solved);
        }
        table.extend_from_slice(&width.to_le_bytes());
        table.extend_from_slice(&(shards.len() as u32).to_le_bytes());
        for shard in shards {
            table.extend_from_slice(&shard.first.to_le_bytes());
            table.extend_from_slice(&shard.segments.to_le_bytes());
            table.extend_from_slice(&shard.segment_bits.to_le_bytes());
            table.extend_from_slice(&shard.seed.to_le_bytes());
        }
        table.extend_from_slice(&values.into_bytes());
        table.extend_from_slice(&[0; PADDING_BYTES]);
        (table, repeated)
    }

    /// Reads what [`StaticFunction::solve`] made; nothing if the lengths do not add up.
    pub(super) fn from_bytes(bytes: &Bytes) -> Option<Self> {
        (bytes.len() >= HEADER_BYTES).then_some(())?;
        let (width, count) = (u32_at(bytes, 0), u32_at(bytes, 4) as usize);
        let table_end = HEADER_BYTES.checked_add(count.checked_mul(SHARD_BYTES)?)?;
        (width <= WIDTH_MAX && table_end <= bytes.len()).then_some(())?;
        let (mut shards, mut end) = (Vec::with_capacity(count), 0u64);
        for at in (HEADER_BYTES..table_end).step_by(SHARD_BYTES) {
            let bits_and_seed = u32_at(bytes, at + 12);
            let shard = Shard {
                first: u64_at(bytes, at),
                segments: u32_at(bytes, at + 8),
                segment_bits: bits_and_seed as u16,
                seed: (bits_and_seed >> 16) as u16,
            };
            let is_next = shard.first == end && shard.segments > 0 && shard.segment_bits < 24;
            is_next.then_some(())?;
            end = end.checked_add(shard.variables())?;
            shards.push(shard);
        }
        let variable_bytes = end.checked_mul(u64::from(width))?.div_ceil(8) as usize;
        let variables = bytes.cut(table_end..bytes.len())?;
        (variables.len() == variable_bytes.checked_add(PADDING_BYTES)?).then_some(())?;
        Some(Self { width, shards, variables })
    }

    /// The number of a key; of a key that has none, any number, or nothing.
    #[inline]
    pub(super) fn get(&self, hash: u64) -> Option<u64> {
        let shard = self.shards.get(scaled(hash, self.shards.len() as u64))?;
        let variables: &[u8] = &self.variables;
        let [one, other, third] = shard.places(hash).map(|place| {
            let bit = (shard.first as usize + place) * self.width as usize;
            u64_at(variables, bit / 8) >> (bit % 8)
        });
        Some((one ^ other ^ third) & ((1 << self.width) - 1))
    }
}

/// Keys in the order of their shards.
struct ByShard {
    order: Vec<u32>,
    starts: Vec<usize>,
}

impl ByShard {
    fn new(hashes: &[u64]) -> Self {
        let count = hashes.len().div_ceil(SHARD_KEYS);
        let shard = |hash: &u64| scaled(*hash, count as u64);
        let mut starts = vec![0; count + 1];
        hashes.iter().for_each(|hash| starts[shard(hash) + 1] += 1);
        (0..count).for_each(|at| starts[at + 1] += starts[at]);
        let (mut next, mut order) = (starts.clone(), vec![0; hashes.len()]);
        for (key, hash) in hashes.iter().enumerate() {
            let place = &mut next[shard(hash)];
            order[*place] = key as u32;
            *place += 1;
        }
        Self { order, starts }
    }

    fn count(&self) -> usize {
        self.starts.len() - 1
    }

    fn members(&self, shard: usize) -> &[u32] {
        &self.order[self.starts[shard]..self.starts[shard + 1]]
    }
}

/// The equations of one shard, in the order in which they were put aside: each with the variable that solves it.
struct System {
    peeled: Vec<(u32, u32)>,
}

/// After so many attempts it is looked for keys that cannot be told apart.
const ATTEMPTS_BEFORE_DOUBT: u16 = 8;

impl System {
    /// Looks for a shape in which all equations can be put aside. Keys that cannot be told from another leave `members`.
    fn peeled(hashes: &[u64], members: &mut Vec<u32>, first: u64, repeated: &mut Vec<u32>) -> (Shard, Self) {
        for attempt in 0.. {
            if attempt == ATTEMPTS_BEFORE_DOUBT {
                leave_out_repeated(hashes, members, repeated);
            }
            let shard = Shard::new(first, members.len(), attempt);
            let system = Self::peel(hashes, members, &shard);
            if system.peeled.len() == members.len() {
                return (shard, system);
            }
        }
        unreachable!("keys with different hashes have different places, and room for them grows")
    }

    fn peel(hashes: &[u64], members: &[u32], shard: &Shard) -> Self {
        // In how many equations each variable stands, and all of these by XOR: the one, if there is one.
        let mut uses = vec![(0u32, 0u32); shard.variables() as usize];
        for (equation, key) in members.iter().enumerate() {
            for place in shard.places(hashes[*key as usize]) {
                uses[place].0 += 1;
                uses[place].1 ^= equation as u32;
            }
        }
        let mut peeled = Vec::with_capacity(members.len());
        let mut waiting = Vec::new();
        for variable in 0..uses.len() as u32 {
            waiting.push(variable);
            while let Some(variable) = waiting.pop() {
                let (1, equation) = uses[variable as usize] else { continue };
                peeled.push((equation, variable));
                for place in shard.places(hashes[members[equation as usize] as usize]) {
                    uses[place].0 -= 1;
                    uses[place].1 ^= equation;
                    if uses[place].0 == 1 {
                        waiting.push(place as u32);
                    }
                }
            }
        }
        Self { peeled }
    }

    /// Gives the value of each variable, in order.
    fn solve(
        self,
        members: &[u32],
        hashes: &[u64],
        shard: &Shard,
        number: impl Fn(usize) -> u64,
        give: impl FnMut(u64),
    ) {
        let mut values = vec![0u64; shard.variables() as usize];
        for (equation, variable) in self.peeled.into_iter().rev() {
            let key = members[equation as usize] as usize;
            // Its own variable is still zero.
            let others = shard.places(hashes[key]).into_iter().fold(0, |sum, place| sum ^ values[place]);
            values[variable as usize] = others ^ number(key);
        }
        values.into_iter().for_each(give);
    }
}

#[cold]
fn leave_out_repeated(hashes: &[u64], members: &mut Vec<u32>, repeated: &mut Vec<u32>) {
    members.sort_unstable_by_key(|key| (hashes[*key as usize], *key));
    members.dedup_by(|key, before| {
        let is_repeated = hashes[*key as usize] == hashes[*before as usize];
        repeated.extend(is_repeated.then_some(*key));
        is_repeated
    });
}

/// Numbers of a fixed width one behind the other, low bits first.
struct PackedNumbers {
    width: u32,
    bytes: Vec<u8>,
    carry: u128,
    carried: u32,
}

impl PackedNumbers {
    fn new(width: u32) -> Self {
        Self { width, bytes: Vec::new(), carry: 0, carried: 0 }
    }

    #[inline]
    fn push(&mut self, number: u64) {
        self.carry |= u128::from(number & ((1 << self.width) - 1)) << self.carried;
        self.carried += self.width;
        if self.carried >= 64 {
            self.bytes.extend_from_slice(&(self.carry as u64).to_le_bytes());
            self.carry >>= 64;
            self.carried -= 64;
        }
    }

    fn into_bytes(mut self) -> Vec<u8> {
        self.bytes.extend_from_slice(&self.carry.to_le_bytes()[..self.carried.div_ceil(8) as usize]);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hash(key: u64) -> u64 {
        mix(key ^ 0x1234_5678)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_key_has_its_number(keys in 0u64..3000, width in 0u32..=WIDTH_MAX) {
            let hashes: Vec<u64> = (0..keys).map(hash).collect();
            let number = |key: usize| hash(key as u64 + 77);
            let (bytes, repeated) = StaticFunction::solve(&hashes, number, width);
            prop_assert!(repeated.is_empty());
            let function = StaticFunction::from_bytes(&bytes.into()).unwrap();
            for (key, hash) in hashes.iter().enumerate() {
                prop_assert_eq!(function.get(*hash), Some(number(key) & ((1 << width) - 1)));
            }
        }

        #[test]
        fn any_bytes_are_a_function_or_none(
            keys in 1u64..40, place in 0usize..60, byte in any::<u8>(), end in 0usize..200, asked in any::<u64>(),
        ) {
            let (mut bytes, _) = StaticFunction::solve(&(0..keys).map(hash).collect::<Vec<_>>(), |key| key as u64, 9);
            let (length, at) = (bytes.len(), place % bytes.len());
            bytes[at] = byte;
            bytes.truncate(end.max(length.saturating_sub(end)));
            if let Some(function) = StaticFunction::from_bytes(&bytes.into()) {
                let _ = function.get(asked);
            }
        }
    }

    #[test]
    fn keys_of_many_shards_have_their_numbers_in_few_bits() {
        let keys = 2 * SHARD_KEYS + 9;
        let hashes: Vec<u64> = (0..keys as u64).map(hash).collect();
        let (bytes, _) = StaticFunction::solve(&hashes, |key| key as u64, 22);
        let variables = bytes.len() as f64 * 8.0 / 22.0 / keys as f64;
        assert!(variables < 1.16, "{variables} variables a key");
        let function = StaticFunction::from_bytes(&bytes.into()).unwrap();
        for (key, hash) in hashes.iter().enumerate() {
            assert_eq!(function.get(*hash), Some(key as u64));
        }
    }

    #[test]
    fn keys_that_cannot_be_told_apart_are_told() {
        let mut hashes: Vec<u64> = (0..500).map(hash).collect();
        hashes.extend([hash(7), hash(9), hash(7)]);
        let (bytes, mut repeated) = StaticFunction::solve(&hashes, |key| key as u64, 10);
        repeated.sort_unstable();
        assert_eq!(repeated, [500, 501, 502]);
        let function = StaticFunction::from_bytes(&bytes.into()).unwrap();
        assert!((0..500).all(|key| function.get(hash(key)) == Some(key)));
    }
}
