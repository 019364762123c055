//! Into which parts the segments of an index are divided: by documents, by terms, or by both, documents first.
//!
//! A part by documents has a range of the documents of a build or a merge, with everything that belongs to them: it is a
//! segment by itself, which [`crate::manifest`] knows to go on with the one before, so that merges take all of them or none.
//! A part by terms has a range of the dictionary of a segment, about as many postings as the others, with a filter and files
//! of its own; the documents are those of all. Answers are the same: a list that lies in several parts is read as one, and
//! statistics are those of all.
//!
//! What is divided has been written as one before: the documents of a part are known when all are, and where the dictionary
//! is to be cut is known when all lists are. Dividing is a merge of one segment ([`crate::segment_merge`]).
//!
//! After the notes, chapter 8, where parts by documents answer every query each, and parts by terms those of their terms.

use serde::{Deserialize, Serialize};

/// Into how many parts each segment is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Split {
    /// Ranges of documents; at least one, and no more than a segment has documents.
    #[serde(rename = "document_parts")]
    pub documents: u32,
    /// Ranges of terms in each of them; at least one, and no more than it has terms.
    #[serde(rename = "term_parts")]
    pub terms: u32,
}

impl Default for Split {
    fn default() -> Self {
        Self { documents: 1, terms: 1 }
    }
}

/// What is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SplitBy {
    /// The documents.
    Document,
    /// The terms.
    Term,
    /// The documents, and the terms of each part of them.
    Both,
}

impl SplitBy {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Document, Self::Term, Self::Both];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Term => "term",
            Self::Both => "both",
        }
    }

    /// Reads a name, or says which there are.
    pub fn parse(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|by| by.name() == text);
        let all = Self::ALL.map(Self::name).join(", ");
        found.ok_or_else(|| format!("nothing is split by `{text}`; there are {all}"))
    }

    /// So many parts: by both, so many of documents with so many of terms each.
    pub fn into_parts(self, parts: u32) -> Split {
        let parts = parts.max(1);
        match self {
            Self::Document => Split { documents: parts, terms: 1 },
            Self::Term => Split { documents: 1, terms: parts },
            Self::Both => Split { documents: parts, terms: parts },
        }
    }
}

impl Split {
    /// Whether there is one part alone.
    pub fn is_whole(&self) -> bool {
        *self == Self::default()
    }

    /// Where so many documents are cut: the first of each part, and the end.
    pub(crate) fn borders(&self, documents: u32) -> Vec<u32> {
        let parts = u64::from(self.documents.min(documents).max(1));
        (0..=parts).map(|part| (u64::from(documents) * part / parts) as u32).collect()
    }
}

impl std::fmt::Display for Split {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.documents, self.terms) {
            (1, 1) => write!(to, "not split"),
            (documents, 1) => write!(to, "{documents} parts by documents"),
            (1, terms) => write!(to, "{terms} parts by terms"),
            (documents, terms) => write!(to, "{documents} parts by documents of {terms} by terms each"),
        }
    }
}

/// Says when the dictionary is cut: each part gets an equal share of the postings that are left.
#[derive(Debug)]
pub(crate) struct TermCuts {
    /// Parts that are to come, the present one included.
    parts_left: u64,
    /// Postings of the present part and of those to come.
    weight_left: u64,
    /// Postings of the present part so far.
    weight: u64,
}

impl TermCuts {
    /// Lists of so many postings all together become so many parts.
    pub(crate) fn new(parts: u32, weight: u64) -> Self {
        Self { parts_left: parts.into(), weight_left: weight, weight: 0 }
    }

    /// Whether a new part begins with the next list, which has so many postings.
    pub(crate) fn cuts_before(&mut self, weight: u64) -> bool {
        let is_full =
            self.parts_left > 1 && self.weight > 0 && self.weight >= self.weight_left / self.parts_left;
        if is_full {
            self.weight_left = self.weight_left.saturating_sub(self.weight);
            self.parts_left -= 1;
            self.weight = 0;
        }
        self.weight += weight;
        is_full
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_cut_into_parts_of_equal_size_and_none_is_empty() {
        let rows: [(u32, u32, &[u32]); 5] = [
            (1, 7, &[0, 7]),
            (3, 9, &[0, 3, 6, 9]),
            (4, 2, &[0, 1, 2]),
            (3, 0, &[0, 0]),
            (3, 10, &[0, 3, 6, 10]),
        ];
        for (parts, documents, borders) in rows {
            assert_eq!(SplitBy::Document.into_parts(parts).borders(documents), borders);
        }
    }

    #[test]
    fn terms_are_cut_where_a_part_has_its_share() {
        let cut = |parts: u32, weights: &[u64]| -> Vec<usize> {
            let mut cuts = TermCuts::new(parts, weights.iter().sum());
            (0..weights.len()).filter(|&list| cuts.cuts_before(weights[list])).collect()
        };
        assert!(cut(1, &[5, 5, 5]).is_empty());
        assert_eq!(cut(3, &[1, 1, 1, 1, 1, 1]), [2, 4]);
        // A long list is a part; the others share what is left.
        assert_eq!(cut(3, &[90, 1, 1, 1, 1]), [1, 3]);
        assert!(cut(3, &[1, 1, 1, 1, 90]).is_empty());
        assert_eq!(cut(9, &[4, 4]), [1]);
    }
}
