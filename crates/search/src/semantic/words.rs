//! Which words span a space, and where they are: an index read as a matrix.
//!
//! Forms of a word are one term: the list of its stem, or its own where it has no other form. Of a word that is in a single
//! document nothing can be learned, and one that is in most says nothing; of the others the most frequent
//! [`TERMS_MAX`] are taken, or as many as there is memory for. Menus and addresses do not count: they say where a page is, not what it is about.
//!
//! Everything is read from the lists of the index; texts are not opened. Lists come by word and the matrix is wanted by
//! document, so each list is read twice: to count, and to fill in.
//!
//! Cost: two passes over the lists of the chosen words; eight bytes for each entry of the matrix.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::Range;

use index::{Field, FieldCounts, Index, TermEntry};
use latent::{Matrix, MatrixBuilder, entropy_weight, local_weight};
use page::DocId;

use crate::Error;

/// So many terms have a place, so that together they take less room than the documents of a large collection.
pub(crate) const TERMS_MAX: usize = 40_000;

/// A term is in so many documents at least.
const DOCUMENTS_LEAST: u64 = 2;

/// And in no more than one of so many.
const SHARE_MOST: u64 = 2;

/// Of the files of lists, about four bytes for each of so many documents are in memory at a time.
const LET_GO_AFTER: u64 = 1 << 20;

/// The terms that are read, with their lists.
pub(crate) struct SpaceWords<'i> {
    index: &'i Index,
    /// In the order of their bytes.
    pub(crate) names: Vec<String>,
    lists: Vec<TermEntry>,
}

/// Which documents are read: of a range, the first of every `stride`.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    pub(crate) documents: Range<u32>,
    pub(crate) stride: u32,
}

impl Sample {
    pub(crate) fn len(&self) -> usize {
        (self.documents.end - self.documents.start).div_ceil(self.stride) as usize
    }

    /// The row of a document of the range.
    fn row(&self, doc: DocId) -> Option<usize> {
        let place = doc.get() - self.documents.start;
        place.is_multiple_of(self.stride).then_some((place / self.stride) as usize)
    }
}

impl<'i> SpaceWords<'i> {
    /// Those that an index is best described by, at most so many.
    pub(crate) fn of_index(index: &'i Index, terms_max: usize) -> Result<Self, Error> {
        let documents = u64::from(index.documents());
        let is_telling =
            |count: u64| (DOCUMENTS_LEAST..=(documents / SHARE_MOST).max(DOCUMENTS_LEAST)).contains(&count);
        let (mut candidates, mut stems) = (Candidates::new(terms_max), HashSet::new());
        let mut list = index.stems()?;
        while let Some((stem, count)) = list.next_term()? {
            // No form of a stem is in more documents than the stem.
            if count >= DOCUMENTS_LEAST {
                stems.insert(stem.to_owned());
            }
            if is_telling(count) {
                candidates.add(count, stem);
            }
        }
        let mut list = index.terms_from("")?;
        while let Some((word, count)) = list.next_term()? {
            if is_telling(count) && !stems.contains(word) && !is_form(index, word, &stems) {
                candidates.add(count, word);
            }
        }
        let mut names = candidates.into_names();
        names.sort_unstable();
        Self::of_names(index, names)
    }

    /// Those of a space that is there. A word that the index has no more has no documents.
    pub(crate) fn of_names(index: &'i Index, names: Vec<String>) -> Result<Self, Error> {
        let mut words = Self { index, names: Vec::with_capacity(names.len()), lists: Vec::new() };
        let mut passage = Passage { index, documents: 0 };
        for name in names {
            if let Some(list) = index.stem(&name)? {
                // Whoever finds a list verifies its bytes, which is to look at all of them.
                passage.pass(&list);
                words.names.push(name);
                words.lists.push(list);
            }
        }
        Ok(words)
    }

    /// How telling each word is, by where it occurs in all documents.
    pub(crate) fn weights(&self) -> Vec<f32> {
        let documents = self.index.documents();
        let all = Sample { documents: 0..documents, stride: 1 };
        let mut counts = Vec::new();
        let weight = |list: &TermEntry| {
            counts.clear();
            self.walk(list, &all, |_, count| counts.push(count));
            entropy_weight(counts.iter().copied(), documents)
        };
        self.lists().map(weight).collect()
    }

    /// The rows of some documents, where the column of each word is told by `columns` and its weight by `weights`.
    pub(crate) fn matrix(&self, sample: &Sample, columns: &[u32], weights: &[f32], terms: usize) -> Matrix {
        let mut counts = vec![0; sample.len()];
        for list in self.lists() {
            self.walk(list, sample, |row, _| counts[row] += 1);
        }
        let mut builder = MatrixBuilder::new(terms, counts.into_iter());
        for (list, &column) in self.lists().zip(columns) {
            let weight = weights[column as usize];
            self.walk(list, sample, |row, count| builder.add(row, column, weight * local_weight(count)));
        }
        let mut matrix = builder.finish();
        matrix.normalize();
        matrix
    }

    /// All lists, one behind the other.
    fn lists(&self) -> impl Iterator<Item = &TermEntry> {
        let mut passage = Passage { index: self.index, documents: 0 };
        self.lists.iter().inspect(move |list| passage.pass(list))
    }

    /// Goes through the documents of a list that are in the sample, with how often they have the word.
    fn walk(&self, list: &TermEntry, sample: &Sample, mut f: impl FnMut(usize, u32)) {
        let mut cursor = self.index.cursor(list);
        let mut doc = cursor.advance(DocId::new(sample.documents.start));
        while doc < DocId::new(sample.documents.end) {
            if let Some(row) = sample.row(doc) {
                match telling(&cursor.counts()) {
                    0 => {}
                    count => f(row, count),
                }
            }
            doc = cursor.next();
        }
    }
}

/// A way through many lists. Pages of those that were passed are let go of now and then: they are not looked at again before all
/// others were.
struct Passage<'i> {
    index: &'i Index,
    /// In how many documents the lists are that were passed since.
    documents: u64,
}

impl Passage<'_> {
    fn pass(&mut self, list: &TermEntry) {
        self.documents += u64::from(list.document_frequency());
        if self.documents > LET_GO_AFTER {
            self.documents = 0;
            // Who cannot let go has more in memory, and is right all the same.
            let _ = self.index.let_go();
        }
    }
}

/// The most frequent of the words that were seen, and of equally frequent ones the first in the order of their bytes.
struct Candidates {
    words: Vec<(Reverse<u64>, String)>,
    count_max: usize,
}

impl Candidates {
    fn new(count_max: usize) -> Self {
        Self { words: Vec::new(), count_max }
    }

    fn add(&mut self, count: u64, word: &str) {
        self.words.push((Reverse(count), word.to_owned()));
        if self.words.len() >= 2 * self.count_max {
            self.forget_rare();
        }
    }

    fn forget_rare(&mut self) {
        if self.words.len() > self.count_max {
            self.words.select_nth_unstable(self.count_max);
            self.words.truncate(self.count_max);
        }
    }

    fn into_names(mut self) -> Vec<String> {
        self.forget_rare();
        self.words.into_iter().map(|(_, name)| name).collect()
    }
}

/// Whether a word is a form of one of these stems, whose lists have it already.
fn is_form(index: &Index, word: &str, stems: &HashSet<String>) -> bool {
    index.analyzer().stems(word, word).iter().any(|stem| stems.contains(stem))
}

/// How often a word occurs where it tells what a page is about.
fn telling(counts: &FieldCounts) -> u32 {
    [Field::Title, Field::Heading, Field::Main, Field::Anchor]
        .map(|field| counts.0[field.index()])
        .iter()
        .sum()
}
