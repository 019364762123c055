//! What else the words of a query are found by: other forms of a word, and compounds that are written in one.

use std::collections::HashMap;

use index::{Analyzer, Token, TokenKind};

/// The terms of a piece of a query, in order, and what else finds them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Analysed {
    pub(crate) terms: Vec<String>,
    /// The term of the whole, where all terms are parts of one compound.
    pub(crate) whole: Option<String>,
    stems: Vec<Vec<String>>,
}

impl Analysed {
    pub(crate) fn new(text: &str, analyzer: Analyzer) -> Self {
        let (mut analysed, mut start) = (Self::default(), None);
        analyzer.tokens(text, &mut |token: Token<'_>| match token.kind {
            TokenKind::Word => {
                start.get_or_insert(token.start);
                analysed.stems.push(analyzer.stems(&text[token.start..token.end], token.term));
                analysed.terms.push(token.term.to_owned());
                // A word behind a compound is no part of it.
                analysed.whole = None;
            }
            TokenKind::Extra if analysed.terms.len() > 1 && start == Some(token.start) => {
                analysed.whole = Some(token.term.to_owned());
            }
            TokenKind::Extra | TokenKind::Letter => {}
        });
        analysed
    }

    /// Each term, with the stems by which it is found.
    pub(crate) fn spelled(&self) -> impl Iterator<Item = (&String, &[String])> {
        self.terms.iter().zip(self.stems.iter().map(Vec::as_slice))
    }
}

/// Other spellings of the terms of a query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spellings {
    stems: HashMap<String, Vec<String>>,
    wholes: HashMap<Vec<String>, String>,
}

impl Spellings {
    pub(crate) fn add(&mut self, analysed: &Analysed) {
        for (term, stems) in analysed.terms.iter().zip(&analysed.stems).filter(|(_, stems)| !stems.is_empty())
        {
            self.stems.insert(term.clone(), stems.clone());
        }
        if let Some(whole) = &analysed.whole {
            self.wholes.insert(analysed.terms.clone(), whole.clone());
        }
    }

    /// Adds the stems of a term, if nothing is known of it yet.
    pub(crate) fn add_stems(&mut self, term: &str, stems: &[String]) {
        if !stems.is_empty() && !self.stems.contains_key(term) {
            self.stems.insert(term.to_owned(), stems.to_vec());
        }
    }

    /// The stems of a term that was not typed in quotes, as [`index::Index::stem`] takes them.
    pub fn stems(&self, term: &str) -> &[String] {
        self.stems.get(term).map_or(&[], Vec::as_slice)
    }

    /// The term of the compound that was typed and taken apart into these terms.
    pub fn whole(&self, terms: &[String]) -> Option<&str> {
        self.wholes.get(terms).map(String::as_str)
    }

    /// The terms of all compounds.
    pub(crate) fn wholes(&self) -> impl Iterator<Item = &str> {
        self.wholes.values().map(String::as_str)
    }
}
