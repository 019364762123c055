//! The innermost loop: which fingerprints of a stretch are near, compiled for three processors.
//!
//! The body is plain Rust and the same for all, so the answers cannot differ. With AVX-512 VPOPCNTDQ the compiler counts
//! the bits of four or eight fingerprints by one instruction, with AVX2 by looking up half bytes, and elsewhere one by
//! one. What is unsafe is the call across that border, and the hint to the memory.
#![allow(unsafe_code)]

use super::Fingerprint;

/// Fingerprints that are compared before the first branch: matches are rare.
const AT_A_TIME: usize = 16;

/// Which instructions may be used; only [`Isa::detect`] makes one that is not plain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Isa {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Isa {
    /// The best that this processor has; the standard library asks it once and remembers.
    pub(super) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            let has_avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt");
            let has_avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512vpopcntdq");
            if has_avx2 && has_avx512 {
                return Self::Avx512;
            }
            if has_avx2 {
                return Self::Avx2;
            }
        }
        Self::Plain
    }

    /// Tells (stretch, place in it, distance) of all fingerprints at most `distance_max` away from the query.
    #[inline]
    pub(super) fn scan<F: Fingerprint>(
        self,
        stretches: &[&[F]],
        query: F,
        distance_max: u32,
        see: &mut dyn FnMut(usize, usize, u32),
    ) {
        match self {
            Self::Plain => body(stretches, query, distance_max, see),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this variant is made only by `detect`, which saw these features on this processor.
            Self::Avx2 => unsafe { with_avx2(stretches, query, distance_max, see) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Self::Avx512 => unsafe { with_avx512(stretches, query, distance_max, see) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt")]
fn with_avx2<F: Fingerprint>(
    stretches: &[&[F]],
    query: F,
    distance_max: u32,
    see: &mut dyn FnMut(usize, usize, u32),
) {
    body(stretches, query, distance_max, see);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt,avx512f,avx512vl,avx512vpopcntdq")]
fn with_avx512<F: Fingerprint>(
    stretches: &[&[F]],
    query: F,
    distance_max: u32,
    see: &mut dyn FnMut(usize, usize, u32),
) {
    body(stretches, query, distance_max, see);
}

#[inline(always)]
fn body<F: Fingerprint>(
    stretches: &[&[F]],
    query: F,
    distance_max: u32,
    see: &mut dyn FnMut(usize, usize, u32),
) {
    for (stretch, fingerprints) in stretches.iter().enumerate() {
        let (groups, rest) = fingerprints.as_chunks::<AT_A_TIME>();
        for (group, members) in groups.iter().enumerate() {
            let mut is_near = false;
            for member in members {
                is_near |= member.distance(query) <= distance_max;
            }
            if is_near {
                one_by_one(members, query, distance_max, |place, distance| {
                    see(stretch, group * AT_A_TIME + place, distance);
                });
            }
        }
        let passed = groups.len() * AT_A_TIME;
        one_by_one(rest, query, distance_max, |place, distance| see(stretch, passed + place, distance));
    }
}

#[inline(always)]
fn one_by_one<F: Fingerprint>(
    fingerprints: &[F],
    query: F,
    distance_max: u32,
    mut see: impl FnMut(usize, u32),
) {
    for (place, fingerprint) in fingerprints.iter().enumerate() {
        let distance = fingerprint.distance(query);
        if distance <= distance_max {
            see(place, distance);
        }
    }
}

/// Asks for the first cache lines of a stretch; the processor itself runs ahead of whoever reads on.
#[inline(always)]
pub(crate) fn prefetch<T>(stretch: &[T]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        const LINE_BYTES: usize = 64;
        const LINES_AHEAD: usize = 4;
        let bytes = size_of_val(stretch).min(LINE_BYTES * LINES_AHEAD);
        for offset in (0..bytes).step_by(LINE_BYTES) {
            let line = stretch.as_ptr().wrapping_byte_add(offset);
            // SAFETY: a prefetch is a hint that neither reads nor faults, whatever the address; every x86-64 has it.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line.cast()) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = stretch;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn seen<F: Fingerprint>(isa: Isa, stretches: &[&[F]], query: F, max: u32) -> Vec<(usize, usize, u32)> {
        let mut seen = Vec::new();
        isa.scan(stretches, query, max, &mut |stretch, place, distance| {
            seen.push((stretch, place, distance))
        });
        seen
    }

    fn all_ways() -> Vec<Isa> {
        #[cfg(target_arch = "x86_64")]
        match Isa::detect() {
            Isa::Avx512 => return vec![Isa::Avx512, Isa::Avx2],
            Isa::Avx2 => return vec![Isa::Avx2],
            Isa::Plain => {}
        }
        // Not by `println!`, which a passing test keeps to itself.
        let line = "skipped: this processor has no AVX2, so there is nothing to compare the plain way with\n";
        std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes())
            .expect("standard error can be written to");
        vec![]
    }

    proptest! {
        #[test]
        fn all_ways_see_the_same(
            query: u128,
            flips in prop::collection::vec(prop::collection::vec(0u32..128, 0..12), 0..70),
            cut in 0usize..70,
            max in 0u32..8,
        ) {
            let near = |flips: &Vec<u32>| flips.iter().fold(query, |bits, flip| bits ^ (1 << flip));
            let wide: Vec<u128> = flips.iter().map(near).collect();
            let narrow: Vec<u64> = wide.iter().map(|bits| *bits as u64).collect();
            let cut = cut.min(wide.len());
            for isa in all_ways() {
                let stretches = [&wide[..cut], &wide[cut..]];
                prop_assert_eq!(seen(isa, &stretches, query, max), seen(Isa::Plain, &stretches, query, max));
                let stretches = [&narrow[..cut], &narrow[cut..]];
                let query = query as u64;
                prop_assert_eq!(seen(isa, &stretches, query, max), seen(Isa::Plain, &stretches, query, max));
            }
        }
    }
}
