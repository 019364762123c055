//! Why a document ranks where it ranks.
//!
//! The formula is walked once more for a single document, and every word or phrase that contributed leaves a row. The
//! rows, and that of its rank if ranks count, add up to the score of the search.

use std::fmt;
use std::rc::Rc;

use page::DocId;
use serde::Serialize;

use crate::limits::{Limits, Stopper};
use crate::node::Node;
use crate::operators::DocIterator;
use crate::query::{Query, Word, terms_of};
use crate::{Error, Searcher};

/// The score of a document, taken apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The document's number in the index.
    pub doc: DocId,
    /// Whether it answers the query at all.
    pub matches: bool,
    /// How many of the plain words it has, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<WordsExplanation>,
    /// The sum of all contributions.
    pub score: f64,
    /// How many words it has, as far as they count.
    pub length: f64,
    /// How many words documents have on average, as far as they count.
    pub average_length: f64,
    /// What the words of the query contribute, in their order.
    pub terms: Vec<TermExplanation>,
    /// What its rank contributes, if ranks count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<RankExplanation>,
}

/// Which plain words a document has: those that have all come first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WordsExplanation {
    /// How many of them it has.
    pub found: usize,
    /// Those that it does not have, as they were typed.
    pub missing: Vec<String>,
}

/// What the rank of a document contributes: see [`crate::LinkRanks`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankExplanation {
    /// The rank, in multiples of the average.
    pub rank: f64,
    /// The most that any rank could add.
    pub weight: f64,
    /// What it adds to the score.
    pub contribution: f64,
}

/// What a word or a phrase contributes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TermExplanation {
    /// The word; a phrase has its quotes.
    pub term: String,
    /// How often it was typed.
    pub times: u32,
    /// How often it occurs in the document.
    pub tf: u32,
    /// How often that counts: less, where it stands beside the main text.
    pub counted: f64,
    /// In how many documents it occurs; of a phrase, its rarest word.
    pub df: u32,
    /// How telling that makes it; of a phrase, its words together.
    pub idf: f64,
    /// What the length of the document makes of repetitions.
    pub length_norm: f64,
    /// By what being in the title multiplies it; 1 when it is not.
    pub title_boost: f64,
    /// What it adds to the score.
    pub contribution: f64,
}

impl Searcher {
    /// Says why `doc` has the score that it has.
    pub fn explain(&self, query: &Query, doc: DocId) -> Result<Explanation, Error> {
        Explanation::new(self, query, doc)
    }
}

impl Explanation {
    fn new(searcher: &Searcher, query: &Query, doc: DocId) -> Result<Self, Error> {
        let query = searcher.fit(query)?.query;
        let walk = Walk::new(searcher, doc);
        let mut rows = Vec::new();
        let holds = match query.must() {
            Some(node) => walk.explain(node, &mut rows)?,
            None => true,
        };
        let words_rows = if holds { walk.explain_terms(query.words())? } else { Vec::new() };
        let matches =
            holds && (query.words().is_empty() || query.must_wants_terms() || !words_rows.is_empty());
        rows.extend(words_rows);
        if !matches {
            rows.clear();
        }
        let words =
            (matches && !query.words().is_empty()).then(|| walk.found_words(query.words())).transpose()?;
        let ranks = &searcher.ranks;
        let rank = (matches && ranks.count()).then(|| RankExplanation {
            rank: ranks.rank(doc),
            weight: ranks.weight(),
            contribution: ranks.score(doc),
        });
        let weight = searcher.weight(&[]);
        let sum: f64 = rows.iter().map(|row| row.contribution).sum();
        Ok(Self {
            doc,
            matches,
            words,
            score: sum + rank.as_ref().map_or(0.0, |rank| rank.contribution),
            length: weight.length(doc),
            average_length: weight.average_length,
            terms: rows,
            rank,
        })
    }
}

pub(crate) struct Walk<'s> {
    searcher: &'s Searcher,
    doc: DocId,
    stopper: Rc<Stopper>,
}

impl<'s> Walk<'s> {
    pub(crate) fn new(searcher: &'s Searcher, doc: DocId) -> Self {
        Self { searcher, doc, stopper: Rc::new(Stopper::new(Limits::default())) }
    }

    /// Which of the plain words the document has.
    pub(crate) fn found_words(&self, words: &[Word]) -> Result<WordsExplanation, Error> {
        let mut missing = Vec::new();
        for word in words {
            if !self.explain_words(String::new(), &word.terms, &mut Vec::new())? {
                missing.push(word.typed.clone());
            }
        }
        Ok(WordsExplanation { found: words.len() - missing.len(), missing })
    }

    /// What the terms of plain words contribute, each once.
    fn explain_terms(&self, words: &[Word]) -> Result<Vec<TermExplanation>, Error> {
        let mut rows = Vec::new();
        for (term, times) in terms_of(words) {
            let before = rows.len();
            let term = [term.to_owned()];
            self.explain_words(term[0].clone(), &term, &mut rows)?;
            for row in &mut rows[before..] {
                row.times = times;
                row.contribution *= f64::from(times);
            }
        }
        Ok(rows)
    }

    /// Whether the document satisfies `node`; if so, the rows of what contributed are added.
    fn explain(&self, node: &Node, rows: &mut Vec<TermExplanation>) -> Result<bool, Error> {
        match node {
            Node::Term(term) => self.explain_words(term.clone(), std::slice::from_ref(term), rows),
            Node::Phrase(terms) => self.explain_words(format!("\"{}\"", terms.join(" ")), terms, rows),
            Node::Site(site) => Ok(self.searcher.sites.is_from(self.doc, &self.searcher.sites.below(site))),
            Node::Not(node) => {
                Ok(self.doc.get() < self.searcher.index.documents()
                    && !self.explain(node, &mut Vec::new())?)
            }
            Node::Or(nodes) => {
                let mut any = false;
                for node in nodes {
                    any |= self.explain(node, rows)?;
                }
                Ok(any)
            }
            Node::And(nodes) => {
                let rows_before = rows.len();
                for node in nodes {
                    if !self.explain(node, rows)? {
                        rows.truncate(rows_before);
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    /// A word is a phrase of one word.
    fn explain_words(
        &self,
        term: String,
        words: &[String],
        rows: &mut Vec<TermExplanation>,
    ) -> Result<bool, Error> {
        let searcher = self.searcher;
        let Some(entries) = searcher.entries(words)? else { return Ok(false) };
        let mut phrase = searcher.phrase(&entries, &self.stopper);
        if phrase.advance(self.doc) != self.doc || !phrase.matches()? {
            return Ok(false);
        }
        let weight = searcher.weight(&entries);
        let length = weight.length(self.doc);
        rows.push(TermExplanation {
            term,
            times: 1,
            tf: phrase.frequency()?,
            counted: phrase.weighed_frequency()?,
            df: entries.iter().map(|entry| entry.document_frequency()).min().unwrap_or(0),
            idf: weight.idf,
            length_norm: searcher.parameters.length_norm(length, weight.average_length),
            title_boost: searcher.parameters.title_factor(phrase.in_title()),
            contribution: phrase.score()?,
        });
        Ok(true)
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.matches {
            return write!(f, "document {} does not match", self.doc);
        }
        let (score, length, average) = (self.score, self.length, self.average_length);
        match &self.words {
            Some(words) if words.missing.is_empty() => write!(f, "all words; ")?,
            Some(words) => write!(f, "{} of {} words; ", words.found, words.found + words.missing.len())?,
            None => {}
        }
        write!(f, "score {score:.4}; {length} words, {average:.1} on average")?;
        self.terms.iter().try_for_each(|term| write!(f, "\n  {term}"))?;
        self.rank.iter().try_for_each(|rank| write!(f, "\n  {rank}"))
    }
}

impl fmt::Display for RankExplanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rank, weight, contribution } = self;
        write!(f, "{contribution:.4}  links: {rank:.2} times the average rank, weight {weight}")
    }
}

impl fmt::Display for TermExplanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { term, times, tf, counted, df, idf, length_norm, title_boost, contribution } = self;
        write!(f, "{contribution:.4}  {term}: tf {tf}")?;
        if *counted != f64::from(*tf) {
            write!(f, " counted as {counted}")?;
        }
        write!(f, ", df {df}, idf {idf:.4}, length norm {length_norm:.4}")?;
        if *title_boost != 1.0 {
            write!(f, ", in the title ×{title_boost}")?;
        }
        if *times > 1 { write!(f, ", typed ×{times}") } else { Ok(()) }
    }
}
