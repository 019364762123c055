//! The operators find exactly what reading every document would find, and rank it as the explanation says.

use std::ops::RangeInclusive;

use proptest::prelude::*;
use search::{Query, Searcher};

use crate::fixture;

/// A query as a person means it. A new operator is a variant, how it is typed, and what a reader makes of it.
#[derive(Debug, Clone)]
pub(crate) enum Formula {
    Word(&'static str),
    /// `None` is any word.
    Phrase(Vec<Option<&'static str>>),
    Title(Vec<&'static str>),
    Prefix(&'static str),
    All(Vec<Formula>),
    Any(Vec<Formula>),
    Not(Box<Formula>),
    Near(u32, Box<[Formula; 2]>),
    Ordered(Box<[Formula; 2]>),
    Inside(Box<[Formula; 2]>),
    Containing(Box<[Formula; 2]>),
    InTitle(Box<Formula>),
}

const WORDS: [&str; 5] = ["a", "ab", "b", "c", "absent"];

/// Words of a page: title and text are two sequences, and what has a place is in one of them.
pub(crate) type Texts<'p> = [Vec<&'p str>; 2];

/// A stretch of one of the texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    text: usize,
    first: usize,
    last: usize,
}

impl Place {
    fn contains(self, other: Self) -> bool {
        self.text == other.text && self.first <= other.first && other.last <= self.last
    }

    fn hull(self, other: Self) -> Self {
        Self { first: self.first.min(other.first), last: self.last.max(other.last), ..self }
    }

    /// How many words the one stands from the other; 0 where they overlap.
    fn distance(self, other: Self) -> usize {
        self.first.saturating_sub(other.last).max(other.first.saturating_sub(self.last))
    }
}

impl Formula {
    pub(crate) fn typed(&self) -> String {
        let join = |parts: &[Formula], between: &str| {
            let typed: Vec<String> = parts.iter().map(Formula::typed).collect();
            format!("({})", typed.join(between))
        };
        match self {
            Formula::Word(word) => (*word).to_owned(),
            Formula::Phrase(words) => {
                let words: Vec<&str> = words.iter().map(|word| word.unwrap_or("*")).collect();
                format!("\"{}\"", words.join(" "))
            }
            Formula::Title(words) => format!("title:\"{}\"", words.join(" ")),
            Formula::Prefix(beginning) => format!("{beginning}*"),
            // Side by side they would only be wishes.
            Formula::All(parts) => join(parts, " AND "),
            Formula::Any(parts) => join(parts, " OR "),
            // A run of dashes is punctuation, so only one dash excludes.
            Formula::Not(part) if matches!(**part, Formula::Not(_)) => format!("NOT {}", part.typed()),
            Formula::Not(part) => format!("-{}", part.typed()),
            Formula::Near(distance, parts) => join(&**parts, &format!(" NEAR/{distance} ")),
            Formula::Ordered(parts) => join(&**parts, " < "),
            Formula::Inside(parts) => join(&**parts, " WITHIN "),
            Formula::Containing(parts) => join(&**parts, " CONTAINING "),
            Formula::InTitle(part) => format!("title:({})", part.typed()),
        }
    }

    pub(crate) fn terms(&self) -> usize {
        match self {
            Formula::Word(_) => 1,
            Formula::Prefix(_) => 4,
            Formula::Phrase(words) => words.len(),
            Formula::Title(words) => words.len(),
            Formula::All(parts) | Formula::Any(parts) => parts.iter().map(Formula::terms).sum(),
            Formula::Not(part) | Formula::InTitle(part) => part.terms(),
            Formula::Near(_, parts)
            | Formula::Ordered(parts)
            | Formula::Inside(parts)
            | Formula::Containing(parts) => parts.iter().map(Formula::terms).sum(),
        }
    }

    /// By reading.
    pub(crate) fn holds(&self, texts: &Texts<'_>) -> bool {
        match self {
            Formula::All(parts) => parts.iter().all(|part| part.holds(texts)),
            Formula::Any(parts) => parts.iter().any(|part| part.holds(texts)),
            Formula::Not(part) => !part.holds(texts),
            Formula::InTitle(part) => part.holds(&[texts[0].clone(), Vec::new()]),
            placed => !placed.places(texts).is_empty(),
        }
    }

    /// The stretches in which it holds and which contain no smaller one, by trying all pairs.
    fn places(&self, texts: &Texts<'_>) -> Vec<Place> {
        let pairs = |parts: &[Formula; 2], is_one: &dyn Fn(Place, Place) -> bool| -> Vec<(Place, Place)> {
            let (ones, others) = (parts[0].places(texts), parts[1].places(texts));
            let pair = |one: &Place| others.iter().map(move |other| (*one, *other)).collect::<Vec<_>>();
            let all = ones.iter().flat_map(pair);
            all.filter(|(one, other)| one.text == other.text && is_one(*one, *other)).collect()
        };
        let hulls = |pairs: Vec<(Place, Place)>| pairs.iter().map(|(one, other)| one.hull(*other)).collect();
        smallest(match self {
            Formula::Word(word) => windows(texts, 0..=1, &[Some(word)]),
            Formula::Phrase(words) => windows(texts, 0..=1, words),
            Formula::Prefix(beginning) => {
                let words = WORDS.iter().filter(|word| word.starts_with(beginning));
                words.flat_map(|word| windows(texts, 0..=1, &[Some(word)])).collect()
            }
            Formula::Title(words) => {
                windows(texts, 0..=0, &words.iter().copied().map(Some).collect::<Vec<_>>())
            }
            Formula::Any(parts) => parts.iter().flat_map(|part| part.places(texts)).collect(),
            Formula::All(parts) => match parts.as_slice() {
                [part] => part.places(texts),
                [before @ .., last] => {
                    hulls(pairs(&[Formula::All(before.to_vec()), last.clone()], &|_, _| true))
                }
                [] => Vec::new(),
            },
            Formula::Near(distance, parts) => {
                hulls(pairs(parts, &|one, other| one.distance(other) <= *distance as usize))
            }
            Formula::Ordered(parts) => hulls(pairs(parts, &|one, other| one.last < other.first)),
            Formula::Inside(parts) => {
                pairs(parts, &|one, other| other.contains(one)).into_iter().map(|(one, _)| one).collect()
            }
            Formula::Containing(parts) => {
                pairs(parts, &|one, other| one.contains(other)).into_iter().map(|(one, _)| one).collect()
            }
            Formula::InTitle(part) => part.places(&[texts[0].clone(), Vec::new()]),
            Formula::Not(_) => Vec::new(),
        })
    }
}

/// Where these words stand one after the other.
fn windows(texts: &Texts<'_>, of: RangeInclusive<usize>, words: &[Option<&str>]) -> Vec<Place> {
    let mut places = Vec::new();
    for text in of {
        for (first, window) in texts[text].windows(words.len()).enumerate() {
            if window.iter().zip(words).all(|(said, word)| word.is_none_or(|word| word == *said)) {
                places.push(Place { text, first, last: first + words.len() - 1 });
            }
        }
    }
    places
}

fn smallest(mut places: Vec<Place>) -> Vec<Place> {
    places.sort_by_key(|place| (place.text, place.first, place.last));
    places.dedup();
    let contains_another =
        |place: &Place| places.iter().any(|other| other != place && place.contains(*other));
    places.iter().copied().filter(|place| !contains_another(place)).collect()
}

/// What has places in a text.
fn any_placed() -> impl Strategy<Value = Formula> {
    let word = prop::sample::select(&WORDS[..]);
    let inner = prop::option::weighted(0.8, word.clone());
    let phrase = (word.clone(), prop::collection::vec(inner, 0..2), word.clone());
    let phrase = phrase.prop_map(|(first, inner, last)| {
        Formula::Phrase([vec![Some(first)], inner, vec![Some(last)]].concat())
    });
    let leaf = prop_oneof![
        4 => word.clone().prop_map(Formula::Word),
        1 => phrase,
        1 => prop::sample::select(&["a", "ab", "abx", "b"][..]).prop_map(Formula::Prefix),
        1 => prop::collection::vec(word, 1..3).prop_map(Formula::Title),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        let two = (inner.clone(), inner.clone()).prop_map(|(one, other)| Box::new([one, other]));
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 1..4).prop_map(Formula::All),
            1 => prop::collection::vec(inner.clone(), 1..4).prop_map(Formula::Any),
            3 => (0..6u32, two.clone()).prop_map(|(distance, parts)| Formula::Near(distance, parts)),
            2 => two.clone().prop_map(Formula::Ordered),
            2 => two.clone().prop_map(Formula::Inside),
            1 => two.prop_map(Formula::Containing),
            1 => inner.prop_map(|part| Formula::InTitle(Box::new(part))),
        ]
    })
}

pub(crate) fn any_formula() -> impl Strategy<Value = Formula> {
    any_placed().prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Formula::All),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Formula::Any),
            inner.prop_map(|part| Formula::Not(Box::new(part))),
        ]
    })
}

fn any_pages() -> impl Strategy<Value = Vec<(String, String)>> {
    prop::collection::vec(("((a|ab|b|c) ){0,2}", "((a|ab|b|c) ){0,8}"), 0..30)
}

fn assert_ranked_as_explained(searcher: &Searcher, query: &Query, expected: &[u32]) {
    let all = searcher.search(query, 0, 1000).unwrap();
    let mut found: Vec<u32> = all.hits.iter().map(|hit| hit.doc.get()).collect();
    found.sort_unstable();
    assert_eq!(found, expected, "{query:?}");
    assert_eq!((all.total, all.partial), (expected.len() as u64, false));
    for pair in all.hits.windows(2) {
        assert!(
            pair[0].score > pair[1].score || (pair[0].score == pair[1].score && pair[0].doc < pair[1].doc)
        );
    }
    for hit in &all.hits {
        let explanation = searcher.explain(query, hit.doc).unwrap();
        assert!(explanation.matches && (explanation.score - hit.score).abs() < 1e-9, "{explanation}");
        assert_eq!(hit.key.get(), 100 + u64::from(hit.doc.get()));
    }
    let page = searcher.search(query, 2, 3).unwrap();
    assert_eq!(page.hits, all.hits.iter().skip(2).take(3).copied().collect::<Vec<_>>());
}

/// More are not looked for at once.
pub(crate) const TERMS_MAX: usize = 32;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn what_is_found_is_what_a_reader_would_find(
        pages in any_pages(),
        formulas in prop::collection::vec(any_formula(), 24),
    ) {
        let fixture = fixture(&pages);
        for formula in formulas.iter().filter(|formula| formula.terms() <= TERMS_MAX) {
            let query = Query::parse(&formula.typed()).unwrap();
            prop_assert!(query.notes().is_empty(), "{} {:?}", formula.typed(), query.notes());
            let holds = |page: &(String, String)| {
                formula.holds(&[page.0.split_whitespace().collect(), page.1.split_whitespace().collect()])
            };
            let expected: Vec<u32> =
                (0..).zip(&pages).filter(|(_, page)| holds(page)).map(|(doc, _)| doc).collect();
            assert_ranked_as_explained(&fixture.searcher, &query, &expected);
            for doc in (0..pages.len() as u32).filter(|doc| !expected.contains(doc)) {
                prop_assert!(!fixture.searcher.explain(&query, page::DocId::new(doc)).unwrap().matches);
            }
        }
    }
}

#[test]
fn excluded_words_do_not_score() {
    let fixture = fixture(&[("", "a b"), ("", "a c")]);
    let score = |text| fixture.searcher.search(&Query::parse(text).unwrap(), 0, 1).unwrap().hits[0].score;
    assert_eq!(score("a -b"), score("a"));
    assert_eq!(score("a AND (c OR -b)"), score("a AND c"));
}

#[test]
fn no_phrase_reaches_from_the_title_into_the_text() {
    let fixture = fixture(&[("cold war", "peace treaty")]);
    let total = |text| fixture.searcher.search(&Query::parse(text).unwrap(), 0, 1).unwrap().total;
    assert_eq!((total("\"war peace\""), total("\"cold war\""), total("war AND peace")), (0, 1, 1));
}

#[test]
fn of_places_that_begin_together_the_shorter_is_met_first() {
    let fixture = fixture(&[("", "a ab c a"), ("", "c a ab")]);
    let found = |query: &str| fixture.searcher.search(&Query::parse(query).unwrap(), 0, 10).unwrap().total;
    for query in ["(ab* AND a AND ab) < c", "((a NEAR ab) AND ab) < c", "(ab AND (a NEAR ab*)) < c"] {
        assert_eq!(found(query), 1, "{query}");
    }
}

#[test]
fn what_stands_inside_of_two_places_is_near_both() {
    // The phrase stands at 0 to 3 and at 1 to 4, and only the first of them is before a word that is asked for.
    let fixture = fixture(&[("", "a a b c c"), ("", "a a b x c")]);
    let found = |query: &str| fixture.searcher.search(&Query::parse(query).unwrap(), 0, 10).unwrap().total;
    for query in ["(\"a * * c\" NEAR/0 b) < c", "(b NEAR/0 \"a * * c\") < c", "(\"a * * c\" AND b) < c"] {
        assert_eq!(found(query), 1, "{query}");
    }
}
