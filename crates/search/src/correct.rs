//! Did you mean …? Words of a query that are unknown here, or rare, and spelled like a much more frequent one.
//!
//! A candidate is worth the logarithm of how many pages have it, less a price for each edit, a higher one for the first
//! letter, which is seldom wrong: the noisy channel of Kernighan, Church and Gale, "A Spelling Correction Program Based on a
//! Noisy Channel Model" (COLING 1990), with one price in place of their tables. Where the query has other words, the best
//! candidates also count by how many pages have them together: "apache sevrer" is about a server, "dinner sevrer" may not be.
//!
//! Words that are fine are left alone: whatever is found, by itself or by its stem, on more than a few pages, or is short,
//! or has digits, or is only another form of its candidate. With the vocabulary of 6,386 abstracts the right word comes first
//! for more than 85 % of the misspellings of codespell and a third of those of Birkbeck, many of which are more than two edits
//! away, and of the right words that some abstract has, fewer than 1 % are doubted (`tests/it/corrections.rs`).
//!
//! Cost: nothing where all words are frequent; else one scan of the [`Vocabulary`] a word, well below a millisecond.

use std::collections::HashMap;

use index::Analyzer;
use page::DocId;

use crate::lists::Lists;
use crate::operators::DocIterator as _;
use crate::query::Query;
use crate::vocabulary::{Entry, Vocabulary, is_of_script_without_spaces};
use crate::{Error, Searcher};

/// Words with fewer letters have too many neighbours.
const CHARS_MIN: usize = 3;

/// From so many letters on two edits are believed, and a slip in a word that is on some page.
const CHARS_OF_LONG: usize = 5;

/// A word that is on some pages is only corrected to one that is on so many times as many.
const TIMES_AS_FREQUENT: u32 = 100;

/// So many words of a query are looked at.
const WORDS_MAX: usize = 6;

/// What an edit costs, and that the first letter is another one.
const PRICE_OF_EDIT: f64 = 7.0;
const PRICE_OF_FIRST: f64 = 4.0;

/// So many candidates are compared by the other words of the query.
const COMPARED: usize = 4;

/// So many pages are looked at to see whether words stand together.
const STEPS_MAX: usize = 500;

/// Looks for words that were meant: the text of the query with them, if there are any.
pub(crate) fn corrected(lists: &Lists<'_>, query: &Query, text: &str) -> Result<Option<String>, Error> {
    let searcher = lists.searcher;
    let analyzer = searcher.index.analyzer();
    let mut meant = HashMap::new();
    for term in query.terms().iter().filter(|term| may_be_wrong(term)).take(WORDS_MAX) {
        let documents = lists.found(term)?.main().map_or(0, |entry| entry.document_frequency());
        // No word is on so many times as many pages as there are.
        if documents.saturating_mul(TIMES_AS_FREQUENT) >= searcher.index.documents().max(1) {
            continue;
        }
        let candidates = candidates(searcher.vocabulary()?, term, documents, analyzer);
        if let Some(best) = best(lists, query, term, candidates)? {
            meant.insert(term.as_str(), best);
        }
    }
    Ok(rewritten(text, analyzer, &meant))
}

fn may_be_wrong(term: &str) -> bool {
    term.chars().count() >= CHARS_MIN
        && term.chars().all(|c| c.is_alphabetic() && !is_of_script_without_spaces(c))
}

/// Words that may have been meant, the likeliest first.
fn candidates<'v>(
    vocabulary: &'v Vocabulary,
    term: &str,
    documents: u32,
    analyzer: Analyzer,
) -> Vec<(f64, &'v str)> {
    let is_long_word = |word: &str| word.chars().count() >= CHARS_OF_LONG;
    let is_long = is_long_word(term);
    let edits_max = match documents {
        0 => 1 + usize::from(is_long),
        _ => usize::from(is_long),
    };
    let alike = vocabulary.alike(term, edits_max, documents.saturating_mul(TIMES_AS_FREQUENT));
    let stems = analyzer.stems(term, term);
    let is_another_word = |entry: &Entry<'_>| {
        entry.word != term
            && may_be_wrong(entry.word)
            && !analyzer.stems(entry.word, entry.word).iter().any(|stem| stems.contains(stem))
    };
    let mut candidates: Vec<(f64, &str)> = alike
        .into_iter()
        .filter(|(entry, edits)| is_another_word(entry) && (*edits < 2 || is_long_word(entry.word)))
        .map(|(entry, edits)| (worth(term, &entry, edits), entry.word))
        .collect();
    candidates.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
    candidates
}

fn worth(term: &str, candidate: &Entry<'_>, edits: usize) -> f64 {
    let is_other_first = term.chars().next() != candidate.word.chars().next();
    f64::from(candidate.documents).ln()
        - PRICE_OF_EDIT * edits as f64
        - if is_other_first { PRICE_OF_FIRST } else { 0.0 }
}

/// The best candidate, by the other words of the query too.
fn best(
    lists: &Lists<'_>,
    query: &Query,
    term: &str,
    candidates: Vec<(f64, &str)>,
) -> Result<Option<String>, Error> {
    let mut best: Option<(f64, &str)> = None;
    for (worth, candidate) in candidates.into_iter().take(COMPARED) {
        let mut worth = worth;
        for other in query.terms().iter().filter(|other| *other != term) {
            worth += f64::from(together(lists, candidate, other)?).ln_1p();
        }
        if best.is_none_or(|(most, _)| worth > most) {
            best = Some((worth, candidate));
        }
    }
    Ok(best.map(|(_, word)| word.to_owned()))
}

/// On how many pages two words are, as far as so many steps tell.
pub(crate) fn together(lists: &Lists<'_>, one: &str, other: &str) -> Result<u32, Error> {
    let (Some(mut one), Some(mut other)) = (lists.term(one, 1)?, lists.term(other, 1)?) else { return Ok(0) };
    let (mut doc, mut pages) = (one.doc(), 0);
    for _ in 0..STEPS_MAX {
        if doc == DocId::END {
            break;
        }
        let there = other.advance(doc);
        if there == doc {
            pages += 1;
            doc = one.next();
        } else {
            doc = one.advance(there);
        }
    }
    Ok(pages)
}

/// The text with other words in place of some.
fn rewritten(text: &str, analyzer: Analyzer, meant: &HashMap<&str, String>) -> Option<String> {
    let (mut rewritten, mut at) = (String::new(), 0);
    analyzer.tokens(text, &mut |token| {
        if let Some(word) = meant.get(token.term).filter(|_| token.start >= at) {
            rewritten.push_str(&text[at..token.start]);
            rewritten.push_str(word);
            at = token.end;
        }
    });
    (at > 0).then(|| rewritten + &text[at..])
}

impl Searcher {
    /// The more frequent words of the index; read when they are first asked for.
    pub fn vocabulary(&self) -> Result<&Vocabulary, Error> {
        if let Some(vocabulary) = self.vocabulary.get() {
            return Ok(vocabulary);
        }
        // Kept ones that are damaged or of another index are as good as none: the index has the words.
        let kept = self.kept_words.as_deref();
        let kept = kept.and_then(|kept| Vocabulary::open(&kept.path, &kept.made_from).ok().flatten());
        let read = match kept {
            Some(kept) => kept,
            None => Vocabulary::read(&self.index)?,
        };
        Ok(self.vocabulary.get_or_init(|| read))
    }

    /// What a word was probably meant to be, if it is not fine as it is.
    pub fn correction(&self, word: &str) -> Result<Option<String>, Error> {
        let Ok(query) = Query::parse_for(word, self.index.analyzer()) else { return Ok(None) };
        corrected(&Lists::new(self, query.spellings(), crate::Limits::default()), &query, word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likeliest_comes_first() {
        let words =
            [("cat", 30), ("sat", 90_000), ("seat", 80), ("serve", 100), ("server", 900), ("severe", 600)];
        let vocabulary = Vocabulary::of(&words);
        let rows: &[(&str, u32, &[&str])] = &[
            ("sevrer", 0, &["server", "severe", "serve"]),
            ("servr", 0, &["server", "serve"]),
            ("xxxxxx", 0, &[]),
            // Few letters leave room for one edit, and a first letter is seldom wrong.
            ("caat", 0, &["cat"]),
            ("ct", 0, &[]),
            // On one page, so that only what is on more than a hundred is believed.
            ("sevrer", 1, &["server"]),
            ("sevrer", 9, &[]),
        ];
        for (word, documents, expected) in rows {
            let found = candidates(&vocabulary, word, *documents, Analyzer::default());
            let found: Vec<&str> =
                found.into_iter().map(|(_, word)| word).filter(|_| may_be_wrong(word)).collect();
            assert_eq!(found, *expected, "{word} on {documents}");
        }
    }

    #[test]
    fn only_the_word_itself_is_replaced() {
        let meant = HashMap::from([("sevrer", "server".to_owned())]);
        let rewritten = |text| rewritten(text, Analyzer::default(), &meant);
        assert_eq!(rewritten("Sevrer \"a sevrer\" -x").as_deref(), Some("server \"a server\" -x"));
        assert_eq!(rewritten("title:sevrer OR été").as_deref(), Some("title:server OR été"));
        assert_eq!(rewritten("servers"), None);
    }
}
