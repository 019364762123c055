//! One block of a blocked filter: 512 bits in eight lanes of 64, and a key is one bit in each lane.
//!
//! ```text
//! hash (64)  = high bits → block (multiply-high by the number of blocks)
//!              low 32    → times eight odd numbers; the top 6 bits of each product are the bit in that lane
//! ```
//!
//! The multiplications, shifts and tests of all eight lanes fit two AVX2 registers, so a key costs one cache line and a
//! dozen instructions. Where AVX2 is missing the same is done in plain code with the same answers
//! (`both_ways_give_the_same_bits`). The odd numbers are those of Parquet's split-block filter, which has the same idea
//! with half the block.
//!
//! What the unsafe code buys: queries and inserts 2.4 to 4.2 times as fast as the plain code (6.2 against 2.3 ns a query
//! in a filter of 20,000 keys), and with batches half of the waiting for memory (`crivello bench filter`).
#![allow(unsafe_code)]

/// A cache line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C, align(64))]
pub(crate) struct Block(pub(crate) [u64; 8]);

impl Block {
    /// The lanes of all blocks one after the other.
    pub(crate) fn as_words(blocks: &[Block]) -> &[u64] {
        // SAFETY: a block is exactly eight words (64 bytes, no padding, `repr(C)`), so the slice covers the same memory
        // with the same lifetime, and a word needs less alignment than a block.
        unsafe { std::slice::from_raw_parts(blocks.as_ptr().cast(), blocks.len() * 8) }
    }
}

/// How many keys ahead memory is asked for: more than the ten or so lines that a core can wait for at once.
const KEYS_AHEAD: usize = 32;

/// Filters below this size live in the cache that is nearest to the core, where asking ahead only costs.
const PREFETCH_BYTES_MIN: usize = 256 << 10;

const SALTS: [u32; 8] =
    [0x47b6_137b, 0x4497_4d91, 0x8824_ad5b, 0xa2b7_289d, 0x7054_95c7, 0x2df1_424b, 0x9efc_4947, 0x5c6b_fb31];

/// Which of `block_count` blocks a key belongs to; always below it.
#[inline(always)]
pub(crate) fn block_index(hash: u64, block_count: usize) -> usize {
    ((u128::from(hash) * block_count as u128) >> 64) as usize
}

/// The bit of a key in one lane.
#[inline(always)]
pub(crate) fn lane_mask(hash: u64, lane: usize) -> u64 {
    1 << ((hash as u32).wrapping_mul(SALTS[lane]) >> 26)
}

/// Whether a key may be in.
#[inline]
pub(crate) fn contains(blocks: &[Block], hash: u64) -> bool {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: the processor has AVX2.
        return unsafe { avx2::contains(blocks, hash) };
    }
    plain::contains(blocks, hash)
}

/// Adds a key and says whether a bit changed.
#[inline]
pub(crate) fn insert(blocks: &mut [Block], hash: u64) -> bool {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: the processor has AVX2.
        return unsafe { avx2::insert(blocks, hash) };
    }
    plain::insert(blocks, hash)
}

/// Sets bit i of `found` (bit i mod 64 of word i / 64) to whether key i may be in, and the bits after the last to 0.
pub(crate) fn contains_batch(blocks: &[Block], hashes: &[u64], found: &mut [u64]) {
    let is_far = size_of_val(blocks) >= PREFETCH_BYTES_MIN;
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: the processor has AVX2.
        return unsafe {
            if is_far {
                avx2::contains_batch::<true>(blocks, hashes, found)
            } else {
                avx2::contains_batch::<false>(blocks, hashes, found)
            }
        };
    }
    plain::contains_batch(blocks, hashes, found, is_far)
}

/// Adds many keys.
pub(crate) fn insert_batch(blocks: &mut [Block], hashes: &[u64]) {
    let is_far = size_of_val(blocks) >= PREFETCH_BYTES_MIN;
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: the processor has AVX2.
        return unsafe {
            if is_far {
                avx2::insert_batch::<true>(blocks, hashes)
            } else {
                avx2::insert_batch::<false>(blocks, hashes)
            }
        };
    }
    plain::insert_batch(blocks, hashes, is_far)
}

/// Whether the processor has AVX2; the standard library asks it once and remembers.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn has_avx2() -> bool {
    std::arch::is_x86_feature_detected!("avx2")
}

/// Asks for the block of a key, so that it is near when its turn comes.
#[inline(always)]
fn prefetch(blocks: &[Block], hash: u64) {
    prefetch_line(&blocks[block_index(hash, blocks.len())]);
}

/// Asks for the cache line in which something begins, so that it is near when its turn comes: for tables larger than the
/// caches whose next questions are known.
#[inline(always)]
pub fn prefetch_line<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch is a hint that neither reads nor faults, whatever the address; every x86-64 has it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// The plain way.
pub(crate) mod plain {
    use super::{Block, KEYS_AHEAD, block_index, lane_mask, prefetch};

    #[inline]
    pub(crate) fn contains(blocks: &[Block], hash: u64) -> bool {
        let block = &blocks[block_index(hash, blocks.len())];
        let missing = block
            .0
            .iter()
            .enumerate()
            .fold(0, |missing, (lane, bits)| missing | (lane_mask(hash, lane) & !bits));
        missing == 0
    }

    #[inline]
    pub(crate) fn insert(blocks: &mut [Block], hash: u64) -> bool {
        let index = block_index(hash, blocks.len());
        let mut missing = 0;
        for (lane, bits) in blocks[index].0.iter_mut().enumerate() {
            let mask = lane_mask(hash, lane);
            missing |= mask & !*bits;
            *bits |= mask;
        }
        missing != 0
    }

    pub(crate) fn contains_batch(blocks: &[Block], hashes: &[u64], found: &mut [u64], is_far: bool) {
        found.fill(0);
        for (index, hash) in hashes.iter().enumerate() {
            if let Some(ahead) = hashes.get(index + KEYS_AHEAD)
                && is_far
            {
                prefetch(blocks, *ahead);
            }
            found[index / 64] |= u64::from(contains(blocks, *hash)) << (index % 64);
        }
    }

    pub(crate) fn insert_batch(blocks: &mut [Block], hashes: &[u64], is_far: bool) {
        for (index, hash) in hashes.iter().enumerate() {
            if let Some(ahead) = hashes.get(index + KEYS_AHEAD)
                && is_far
            {
                prefetch(blocks, *ahead);
            }
            insert(blocks, *hash);
        }
    }
}

/// The same with the eight lanes side by side.
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2 {
    use std::arch::x86_64::*;

    use super::{Block, KEYS_AHEAD, SALTS, block_index, prefetch};

    /// The bits of a key in lanes 0 to 3 and in lanes 4 to 7.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn masks(hash: u64) -> (__m256i, __m256i) {
        let salts = SALTS.map(|salt| salt as i32);
        let salts =
            _mm256_setr_epi32(salts[0], salts[1], salts[2], salts[3], salts[4], salts[5], salts[6], salts[7]);
        let shifts = _mm256_srli_epi32::<26>(_mm256_mullo_epi32(_mm256_set1_epi32(hash as i32), salts));
        let low = _mm256_cvtepu32_epi64(_mm256_castsi256_si128(shifts));
        let high = _mm256_cvtepu32_epi64(_mm256_extracti128_si256::<1>(shifts));
        let one = _mm256_set1_epi64x(1);
        (_mm256_sllv_epi64(one, low), _mm256_sllv_epi64(one, high))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(block: &Block) -> (__m256i, __m256i) {
        let lanes: *const __m256i = std::ptr::from_ref(block).cast();
        // SAFETY: a block is 64 bytes on a 64-byte boundary, so both halves are inside and aligned to 32; any bits are
        // a valid __m256i.
        unsafe { (_mm256_load_si256(lanes), _mm256_load_si256(lanes.add(1))) }
    }

    /// Whether each bit of the masks is in the block.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn covers(block: (__m256i, __m256i), masks: (__m256i, __m256i)) -> bool {
        let missing =
            _mm256_or_si256(_mm256_andnot_si256(block.0, masks.0), _mm256_andnot_si256(block.1, masks.1));
        _mm256_testz_si256(missing, missing) == 1
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(crate) fn contains(blocks: &[Block], hash: u64) -> bool {
        covers(load(&blocks[block_index(hash, blocks.len())]), masks(hash))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(crate) fn insert(blocks: &mut [Block], hash: u64) -> bool {
        let index = block_index(hash, blocks.len());
        let block = &mut blocks[index];
        let (old, masks) = (load(block), masks(hash));
        let lanes: *mut __m256i = std::ptr::from_mut(block).cast();
        // SAFETY: as in `load`, and the block is borrowed mutably.
        unsafe {
            _mm256_store_si256(lanes, _mm256_or_si256(old.0, masks.0));
            _mm256_store_si256(lanes.add(1), _mm256_or_si256(old.1, masks.1));
        }
        !covers(old, masks)
    }

    #[target_feature(enable = "avx2")]
    pub(crate) fn contains_batch<const FAR: bool>(blocks: &[Block], hashes: &[u64], found: &mut [u64]) {
        if FAR {
            hashes.iter().take(KEYS_AHEAD).for_each(|hash| prefetch(blocks, *hash));
        }
        found.fill(0);
        for (word_index, (word, keys)) in found.iter_mut().zip(hashes.chunks(64)).enumerate() {
            let mut bits = 0;
            for (bit, hash) in keys.iter().enumerate() {
                if FAR && let Some(ahead) = hashes.get(word_index * 64 + bit + KEYS_AHEAD) {
                    prefetch(blocks, *ahead);
                }
                bits |= u64::from(contains(blocks, *hash)) << bit;
            }
            *word = bits;
        }
    }

    #[target_feature(enable = "avx2")]
    pub(crate) fn insert_batch<const FAR: bool>(blocks: &mut [Block], hashes: &[u64]) {
        if FAR {
            hashes.iter().take(KEYS_AHEAD).for_each(|hash| prefetch(blocks, *hash));
        }
        for (index, hash) in hashes.iter().enumerate() {
            if FAR && let Some(ahead) = hashes.get(index + KEYS_AHEAD) {
                prefetch(blocks, *ahead);
            }
            insert(blocks, *hash);
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::shape::KeyHash;

    #[test]
    fn both_ways_give_the_same_bits() {
        if !has_avx2() {
            return;
        }
        // Below and above the size from which memory is asked for ahead.
        for block_count in [1, 7, 300, PREFETCH_BYTES_MIN / size_of::<Block>() + 3] {
            let key_count = block_count as u64 * 50;
            let hashes: Vec<u64> =
                (0..key_count).map(|key| KeyHash::of_u64(key, 0).as_u64()).chain([0, u64::MAX]).collect();
            let (half, _) = hashes.split_at(hashes.len() / 2);
            let mut fast = vec![Block::default(); block_count];
            let (mut slow, mut fast_batch, mut slow_batch) = (fast.clone(), fast.clone(), fast.clone());
            for hash in half {
                // SAFETY: the processor has AVX2.
                assert_eq!(unsafe { avx2::insert(&mut fast, *hash) }, plain::insert(&mut slow, *hash));
            }
            insert_batch(&mut fast_batch, half);
            plain::insert_batch(&mut slow_batch, half, true);
            assert!(fast == slow && fast == fast_batch && fast == slow_batch, "{block_count} blocks");

            let mut found = vec![u64::MAX; hashes.len().div_ceil(64) + 1];
            let mut found_slowly = found.clone();
            contains_batch(&fast, &hashes, &mut found);
            plain::contains_batch(&fast, &hashes, &mut found_slowly, true);
            assert_eq!(found, found_slowly);
            for (index, hash) in hashes.iter().enumerate() {
                let is_found = contains(&fast, *hash);
                assert_eq!(is_found, plain::contains(&fast, *hash));
                assert_eq!(is_found, found[index / 64] >> (index % 64) & 1 == 1);
            }
        }
    }
}
