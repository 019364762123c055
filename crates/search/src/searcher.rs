//! From a query to ranked documents.
//!
//! The formula of the query becomes a tree of lazy operators; the searcher pulls every document that matches out of it,
//! counts it, and offers it to a heap that keeps the best. So the total is exact, the ten best cost ten places of
//! memory, and nothing but the blocks of the lists that are looked at is decoded.
//!
//! Cost: linear in the postings of the rarest word of an intersection, of all words of a union.

use std::rc::Rc;
use std::sync::Arc;

use index::{END, Index, TermEntry};

use crate::bm25::{Bm25Parameters, TermWeight, idf};
use crate::copies::{Copies, CopiesView, Folder};
use crate::limits::{Limits, Stopper};
use crate::link_rank::LinkRanks;
use crate::operators::{And, DocIterator, Not, Nothing, Or, Phrase, Term};
use crate::query::{Node, Query};
use crate::top::{Scored, TopDocuments};
use crate::{Error, Explanation};

/// How far down the list of results one can go.
pub const RESULTS_MAX: usize = 1000;

/// Searches one index. Cheap to clone; any number of threads may share one.
#[derive(Debug, Clone)]
pub struct Searcher {
    pub(crate) index: Arc<Index>,
    pub(crate) parameters: Bm25Parameters,
    pub(crate) copies: Arc<Copies>,
    pub(crate) ranks: LinkRanks,
}

/// The documents that answer a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Hits {
    /// How many documents match, those that are folded into others not counted; exact unless `partial`.
    pub total: u64,
    /// Those asked for, best first; equal scores in the order of the documents.
    pub hits: Vec<Hit>,
    /// The deadline came before the end: there may be more and better ones.
    pub partial: bool,
}

/// A document that answers a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Its number in the index.
    pub doc: u32,
    /// The key under which it was indexed.
    pub key: u64,
    /// How well it answers.
    pub score: f64,
    /// How many copies of it match too and are folded into it.
    pub similar: u64,
}

impl Searcher {
    /// A searcher over `index`.
    pub fn new(index: Arc<Index>, parameters: Bm25Parameters) -> Self {
        Self { index, parameters, copies: Arc::default(), ranks: LinkRanks::default() }
    }

    /// The same searcher, which knows copies when it sees them.
    #[must_use]
    pub fn with_copies(mut self, copies: Arc<Copies>) -> Self {
        self.copies = copies;
        self
    }

    /// The same searcher, which also knows what the web thinks of each document.
    #[must_use]
    pub fn with_ranks(mut self, ranks: LinkRanks) -> Self {
        self.ranks = ranks;
        self
    }

    /// The index that is searched.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The results from number `from` (the best is 0), at most `count` of them, however long it takes.
    pub fn search(&self, query: &Query, from: usize, count: usize) -> Result<Hits, Error> {
        self.search_within(query, from, count, CopiesView::default(), Limits::default())
    }

    /// Like [`Searcher::search`], with a choice of what is done with copies; stops at the deadline with what it has.
    pub fn search_within(
        &self,
        query: &Query,
        from: usize,
        count: usize,
        view: CopiesView,
        limits: Limits,
    ) -> Result<Hits, Error> {
        let to = from.saturating_add(count);
        if to > RESULTS_MAX {
            return Err(Error::TooFar { from, to, limit: RESULTS_MAX });
        }
        let stopper = Rc::new(Stopper::new(limits));
        let mut documents = self.operator(query.root(), &stopper)?;
        let (mut total, mut top) = (0, TopDocuments::new(to));
        let nothing = Copies::default();
        let mut folder = Folder::new(if view == CopiesView::Folded { &self.copies } else { &nothing });
        let only = Only::new(self, view);
        let mut doc = documents.doc();
        while doc != END && !stopper.must_stop() {
            if only.admits(doc) && documents.matches()? {
                let score = documents.score()? + self.ranks.score(doc);
                total += u64::from(folder.offer(Scored { score, doc }, &mut top));
            }
            doc = documents.next();
        }
        folder.finish(&mut top);
        let hit = |scored: Scored| Hit {
            doc: scored.doc,
            key: self.index.doc_key(scored.doc),
            score: scored.score,
            similar: folder.similar(scored.doc),
        };
        let hits = top.into_sorted().into_iter().skip(from).map(hit).collect();
        Ok(Hits { total, hits, partial: stopper.has_stopped() })
    }

    /// Why `doc` has the score that it has.
    pub fn explain(&self, query: &Query, doc: u32) -> Result<Explanation, Error> {
        Explanation::new(self, query, doc)
    }

    fn operator<'i>(
        &'i self,
        node: &Node,
        stopper: &Rc<Stopper>,
    ) -> Result<Box<dyn DocIterator + 'i>, Error> {
        let parts = |nodes: &[Node]| -> Result<Vec<_>, Error> {
            nodes.iter().map(|node| self.operator(node, stopper)).collect()
        };
        Ok(match node {
            Node::Term(term) => match self.index.term(term)? {
                Some(entry) => Box::new(Term::new(self.index.cursor(&entry), self.weight(&[entry]))),
                None => Box::new(Nothing),
            },
            Node::Phrase(terms) => match self.entries(terms)? {
                Some(entries) => Box::new(self.phrase(&entries, stopper)),
                None => Box::new(Nothing),
            },
            Node::And(nodes) => Box::new(And::new(parts(nodes)?, Rc::clone(stopper))),
            Node::Or(nodes) => Box::new(Or::new(parts(nodes)?)),
            Node::Not(node) => Box::new(Not::new(self.operator(node, stopper)?, self.index.documents())),
        })
    }

    pub(crate) fn phrase<'i>(&'i self, entries: &[TermEntry], stopper: &Rc<Stopper>) -> Phrase<'i> {
        let cursors = entries.iter().map(|entry| self.index.cursor(entry)).collect();
        Phrase::new(cursors, self.weight(entries), Rc::clone(stopper))
    }

    /// The entries of all terms; `None` when one of them occurs nowhere.
    pub(crate) fn entries(&self, terms: &[String]) -> Result<Option<Vec<TermEntry>>, Error> {
        let mut entries = Vec::with_capacity(terms.len());
        for term in terms {
            match self.index.term(term)? {
                Some(entry) => entries.push(entry),
                None => return Ok(None),
            }
        }
        Ok(Some(entries))
    }

    /// The weight of a word, or of a phrase, which tells as much as its words together.
    pub(crate) fn weight(&self, entries: &[TermEntry]) -> TermWeight<'_> {
        let documents = u64::from(self.index.documents());
        TermWeight {
            index: &self.index,
            parameters: self.parameters,
            average_length: self.index.average_length(),
            idf: entries.iter().map(|entry| idf(documents, entry.document_frequency().into())).sum(),
        }
    }
}

/// Which documents may be shown at all.
enum Only<'s> {
    All,
    /// The members of a group.
    Group(&'s Copies, u32),
    /// One that has no copies; none if there is no such document.
    Document(Option<u32>),
}

impl<'s> Only<'s> {
    fn new(searcher: &'s Searcher, view: CopiesView) -> Self {
        let CopiesView::Only(key) = view else { return Self::All };
        let doc = searcher.index.find_key(key);
        match doc.and_then(|doc| searcher.copies.group_of(doc)) {
            Some(group) => Self::Group(&searcher.copies, group),
            None => Self::Document(doc),
        }
    }

    fn admits(&self, doc: u32) -> bool {
        match self {
            Self::All => true,
            Self::Group(copies, group) => copies.group_of(doc) == Some(*group),
            Self::Document(only) => *only == Some(doc),
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn threads_may_share_a_searcher() {
        fn shared<T: Send + Sync + Clone>() {}
        shared::<super::Searcher>();
    }
}
