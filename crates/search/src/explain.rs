//! Why a document ranks where it ranks.
//!
//! The formula is walked once more for a single document, and every word or phrase that contributed leaves a row. The
//! rows, and that of its rank if ranks count, add up to the score of the search. Each says what is needed to do the
//! calculation by hand: where the word stands, how long that part of the document is, and what it counts.

use std::fmt;

use index::{Field, FieldCounts, TermEntry, decode_length};
use page::DocId;
use serde::Serialize;

use crate::asked::Asked;
use crate::bonus::Bonus;
use crate::formula::{Documents, Explainer, FoundForms, Phrase};
use crate::lists::{Found, Lists};
use crate::more::MoreWord;
use crate::operators::{DocIterator, within_field};
use crate::points::Points;
use crate::query::Query;
use crate::scheme::Scheme;
use crate::signal::Signal;
use crate::textbook;
use crate::word::{Word, terms_of};
use crate::{Error, Limits, MeaningExplanation, PairExplanation, Searcher};

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
    /// How much repetition counts: an impact is w / (k1 + w), where w adds up what the fields give.
    pub k1: f32,
    /// What the words of the query contribute, in their order.
    pub terms: Vec<TermExplanation>,
    /// What words contribute that stand near each other.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<PairExplanation>,
    /// What is added because the title is the query, or the site is called so, if that is the case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole_title: Option<f64>,
    /// What words of the query in its title add, where it was looked at once more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title_words: Option<f64>,
    /// What its rank contributes, if ranks count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<RankExplanation>,
    /// What is added because the reader can read it, as far as is known of both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub readable: Option<f64>,
    /// What else is known of it and contributes, whatever was asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub signals: Vec<SignalExplanation>,
    /// What its meaning contributes, if meanings count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meaning: Option<MeaningExplanation>,
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

/// What contributes beside words and PageRank: see [`crate::Signal`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SignalExplanation {
    /// What it is called in the file of weights.
    pub name: &'static str,
    /// What is known: a multiple of the average, folders, letters, or days.
    pub number: f32,
    /// The most that it could add.
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
    /// How much of the score of the word this is: a word and its forms share it with the very word.
    pub share: f64,
    /// How often it occurs in the document.
    pub tf: u32,
    /// Where that is.
    pub fields: Vec<FieldExplanation>,
    /// In how many documents it occurs; of a phrase, its rarest word.
    pub df: u32,
    /// How telling that makes it; of a phrase, its words together.
    pub idf: f64,
    /// How much of the document it is, from 0 to 1.
    pub impact: f32,
    /// What it adds to the score: times · idf · (k1 + 1) · impact.
    pub contribution: f64,
}

/// What a word has in one field: weight · count / (1 − b + b · length / average).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FieldExplanation {
    /// Which field.
    pub field: Field,
    /// How often the word occurs in it.
    pub count: u32,
    /// How many words it has, nearly.
    pub length: u32,
    /// How many words this field has on average.
    pub average: f32,
    /// What a word counts in it.
    pub weight: f32,
    /// How much a long one is held back.
    pub b: f32,
}

impl Searcher {
    /// Says why `doc` has the score that it has.
    pub fn explain(&self, query: &Query, doc: DocId) -> Result<Explanation, Error> {
        let query = self.widened(query);
        let lists = Lists::new(self, query.spellings(), Limits::default());
        let query = lists.fit(&query)?.query;
        Explanation::new(&lists, &query, doc)
    }
}

impl Explanation {
    /// Of a query that fits.
    pub(crate) fn new(lists: &Lists<'_>, query: &Query, doc: DocId) -> Result<Self, Error> {
        if lists.searcher.scheme != Scheme::Bm25f {
            return Self::of_textbook(lists, query, doc);
        }
        let walk = Walk { lists, doc };
        let mut of_formula = Rows { walk: &walk, rows: Vec::new() };
        let holds = match query.must() {
            Some(node) => node.operator().explain(&mut of_formula)?,
            None => true,
        };
        let mut rows = of_formula.rows;
        let words_rows = if holds { walk.explain_terms(query)? } else { Vec::new() };
        let matches = holds && (!query.words_lead() || !words_rows.is_empty());
        rows.extend(words_rows);
        if !matches {
            rows.clear();
        }
        let words = (matches && !query.words().is_empty()).then(|| walk.found_words(query)).transpose()?;
        let (ranks, bonus) = (&lists.searcher.ranks, Bonus::new(lists, query)?);
        let explanation = Self {
            doc,
            matches,
            words,
            score: 0.0,
            k1: lists.searcher.scoring.model.k1,
            terms: rows,
            pairs: if matches { bonus.explain_pairs(doc)? } else { Vec::new() },
            whole_title: bonus.of_title(doc).filter(|_| matches),
            title_words: None,
            rank: (matches && ranks.count()).then(|| RankExplanation {
                rank: ranks.rank(doc),
                weight: ranks.weight(),
                contribution: ranks.rank_points(doc).score(),
            }),
            readable: Some(lists.standing().of_language(doc).score()).filter(|added| matches && *added > 0.0),
            signals: ranks.signals(doc).filter(|_| matches).map(SignalExplanation::new).collect(),
            meaning: None,
        };
        Ok(explanation.added_up())
    }

    /// By a formula of textbooks: the words alone.
    fn of_textbook(lists: &Lists<'_>, query: &Query, doc: DocId) -> Result<Self, Error> {
        let matches = Asked::new(lists, query)?.at(doc)?.is_some();
        let words = if matches { textbook::words(lists, query, doc)? } else { Vec::new() };
        let row = |word: &textbook::WordScore| TermExplanation {
            term: word.term.clone(),
            times: word.times,
            share: 1.0,
            tf: word.count,
            fields: Vec::new(),
            df: word.documents,
            idf: word.of_word,
            impact: word.of_document as f32,
            contribution: word.contribution(),
        };
        let explanation = Self {
            doc,
            matches,
            words: None,
            score: 0.0,
            k1: lists.searcher.scoring.model.k1,
            terms: words.iter().map(row).collect(),
            pairs: Vec::new(),
            whole_title: None,
            title_words: None,
            rank: None,
            readable: None,
            signals: Vec::new(),
            meaning: None,
        };
        Ok(explanation.added_up())
    }

    fn added_up(self) -> Self {
        let terms = self.terms.iter().map(|term| term.contribution);
        let pairs = self.pairs.iter().map(|pair| pair.contribution);
        let rank = self.rank.iter().map(|rank| rank.contribution);
        let signals = self.signals.iter().map(|signal| signal.contribution);
        let score =
            terms.chain(pairs).chain(self.whole_title).chain(rank).chain(self.readable).chain(signals).sum();
        Self { score, ..self }
    }
}

impl SignalExplanation {
    fn new((signal, number, weight, points): (Signal, f32, f64, Points)) -> Self {
        Self { name: signal.name(), number, weight, contribution: points.score() }
    }
}

/// Looks at one document, part by part of a query.
pub(crate) struct Walk<'l, 's> {
    pub(crate) lists: &'l Lists<'s>,
    pub(crate) doc: DocId,
}

impl Walk<'_, '_> {
    /// Which of the plain words the document has, itself or as a synonym.
    pub(crate) fn found_words(&self, query: &Query) -> Result<WordsExplanation, Error> {
        let (words, mut missing) = (query.words(), Vec::new());
        for word in words {
            if !self.has(&word.terms)? && !self.has_synonym(word, query)? {
                missing.push(word.typed.clone());
            }
        }
        Ok(WordsExplanation { found: words.len() - missing.len(), missing })
    }

    fn has_synonym(&self, word: &Word, query: &Query) -> Result<bool, Error> {
        let stands_for = |more: &&MoreWord| {
            more.of
                .as_ref()
                .is_some_and(|of| of.split(' ').any(|of| word.terms.iter().any(|term| term == of)))
        };
        for more in query.more().iter().filter(stands_for) {
            if self.has(std::slice::from_ref(&more.term))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether terms stand one after the other in the document.
    fn has(&self, terms: &[String]) -> Result<bool, Error> {
        match terms {
            [term] => {
                Ok(self.lists.term(term, 1)?.is_some_and(|mut term| term.advance(self.doc) == self.doc))
            }
            terms => match self.lists.phrase(terms, 0..)? {
                Some(mut phrase) => Ok(phrase.advance(self.doc) == self.doc && phrase.matches()?),
                None => Ok(false),
            },
        }
    }

    /// What the terms of plain words contribute, each once, and then those that were not typed.
    fn explain_terms(&self, query: &Query) -> Result<Vec<TermExplanation>, Error> {
        let mut rows = Vec::new();
        for (term, times) in terms_of(query.words()) {
            self.explain_word(term, times, 1.0, &mut rows)?;
        }
        for more in query.more() {
            let told = rows.len();
            self.explain_word(&more.term, 1, self.lists.weight_of(more)?, &mut rows)?;
            for row in &mut rows[told..] {
                row.term = format!("{} ({})", row.term, more.origin());
            }
        }
        Ok(rows)
    }

    /// A row for each list by which the word is found: that of its stem, and its own.
    fn explain_word(
        &self,
        term: &str,
        times: u32,
        of_it: f64,
        rows: &mut Vec<TermExplanation>,
    ) -> Result<bool, Error> {
        let Found { stem, exact } = self.lists.found(term)?;
        let stem_share = self.lists.stem_share();
        let of_stem = match &stem {
            Some(stem) => self.row(format!("{term} and its forms"), stem, stem_share * of_it, times),
            None => None,
        };
        let share = match (&stem, &exact) {
            _ if of_stem.is_some() => 1.0 - stem_share,
            (Some(stem), Some(exact)) => self.lists.share_alone(stem, exact),
            _ => 1.0,
        };
        let of_word = exact.and_then(|exact| self.row(term.to_owned(), &exact, share * of_it, times));
        let rows_before = rows.len();
        rows.extend(of_stem.into_iter().chain(of_word));
        Ok(rows.len() > rows_before)
    }

    /// What a list adds to the document with its share of the score, if it has it.
    fn row(&self, term: String, entry: &TermEntry, share: f64, times: u32) -> Option<TermExplanation> {
        let searcher = self.lists.searcher;
        let mut cursor = searcher.index.cursor(entry);
        if cursor.advance(self.doc) != self.doc {
            return None;
        }
        let (counts, codes) = (cursor.counts(), cursor.length_codes());
        let weight = self.lists.weight(std::slice::from_ref(entry), times).share(share);
        let impact = searcher.scoring.table.impact(&counts, &codes);
        Some(TermExplanation {
            term,
            times,
            share,
            tf: counts.total(),
            fields: self.fields(&counts, &codes),
            df: entry.document_frequency(),
            idf: weight.idf,
            impact,
            contribution: weight.points(impact).score(),
        })
    }

    /// The row of the better of the lists by which a word is found in a field.
    fn explain_word_within(
        &self,
        field: Field,
        term: &str,
        rows: &mut Vec<TermExplanation>,
    ) -> Result<bool, Error> {
        let searcher = self.lists.searcher;
        let mut best: Option<TermExplanation> = None;
        for (what, entry, weight) in self.lists.lists_within(term)? {
            let mut cursor = searcher.index.cursor(&entry);
            if cursor.advance(self.doc) != self.doc {
                continue;
            }
            let (counts, impact) = within_field(&mut cursor, field, &searcher.scoring);
            let contribution = weight.points(impact).score();
            if counts.total() > 0 && best.as_ref().is_none_or(|best| best.contribution < contribution) {
                best = Some(TermExplanation {
                    term: format!("{term}{what} in {}", field.name()),
                    times: 1,
                    share: if what.is_empty() { 1.0 } else { self.lists.stem_share() },
                    tf: counts.total(),
                    fields: self.fields(&counts, &cursor.length_codes()),
                    df: entry.document_frequency(),
                    idf: weight.idf,
                    impact,
                    contribution,
                });
            }
        }
        let is_there = best.is_some();
        rows.extend(best);
        Ok(is_there)
    }

    fn explain_phrase(
        &self,
        asked: &Phrase,
        field: Option<Field>,
        rows: &mut Vec<TermExplanation>,
    ) -> Result<bool, Error> {
        let offsets = asked.offsets.iter().copied();
        let (Some(entries), Some(mut phrase)) =
            (self.lists.entries(&asked.terms)?, self.lists.phrase(&asked.terms, offsets)?)
        else {
            return Ok(false);
        };
        if let Some(field) = field {
            phrase = phrase.within(field);
        }
        if phrase.advance(self.doc) != self.doc || !phrase.matches()? {
            return Ok(false);
        }
        let weight = self.lists.weight(&entries, 1);
        let codes = self.lists.searcher.index.length_codes(self.doc);
        let (counts, impact) = (phrase.counts()?, phrase.impact(&codes)?);
        rows.push(TermExplanation {
            term: match field {
                Some(field) => format!("{asked} in {}", field.name()),
                None => asked.to_string(),
            },
            times: 1,
            share: 1.0,
            tf: counts.total(),
            fields: self.fields(&counts, &codes),
            df: entries.iter().map(|entry| entry.document_frequency()).min().unwrap_or(0),
            idf: weight.idf,
            impact,
            contribution: weight.points(impact).score(),
        });
        Ok(true)
    }

    fn fields(&self, counts: &FieldCounts, codes: &[u8; index::FIELD_COUNT]) -> Vec<FieldExplanation> {
        let model = &self.lists.searcher.scoring.model;
        let here = Field::ALL.into_iter().filter(|field| counts.of(*field) > 0);
        here.map(|field| FieldExplanation {
            field,
            count: counts.of(field),
            length: decode_length(codes[field.index()]),
            average: model.averages[field.index()],
            weight: model.weights[field.index()],
            b: model.b[field.index()],
        })
        .collect()
    }
}

/// What the formula contributes.
struct Rows<'w, 'l, 's> {
    walk: &'w Walk<'l, 's>,
    rows: Vec<TermExplanation>,
}

impl Explainer for Rows<'_, '_, '_> {
    fn lists(&self) -> &Lists<'_> {
        self.walk.lists
    }

    fn is_in(&self, mut documents: Documents<'_>) -> Result<bool, Error> {
        Ok(documents.advance(self.walk.doc) == self.walk.doc && documents.matches()?)
    }

    fn term(&mut self, term: &str) -> Result<bool, Error> {
        self.walk.explain_word(term, 1, 1.0, &mut self.rows)
    }

    fn term_within(&mut self, field: Field, term: &str) -> Result<bool, Error> {
        self.walk.explain_word_within(field, term, &mut self.rows)
    }

    fn phrase(&mut self, phrase: &Phrase, field: Option<Field>) -> Result<bool, Error> {
        self.walk.explain_phrase(phrase, field, &mut self.rows)
    }

    fn doc(&self) -> DocId {
        self.walk.doc
    }

    fn forms(&mut self, found: FoundForms) {
        let FoundForms { name, documents, counts, impact, weight } = found;
        let codes = self.walk.lists.searcher.index.length_codes(self.walk.doc);
        self.rows.push(TermExplanation {
            term: name,
            times: 1,
            share: 1.0,
            tf: counts.total(),
            fields: self.walk.fields(&counts, &codes),
            df: documents.try_into().unwrap_or(u32::MAX),
            idf: weight.idf,
            impact,
            contribution: weight.points(impact).score(),
        });
    }

    fn told(&self) -> usize {
        self.rows.len()
    }

    fn forget(&mut self, told: usize) {
        self.rows.truncate(told);
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.matches {
            return write!(f, "document {} does not match", self.doc);
        }
        match &self.words {
            Some(words) if words.missing.is_empty() => write!(f, "all words; ")?,
            Some(words) => write!(f, "{} of {} words; ", words.found, words.found + words.missing.len())?,
            None => {}
        }
        write!(f, "score {:.4}", self.score)?;
        self.terms.iter().try_for_each(|term| write!(f, "\n  {term}"))?;
        self.pairs.iter().try_for_each(|pair| write!(f, "\n  {pair}"))?;
        self.whole_title
            .iter()
            .try_for_each(|added| write!(f, "\n  {added:.4}  title or site are called so"))?;
        self.title_words.iter().try_for_each(|added| write!(f, "\n  {added:.4}  words in the title"))?;
        self.rank.iter().try_for_each(|rank| write!(f, "\n  {rank}"))?;
        self.readable.iter().try_for_each(|added| write!(f, "\n  {added:.4}  the language can be read"))?;
        self.signals.iter().try_for_each(|signal| write!(f, "\n  {signal}"))?;
        self.meaning.iter().try_for_each(|meaning| write!(f, "\n  {meaning}"))
    }
}

impl fmt::Display for RankExplanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rank, weight, contribution } = self;
        write!(f, "{contribution:.4}  links: {rank:.2} times the average rank, weight {weight}")
    }
}

impl fmt::Display for SignalExplanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, number, weight, contribution } = self;
        write!(f, "{contribution:.4}  {name}: {number:.2}, weight {weight}")
    }
}

impl fmt::Display for TermExplanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { term, times, share, tf, fields, df, idf, impact, contribution } = self;
        write!(f, "{contribution:.4}  {term}: tf {tf}")?;
        for (field, before) in fields.iter().zip([" (", ", ", ", ", ", ", ", ", ", "]) {
            write!(f, "{before}{field}")?;
        }
        let end = if fields.is_empty() { "" } else { ")" };
        write!(f, "{end}, df {df}, idf {idf:.4}, impact {impact:.4}")?;
        if *share < 1.0 {
            write!(f, ", counts ×{share:.1}")?;
        }
        if *times > 1 { write!(f, ", typed ×{times}") } else { Ok(()) }
    }
}

impl fmt::Display for FieldExplanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, count, length, average, weight, .. } = self;
        write!(f, "{count} in {} of {length}, {average:.1} on average, ×{weight}", field.name())
    }
}
