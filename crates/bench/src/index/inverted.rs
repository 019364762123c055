//! The corpus inverted the simple way, all in memory: what lists hold, and which words are worth asking for.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::Corpus;

/// Where a word stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    /// The number of the document.
    pub document: u32,
    /// Words before it.
    pub position: u32,
}

/// Every occurrence of every word.
#[derive(Debug)]
pub struct Inverted<'c> {
    /// The words, in the order in which they are first met.
    pub words: Vec<&'c str>,
    ends: Vec<usize>,
    occurrences: Vec<Occurrence>,
    frequencies: Vec<u32>,
    /// How many documents there are.
    pub documents: u32,
}

impl<'c> Inverted<'c> {
    /// Inverts a corpus: numbers for words, then a counting sort.
    pub fn new(corpus: &'c Corpus) -> Self {
        let (mut numbers, mut words) = (HashMap::<&str, u32>::new(), Vec::new());
        let mut read = Vec::new();
        for (document, text) in (0u32..).zip(&corpus.documents) {
            for (position, word) in (0u32..).zip(text.split(' ')) {
                let number = *numbers.entry(word).or_insert_with(|| {
                    words.push(word);
                    words.len() as u32 - 1
                });
                read.push((number, Occurrence { document, position }));
            }
        }
        let mut ends = vec![0; words.len() + 1];
        read.iter().for_each(|(number, _)| ends[*number as usize + 1] += 1);
        (1..ends.len()).for_each(|word| ends[word] += ends[word - 1]);
        let mut occurrences = vec![Occurrence { document: 0, position: 0 }; read.len()];
        for (number, occurrence) in read {
            occurrences[ends[number as usize]] = occurrence;
            ends[number as usize] += 1;
        }
        ends.pop();
        let mut inverted = Self {
            words,
            ends,
            occurrences,
            frequencies: Vec::new(),
            documents: corpus.documents.len() as u32,
        };
        let frequency = |word| inverted.list(word).chunk_by(|a, b| a.document == b.document).count() as u32;
        inverted.frequencies = (0..inverted.words.len()).map(frequency).collect();
        inverted
    }

    /// The occurrences of a word, in the order of the documents and of their words.
    pub fn list(&self, word: usize) -> &[Occurrence] {
        let start = if word == 0 { 0 } else { self.ends[word - 1] };
        &self.occurrences[start..self.ends[word]]
    }

    /// In how many documents a word occurs.
    pub fn frequency(&self, word: usize) -> u32 {
        self.frequencies[word]
    }

    /// Pairs of a word and a document.
    pub fn postings(&self) -> u64 {
        self.frequencies.iter().map(|&frequency| u64::from(frequency)).sum()
    }

    /// Words of all documents.
    pub fn occurrences(&self) -> u64 {
        self.occurrences.len() as u64
    }
}

const QUERIES: usize = 1000;
const SEED: u64 = 13;

/// What is asked for: the same for every engine and in every run.
#[derive(Debug)]
pub struct Queries {
    /// Two to five words of one document, at most one of which is in more than an eighth of all.
    pub words: Vec<Vec<String>>,
    /// Two to four words that stand one after the other somewhere.
    pub phrases: Vec<Vec<String>>,
}

impl Queries {
    /// Takes words from documents at random: as people do, from twelve words that stand near each other.
    pub fn of(corpus: &Corpus, inverted: &Inverted<'_>) -> Self {
        let numbers: HashMap<&str, usize> =
            inverted.words.iter().enumerate().map(|(number, &word)| (word, number)).collect();
        let is_frequent = |word: &str| inverted.frequency(numbers[word]) > inverted.documents / 8;
        let mut asked = 0u64;
        let mut some = |count: usize| {
            asked += 1;
            xxh3_64_with_seed(&asked.to_le_bytes(), SEED) as usize % count.max(1)
        };
        let (mut words, mut phrases) = (Vec::new(), Vec::new());
        // A corpus of very few words cannot give so many.
        for _ in 0..100 * QUERIES {
            let text: Vec<&str> = corpus.documents[some(corpus.documents.len())].split(' ').collect();
            let window = &text[some(text.len().saturating_sub(12))..];
            let window = &window[..window.len().min(12)];
            let mut chosen: Vec<&str> = Vec::new();
            for _ in 0..2 + some(4) {
                let word = window[some(window.len())];
                let is_one_more = !is_frequent(word) || !chosen.iter().any(|word| is_frequent(word));
                if !chosen.contains(&word) && is_one_more {
                    chosen.push(word);
                }
            }
            if chosen.len() > 1 && words.len() < QUERIES {
                words.push(owned(&chosen));
            }
            let phrase = &window[..window.len().min(2 + some(3))];
            if phrase.len() > 1 && phrases.len() < QUERIES {
                phrases.push(owned(phrase));
            }
        }
        Self { words, phrases }
    }

    /// Every word that is asked for, once for each time.
    pub fn all_words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().flatten().map(String::as_str)
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_its_occurrences_and_queries_occur() {
        let documents = vec!["to be or not to be".to_owned(), "not to be found".to_owned()];
        let corpus = Corpus { name: String::new(), documents };
        let inverted = Inverted::new(&corpus);
        let be = inverted.words.iter().position(|word| *word == "be").unwrap();
        let places: Vec<_> = inverted.list(be).iter().map(|at| (at.document, at.position)).collect();
        assert_eq!((places, inverted.frequency(be)), (vec![(0, 1), (0, 5), (1, 2)], 2));
        assert_eq!((inverted.postings(), inverted.occurrences()), (8, 10));
        let queries = Queries::of(&corpus, &inverted);
        assert_eq!(queries.phrases.len(), QUERIES);
        let occurs = |phrase: &Vec<String>| {
            corpus
                .documents
                .iter()
                .any(|text| format!(" {text} ").contains(&format!(" {} ", phrase.join(" "))))
        };
        assert!(queries.phrases.iter().all(occurs));
    }
}
