//! The formulas by which a word counts in a document; see [`crate::textbook`] for those of textbooks.

/// How documents are scored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scheme {
    /// By all that is known of a page: fields, pairs, links.
    #[default]
    Bm25f,
    /// BM25 over the whole page.
    Bm25,
    /// TF/IDF by the length of the page.
    TfIdf,
    /// TF/IDF by the count of the most frequent word of the page.
    TfIdfMax,
    /// By counts alone.
    Count,
}

impl Scheme {
    /// All of them, the default first.
    pub const ALL: [Self; 5] = [Self::Bm25f, Self::Bm25, Self::TfIdf, Self::TfIdfMax, Self::Count];

    /// As it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bm25f => "bm25f",
            Self::Bm25 => "bm25",
            Self::TfIdf => "tfidf",
            Self::TfIdfMax => "tfidf-max",
            Self::Count => "count",
        }
    }

    /// The two factors of what a word adds: what it says of this document, and what it says at all.
    pub(crate) fn factors(self, seen: Seen) -> (f64, f64) {
        let Seen { count, length, average_length, most, documents, frequency, k1, b } = seen;
        let idf = (documents / frequency).ln();
        match self {
            Self::Count => (count, 1.0),
            Self::TfIdf => (count / length.max(1.0), idf),
            Self::TfIdfMax => (count / most.max(1.0), idf),
            Self::Bm25 | Self::Bm25f => {
                let held_back = k1 * (1.0 - b + b * length / average_length.max(f64::MIN_POSITIVE));
                let rarity = ((documents - frequency + 0.5) / (frequency + 0.5)).ln();
                ((k1 + 1.0) * count / (held_back + count), rarity)
            }
        }
    }
}

/// What is counted of a word in a document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) count: f64,
    pub(crate) length: f64,
    pub(crate) average_length: f64,
    /// The count of the most frequent word.
    pub(crate) most: f64,
    pub(crate) documents: f64,
    /// In how many of them the word is.
    pub(crate) frequency: f64,
    pub(crate) k1: f64,
    pub(crate) b: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_as_the_formulas_say() {
        // A word is three times among twelve words, in two of ten documents; the most frequent is there six times.
        let seen = Seen {
            count: 3.0,
            length: 12.0,
            average_length: 24.0,
            most: 6.0,
            documents: 10.0,
            frequency: 2.0,
            k1: 1.5,
            b: 0.5,
        };
        let of_bm25 = 2.5 * 3.0 / (1.5 * 0.75 + 3.0);
        let rows = [
            (Scheme::Count, 3.0),
            (Scheme::TfIdf, 0.25 * 5.0f64.ln()),
            (Scheme::TfIdfMax, 0.5 * 5.0f64.ln()),
            (Scheme::Bm25, of_bm25 * (8.5f64 / 2.5).ln()),
        ];
        for (scheme, expected) in rows {
            let (of_document, of_word) = scheme.factors(seen);
            assert!((of_document * of_word - expected).abs() < 1e-12, "{scheme:?}");
        }
        let (of_document, of_word) = Scheme::Bm25.factors(Seen { frequency: 8.0, ..seen });
        assert!(of_document * of_word < 0.0, "a word of most documents counts less than nothing");
        let (_, of_word) = Scheme::TfIdf.factors(Seen { frequency: 10.0, ..seen });
        assert_eq!(of_word, 0.0, "a word of all documents says nothing");
    }
}
