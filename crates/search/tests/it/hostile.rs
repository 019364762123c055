//! Whatever somebody types is answered or refused, and costs no more than its limits allow: machine-made queries of the worst
//! kinds, on lists that are long.
//!
//! Where a deadline has passed before a search begins, time is counted, not measured: the search may do no more than it does
//! between two looks at the clock, however long the lists are. Where it comes meanwhile, nobody counts what is done behind it: who
//! forgets to ask takes no steps either. There the thread's own time is measured, which does not grow when other programs
//! run, and what it may take is many times what it takes.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use index::{Index, IndexBuilder, IndexDocument, Piece};
use page::PageKey;
use rustix::time::{ClockId, clock_gettime};
use search::{AnswerRequest, CopiesView, Limits, PageReader, PageText, Query, Searcher};

use crate::{Fixture, fixture};

/// Every page has the same few words many times, so that each list has all pages and each page many positions.
const PAGES: usize = 6_000;

fn pages() -> &'static Fixture {
    static PAGES_FIXTURE: OnceLock<Fixture> = OnceLock::new();
    PAGES_FIXTURE.get_or_init(|| {
        let text = |page: usize| format!("{} w{page} x{}", "a b c ab ".repeat(4 + page % 3), page % 7);
        fixture(&(0..PAGES).map(|page| ("a b".to_owned(), text(page))).collect::<Vec<_>>())
    })
}

struct Blank;

impl PageReader for Blank {
    fn read(&self, _key: page::PageKey) -> Option<PageText> {
        Some(PageText::default())
    }
}

/// Numbers that look random, and are the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    /// A query of pieces that mean something, and of some that mean nothing.
    fn query(&mut self) -> String {
        let pieces = [
            "a",
            "b",
            "c",
            "ab",
            "absent",
            "a*",
            "w*",
            "w1*",
            "*",
            "\"",
            "\"a b\"",
            "\"a * c",
            "(",
            ")",
            "((",
            "))",
            "-",
            "NOT",
            "+",
            "OR",
            "|",
            "AND",
            "NEAR/0",
            "NEAR/3",
            "NEAR/4294967296",
            "<",
            "WITHIN",
            "CONTAINING",
            "title:",
            "title:a",
            "title:(",
            "url:x",
            "site:a.org",
            "site:",
            "lang:de",
            "type:html",
            "after:2020",
            "before:2021-02-30",
            "cache:x",
            "\u{0}",
            "\u{202e}",
            "é",
            "東京都",
            "a-b-c",
            "🎉",
            "\\",
            "'",
            "%00",
            "a:b:c",
            "<script>",
        ];
        let most = [3, 12, 60, 400][self.below(4)];
        let count = 1 + self.below(most);
        let glue = [" ", " ", " ", ""][self.below(4)];
        (0..count).map(|_| pieces[self.below(pieces.len())]).collect::<Vec<_>>().join(glue)
    }
}

/// Words of which every page has many, in an order of its own.
const FREQUENT: [&str; 24] = [
    "the", "of", "to", "in", "and", "is", "for", "this", "be", "that", "with", "on", "or", "as", "by", "an",
    "are", "it", "not", "if", "from", "can", "class", "value",
];

/// A walk through so many pages of so many words takes far longer than a deadline and all that may come behind it.
const LONG_PAGES: usize = 30_000;
const LONG_WORDS: usize = 120;

fn long_pages() -> Fixture {
    let (folder, mut random) = (tempfile::tempdir().unwrap(), Random(3));
    let mut builder = IndexBuilder::create(folder.path(), 64 << 20).unwrap();
    for key in (0..LONG_PAGES as u64).map(PageKey::new) {
        let text: Vec<&str> = (0..LONG_WORDS).map(|_| FREQUENT[random.below(FREQUENT.len())]).collect();
        let (title, text) = (format!("page{}", key.get()), text.join(" "));
        let pieces = Piece::title_and_text(&title, &text);
        builder.add(&IndexDocument { key, language: None, pieces: &pieces }).unwrap();
    }
    builder.finish("").unwrap();
    Fixture { searcher: Searcher::new(Arc::new(Index::open(folder.path()).unwrap())), _folder: folder }
}

impl Random {
    fn word(&mut self) -> &'static str {
        FREQUENT[self.below(FREQUENT.len())]
    }

    /// From two to so many words with this between them.
    fn joined(&mut self, most: usize, between: &str) -> String {
        let count = 2 + self.below(most - 1);
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(between)
    }

    /// Characters of all kinds, at most so many.
    fn characters(&mut self, most: usize) -> String {
        let count = 1 + self.below(most);
        (0..count).filter_map(|_| char::from_u32(self.below(0x3000) as u32)).collect()
    }

    /// A query that takes long if nobody stops it.
    fn hostile_query(&mut self, kind: usize) -> String {
        match kind % 12 {
            0 => self.joined(60, " "),
            1 => self.joined(40, " OR "),
            2 => format!("\"{}\"", self.joined(12, " ")),
            3 => self.joined(14, " NEAR/3 "),
            4 => self.joined(14, " < "),
            5 => format!("{}* p* {}*", &self.word()[..1], self.joined(6, "* ")),
            6 => "(".repeat(self.below(20)) + &self.joined(8, ") AND (") + &")".repeat(self.below(20)),
            7 => format!("-{}", self.joined(20, " -")),
            8 => format!("({}) NEAR/50 ({})", self.joined(10, " OR "), self.joined(10, " OR ")),
            9 => format!("\"{}\"", self.joined(8, " * ")),
            10 => format!("({}) CONTAINING ({})", self.joined(4, " < "), self.joined(4, " NEAR ")),
            _ => self.characters(400) + &self.joined(3, " ").repeat(1 + self.below(400)),
        }
    }
}

/// How long this thread has worked.
fn own_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[test]
fn hostile_queries_end_soon_behind_a_deadline_that_comes_while_they_run() {
    let (deadline, late_max) = (Duration::from_millis(3), Duration::from_millis(100));
    let (pages, mut random) = (long_pages(), Random(77));
    let (mut stopped, mut latest) = (0, (Duration::ZERO, String::new()));
    for kind in 0..2_400 {
        let text = random.hostile_query(kind);
        let before = own_time();
        let limits = Limits { deadline: Some(Instant::now() + deadline), ..Limits::default() };
        if let Ok(query) = Query::parse(&text) {
            let hits = pages.searcher.search_within(&query, 0, 10, CopiesView::default(), limits).unwrap();
            stopped += usize::from(hits.partial);
        }
        let late = (own_time() - before).saturating_sub(deadline);
        if late > latest.0 {
            latest = (late, text);
        }
    }
    // Otherwise the deadline did not matter.
    assert!(stopped > 400, "{stopped}");
    assert!(latest.0 < late_max, "{:?} behind the deadline: {:?}", latest.0, latest.1);
}

#[test]
fn three_thousand_machine_made_queries_stop_when_their_time_is_over() {
    let searcher = &pages().searcher;
    let mut random = Random(14);
    let (mut answered, mut operators) = (0, 0);
    for _ in 0..3_000 {
        let text = random.query();
        let limits = Limits { deadline: Some(Instant::now()), ..Limits::default() };
        let request = AnswerRequest { count: 10, limits, ..AnswerRequest::default() };
        match searcher.answer_request(&text, &request, &Blank) {
            Ok(answer) => {
                answered += 1;
                operators += usize::from(text.contains("NEAR/3") && text.contains("w*"));
                assert!(answer.total <= 2048, "{text:?} looked at {} documents", answer.total);
                assert!(answer.notes.len() <= search::NOTES_MAX, "{text:?}");
            }
            Err(problem) => assert!(!problem.to_string().is_empty(), "{text:?}"),
        }
    }
    assert!(answered > 1_500 && operators > 50, "{answered} {operators}");
}

#[test]
fn machine_made_queries_that_have_time_are_answered_as_they_are_explained() {
    let searcher = &pages().searcher;
    let mut random = Random(41);
    for _ in 0..60 {
        let text = random.query();
        let Ok(query) = Query::parse(&text) else { continue };
        let hits = searcher.search_within(&query, 0, 3, CopiesView::default(), Limits::default()).unwrap();
        for hit in hits.hits {
            let explanation = searcher.explain(&query, hit.doc).unwrap();
            assert!(
                explanation.matches && (explanation.score - hit.score).abs() < 1e-6,
                "{text:?} {explanation}"
            );
        }
    }
}

#[test]
fn of_very_many_words_that_begin_alike_the_most_frequent_are_looked_for() {
    let searcher = &pages().searcher;
    let answer = searcher.answer("w*", 0, 1, &Blank).unwrap();
    let said: Vec<String> = answer.notes.iter().map(ToString::to_string).collect();
    assert_eq!(said, ["of 6000 words that begin like “w*” the 64 most frequent were looked for"]);
    assert_eq!(answer.total, 64);
    let answer = searcher.answer("wx*", 0, 1, &Blank).unwrap();
    assert_eq!(answer.notes[0].to_string(), "no word begins like “wx*”");
    assert_eq!(searcher.answer("x*", 0, 1, &Blank).unwrap().notes, []);
}
