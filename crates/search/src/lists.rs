//! The lists of a query's terms: each is looked up once, and may be walked as often as is needed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use index::TermEntry;

use crate::cut::{Fitted, fit};
use crate::limits::Stopper;
use crate::node::Node;
use crate::operators::{And, DocIterator, Not, Nothing, Or, Phrase, Site, Term, Words};
use crate::query::{Query, Word, terms_of};
use crate::scoring::{Weight, idf};
use crate::{Error, Limits, Searcher};

/// Makes operators over the lists of an index.
pub(crate) struct Lists<'s> {
    pub(crate) searcher: &'s Searcher,
    pub(crate) stopper: Rc<Stopper>,
    entries: RefCell<HashMap<String, Option<TermEntry>>>,
}

impl<'s> Lists<'s> {
    pub(crate) fn new(searcher: &'s Searcher, limits: Limits) -> Self {
        Self { searcher, stopper: Rc::new(Stopper::new(limits)), entries: RefCell::default() }
    }

    /// Where the postings of a term lie; `None`: it occurs nowhere.
    pub(crate) fn entry(&self, term: &str) -> Result<Option<TermEntry>, Error> {
        if let Some(entry) = self.entries.borrow().get(term) {
            return Ok(entry.clone());
        }
        let entry = self.searcher.index.term(term)?;
        self.entries.borrow_mut().insert(term.to_owned(), entry.clone());
        Ok(entry)
    }

    /// The entries of all terms; `None` when one of them occurs nowhere.
    pub(crate) fn entries(&self, terms: &[String]) -> Result<Option<Vec<TermEntry>>, Error> {
        terms.iter().map(|term| self.entry(term)).collect()
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
        let Some(entry) = self.entry(term)? else { return Ok(None) };
        let (cursor, weight) = (self.searcher.index.cursor(&entry), self.weight(&[entry], times));
        Ok(Some(Term::new(cursor, weight, &self.searcher.scoring)))
    }

    /// The documents in which terms follow each other; `None`: one of them occurs nowhere.
    pub(crate) fn phrase(&self, terms: &[String]) -> Result<Option<Phrase<'s>>, Error> {
        let Some(entries) = self.entries(terms)? else { return Ok(None) };
        let cursors = entries.iter().map(|entry| self.searcher.index.cursor(entry)).collect();
        let weight = self.weight(&entries, 1);
        Ok(Some(Phrase::new(cursors, weight, &self.searcher.scoring, Rc::clone(&self.stopper))))
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
            Node::Phrase(terms) => boxed(self.phrase(terms)?),
            Node::Site(site) => Box::new(Site::new(&searcher.sites, site, documents)),
            Node::And(nodes) => Box::new(And::new(self.operators(nodes)?, Rc::clone(&self.stopper))),
            Node::Or(nodes) => Box::new(Or::new(self.operators(nodes)?)),
            Node::Not(node) => Box::new(Not::new(self.operator(node)?, documents)),
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
