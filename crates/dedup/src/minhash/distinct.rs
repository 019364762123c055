//! The distinct elements of a long text that repeats itself.
//!
//! A sketch depends on the set alone, so that repeats may stay in what is sketched, and for most texts finding them costs
//! more than it saves. But thirty million times the same letter must not cost what thirty million elements do wherever
//! an element is met more than once.

use std::borrow::Cow;

/// So many elements are looked at to see whether a text repeats itself.
const SAMPLE: usize = 4096;

/// So many elements are added before repeats are dropped.
const ADDED_AT_ONCE: usize = 1 << 14;

/// The same set, without repeats if a sample says that more than half are.
pub(super) fn without_many_repeats(hashes: &[u64]) -> Cow<'_, [u64]> {
    if hashes.len() < 2 * SAMPLE {
        return Cow::Borrowed(hashes);
    }
    let mut sample: Vec<u64> = hashes.iter().step_by(hashes.len() / SAMPLE).copied().collect();
    let looked_at = sample.len();
    sort_and_drop_repeats(&mut sample);
    if 2 * sample.len() > looked_at { Cow::Borrowed(hashes) } else { Cow::Owned(distinct(hashes)) }
}

/// The set, sorted. Beside it, as much memory again at most: repeats are dropped whenever the set has doubled.
pub(super) fn distinct(hashes: &[u64]) -> Vec<u64> {
    let mut set = Vec::new();
    let mut distinct = 0;
    for part in hashes.chunks(ADDED_AT_ONCE) {
        set.extend_from_slice(part);
        if set.len() >= 2 * distinct + ADDED_AT_ONCE {
            sort_and_drop_repeats(&mut set);
            distinct = set.len();
        }
    }
    sort_and_drop_repeats(&mut set);
    set
}

fn sort_and_drop_repeats(hashes: &mut Vec<u64>) {
    // Neighbours first: a run of one letter needs no sorting.
    hashes.dedup();
    hashes.sort_unstable();
    hashes.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minhash::Scheme;
    use crate::mix::SplitMix64;

    fn random(count: usize) -> Vec<u64> {
        let mut numbers = SplitMix64(7);
        (0..count).map(|_| numbers.next()).collect()
    }

    #[test]
    fn only_what_repeats_itself_is_made_a_set() {
        let different = random(200_000);
        assert!(matches!(without_many_repeats(&different), Cow::Borrowed(_)));
        assert!(matches!(without_many_repeats(&[5; 1000]), Cow::Borrowed(_)));
        // A text that begins with something else and goes on with the same sentence.
        let sentence = random(17);
        let repeated = sentence.iter().cycle().take(300_000);
        let text: Vec<u64> = different[..5000].iter().chain(repeated).copied().collect();
        assert_eq!(without_many_repeats(&text).len(), 5000);
    }

    #[test]
    fn the_set_is_the_set() {
        for period in [1, 2, 1000, 50_000, 90_000] {
            let mut set = random(period);
            let text: Vec<u64> = set.iter().cycle().take(100_000).copied().collect();
            set.sort_unstable();
            assert_eq!(distinct(&text), set, "{period}");
        }
        assert!(distinct(&[]).is_empty());
    }

    #[test]
    fn long_repetitive_texts_have_the_sketches_of_their_sets() {
        for period in [1, 3, 150, 5000] {
            let set = random(period);
            let text: Vec<u64> = set.iter().cycle().take(100_000).copied().collect();
            for scheme in Scheme::ALL {
                let hasher = scheme.hasher(100, 9);
                let (mut of_set, mut of_text) = (vec![0; 100], vec![0; 100]);
                hasher.sketch(&set, &mut of_set);
                hasher.sketch(&text, &mut of_text);
                assert_eq!(of_set, of_text, "{scheme} with {period}");
            }
        }
    }
}
