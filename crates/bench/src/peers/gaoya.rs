//! gaoya: MinHash, SimHash, and its index of fingerprints.

use ::dedup::minhash::SLOTS;
use gaoya::minhash::{MinHasher as _, MinHasher32};
use gaoya::simhash::{SimHash, SimHashIndex, SimSipHasher64};
use gaoya::text::whitespace_split;

use super::Planted;
use crate::clock::timed;

/// Nanoseconds from texts to sketches: words in lower case, five at a time. Windows are hashed as they are: gaoya's own
/// `shingle_tokens` joins them into new strings first, which takes twice as long.
pub fn gaoya_minhash(documents: &[String]) -> Result<f64, String> {
    let hasher = MinHasher32::new(SLOTS);
    let sketch_all = || {
        for document in documents {
            let text = document.to_lowercase();
            let words: Vec<&str> = whitespace_split(&text).collect();
            std::hint::black_box(hasher.create_signature(words.windows(5)));
        }
    };
    Ok(timed(sketch_all).1)
}

/// Nanoseconds from texts to fingerprints.
pub fn gaoya_simhash(documents: &[String]) -> Result<f64, String> {
    let hasher = SimHash::<SimSipHasher64, u64, 64>::new(SimSipHasher64::new(1, 2));
    let print_all = || {
        for document in documents {
            let text = document.to_lowercase();
            std::hint::black_box(hasher.create_signature(whitespace_split(&text)));
        }
    };
    Ok(timed(print_all).1)
}

/// Nanoseconds per query, and how many of the planted matches it does not find.
pub fn gaoya_near(stored: &[u64], planted: &[Planted], distance: u32) -> Result<(f64, f64), String> {
    let mut index = SimHashIndex::<u64, u32>::new(6, distance as usize);
    index.par_bulk_insert((0..stored.len() as u32).collect(), stored.to_vec());
    let is_missed = |(query, id, _): &&Planted| !index.query(query).contains(id);
    let (missed, time) = timed(|| planted.iter().filter(is_missed).count());
    Ok((time / planted.len() as f64, missed as f64))
}
