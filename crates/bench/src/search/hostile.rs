//! Queries that are made to hurt: how late is the latest answer when a deadline comes while it is looked for?
//!
//! Ten thousand of them, of the most frequent words of the documents: many words, chains of operators that say where words
//! stand, beginnings of one letter, phrases with gaps, deep parentheses, any characters, very long ones. Each has a deadline,
//! and the latest counts; what cannot be understood is refused, and counts too. A time is the thread's own, of a whole query from
//! its text on: what others do on the machine is not counted.

use std::cmp::Reverse;
use std::time::{Duration, Instant};

use ::search::{CopiesView, Limits, Query, Searcher};

use crate::index::{Corpus, Inverted};
use crate::{Error, Row, clock};

const QUERIES: usize = 10_000;
const DEADLINE: Duration = Duration::from_millis(20);
/// No answer may be later than this, in milliseconds behind its deadline.
const LATE_MS_MAX: f64 = 20.0;
/// So many of the most frequent words are asked for.
const WORDS: usize = 60;

/// Measures by how much the latest answer missed its deadline.
pub(super) fn rows(corpus: &Corpus, searcher: &Searcher) -> Result<[Row; 2], Error> {
    let mut hostile = Hostile { words: frequent(&Inverted::new(corpus)), state: 1 };
    let (mut latest, mut stopped) = (0f64, 0u32);
    for kind in 0..QUERIES {
        let text = hostile.query(kind);
        let limits = Limits { deadline: Some(Instant::now() + DEADLINE), ..Limits::default() };
        let (is_stopped, nanoseconds) = clock::timed(|| match Query::parse(&text) {
            Ok(query) => Ok(searcher.search_within(&query, 0, 10, CopiesView::Shown, limits)?.partial),
            Err(_) => Ok::<_, Error>(false),
        });
        stopped += u32::from(is_stopped?);
        latest = latest.max(nanoseconds / 1e6 - DEADLINE.as_secs_f64() * 1e3);
    }
    let name = |what: &str| format!("{}: hostile queries, {what}", corpus.name);
    Ok([
        Row::absolute(name("the latest behind its deadline"), "ms", latest, LATE_MS_MAX),
        Row::informative(name("stopped by it"), "%", f64::from(stopped) * 100.0 / QUERIES as f64),
    ])
}

/// The words that are in most documents.
fn frequent<'c>(inverted: &Inverted<'c>) -> Vec<&'c str> {
    let mut words: Vec<usize> = (0..inverted.words.len()).collect();
    words.sort_by_key(|word| Reverse(inverted.frequency(*word)));
    words.truncate(WORDS);
    words.into_iter().map(|word| inverted.words[word]).collect()
}

/// Makes queries that look random, and are the same each time.
struct Hostile<'w> {
    words: Vec<&'w str>,
    state: u64,
}

impl Hostile<'_> {
    fn below(&mut self, limit: usize) -> usize {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize % limit.max(1)
    }

    fn word(&mut self) -> &str {
        let number = self.below(self.words.len());
        self.words.get(number).copied().unwrap_or_default()
    }

    /// From two to so many words with this between them.
    fn joined(&mut self, most: usize, between: &str) -> String {
        let count = 2 + self.below(most - 1);
        (0..count).map(|_| self.word().to_owned()).collect::<Vec<_>>().join(between)
    }

    /// So many characters at most, which may be any.
    fn characters(&mut self, most: usize) -> String {
        let count = 1 + self.below(most);
        (0..count).filter_map(|_| char::from_u32(self.below(0x3000) as u32)).collect()
    }

    fn query(&mut self, kind: usize) -> String {
        match kind % 12 {
            0 => self.joined(60, " "),
            1 => self.joined(40, " OR "),
            2 => format!("\"{}\"", self.joined(12, " ")),
            3 => self.joined(14, " NEAR/3 "),
            4 => self.joined(14, " < "),
            5 => self.word().chars().take(1).collect::<String>() + "* " + &self.joined(6, "* "),
            6 => "(".repeat(self.below(20)) + &self.joined(8, ") AND (") + &")".repeat(self.below(20)),
            7 => format!("-{}", self.joined(20, " -")),
            8 => format!("({}) NEAR/50 ({})", self.joined(10, " OR "), self.joined(10, " OR ")),
            9 => format!("\"{}\"", self.joined(8, " * ")),
            10 => format!("({}) CONTAINING ({})", self.joined(4, " < "), self.joined(4, " NEAR ")),
            _ => self.characters(400) + &self.joined(3, " ").repeat(1 + self.below(400)),
        }
    }
}
