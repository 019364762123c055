//! The lists of a query's terms: each is looked up once, and may be walked as often as is needed.
//!
//! A plain word is found by the list of its stem, in which all its forms are, and by its own: where a document is in both,
//! [`STEM_SHARE`] of the score is the stem's. Where the stem's list has fewer documents than the word's, as when most of them
//! are in other languages, the word is found by its own list alone. Quoted words are, too. A compound that was typed alone is found as a whole or by its parts.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use index::{Field, TermEntry};

use crate::cut::{Fitted, fit};
use crate::limits::Stopper;
use crate::node::Node;
use crate::operators::{And, DocIterator, Not, Nothing, Or, Phrase, Site, Term, Within, Words};
use crate::query::{Query, Word, terms_of};
use crate::scoring::{Weight, idf};
use crate::spellings::Spellings;
use crate::{Error, Limits, Searcher};

/// How much of the score of a word is that of its stem: of .5, .65, .8, .9 and 1 the best in the mean of seven judged
/// collections.
pub(crate) const STEM_SHARE: f64 = 0.8;

/// The lists by which a word is found.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// That of the stem, if it is another one than the word's own.
    pub(crate) stem: Option<TermEntry>,
    /// That of the word itself, if it occurs.
    pub(crate) exact: Option<TermEntry>,
}

impl Found {
    /// The list that has all documents in which the word is found.
    pub(crate) fn main(&self) -> Option<&TermEntry> {
        self.stem.as_ref().or(self.exact.as_ref())
    }
}

/// Makes operators over the lists of an index.
pub(crate) struct Lists<'s> {
    pub(crate) searcher: &'s Searcher,
    pub(crate) stopper: Rc<Stopper>,
    spellings: Spellings,
    entries: RefCell<HashMap<String, Found>>,
}

impl<'s> Lists<'s> {
    /// The lists of queries whose words have these other spellings.
    pub(crate) fn new(searcher: &'s Searcher, spellings: &Spellings, limits: Limits) -> Self {
        let stopper = Rc::new(Stopper::new(limits));
        Self { searcher, stopper, spellings: spellings.clone(), entries: RefCell::default() }
    }

    /// Where the postings of a term and of its stem lie.
    pub(crate) fn found(&self, term: &str) -> Result<Found, Error> {
        if let Some(found) = self.entries.borrow().get(term) {
            return Ok(found.clone());
        }
        let exact = self.searcher.index.term(term)?;
        let mut stem: Option<TermEntry> = None;
        for key in self.spellings.stems(term) {
            let entry = self.searcher.index.stem(key)?;
            let documents =
                |entry: &Option<TermEntry>| entry.as_ref().map_or(0, TermEntry::document_frequency);
            if documents(&entry) > documents(&stem) {
                stem = entry;
            }
        }
        let is_of_use = |stem: &TermEntry| {
            exact
                .as_ref()
                .is_none_or(|exact| stem != exact && stem.document_frequency() >= exact.document_frequency())
        };
        let found = Found { stem: stem.filter(is_of_use), exact };
        self.entries.borrow_mut().insert(term.to_owned(), found.clone());
        Ok(found)
    }

    /// The lists by which a word is found, or those of all terms of a phrase; `None` when one of them occurs nowhere.
    pub(crate) fn entries(&self, terms: &[String]) -> Result<Option<Vec<TermEntry>>, Error> {
        match terms {
            [term] => Ok(self.found(term)?.main().map(|entry| vec![entry.clone()])),
            terms => terms.iter().map(|term| Ok(self.found(term)?.exact)).collect(),
        }
    }

    /// How telling a word is, or a phrase, which tells as much as its words together.
    pub(crate) fn idf(&self, entries: &[TermEntry]) -> f64 {
        let documents = u64::from(self.searcher.index.documents());
        entries.iter().map(|entry| idf(documents, entry.document_frequency().into())).sum()
    }

    pub(crate) fn weight(&self, entries: &[TermEntry], times: u32) -> Weight {
        self.searcher.scoring.weight(self.idf(entries), times)
    }

    /// What of a query can be looked for at once.
    pub(crate) fn fit<'q>(&self, query: &'q Query) -> Result<Fitted<'q>, Error> {
        fit(query, &|terms| Ok(self.entries(terms)?.map_or(0.0, |entries| self.idf(&entries))))
    }

    /// The documents of a term that was typed so many times; `None`: there are none.
    pub(crate) fn term(&self, term: &str, times: u32) -> Result<Option<Term<'s>>, Error> {
        let found = self.found(term)?;
        let list = |entry: &TermEntry, share: f64| {
            let weight = self.weight(std::slice::from_ref(entry), times).share(share);
            (self.searcher.index.cursor(entry), weight)
        };
        let scoring = &self.searcher.scoring;
        Ok(match (&found.stem, &found.exact) {
            (Some(stem), Some(exact)) => {
                let term = Term::new(list(stem, STEM_SHARE), scoring);
                Some(term.with_exact(list(exact, 1.0 - STEM_SHARE), list(exact, 1.0).1))
            }
            (Some(stem), None) => Some(Term::new(list(stem, STEM_SHARE), scoring)),
            (None, Some(exact)) => Some(Term::new(list(exact, 1.0), scoring)),
            (None, None) => None,
        })
    }

    /// The term of a compound, if it was typed and is on some page.
    pub(crate) fn whole(&self, terms: &[String]) -> Result<Option<String>, Error> {
        let Some(whole) = self.spellings.whole(terms) else { return Ok(None) };
        Ok(self.found(whole)?.exact.map(|_| whole.to_owned()))
    }

    /// The documents in which terms follow each other; `None`: one of them occurs nowhere.
    pub(crate) fn phrase(&self, terms: &[String]) -> Result<Option<Phrase<'s>>, Error> {
        let Some(entries) = self.entries(terms)? else { return Ok(None) };
        let cursors = entries.iter().map(|entry| self.searcher.index.cursor(entry)).collect();
        let weight = self.weight(&entries, 1);
        Ok(Some(Phrase::new(cursors, weight, &self.searcher.scoring, Rc::clone(&self.stopper))))
    }

    /// The documents that have a word in a field.
    fn word_within(&self, field: Field, term: &str) -> Result<Within<'s>, Error> {
        let lists = self.lists_within(term)?.into_iter();
        let lists = lists.map(|(_, entry, weight)| (self.searcher.index.cursor(&entry), weight)).collect();
        Ok(Within::new(lists, field, &self.searcher.scoring))
    }

    /// The lists by which a word is found in a field, each with what to call it and its weight.
    pub(crate) fn lists_within(&self, term: &str) -> Result<Vec<(&'static str, TermEntry, Weight)>, Error> {
        let Found { stem, exact } = self.found(term)?;
        let with_share = |what, entry: Option<TermEntry>, share| {
            entry.map(|entry| {
                let weight = self.weight(std::slice::from_ref(&entry), 1).share(share);
                (what, entry, weight)
            })
        };
        let stem = with_share(" and its forms", stem, STEM_SHARE);
        Ok(stem.into_iter().chain(with_share("", exact, 1.0)).collect())
    }

    /// The plain words of a query.
    pub(crate) fn words(&self, words: &[Word]) -> Result<Words<'s>, Error> {
        let (mut phrases, mut is_hopeless) = (Vec::new(), false);
        for word in words {
            is_hopeless |= self.entries(&word.terms)?.is_none();
            if word.terms.len() > 1 {
                phrases.extend(self.phrase(&word.terms)?);
            }
        }
        let mut terms = Vec::new();
        for (term, times) in terms_of(words) {
            terms.extend(self.term(term, times)?);
        }
        Ok(Words { terms, phrases, is_hopeless })
    }

    /// The documents that satisfy a formula.
    pub(crate) fn operator(&self, node: &Node) -> Result<Box<dyn DocIterator + 's>, Error> {
        let (searcher, documents) = (self.searcher, self.searcher.index.documents());
        Ok(match node {
            Node::Term(term) => boxed(self.term(term, 1)?),
            Node::Phrase(terms) => match self.whole(terms)? {
                Some(whole) => {
                    Box::new(Or::new(vec![boxed(self.term(&whole, 1)?), boxed(self.phrase(terms)?)]))
                }
                None => boxed(self.phrase(terms)?),
            },
            Node::Within(field, terms) => match (terms.as_slice(), self.whole(terms)?) {
                ([term], _) => Box::new(self.word_within(*field, term)?),
                (terms, whole) => {
                    let phrase = boxed(self.phrase(terms)?.map(|phrase| phrase.within(*field)));
                    match whole {
                        Some(whole) => {
                            Box::new(Or::new(vec![Box::new(self.word_within(*field, &whole)?), phrase]))
                        }
                        None => phrase,
                    }
                }
            },
            Node::Site(site) => Box::new(Site::new(&searcher.sites, site, documents)),
            Node::And(nodes) => Box::new(And::new(self.operators(nodes)?, Rc::clone(&self.stopper))),
            Node::Or(nodes) => Box::new(Or::new(self.operators(nodes)?)),
            Node::Not(node) => Box::new(Not::new(self.operator(node)?, &searcher.index)),
        })
    }

    /// Those of each of some formulas.
    pub(crate) fn operators(&self, nodes: &[Node]) -> Result<Vec<Box<dyn DocIterator + 's>>, Error> {
        nodes.iter().map(|node| self.operator(node)).collect()
    }
}

fn boxed<'s>(documents: Option<impl DocIterator + 's>) -> Box<dyn DocIterator + 's> {
    match documents {
        Some(documents) => Box::new(documents),
        None => Box::new(Nothing),
    }
}
