//! Numbers of stems, by the numbers of words: each word goes through a stemmer once.
//!
//! A word in ASCII is known by its term. Another one is known by its form, since words with different accents have one term
//! and may have different stems.

use crate::fold::form_of;
use crate::stems::{Language, STEM_MARK, is_stem_key};
use crate::term_table::TermTable;
use crate::{Token, TokenKind};

const UNKNOWN: u32 = u32::MAX;

/// What is known of stems since the last flush.
#[derive(Debug, Default)]
pub(crate) struct StemNumbers {
    /// For each term the key of the stem that it is.
    own: Vec<u32>,
    languages: Vec<Stems>,
    /// For each term that is the key of a stem, whether another word has it.
    are_needed: Vec<bool>,
    key: String,
}

/// The stems of one language.
#[derive(Debug, Default)]
struct Stems {
    by_term: Vec<u32>,
    forms: TermTable,
    by_form: Vec<u32>,
}

impl StemNumbers {
    /// The number of the key of a Han letter that stands among others.
    pub(crate) fn of_letter(&mut self, letter: &str, terms: &mut TermTable) -> u32 {
        let number = self.number(letter, terms);
        self.need(number);
        number
    }

    /// The number of the key of the stem that a word is, whatever its language makes of it.
    #[inline]
    pub(crate) fn of_itself(&mut self, term: u32, word: &str, terms: &mut TermTable) -> u32 {
        let place = term as usize;
        if self.own.len() <= place {
            self.own.resize(place + 1, UNKNOWN);
        }
        if self.own[place] == UNKNOWN {
            self.own[place] = self.number(word, terms);
        }
        self.own[place]
    }

    /// The number of the key of a word's stem. `term` is the number of the word, and `written` how it stands in the text.
    pub(crate) fn of_word(
        &mut self,
        token: &Token<'_>,
        term: u32,
        written: &str,
        language: Language,
        terms: &mut TermTable,
    ) -> u32 {
        if self.languages.is_empty() {
            self.languages.resize_with(Language::COUNT, Stems::default);
        }
        // An extra is written otherwise than it is called.
        let has_form = token.kind == TokenKind::Word && !written.is_ascii();
        let form = if has_form { form_of(written) } else { String::new() };
        let stems = &mut self.languages[language.index()];
        let place = if has_form { stems.forms.number(form.as_bytes()) } else { term } as usize;
        let known = if has_form { &mut stems.by_form } else { &mut stems.by_term };
        if known.len() <= place {
            known.resize(place + 1, UNKNOWN);
        }
        if known[place] != UNKNOWN {
            return known[place];
        }
        let stem = language.stem(if has_form { &form } else { token.term }, token.term);
        let number = self.number(&stem, terms);
        if stem != token.term {
            self.need(number);
        }
        let stems = &mut self.languages[language.index()];
        if has_form {
            stems.by_form[place] = number
        } else {
            stems.by_term[place] = number
        }
        number
    }

    fn number(&mut self, stem: &str, terms: &mut TermTable) -> u32 {
        self.key.clear();
        self.key.push(STEM_MARK);
        self.key.push_str(stem);
        terms.number(self.key.as_bytes())
    }

    fn need(&mut self, number: u32) {
        let number = number as usize;
        if self.are_needed.len() <= number {
            self.are_needed.resize(number + 1, false);
        }
        self.are_needed[number] = true;
    }

    /// Whether the list of a term says what no other list says.
    pub(crate) fn is_needed(&self, term: &[u8], number: u32) -> bool {
        !is_stem_key(term) || self.are_needed.get(number as usize) == Some(&true)
    }

    pub(crate) fn bytes(&self) -> usize {
        let bytes =
            |stems: &Stems| 4 * (stems.by_term.capacity() + stems.by_form.capacity()) + stems.forms.bytes();
        self.are_needed.capacity() + 4 * self.own.capacity() + self.languages.iter().map(bytes).sum::<usize>()
    }
}
