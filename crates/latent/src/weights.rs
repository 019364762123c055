//! How much an occurrence of a word says: log-entropy.
//!
//! ```text
//! weight = ln(1 + count) · (1 + Σ p ln p / ln n)      p: the document's share of all occurrences, n: documents
//! ```
//!
//! A word that is spread evenly over all documents weighs nothing, one that is in a single document weighs its logarithm.
//! So words that carry no meaning need no list. After Dumais, "Improving the retrieval of information from external
//! sources" (1991), where it was the best of the weightings that were tried.

/// What a document adds to the place of a word that it has so many times.
#[inline]
pub fn local_weight(count: u32) -> f32 {
    (1.0 + count as f32).ln()
}

/// How telling a word is, from 0 to 1, by how often each document has it.
pub fn entropy_weight(counts: impl Iterator<Item = u32> + Clone, documents: u32) -> f32 {
    let total: f64 = counts.clone().map(f64::from).sum();
    let share = |count: u32| f64::from(count) / total;
    let entropy: f64 = counts.filter(|count| *count > 0).map(|count| -share(count) * share(count).ln()).sum();
    if documents < 2 || total == 0.0 {
        return 1.0;
    }
    (1.0 - entropy / f64::from(documents).ln()).clamp(0.0, 1.0) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_weighs_the_less_the_more_evenly_it_is_spread() {
        let rows: &[(&[u32], u32, f32)] = &[
            (&[1, 1, 1, 1], 4, 0.0),
            (&[1, 1], 4, 0.5),
            (&[7], 4, 1.0),
            (&[3, 1], 4, 0.594_36),
            (&[], 4, 1.0),
            (&[5], 1, 1.0),
        ];
        for (counts, documents, expected) in rows {
            let weight = entropy_weight(counts.iter().copied(), *documents);
            assert!((weight - expected).abs() < 1e-4, "{counts:?}: {weight}");
        }
    }
}
