//! The innermost loops, many bytes at a time: AVX2 where the machine has it, found out at run time, and plain code that
//! gives the same results everywhere else.
//!
//! All unsafe code of the crate stands here: the calls across the border of `target_feature`, and loads and stores whose
//! slices have just been cut to the right length.
#![allow(unsafe_code)]

/// The bytes that [`classify`] takes in one go, one bit of a mask each.
pub const BLOCK: usize = 64;

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    // The answer is kept by the standard library: one load and one test.
    std::arch::is_x86_feature_detected!("avx2")
}

/// Puts ASCII letters into lower case, in place, and pushes one mask for each block of 64 bytes: a bit is set where a
/// byte belongs to a word, which is an ASCII letter or digit, or any byte from 0x80 on. `bytes` must be whole blocks.
pub fn classify(bytes: &mut [u8], masks: &mut Vec<u64>) {
    assert!(bytes.len().is_multiple_of(BLOCK), "whole blocks only");
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: the machine has AVX2.
        return unsafe { avx2::classify(bytes, masks) };
    }
    plain::classify(bytes, masks);
}

/// In how many places two rows of bytes are equal, as far as the shorter one goes.
#[inline]
pub fn count_equal(left: &[u8], right: &[u8]) -> usize {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() && std::arch::is_x86_feature_detected!("popcnt") {
        // SAFETY: the machine has both.
        return unsafe { avx2::count_equal(left, right) };
    }
    plain::count_equal(left, right)
}

/// In how many slots of `BITS` bits (1, 2 or 4) two rows of bytes of equal length differ.
#[inline]
pub fn count_differing<const BITS: u32>(left: &[u8], right: &[u8]) -> usize {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() && std::arch::is_x86_feature_detected!("popcnt") {
        // SAFETY: the machine has both.
        return unsafe { avx2::count_differing::<BITS>(left, right) };
    }
    plain::count_differing::<BITS>(left, right)
}

/// Slots that [`lower_minima`] works on at once: its three tables must be whole groups of so many.
pub const GROUP: usize = 32;

/// Lowers each of `minima` to the least `factor * x + addend` (mod 2^32) over all `xs`.
pub fn lower_minima(factors: &[u32], addends: &[u32], minima: &mut [u32], xs: &[u32]) {
    assert!(factors.len() == addends.len() && factors.len() == minima.len());
    assert!(factors.len().is_multiple_of(GROUP), "whole groups only");
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: the machine has AVX2.
        return unsafe { avx2::lower_minima(factors, addends, minima, xs) };
    }
    plain::lower_minima(factors, addends, minima, xs);
}

/// Windows that [`fnv_windows`] hashes side by side.
pub const WINDOWS: usize = 16;

/// FNV-1a (64 bits) of the 16 windows of `length` bytes that start at the first 16 bytes.
pub fn fnv_windows(bytes: &[u8], length: usize) -> [u64; WINDOWS] {
    let bytes = &bytes[..WINDOWS - 1 + length];
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: the machine has AVX2.
        return unsafe { avx2::fnv_windows(bytes, length) };
    }
    plain::fnv_windows(bytes, length)
}

/// The loops as anybody would write them, eight bytes to a number at most.
mod plain {
    use super::{BLOCK, WINDOWS};
    use crate::mix::{FNV_OFFSET, FNV_PRIME};

    const HIGH: u64 = 0x8080_8080_8080_8080;

    /// Each byte's high bit says whether the byte lies in `first..=last`, both ASCII. No carry leaves a byte, since the
    /// high bits are taken away before the sums.
    #[inline(always)]
    fn within(bytes: u64, first: u8, last: u8) -> u64 {
        let each = |byte: u8| u64::from_ne_bytes([byte; 8]);
        let low = bytes & !HIGH;
        ((low + each(0x80 - first)) ^ (low + each(0x7f - last))) & !bytes & HIGH
    }

    pub fn classify(bytes: &mut [u8], masks: &mut Vec<u64>) {
        for block in bytes.chunks_exact_mut(BLOCK) {
            let mut mask = 0;
            for (i, eight) in block.chunks_exact_mut(8).enumerate() {
                let read = u64::from_le_bytes((&*eight).try_into().expect("eight bytes"));
                let lower = read | within(read, b'A', b'Z') >> 2;
                eight.copy_from_slice(&lower.to_le_bytes());
                let of_words = within(lower, b'a', b'z') | within(lower, b'0', b'9') | lower & HIGH;
                // The product gathers the eight bits in its top byte.
                mask |= ((of_words >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * i);
            }
            masks.push(mask);
        }
    }

    pub fn count_equal(left: &[u8], right: &[u8]) -> usize {
        left.iter().zip(right).filter(|(l, r)| l == r).count()
    }

    /// Inlined where the machine can count bits by itself.
    #[inline(always)]
    pub fn count_differing<const BITS: u32>(left: &[u8], right: &[u8]) -> usize {
        const { assert!(BITS.is_power_of_two() && BITS <= 4) };
        let lowest_bits = u64::MAX / ((1 << BITS) - 1);
        let differing = |left: [u8; 8], right: [u8; 8]| {
            let mut different = u64::from_le_bytes(left) ^ u64::from_le_bytes(right);
            // All bits of a slot onto its lowest one. What comes over from the next slot lands on higher ones.
            if BITS == 4 {
                different |= different >> 2;
            }
            if BITS >= 2 {
                different |= different >> 1;
            }
            (different & lowest_bits).count_ones() as usize
        };
        let ((left, left_rest), (right, right_rest)) = (left.as_chunks::<8>(), right.as_chunks::<8>());
        let padded = |rest: &[u8]| std::array::from_fn(|i| rest.get(i).copied().unwrap_or(0));
        let in_words: usize = left.iter().zip(right).map(|(l, r)| differing(*l, *r)).sum();
        in_words + differing(padded(left_rest), padded(right_rest))
    }

    pub fn lower_minima(factors: &[u32], addends: &[u32], minima: &mut [u32], xs: &[u32]) {
        for x in xs {
            for ((minimum, factor), addend) in minima.iter_mut().zip(factors).zip(addends) {
                *minimum = (*minimum).min(x.wrapping_mul(*factor).wrapping_add(*addend));
            }
        }
    }

    pub fn fnv_windows(bytes: &[u8], length: usize) -> [u64; WINDOWS] {
        let mut hashes = [FNV_OFFSET; WINDOWS];
        for place in 0..length {
            for (hash, byte) in hashes.iter_mut().zip(&bytes[place..]) {
                *hash = (*hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME);
            }
        }
        hashes
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{BLOCK, GROUP, WINDOWS};
    use crate::mix::{FNV_OFFSET, FNV_PRIME};

    /// The numbers in one register.
    const LANES: usize = 8;

    #[target_feature(enable = "avx2")]
    #[inline]
    fn load<T, const N: usize>(from: &[T; N]) -> __m256i {
        const { assert!(size_of::<T>() * N == 32) };
        // SAFETY: the array is 32 bytes long, of numbers, and the load need not be aligned.
        unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn store<T, const N: usize>(to: &mut [T; N], lanes: __m256i) {
        const { assert!(size_of::<T>() * N == 32) };
        // SAFETY: the array is 32 bytes long, of numbers, and the store need not be aligned.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), lanes) }
    }

    /// All bits of the bytes in `first..=last`. The comparison is signed, so bytes from 0x80 on are below any ASCII.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn within(bytes: __m256i, first: u8, last: u8) -> __m256i {
        let above = _mm256_cmpgt_epi8(bytes, _mm256_set1_epi8(first as i8 - 1));
        let below = _mm256_cmpgt_epi8(_mm256_set1_epi8(last as i8 + 1), bytes);
        _mm256_and_si256(above, below)
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn classify_half(bytes: &mut [u8; 32]) -> u32 {
        let read = load(bytes);
        let upper = within(read, b'A', b'Z');
        let lower = _mm256_or_si256(read, _mm256_and_si256(upper, _mm256_set1_epi8(0x20)));
        store(bytes, lower);
        let of_words = _mm256_or_si256(within(lower, b'a', b'z'), within(lower, b'0', b'9'));
        // Only the top bit of each byte is gathered, and bytes from 0x80 on have it by themselves.
        _mm256_movemask_epi8(_mm256_or_si256(of_words, lower)) as u32
    }

    #[target_feature(enable = "avx2")]
    pub fn classify(bytes: &mut [u8], masks: &mut Vec<u64>) {
        masks.extend(bytes.chunks_exact_mut(BLOCK).map(|block| {
            let (low, high) = block.split_at_mut(32);
            let low = classify_half(low.try_into().expect("half a block"));
            let high = classify_half(high.try_into().expect("half a block"));
            u64::from(low) | u64::from(high) << 32
        }));
    }

    #[target_feature(enable = "avx2,popcnt")]
    pub fn count_equal(left: &[u8], right: &[u8]) -> usize {
        let length = left.len().min(right.len());
        let (left, left_rest) = left[..length].as_chunks::<32>();
        let (right, right_rest) = right[..length].as_chunks::<32>();
        let mut sums = _mm256_setzero_si256();
        // Equal bytes are −1 each, and a byte can hold 255 of them.
        for (left, right) in left.chunks(255).zip(right.chunks(255)) {
            let mut counts = _mm256_setzero_si256();
            for (left, right) in left.iter().zip(right) {
                counts = _mm256_sub_epi8(counts, _mm256_cmpeq_epi8(load(left), load(right)));
            }
            sums = _mm256_add_epi64(sums, _mm256_sad_epu8(counts, _mm256_setzero_si256()));
        }
        let mut quarters = [0u64; 4];
        store(&mut quarters, sums);
        // 200 slots are six registers and eight bytes.
        let ((left, left_rest), (right, right_rest)) =
            (left_rest.as_chunks::<8>(), right_rest.as_chunks::<8>());
        let mut in_rest = left_rest.iter().zip(right_rest).filter(|(l, r)| l == r).count();
        for (left, right) in left.iter().zip(right) {
            let both =
                [i64::from_le_bytes(*left), i64::from_le_bytes(*right)].map(|eight| _mm_cvtsi64_si128(eight));
            let equal = _mm_movemask_epi8(_mm_cmpeq_epi8(both[0], both[1]));
            // The upper eight bytes are zero on both sides.
            in_rest += (equal & 0xff).count_ones() as usize;
        }
        quarters.iter().sum::<u64>() as usize + in_rest
    }

    #[target_feature(enable = "avx2,popcnt")]
    pub fn count_differing<const BITS: u32>(left: &[u8], right: &[u8]) -> usize {
        super::plain::count_differing::<BITS>(left, right)
    }

    #[target_feature(enable = "avx2")]
    pub fn lower_minima(factors: &[u32], addends: &[u32], minima: &mut [u32], xs: &[u32]) {
        let (factors, _) = factors.as_chunks::<LANES>();
        let (addends, _) = addends.as_chunks::<LANES>();
        let (minima, _) = minima.as_chunks_mut::<LANES>();
        const REGISTERS: usize = GROUP / LANES;
        let groups = factors.chunks_exact(REGISTERS).zip(addends.chunks_exact(REGISTERS));
        for ((factors, addends), minima) in groups.zip(minima.chunks_exact_mut(REGISTERS)) {
            // Factors, addends and minima of one group stay in twelve registers while all numbers go by.
            let mut factor = [_mm256_setzero_si256(); REGISTERS];
            let (mut addend, mut minimum) = (factor, factor);
            for i in 0..REGISTERS {
                (factor[i], addend[i], minimum[i]) = (load(&factors[i]), load(&addends[i]), load(&minima[i]));
            }
            for x in xs {
                let x = _mm256_set1_epi32(*x as i32);
                for i in 0..REGISTERS {
                    let value = _mm256_add_epi32(_mm256_mullo_epi32(x, factor[i]), addend[i]);
                    minimum[i] = _mm256_min_epu32(minimum[i], value);
                }
            }
            for i in 0..REGISTERS {
                store(&mut minima[i], minimum[i]);
            }
        }
    }

    /// There is no product of 64 bits in AVX2, but the prime is 2^40 + 435: with `hash = high · 2^32 + low`, the product
    /// is `low · 435 + (high · 435 + low · 2^8) · 2^32`, of which the sum in brackets counts mod 2^32.
    #[target_feature(enable = "avx2")]
    pub fn fnv_windows(bytes: &[u8], length: usize) -> [u64; WINDOWS] {
        const REGISTERS: usize = WINDOWS / 4;
        const { assert!(FNV_PRIME == (1 << 40) + 435) };
        let factor = _mm256_set1_epi64x(435);
        let mut hashes = [_mm256_set1_epi64x(FNV_OFFSET as i64); REGISTERS];
        for place in 0..length {
            let sixteen: &[u8; WINDOWS] = bytes[place..place + WINDOWS].try_into().expect("sixteen bytes");
            for (i, hash) in hashes.iter_mut().enumerate() {
                let four = i32::from_le_bytes([
                    sixteen[4 * i],
                    sixteen[4 * i + 1],
                    sixteen[4 * i + 2],
                    sixteen[4 * i + 3],
                ]);
                let mixed = _mm256_xor_si256(*hash, _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(four)));
                let low = _mm256_mul_epu32(mixed, factor);
                let high = _mm256_mul_epu32(_mm256_srli_epi64::<32>(mixed), factor);
                let high = _mm256_add_epi64(high, _mm256_slli_epi64::<8>(mixed));
                *hash = _mm256_add_epi64(low, _mm256_slli_epi64::<32>(high));
            }
        }
        let mut all = [[0u64; 4]; REGISTERS];
        for (four, hash) in all.iter_mut().zip(hashes) {
            store(four, hash);
        }
        std::array::from_fn(|window| all[window / 4][window % 4])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_byte_has_its_class_and_lower_case() {
        let mut bytes: Vec<u8> = (0..=255).collect();
        let mut masks = Vec::new();
        plain::classify(&mut bytes, &mut masks);
        for byte in 0..=255u8 {
            let place = usize::from(byte);
            assert_eq!(bytes[place], byte.to_ascii_lowercase());
            let is_of_word = masks[place / 64] >> (place % 64) & 1 == 1;
            assert_eq!(is_of_word, byte.is_ascii_alphanumeric() || byte >= 0x80, "{byte:#x}");
        }
    }

    proptest! {
        #[test]
        fn fast_and_plain_classes_agree(mut bytes in prop::collection::vec(any::<u8>(), 0..1000)) {
            bytes.resize(bytes.len().next_multiple_of(BLOCK), b' ');
            let (mut fast, mut slow) = (bytes.clone(), bytes);
            let (mut fast_masks, mut slow_masks) = (Vec::new(), Vec::new());
            classify(&mut fast, &mut fast_masks);
            plain::classify(&mut slow, &mut slow_masks);
            prop_assert_eq!((fast, fast_masks), (slow, slow_masks));
        }

        #[test]
        fn fast_and_plain_counts_agree(
            left in prop::collection::vec(0u8..3, 0..20_000),
            right in prop::collection::vec(0u8..3, 0..20_000),
        ) {
            prop_assert_eq!(count_equal(&left, &right), plain::count_equal(&left, &right));
            prop_assert_eq!(count_equal(&left, &left), left.len());
            let length = left.len().min(right.len());
            let (left, right) = (&left[..length], &right[..length]);
            prop_assert_eq!(count_differing::<1>(left, right), plain::count_differing::<1>(left, right));
            prop_assert_eq!(count_differing::<2>(left, right), plain::count_differing::<2>(left, right));
            prop_assert_eq!(count_differing::<4>(left, right), plain::count_differing::<4>(left, right));
        }

        #[test]
        fn fast_and_plain_minima_agree(seed: u64, groups in 1usize..4, xs in prop::collection::vec(any::<u32>(), 0..50)) {
            let mut numbers = crate::mix::SplitMix64(seed);
            let mut table = || (0..groups * GROUP).map(|_| numbers.next() as u32).collect::<Vec<u32>>();
            let (factors, addends, mut fast) = (table(), table(), table());
            let mut slow = fast.clone();
            lower_minima(&factors, &addends, &mut fast, &xs);
            plain::lower_minima(&factors, &addends, &mut slow, &xs);
            prop_assert_eq!(fast, slow);
        }

        #[test]
        fn fast_and_plain_windows_agree(bytes in prop::collection::vec(any::<u8>(), 16..200)) {
            let length = bytes.len() + 1 - WINDOWS;
            prop_assert_eq!(fnv_windows(&bytes, length), plain::fnv_windows(&bytes, length));
        }
    }
}
