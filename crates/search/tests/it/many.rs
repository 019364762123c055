//! Many queries over many collections: whatever the segments, the order of documents, the ranks and how many results are asked
//! for, the answers are those of somebody who reads every page.

use std::collections::BTreeSet;
use std::sync::Arc;

use index::{Index, IndexBuilder, IndexDocument, Order, Piece};
use page::PageKey;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use search::{LinkRanks, Query, Searcher};
use tempfile::TempDir;

use crate::boolean::{Formula, TERMS_MAX, any_formula};

/// How a collection is made.
#[derive(Debug, Clone)]
struct Made {
    seed: u64,
    pages: usize,
    /// Shares of the pages that are in each segment.
    segments: Vec<usize>,
    order: Order,
    has_ranks: bool,
}

fn any_made() -> impl Strategy<Value = Made> {
    let pages = prop_oneof![0usize..40, 300usize..1000];
    let segments = prop::collection::vec(1usize..5, 1..4);
    let order = prop::sample::select(Order::ALL.to_vec());
    (any::<u64>(), pages, segments, order, any::<bool>()).prop_map(
        |(seed, pages, segments, order, has_ranks)| Made { seed, pages, segments, order, has_ranks },
    )
}

/// Numbers that look as if they were thrown.
fn dice(mut state: u64) -> impl FnMut(u64) -> u64 {
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    }
}

impl Made {
    /// Title and text of each page; stretches of pages have few words in common with others.
    fn pages(&self) -> Vec<(String, String)> {
        let mut dice = dice(self.seed | 1);
        let mut words = |most: u64, stretch: u64| -> String {
            let word =
                |dice: &mut dyn FnMut(u64) -> u64| ["a", "ab", "b", "c"][(dice(4 + stretch) % 4) as usize];
            let count = dice(most + 1);
            (0..count).map(|_| word(&mut dice)).collect::<Vec<_>>().join(" ")
        };
        (0..self.pages as u64).map(|page| (words(2, page / 100), words(9, page / 100 % 3))).collect()
    }

    fn build(&self, pages: &[(String, String)]) -> (Searcher, TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let (all, mut first) = (self.segments.iter().sum::<usize>(), 0);
        let mut before = 0;
        for (number, share) in self.segments.iter().enumerate() {
            before += share;
            let end = pages.len() * before / all;
            let mut builder = match number {
                0 => IndexBuilder::create(folder.path(), 8 << 20).unwrap().with_order(self.order),
                _ => IndexBuilder::append(folder.path(), 8 << 20).unwrap(),
            };
            for (page, (title, text)) in (first..end).zip(&pages[first..end]) {
                let pieces = Piece::title_and_text(title, text);
                let key = PageKey::new(page as u64);
                builder.add(&IndexDocument { key, language: None, pieces: &pieces }).unwrap();
            }
            if matches!(self.order, Order::Address | Order::Rank) {
                let mut order: Vec<u32> = (0..(end - first) as u32).collect();
                order.sort_by_key(|number| {
                    (u64::from(*number) ^ self.seed).wrapping_mul(0x9e37_79b9_7f4a_7c15)
                });
                builder.arrange(order);
            }
            builder.finish("test").unwrap();
            first = end;
        }
        let searcher = Searcher::new(Arc::new(Index::open(folder.path()).unwrap()));
        let rank = |doc: usize| if doc.is_multiple_of(97) { 30.0 } else { (doc % 7) as f32 * 0.3 };
        let ranks = LinkRanks::new((0..pages.len()).map(rank).collect(), 2.0);
        (if self.has_ranks { searcher.with_ranks(ranks) } else { searcher }, folder)
    }
}

/// Asks for all, which are those that a reader finds, and then for the best few, which are the first of all.
fn ask(searcher: &Searcher, formula: &Formula, pages: &[(String, String)]) {
    let query = Query::parse(&formula.typed()).unwrap();
    let all = searcher.search(&query, 0, 1000).unwrap();
    let found: BTreeSet<u64> = all.hits.iter().map(|hit| hit.key.get()).collect();
    let holds = |page: &(String, String)| {
        formula.holds(&[page.0.split_whitespace().collect(), page.1.split_whitespace().collect()])
    };
    let expected: BTreeSet<u64> =
        (0..).zip(pages).filter(|(_, page)| holds(page)).map(|(key, _)| key).collect();
    assert_eq!(found, expected, "{}", formula.typed());
    assert_eq!(all.total, expected.len() as u64, "{}", formula.typed());
    let is_before =
        |a: &search::Hit, b: &search::Hit| a.score > b.score || a.score == b.score && a.doc < b.doc;
    assert!(all.hits.windows(2).all(|pair| is_before(&pair[0], &pair[1])), "{}", formula.typed());
    for hit in all.hits.iter().step_by(all.hits.len() / 3 + 1) {
        let explanation = searcher.explain(&query, hit.doc).unwrap();
        assert!(explanation.matches && (explanation.score - hit.score).abs() < 1e-9, "{explanation}");
    }
    for count in [1, 3, 10, 100] {
        let best = searcher.search(&query, 0, count).unwrap().hits;
        assert_eq!(best, all.hits[..count.min(all.hits.len())], "{} of {}", count, formula.typed());
    }
}

/// Asks so many queries, of collections of 24 each.
fn ask_many(queries: u32) {
    let mut runner = TestRunner::new(Config { cases: queries.div_ceil(24), ..Config::default() });
    let any = (any_made(), prop::collection::vec(any_formula(), 24));
    let asked = runner.run(&any, |(made, formulas)| {
        let pages = made.pages();
        let (searcher, _folder) = made.build(&pages);
        let fit = formulas.iter().filter(|formula| formula.terms() <= TERMS_MAX);
        fit.for_each(|formula| ask(&searcher, formula, &pages));
        Ok(())
    });
    asked.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn segments_orders_and_ranks_change_nothing_that_is_found() {
    ask_many(480);
}

#[test]
fn a_phrase_is_on_no_document_of_the_next_segment_before_all_its_words_are() {
    let made = Made {
        seed: 10_734_465_840_349_018_397,
        pages: 32,
        segments: vec![2, 3, 2],
        order: Order::Address,
        has_ranks: false,
    };
    let pages = made.pages();
    let (searcher, _folder) = made.build(&pages);
    ask(&searcher, &Formula::All(vec![Formula::Word("ab"), Formula::Title(vec!["c", "ab"])]), &pages);
}

#[test]
#[ignore = "takes some minutes: cargo test --release -p search --test it -- --ignored a_hundred_thousand"]
fn a_hundred_thousand_queries_find_what_a_reader_finds() {
    ask_many(100_000);
}
