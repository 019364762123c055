//! The best are found without looking at all, and are those that looking at all would find.

use std::sync::{Arc, OnceLock};

use index::{Index, IndexBuilder, IndexDocument, Piece};
use page::{DocId, PageKey};
use proptest::prelude::*;
use search::{
    Copies, CopiesView, Hit, KNOBS, Limits, LinkRanks, Query, Searcher, Signal, TotalIs, TotalWish, Weights,
};
use tempfile::TempDir;

/// More documents than a window has, in lists of many blocks.
const DOCUMENTS: u32 = 12_000;

/// Word number n is in about one of (n + 1)² / 2 documents; some stretches of documents have more of it.
fn text(document: u32) -> (String, String) {
    let mut state = u64::from(document) + 1;
    let mut random = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let dense = u64::from(document / 700 % 3);
    let mut words = Vec::new();
    for word in 0..12u64 {
        if random((word + 1) * (word + 1) + 1) <= 1 {
            words.extend((0..=random(1 + 3 * dense)).map(|_| format!("w{word}")));
        }
    }
    words.extend((0..random(30)).map(|_| "filler".to_owned()));
    for place in (1..words.len()).rev() {
        words.swap(place, random(place as u64 + 1) as usize);
    }
    let title = match random(9) {
        0 => format!("w{}", random(12)),
        1 => format!("w{} w{}", random(4), random(4)),
        _ => String::new(),
    };
    (title, words.join(" "))
}

struct Collection {
    searcher: Searcher,
    _folder: TempDir,
}

/// Three segments, in each of which the most frequent words have peaks, in the first also rarer ones, of long stretches; ranks,
/// and copies in groups of different sizes.
fn collection() -> &'static Collection {
    static COLLECTION: OnceLock<Collection> = OnceLock::new();
    COLLECTION.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        for (first, end) in [(0, 8_000), (8_000, 8_800), (8_800, DOCUMENTS)] {
            let builder = if first == 0 { IndexBuilder::create } else { IndexBuilder::append };
            let mut builder = builder(folder.path(), 64 << 20).unwrap();
            for document in first..end {
                let (title, text) = text(document);
                let pieces = Piece::title_and_text(&title, &text);
                builder
                    .add(&IndexDocument {
                        key: PageKey::new(document.into()),
                        language: None,
                        pieces: &pieces,
                    })
                    .unwrap();
            }
            builder.finish("test").unwrap();
        }
        let searcher = Searcher::new(Arc::new(Index::open(folder.path()).unwrap()));
        Collection { searcher, _folder: folder }
    })
}

fn groups() -> Vec<Vec<DocId>> {
    let group = |number: u32| {
        (0..number % 5).map(move |member| DocId::new((number * 97 + member * 1501) % DOCUMENTS))
    };
    let mut seen = std::collections::HashSet::new();
    (1..700).map(|number| group(number).filter(|doc| seen.insert(*doc)).collect()).collect()
}

fn searcher(has_ranks: bool, has_copies: bool) -> Searcher {
    let mut searcher = collection().searcher.clone();
    if has_ranks {
        let rank = |doc: u32| if doc.is_multiple_of(1013) { 40.0 } else { (doc % 7) as f32 * 0.2 };
        let ranks = LinkRanks::new((0..DOCUMENTS).map(rank).collect(), 2.0);
        let depths = (0..DOCUMENTS).map(|doc| (doc % 5) as f32).collect();
        searcher = searcher.with_ranks(ranks.with_signal(Signal::Depth, depths));
    }
    if has_copies {
        let groups = groups();
        searcher = searcher.with_copies(Arc::new(Copies::new(DOCUMENTS, groups.iter().map(Vec::as_slice))));
    }
    searcher
}

/// Any weights that make sense, the defaults as often as others.
fn any_weights() -> impl Strategy<Value = Weights> {
    let numbers =
        prop::collection::vec(prop::sample::select(vec![None, Some(0.0), Some(0.4), Some(3.0)]), KNOBS.len());
    (any::<bool>(), numbers).prop_map(|(is_default, numbers)| {
        let moved = KNOBS.iter().zip(numbers).filter_map(|(knob, number)| Some((knob, number?)));
        let all = moved.fold(Weights::default(), |weights, (knob, number)| knob.set(weights, number));
        if is_default { Weights::default() } else { all }
    })
}

/// What a plain reader makes of a query: he looks at every document.
struct Reader {
    /// Whether it has all words, its score, its number; best first.
    found: Vec<(bool, f64, DocId)>,
    /// How many have all words of a question, copies not folded.
    with_all: u64,
}

impl Reader {
    fn new(searcher: &Searcher, query: &Query) -> Self {
        let look = |doc: DocId| {
            let explanation = searcher.explain(query, doc).unwrap();
            let has_all = explanation.words.as_ref().is_none_or(|words| words.missing.is_empty());
            explanation.matches.then_some((has_all, explanation.score, doc))
        };
        let mut found: Vec<_> = (0..DOCUMENTS).map(DocId::new).filter_map(look).collect();
        let with_all = found.iter().filter(|row| row.0).count() as u64;
        // Of five words or more, those with all do not come first.
        if query.words().len() >= 5 {
            found.iter_mut().for_each(|row| row.0 = false);
        }
        found.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
        Self { found, with_all }
    }

    /// Of each group the first if it has as many words as any, else the best.
    fn fold(&mut self, groups: &[Vec<DocId>]) {
        for group in groups.iter().filter(|group| group.len() > 1) {
            let members: Vec<_> = self.found.iter().filter(|row| group.contains(&row.2)).copied().collect();
            let Some(best) = members.first() else { continue };
            let stands = members.iter().find(|row| row.2 == group[0] && row.0 == best.0).unwrap_or(best).2;
            self.found.retain(|row| row.2 == stands || !group.contains(&row.2));
        }
    }
}

fn any_query() -> impl Strategy<Value = String> {
    let word = prop::sample::select(
        (0..12).map(|word| format!("w{word}")).chain(["absent".into()]).collect::<Vec<_>>(),
    );
    let words = prop::collection::vec(word, 1..8);
    (words, 0usize..16).prop_map(|(words, kind)| match kind {
        0 | 1 => words.join(" "),
        2 => words.join(" OR "),
        3 => words.join(" AND "),
        4 => format!("\"{}\"", words[..words.len().min(2 + words.len() % 2)].join(" ")),
        5 => format!("+{}", words.join(" ")),
        6 => format!("{} -{}", words.join(" "), words[0].replace('w', "w1")),
        7 => format!("title:{} {}", words[0], words[1..].join(" ")),
        8 => format!("(title:{}) OR w1", words.join(" OR title:")),
        9 => format!("w1* {}", words.join(" ")),
        10 => format!("({}) NEAR/2 w1", words.join(" OR ")),
        11 => format!("{} filler", words[..words.len().min(3)].join(" < ")),
        12 => format!("w0 WITHIN ({} < w2)", words[0]),
        13 => format!("-{}", words.join(" -")),
        14 => format!("w* OR \"{} * filler\"", words[0]),
        _ => format!("({}) AND filler", words.join(" OR ")),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn the_best_are_those_that_looking_at_every_document_finds(
        text in any_query(),
        count in prop::sample::select(vec![1usize, 3, 10, 100, 1000]),
        has_ranks: bool,
        has_copies: bool,
        weights in any_weights(),
    ) {
        let Ok(query) = Query::parse(&text) else { return Ok(()) };
        let searcher = searcher(has_ranks, has_copies).with_weights(weights);
        let mut reader = Reader::new(&searcher, &query);
        if has_copies {
            reader.fold(&groups());
        }
        let wanted = |wish| Limits { total: wish, ..Limits::default() };
        let hits = searcher.search_within(&query, 0, count, CopiesView::Folded, wanted(TotalWish::Exact)).unwrap();
        let row = |hit: &Hit| (hit.score, hit.doc);
        let expected: Vec<_> = reader.found.iter().take(count).map(|row| (row.1, row.2)).collect();
        prop_assert_eq!(hits.hits.iter().map(row).collect::<Vec<_>>(), expected, "{}", &text);
        prop_assert_eq!(hits.total, reader.found.len() as u64, "{}", &text);
        let is_question = query.words().len() >= 5;
        let with_all = if is_question { reader.with_all } else { reader.found.iter().filter(|row| row.0).count() as u64 };
        if !(is_question && has_copies) {
            prop_assert_eq!(hits.with_all_words, with_all, "{}", &text);
        }
        prop_assert_eq!(hits.total_is, TotalIs::Exact);
        let free = searcher.search_within(&query, 0, count, CopiesView::Folded, wanted(TotalWish::Free)).unwrap();
        prop_assert_eq!(&free.hits, &hits.hits);
        let in_halves = Limits { in_halves: true, ..wanted(TotalWish::Exact) };
        let found = searcher.search_within(&query, 0, count, CopiesView::Folded, in_halves).unwrap();
        prop_assert_eq!(found, hits.clone(), "by two threads: {}", &text);
        let slack = Limits { slack: 0.2, ..wanted(TotalWish::Free) };
        let loose = searcher.search_within(&query, 0, count, CopiesView::Folded, slack).unwrap();
        // A copy may stand for a better one that is left out.
        if !has_copies {
            check_slack(&loose.hits, &reader, count)?;
        }
        prop_assert!(free.total <= hits.total);
        prop_assert_eq!(free.total_is == TotalIs::Exact, hits.total < count as u64);
    }
}

/// What was left out is better than the last that was found by a fifth at most.
fn check_slack(hits: &[Hit], reader: &Reader, count: usize) -> Result<(), TestCaseError> {
    prop_assert_eq!(hits.len(), reader.found.len().min(count));
    let is_found = |doc: DocId| hits.iter().any(|hit| hit.doc == doc);
    let last = reader.found.iter().rfind(|row| is_found(row.2));
    for (has_all, score, doc) in reader.found.iter().filter(|row| !is_found(row.2)) {
        let Some((last_has_all, last_score, _)) = last else { continue };
        prop_assert!(has_all <= last_has_all);
        prop_assert!(
            has_all < last_has_all || *score <= last_score * 1.2 + 1e-5,
            "{doc:?}: {score}, {last_score}"
        );
    }
    Ok(())
}

/// That the best are those that looking at every document finds, without ranks and with them, however many are wanted.
fn assert_finds_the_best(texts: &[&str]) {
    let row = |hit: &Hit| (hit.score, hit.doc);
    for (text, has_ranks) in texts.iter().flat_map(|text| [(text, false), (text, true)]) {
        let (searcher, query) = (searcher(has_ranks, false), Query::parse(text).unwrap());
        let reader = Reader::new(&searcher, &query);
        for count in [1, 10, 200] {
            let hits = searcher.search(&query, 0, count).unwrap().hits;
            let expected: Vec<_> = reader.found.iter().take(count).map(|row| (row.1, row.2)).collect();
            assert_eq!(hits.iter().map(row).collect::<Vec<_>>(), expected, "{text}: {count}");
        }
    }
}

#[test]
fn the_best_that_have_all_of_some_frequent_words_are_found() {
    let queries = ["w0 AND w1", "w1 AND w2", "w0 w1 w2", "w2 filler", "w0 AND w1 AND w2 AND filler", "w1 w5"];
    assert_finds_the_best(&queries);
}

#[test]
fn the_best_that_have_a_phrase_once_or_often_are_found() {
    let queries =
        ["w0 w1", "filler filler", "filler w0", "w2 w2", "filler w1 filler", "filler * filler", "w3 w0 w1"];
    assert_finds_the_best(&queries.map(|words| format!("\"{words}\"")).each_ref().map(String::as_str));
}

#[test]
fn a_rank_brings_a_document_up_whose_words_alone_would_not() {
    // Weak documents that everybody links to, in windows that have no others.
    let rank = |doc: u32| if doc % 701 == 650 { 1000.0 } else { 0.0 };
    let ranks = LinkRanks::new((0..DOCUMENTS).map(rank).collect(), 1.5);
    let searcher = collection().searcher.clone().with_ranks(ranks);
    for text in ["w0 OR w1", "w1 OR w4 OR w9", "w0 OR w2 OR w3", "w5 OR w0", "w0 AND w1", "w1"] {
        let query = Query::parse(text).unwrap();
        let hits = searcher.search(&query, 0, 10).unwrap().hits;
        let expected: Vec<_> =
            Reader::new(&searcher, &query).found.iter().take(10).map(|row| row.2).collect();
        assert_eq!(hits.iter().map(|hit| hit.doc).collect::<Vec<_>>(), expected, "{text}");
    }
}

#[test]
fn other_parameters_than_those_of_the_index_find_their_own_best() {
    let plain = searcher(false, false);
    let weights = Weights { k1: 0.3, main_b: 0.1, rarity: 2.0, ..Weights::default() };
    let searcher = plain.with_weights(weights);
    for text in ["w1 OR w5", "w2 w7", "w3", "\"w1 w2\""] {
        let query = Query::parse(text).unwrap();
        let hits = searcher.search(&query, 0, 10).unwrap().hits;
        let expected: Vec<_> =
            Reader::new(&searcher, &query).found.iter().take(10).map(|row| row.2).collect();
        assert_eq!(hits.iter().map(|hit| hit.doc).collect::<Vec<_>>(), expected, "{text}");
    }
}
