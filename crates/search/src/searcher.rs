//! From a query to ranked documents.
//!
//! The formula of the query becomes a tree of lazy operators; the searcher pulls every document that matches out of it,
//! counts it, and offers it to a heap that keeps the best. So the total is exact, the ten best cost ten places of
//! memory, and nothing but the blocks of the lists that are looked at is decoded.
//!
//! Plain words side by side are walked like a union, so that the total is exact; what cannot come among the best is
//! counted and not scored.
//!
//! Cost: linear in the postings of the rarest word of an intersection, of all words of a union.

use std::rc::Rc;
use std::sync::Arc;

use index::{Index, TermEntry};
use page::{DocId, PageKey};

use crate::Error;
use crate::asked::Asked;
use crate::bm25::{Bm25Parameters, TermWeight, idf};
use crate::copies::{Copies, CopiesView, Folder};
use crate::cut::{Fitted, fit};
use crate::limits::{Limits, Stopper};
use crate::link_rank::LinkRanks;
use crate::node::Node;
use crate::operators::{And, DocIterator, Not, Nothing, Or, Phrase, Site, Term, Words};
use crate::query::{Query, Word, terms_of};
use crate::sites::Sites;
use crate::top::{Scored, TopDocuments};

/// How far down the list of results one can go.
pub const RESULTS_MAX: usize = 1000;

/// Searches one index. Cheap to clone; any number of threads may share one.
#[derive(Debug, Clone)]
pub struct Searcher {
    pub(crate) index: Arc<Index>,
    pub(crate) parameters: Bm25Parameters,
    pub(crate) copies: Arc<Copies>,
    pub(crate) ranks: LinkRanks,
    pub(crate) sites: Arc<Sites>,
}

/// The documents that answer a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Hits {
    /// How many documents match, those that are folded into others not counted; exact unless `partial`.
    pub total: u64,
    /// How many of them have all plain words of the query; they come first.
    pub with_all_words: u64,
    /// Those asked for, those with all words first, then by score; equal scores in
    /// the order of the documents.
    pub hits: Vec<Hit>,
    /// The deadline came before the end: there may be more and better ones.
    pub partial: bool,
}

/// A document that answers a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Its number in the index.
    pub doc: DocId,
    /// The key under which it was indexed.
    pub key: PageKey,
    /// How well it answers.
    pub score: f64,
    /// How many copies of it match too and are folded into it.
    pub similar: u64,
}

impl Searcher {
    /// A searcher over `index`.
    pub fn new(index: Arc<Index>, parameters: Bm25Parameters) -> Self {
        Self { index, parameters, copies: Arc::default(), ranks: LinkRanks::default(), sites: Arc::default() }
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

    /// The same searcher, which also knows where each document is from; without, `site:` finds nothing.
    #[must_use]
    pub fn with_sites(mut self, sites: Arc<Sites>) -> Self {
        self.sites = sites;
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
        let fitted = self.fit(query)?;
        let stopper = Rc::new(Stopper::new(limits));
        let mut asked = self.asked(&fitted.query, &stopper)?;
        let (mut total, mut with_all_words, mut top) = (0, 0, TopDocuments::new(to));
        let nothing = Copies::default();
        let mut folder = Folder::new(if view == CopiesView::Folded { &self.copies } else { &nothing });
        let only = Only::new(self, view);
        let mut doc = asked.doc();
        while doc != DocId::END && !stopper.must_stop() {
            if only.admits(doc) && asked.matches()? {
                let (has_all, is_alone) = (asked.has_all()?, folder.is_alone(doc));
                let ceiling = Scored { has_all, score: asked.ceiling() + self.ranks.weight(), doc };
                with_all_words += u64::from(has_all && is_alone);
                if is_alone && !top.takes(ceiling) {
                    total += 1;
                } else {
                    let score = asked.score()? + self.ranks.score(doc);
                    total += u64::from(folder.offer(Scored { has_all, score, doc }, &mut top));
                }
            }
            doc = asked.next();
        }
        with_all_words += folder.finish(&mut top);
        let hit = |scored: Scored| Hit {
            doc: scored.doc,
            key: self.index.doc_key(scored.doc),
            score: scored.score,
            similar: folder.similar(scored.doc),
        };
        let hits = top.into_sorted().into_iter().skip(from).map(hit).collect();
        Ok(Hits { total, with_all_words, hits, partial: stopper.has_stopped() })
    }

    /// What of a query can be looked for at once.
    pub(crate) fn fit<'q>(&self, query: &'q Query) -> Result<Fitted<'q>, Error> {
        let weigh = |terms: &[String]| -> Result<f64, Error> {
            Ok(self.entries(terms)?.map_or(0.0, |entries| self.weight(&entries).idf))
        };
        fit(query, &weigh)
    }

    fn asked<'i>(&'i self, query: &Query, stopper: &Rc<Stopper>) -> Result<Asked<'i>, Error> {
        let must = query.must().map(|node| self.operator(node, stopper)).transpose()?;
        let words = match query.words() {
            [] => None,
            words => Some(self.words(words, stopper)?),
        };
        Ok(Asked::new(must, words, !query.must_wants_terms()))
    }

    fn words<'i>(&'i self, words: &[Word], stopper: &Rc<Stopper>) -> Result<Words<'i>, Error> {
        let (mut phrases, mut is_hopeless) = (Vec::new(), false);
        for word in words {
            let entries = self.entries(&word.terms)?;
            is_hopeless |= entries.is_none();
            if let Some(entries) = entries.filter(|entries| entries.len() > 1) {
                phrases.push(self.phrase(&entries, stopper));
            }
        }
        let mut terms = Vec::new();
        for (term, times) in terms_of(words) {
            if let Some(entry) = self.index.term(term)? {
                let cursor = self.index.cursor(&entry);
                let weight = TermWeight { times, ..self.weight(&[entry]) };
                terms.push((Term::new(cursor, weight), weight.ceiling()));
            }
        }
        Ok(Words::new(terms, phrases, is_hopeless))
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
            Node::Site(site) => Box::new(Site::new(&self.sites, site, self.index.documents())),
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
            average_length: self.parameters.weigh(&self.index.average_lengths()),
            idf: entries.iter().map(|entry| idf(documents, entry.document_frequency().into())).sum(),
            times: 1,
        }
    }
}

/// Which documents may be shown at all.
enum Only<'s> {
    All,
    /// The members of a group.
    Group(&'s Copies, u32),
    /// One that has no copies; none if there is no such document.
    Document(Option<DocId>),
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

    fn admits(&self, doc: DocId) -> bool {
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
