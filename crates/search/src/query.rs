//! What was asked: a formula that must hold, and plain words of which a page should have as many as it can.
//!
//! Every node of the formula means a set of documents. A word: those in which it occurs. A phrase: those in which its
//! words stand one after the other. `And`: intersection. `Or`: union. `Not`: all the others. (Notes, chapter 5.)
//!
//! Plain words side by side are no formula: somebody who types a question does not mean that every page without its
//! "how" is worthless. Of few words, pages with all of them come first, as an intersection would give them, and then the best
//! of the others, as a union would; of a question, simply the best.

use std::collections::{HashMap, HashSet};

use index::Analyzer;

use crate::limits::QUERY_TERMS_MAX;
use crate::node::{Node, combine};
use crate::parser::{Part, Wish, parse};
use crate::spellings::Spellings;
use crate::{Note, QueryError};

/// A query, parsed and within the limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    must: Option<Node>,
    words: Vec<Word>,
    terms: Vec<String>,
    spellings: Spellings,
    notes: Vec<Note>,
}

/// A plain word of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// As it was typed.
    pub typed: String,
    /// As the analyzer takes it: one term, or a few for one that it takes apart, such as `e-mail`.
    pub terms: Vec<String>,
    /// How often it was typed; a word that is typed twice counts twice.
    pub times: u32,
}

impl Query {
    /// Reads what a person typed.
    ///
    /// Words side by side: pages with all of them come first, then the best of the others; of five words or more, those
    /// that score best. `"…"` is an exact phrase and
    /// `+word` a word that must occur; `AND` requires what stands on its sides; `OR` or `|` gives a choice and binds less
    /// tightly; `-word` or `NOT word` excludes; parentheses group; `title:`, `heading:`, `url:` and `anchor:` before a word or a phrase ask for it in that field alone;
    /// `site:example.org` is a host. A word that the analyzer
    /// takes apart (`e-mail`, `example.com`) is a phrase. What does not fit is taken as people mean it: open quotes and
    /// parentheses are closed at the end, operators that have nothing to act on are dropped. What other engines have and
    /// this one has not (`filetype:`, `word*`) is left out or taken for a word, which [`Query::notes`] says.
    pub fn parse(text: &str) -> Result<Query, QueryError> {
        Self::parse_for(text, Analyzer::default())
    }

    /// Reads what a person typed, for an index whose [`index::Index::analyzer`] this is.
    pub fn parse_for(text: &str, analyzer: Analyzer) -> Result<Query, QueryError> {
        let mut notes = Vec::new();
        let (parts, spellings) = parse(text, analyzer, &mut notes)?;
        if parts.is_empty() {
            return Err(match notes.into_iter().find(Note::is_about_an_operator) {
                Some(note) => QueryError::NotUnderstood { note: note.to_string() },
                None => QueryError::Empty,
            });
        }
        let query = Self { spellings, ..Self::of_parts(parts, notes) };
        if query.terms.is_empty() && !query.must.as_ref().is_some_and(wants_site) {
            return Err(QueryError::OnlyNegatives);
        }
        Ok(query)
    }

    fn of_parts(parts: Vec<Part>, mut notes: Vec<Note>) -> Self {
        let is_text = parts.iter().map(|part| term_count(&part.node)).sum::<usize>() > QUERY_TERMS_MAX;
        // A phrase alone is what it is, however long.
        let is_text = is_text && parts.iter().any(|part| part.wish == Wish::Plain);
        if is_text && parts.iter().any(|part| part.wish == Wish::Quoted) {
            notes.push(Note::QuotesInText);
        }
        let mut terms = Terms::default();
        let (mut must, mut words) = (Vec::new(), Vec::<Word>::new());
        let mut places: HashMap<Vec<String>, usize> = HashMap::new();
        for Part { typed, node, wish } in parts {
            terms.collect(&node);
            if wish == Wish::Must || wish == Wish::Quoted && !is_text {
                must.push(node);
                continue;
            }
            for word in Word::of(typed, node) {
                match places.get(&word.terms) {
                    Some(&place) => words[place].times += 1,
                    None => {
                        places.insert(word.terms.clone(), words.len());
                        words.push(word);
                    }
                }
            }
        }
        // One word alone has nothing to be weighed against.
        if words.len() == 1 && !must.iter().any(wants_term) {
            must.insert(0, words.pop().expect("there is one").into_node());
        }
        let (terms, spellings) = (terms.in_order, Spellings::default());
        Self { must: combine(must, Node::And), words, terms, spellings, notes }
    }

    /// The same query with less in it.
    pub(crate) fn with(&self, must: Option<Node>, words: Vec<Word>) -> Self {
        let mut terms = Terms::default();
        must.iter().for_each(|node| terms.collect(node));
        words.iter().flat_map(|word| &word.terms).for_each(|term| terms.add(term));
        Self { must, words, terms: terms.in_order, ..self.clone() }
    }

    /// The terms that are looked for, each once, in the order in which they were typed; without excluded ones.
    pub fn terms(&self) -> &[String] {
        &self.terms
    }

    /// What else the terms are found by.
    pub fn spellings(&self) -> &Spellings {
        &self.spellings
    }

    /// What must hold of a page.
    pub fn must(&self) -> Option<&Node> {
        self.must.as_ref()
    }

    /// The plain words, each once; of which a page has at least one, unless [`Query::must`] asks for words too.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// Whether a document has to have one of the plain words: there are some, and the formula asks for none. Otherwise
    /// they are welcome and no more.
    pub(crate) fn words_lead(&self) -> bool {
        !self.words.is_empty() && !self.must.as_ref().is_some_and(wants_term)
    }

    /// Whether pages with all plain words come first. Whoever types a question does not mean that a page needs its "how" and
    /// its "with" to be good.
    pub(crate) fn wants_all_words_first(&self) -> bool {
        self.words.len() < QUESTION_WORDS
    }

    /// What its author should know about how it was understood.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The hosts that are asked for or excluded.
    pub fn sites(&self) -> Vec<&str> {
        let mut sites = Vec::new();
        self.must.iter().for_each(|node| collect_sites(node, &mut sites));
        sites
    }
}

/// So many plain words are a question.
const QUESTION_WORDS: usize = 5;

/// A word that the analyzer takes apart into more pieces (a pasted address, a sentence in Chinese) is that many words.
const WORD_PIECES_MAX: usize = 4;

impl Word {
    /// The plain words that a part of a query is.
    fn of(typed: String, node: Node) -> Vec<Self> {
        match node {
            Node::Term(term) => vec![Self { typed, terms: vec![term], times: 1 }],
            Node::Phrase(terms) if terms.len() <= WORD_PIECES_MAX => vec![Self { typed, terms, times: 1 }],
            Node::Phrase(terms) => {
                let piece = |term: String| Self { typed: term.clone(), terms: vec![term], times: 1 };
                terms.into_iter().map(piece).collect()
            }
            node => unreachable!("{node:?} is no plain word"),
        }
    }

    pub(crate) fn into_node(mut self) -> Node {
        match self.terms.len() {
            1 => Node::Term(self.terms.pop().expect("it has one")),
            _ => Node::Phrase(self.terms),
        }
    }
}

/// The terms of plain words, each once, and how often it was typed.
pub(crate) fn terms_of(words: &[Word]) -> Vec<(&str, u32)> {
    let (mut terms, mut places) = (Vec::<(&str, u32)>::new(), HashMap::new());
    for (term, times) in
        words.iter().flat_map(|word| word.terms.iter().map(|term| (term.as_str(), word.times)))
    {
        let place = *places.entry(term).or_insert_with(|| {
            terms.push((term, 0));
            terms.len() - 1
        });
        terms[place].1 += times;
    }
    terms
}

/// Terms in the order in which they come, each once.
#[derive(Default)]
struct Terms {
    in_order: Vec<String>,
    seen: HashSet<String>,
}

impl Terms {
    fn add(&mut self, term: &str) {
        if self.seen.insert(term.to_owned()) {
            self.in_order.push(term.to_owned());
        }
    }

    /// Those that are looked for, not those that are excluded.
    fn collect(&mut self, node: &Node) {
        match node {
            Node::Term(term) => self.add(term),
            Node::Phrase(terms) | Node::Within(_, terms) => terms.iter().for_each(|term| self.add(term)),
            Node::And(nodes) | Node::Or(nodes) => nodes.iter().for_each(|node| self.collect(node)),
            Node::Not(_) | Node::Site(_) => {}
        }
    }
}

/// How many terms a part looks for or excludes.
fn term_count(node: &Node) -> usize {
    match node {
        Node::Term(_) | Node::Site(_) => 1,
        Node::Phrase(terms) | Node::Within(_, terms) => terms.len(),
        Node::And(nodes) | Node::Or(nodes) => nodes.iter().map(term_count).sum(),
        Node::Not(node) => term_count(node),
    }
}

fn wants_term(node: &Node) -> bool {
    match node {
        Node::Term(_) | Node::Phrase(_) | Node::Within(..) => true,
        Node::And(nodes) | Node::Or(nodes) => nodes.iter().any(wants_term),
        Node::Not(_) | Node::Site(_) => false,
    }
}

fn wants_site(node: &Node) -> bool {
    match node {
        Node::Site(_) => true,
        Node::And(nodes) | Node::Or(nodes) => nodes.iter().any(wants_site),
        Node::Term(_) | Node::Phrase(_) | Node::Within(..) | Node::Not(_) => false,
    }
}

fn collect_sites<'n>(node: &'n Node, sites: &mut Vec<&'n str>) {
    match node {
        Node::Site(site) => sites.push(site),
        Node::And(nodes) | Node::Or(nodes) => nodes.iter().for_each(|node| collect_sites(node, sites)),
        Node::Not(node) => collect_sites(node, sites),
        Node::Term(_) | Node::Phrase(_) | Node::Within(..) => {}
    }
}
