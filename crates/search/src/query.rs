//! What was asked: a formula that must hold, and plain words of which a page should have as many as it can.
//!
//! Every node of the formula means a set of documents. A word: those in which it occurs. A phrase: those in which its
//! words stand one after the other. `And`: intersection. `Or`: union. `Not`: all the others. (Notes, chapter 5.)
//!
//! Plain words side by side are no formula: somebody who types a question does not mean that every page without its
//! "how" is worthless. Of few words, pages with all of them come first, as an intersection would give them, and then the best
//! of the others, as a union would; of many, simply the best.

use std::collections::{HashMap, HashSet};

use index::Analyzer;

use crate::formula::{And, Node, Phrase, combine};
use crate::limits::QUERY_TERMS_MAX;
use crate::more::{MoreWord, fitting};
use crate::parser::{Part, Wish, parse};
use crate::spellings::Spellings;
use crate::word::Word;
use crate::{Note, QueryError};

/// A query, parsed and within the limits.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    must: Option<Node>,
    words: Vec<Word>,
    /// The formula begins with a plain word, which was the only one.
    is_lone: bool,
    /// All plain words of a question of which some were left out, since they only make it one.
    question: Option<Vec<Word>>,
    more: Vec<MoreWord>,
    terms: Vec<String>,
    spellings: Spellings,
    notes: Vec<Note>,
}

impl Query {
    /// Reads what a person typed.
    ///
    /// Words side by side: pages with all of them come first, then the best of the others; of five words or more, those
    /// that score best. `"…"` is an exact phrase and
    /// `+word` a word that must occur; `AND` requires what stands on its sides; `OR` or `|` gives a choice and binds less
    /// tightly; `-word` or `NOT word` excludes, and alone means all others; parentheses group. `word*` is all words that begin
    /// so; `NEAR/3`, `<` and `WITHIN` say where two parts stand. `title:`, `heading:`, `url:` and `anchor:` before a word, a
    /// phrase or parentheses ask for it in that field alone; `site:example.org/docs`, `lang:de`, `type:html`, `after:2024` and
    /// `before:2025-01-31` ask for what is known of a page beside its words. A word that the analyzer takes apart (`e-mail`,
    /// `example.com`) is a phrase. What does not fit is taken as people mean it: open quotes and parentheses are closed at the
    /// end, operators that have nothing to act on are dropped. What other engines have and this one has not (`cache:`) is left
    /// out or taken for a word, which [`Query::notes`] says.
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
        Ok(Self { spellings, ..Self::of_parts(parts, notes) })
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
            for word in plain_words(typed, node) {
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
        let mut is_lone = words.len() == 1 && !must.iter().any(Node::wants_words);
        if is_lone {
            let terms = words.pop().expect("there is one").terms;
            is_lone = terms.len() == 1;
            must.splice(0..0, Node::of_phrase(Phrase::new(terms)));
        }
        let (terms, spellings, more) = (terms.in_order, Spellings::default(), Vec::new());
        let must = combine(must, |parts| And { parts }.into());
        Self { must, words, is_lone, question: None, more, terms, spellings, notes }
    }

    /// The same question with those of its words alone that say what is asked for.
    pub(crate) fn with_telling(&self, words: Vec<Word>) -> Self {
        Self { question: Some(self.words.clone()), ..self.with(self.must.clone(), words) }
    }

    /// The plain words as they were typed, those of a question that only make it one too.
    pub(crate) fn typed_words(&self) -> &[Word] {
        self.question.as_deref().unwrap_or(&self.words)
    }

    /// Whether it is a question: so many plain words are a sentence.
    pub(crate) fn is_question(&self) -> bool {
        self.typed_words().len() >= QUESTION_WORDS
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
    pub(crate) fn must(&self) -> Option<&Node> {
        self.must.as_ref()
    }

    /// The plain words, each once; of which a page has at least one, unless [`Query::must`] asks for words too.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// Whether a document has to have one of the plain words: there are some, and the formula asks for none. Otherwise
    /// they are welcome and no more.
    pub(crate) fn words_lead(&self) -> bool {
        !self.words.is_empty() && !self.must.as_ref().is_some_and(Node::wants_words)
    }

    /// Whether pages with all plain words come first. Whoever types many does not mean that a good page needs each of them;
    /// those of a question that only make it one do not count.
    pub(crate) fn wants_all_words_first(&self) -> bool {
        self.words.len() < QUESTION_WORDS && self.more.is_empty()
    }

    /// The term of a word alone, beside which there may be conditions.
    pub(crate) fn lone_term(&self) -> Option<&str> {
        self.terms.first().filter(|_| self.is_lone).map(String::as_str)
    }

    /// The terms of the plain words, in their order; a word alone is one, too.
    pub(crate) fn plain_terms(&self) -> Vec<String> {
        let lone = self.lone_term().map(str::to_owned);
        lone.into_iter().chain(self.words.iter().flat_map(|word| word.terms.iter().cloned())).collect()
    }

    /// Makes the word alone, of which the formula consists or with which it begins, a word like others.
    fn take_lone(&mut self) {
        let parts = match self.must.take() {
            Some(Node::And(and)) => and.parts,
            must => must.into_iter().collect(),
        };
        let (lone, others) = parts.into_iter().partition::<Vec<_>, _>(|part| matches!(part, Node::Term(_)));
        let terms = lone.iter().flat_map(|node| node.operator().terms().to_vec());
        self.words = terms.map(|term| Word { typed: term.clone(), terms: vec![term], times: 1 }).collect();
        self.must = combine(others, |parts| And { parts }.into());
    }

    /// The same query with words that are welcome beside those that were typed, each with the stems by which it is found.
    pub(crate) fn with_more(mut self, more: Vec<(MoreWord, Vec<String>)>) -> Self {
        if more.is_empty() {
            return self;
        }
        if self.is_lone {
            self.take_lone();
        }
        more.iter().for_each(|(word, stems)| self.spellings.add_stems(&word.term, stems));
        self.more.extend(more.into_iter().map(|(word, _)| word));
        self.more = fitting(self.more, self.terms.len());
        self
    }

    /// Words that were not typed and are welcome too.
    pub fn more(&self) -> &[MoreWord] {
        &self.more
    }

    /// What its author should know about how it was understood.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The beginnings of words that are looked for, without excluded ones.
    pub(crate) fn beginnings(&self) -> Vec<&str> {
        let mut beginnings = Vec::new();
        self.for_each_leaf(&mut |leaf, is_wanted| {
            beginnings.extend(leaf.operator().beginning().filter(|_| is_wanted));
        });
        beginnings
    }

    /// Whether it asks for what is known of pages beside their words, such as the host that they are from.
    pub fn asks_for_facts(&self) -> bool {
        let mut asks = false;
        self.for_each_leaf(&mut |node, _| asks |= !node.operator().has_words());
        asks
    }

    /// Whether it asks for a host, or excludes one.
    pub(crate) fn names_a_site(&self) -> bool {
        let mut names = false;
        self.for_each_leaf(&mut |node, _| names |= matches!(node, Node::Site(_)));
        names
    }

    /// Shows each leaf of the formula, and whether it is looked for or excluded.
    pub(crate) fn for_each_leaf<'n>(&'n self, see: &mut dyn FnMut(&'n Node, bool)) {
        self.must.iter().for_each(|node| node.for_each_leaf(true, see));
    }
}

/// So many plain words are a question.
const QUESTION_WORDS: usize = 5;

/// A word that the analyzer takes apart into more pieces (a pasted address, a sentence in Chinese) is that many words.
const WORD_PIECES_MAX: usize = 4;

/// The plain words that a part of a query is.
fn plain_words(typed: String, node: Node) -> Vec<Word> {
    let terms = node.operator().terms().to_vec();
    if terms.len() <= WORD_PIECES_MAX {
        return vec![Word { typed, terms, times: 1 }];
    }
    let piece = |term: String| Word { typed: term.clone(), terms: vec![term], times: 1 };
    terms.into_iter().map(piece).collect()
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
        node.for_each_leaf(true, &mut |leaf, is_wanted| {
            if is_wanted {
                leaf.operator().terms().iter().for_each(|term| self.add(term));
            }
        });
    }
}

/// How many terms a part looks for or excludes.
fn term_count(node: &Node) -> usize {
    let mut count = 0;
    node.for_each_leaf(true, &mut |leaf, _| count += leaf.operator().room());
    count
}
