//! Which words of a text are wanted: those of the query, other forms of them, and compounds that were typed.
//!
//! Nearly every word of a text is none of them, which its first byte and its length mostly tell. Only a word that begins
//! as a wanted stem does goes through the stemmers.

use index::Analyzer;

use crate::Query;
use crate::beginnings::Beginnings;

/// The words that a snippet marks.
#[derive(Debug)]
pub struct Wanted {
    pub(crate) analyzer: Analyzer,
    terms: Vec<String>,
    /// A bit for each length, modulo 64, by first byte.
    lengths: Box<[u64; 256]>,
    /// Stems, each with the number of its term.
    stems: Vec<(String, usize)>,
    /// With which bytes they begin.
    stem_bytes: Box<[bool; 256]>,
    /// Beginnings of words; their numbers follow those of the terms.
    beginnings: Vec<String>,
    /// By which all of them are sighted.
    pub(crate) beginnings_of_words: Beginnings,
}

/// Words share so many bytes with their stems, or all that these have.
const STEM_BYTES_SHARED: usize = 3;

impl Wanted {
    /// What a query looks for in an index with this analyzer.
    pub fn new(query: &Query, analyzer: Analyzer) -> Self {
        let synonyms = query.more().iter().filter(|more| more.of.is_some()).map(|more| more.term.as_str());
        let words: Vec<&str> = query.terms().iter().map(String::as_str).chain(synonyms).collect();
        let terms = words.iter().copied().chain(query.spellings().wholes());
        let mut wanted = Self::of_terms(terms.map(str::to_owned).collect(), analyzer);
        for (number, term) in words.iter().enumerate() {
            for stem in query.spellings().stems(term) {
                wanted.stem_bytes[first_byte(stem)] = true;
                wanted.beginnings_of_words.add(stem, number, false);
                wanted.stems.push((stem.clone(), number));
            }
        }
        wanted.beginnings = query.beginnings().into_iter().map(str::to_owned).collect();
        for (place, beginning) in wanted.beginnings.iter().enumerate() {
            wanted.beginnings_of_words.add(beginning, wanted.terms.len() + place, false);
        }
        wanted
    }

    /// These terms alone.
    pub fn of_terms(terms: Vec<String>, analyzer: Analyzer) -> Self {
        let (mut lengths, mut beginnings_of_words) = (Box::new([0; 256]), Beginnings::none());
        for (number, term) in terms.iter().enumerate() {
            lengths[first_byte(term)] |= 1 << (term.len() % 64);
            beginnings_of_words.add(term, number, true);
        }
        let (stems, stem_bytes, beginnings) = (Vec::new(), Box::new([false; 256]), Vec::new());
        Self { analyzer, terms, lengths, stems, stem_bytes, beginnings, beginnings_of_words }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.terms.len() + self.beginnings.len()
    }

    /// The number of a term; of equal ones the last.
    pub(crate) fn term(&self, term: &str) -> Option<usize> {
        if self.lengths[first_byte(term)] >> (term.len() % 64) & 1 == 0 {
            return None;
        }
        self.terms.iter().rposition(|wanted| wanted == term)
    }

    /// The number of the term that a word is, or is another form of. `written` is how the word stands in the text.
    pub(crate) fn word(&self, term: &str, written: &str) -> Option<usize> {
        self.term(term).or_else(|| self.by_beginning(term)).or_else(|| self.by_stem(term, written))
    }

    fn by_beginning(&self, term: &str) -> Option<usize> {
        let place = self.beginnings.iter().position(|beginning| term.starts_with(beginning.as_str()))?;
        Some(self.terms.len() + place)
    }

    fn by_stem(&self, term: &str, written: &str) -> Option<usize> {
        if !self.stem_bytes[first_byte(term)] {
            return None;
        }
        let begins_alike = |(stem, _): &&(String, usize)| {
            let shared = stem.len().min(STEM_BYTES_SHARED);
            term.as_bytes().get(..shared) == Some(&stem.as_bytes()[..shared])
        };
        self.stems.iter().find(begins_alike)?;
        let of_word = self.analyzer.stems(written, term);
        self.stems.iter().find(|(stem, _)| of_word.contains(stem)).map(|(_, number)| *number)
    }
}

fn first_byte(term: &str) -> usize {
    term.bytes().next().unwrap_or(0).into()
}
