//! What counts of a document beside the words that were asked for: what the web thinks of it, and whether whoever asks can
//! read it.
//!
//! A page in a language that the reader reads gains by it ([`crate::Weights::readable`]), and so does one of which no language
//! is known: nobody loses by not saying it. The gain is the same for all of them, so that words decide wherever they tell
//! pages apart; but "apt" is a word of every translation of a manual, and then the one is first that can be read.
//!
//! Cost: a byte is looked at for each document that is scored, and nothing if nothing is known of the reader.

use page::DocId;

use crate::Searcher;
use crate::facts::Facts;
use crate::link_rank::LinkRanks;
use crate::points::Points;
use crate::reader::{LANGUAGES_MAX, ReaderLanguages};

/// What documents of an index are worth to a reader before any word is looked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Standing<'s> {
    ranks: &'s LinkRanks,
    /// What a document gains that can be read; nothing if that tells no documents apart.
    readable: Points,
    facts: &'s Facts,
    /// The numbers of the languages of the reader.
    languages: [Option<u8>; LANGUAGES_MAX],
}

impl<'s> Standing<'s> {
    /// What the documents are worth to a reader of these languages.
    pub(crate) fn new(searcher: &'s Searcher, reader: &ReaderLanguages) -> Self {
        let facts = &*searcher.facts;
        let mut languages = [None; LANGUAGES_MAX];
        for (number, code) in languages.iter_mut().zip(reader.codes()) {
            *number = std::str::from_utf8(&code).ok().and_then(|code| facts.languages.number_of(code));
        }
        let are_told_apart = languages.iter().any(Option::is_some);
        let readable = if are_told_apart { searcher.scoring.weights.readable } else { 0.0 };
        Self { ranks: &searcher.ranks, readable: Points::of(readable as f32), facts, languages }
    }

    /// What is added to the score of a document.
    #[inline]
    pub(crate) fn points(&self, doc: DocId) -> Points {
        self.ranks.points(doc) + self.of_language(doc)
    }

    /// What is added to it for its language.
    #[inline]
    pub(crate) fn of_language(&self, doc: DocId) -> Points {
        if self.readable == Points::ZERO {
            return Points::ZERO;
        }
        match self.facts.languages.label(doc) {
            0 => self.readable,
            label if self.languages.contains(&Some(label)) => self.readable,
            _ => Points::ZERO,
        }
    }

    /// What is added to no document from `first` to `last`.
    #[inline]
    pub(crate) fn bound(&self, first: DocId, last: DocId) -> Points {
        self.ranks.bound(first, last) + self.readable
    }

    /// Whether anything is added to any document.
    pub(crate) fn adds_anything(&self) -> bool {
        self.readable > Points::ZERO || self.ranks.add_anything()
    }
}
