//! Folding, compared with a plain reader who groups all matches by hand; and pages of results that fit together.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use page::{DocId, PageKey};
use proptest::prelude::*;
use search::{Copies, CopiesView, Hit, Limits, Query, Searcher};

use crate::fixture;

const DOCUMENTS: u32 = 60;

/// Documents of which some match, with scores of many kinds.
fn pages(words: &[u8]) -> Vec<(String, String)> {
    let page = |number: u8| match number {
        0 => "nothing of interest".to_owned(),
        count => format!("{}{}", "sieve ".repeat(count.into()), "filler ".repeat(usize::from(count) % 4)),
    };
    words.iter().map(|number| (String::new(), page(*number))).collect()
}

/// What a plain reader would show: all matches, best first, without those that another one stands for.
fn folded_by_hand(all: &[Hit], groups: &[Vec<DocId>]) -> Vec<(DocId, u64)> {
    let group_of = |doc: DocId| groups.iter().position(|group| group.contains(&doc));
    let mut shown: BTreeMap<usize, DocId> = BTreeMap::new();
    let mut matching: BTreeMap<usize, u64> = BTreeMap::new();
    for (group, members) in groups.iter().enumerate() {
        let members_found: Vec<DocId> =
            all.iter().map(|hit| hit.doc).filter(|doc| members.contains(doc)).collect();
        if let Some(&best) = members_found.first() {
            let canonical = members[0];
            shown.insert(group, if members_found.contains(&canonical) { canonical } else { best });
            matching.insert(group, members_found.len() as u64);
        }
    }
    let is_shown = |doc: DocId| group_of(doc).is_none_or(|group| shown[&group] == doc);
    let similar = |doc: DocId| group_of(doc).map_or(0, |group| matching[&group] - 1);
    all.iter().map(|hit| hit.doc).filter(|doc| is_shown(*doc)).map(|doc| (doc, similar(doc))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn copies_are_folded_as_a_reader_would_and_pages_fit_together(
        words in prop::collection::vec(0u8..9, DOCUMENTS as usize),
        owners in prop::collection::vec(prop::option::of(0usize..8), DOCUMENTS as usize),
        first in prop::collection::vec(0usize..8, 8),
        step in 1usize..15,
    ) {
        let mut groups = vec![Vec::new(); 8];
        for (doc, owner) in owners.iter().enumerate() {
            if let Some(owner) = owner {
                groups[*owner].push(DocId::from_index(doc));
            }
        }
        groups.retain(|group| group.len() > 1);
        for (group, place) in groups.iter_mut().zip(first) {
            let place = place % group.len();
            group.swap(0, place);
        }
        let copies = Copies::new(DOCUMENTS, groups.iter().map(Vec::as_slice));
        let fixture = fixture(&pages(&words));
        let searcher = fixture.searcher.clone().with_copies(Arc::new(copies));
        let query = Query::parse("sieve").unwrap();
        let shown = CopiesView::Shown;
        let all = searcher.search_within(&query, 0, 100, shown, Limits::default()).unwrap();
        prop_assert_eq!(&all, &fixture.searcher.search(&query, 0, 100).unwrap());

        let expected = folded_by_hand(&all.hits, &groups);
        let mut found = Vec::new();
        for from in (0..=expected.len()).step_by(step) {
            let page = searcher.search(&query, from, step).unwrap();
            prop_assert_eq!(page.total, expected.len() as u64);
            found.extend(page.hits.iter().map(|hit| (hit.doc, hit.similar)));
        }
        prop_assert_eq!(&found, &expected);
        let total: u64 = found.iter().map(|(_, similar)| similar + 1).sum();
        prop_assert_eq!(total, all.total);
    }
}

#[test]
fn one_group_can_be_shown_alone() {
    let fixture = fixture(&pages(&[1, 2, 0, 3, 4, 5]));
    let copies = Copies::new(6, [&[0, 1, 2, 3].map(DocId::new)[..]]);
    let searcher: Searcher = fixture.searcher.clone().with_copies(Arc::new(copies));
    let query = Query::parse("sieve").unwrap();
    let group = |doc: u32| {
        let key = searcher.index().doc_key(DocId::new(doc));
        let hits = searcher.search_within(&query, 0, 10, CopiesView::Only(key), Limits::default()).unwrap();
        assert_eq!(hits.total, hits.hits.len() as u64);
        hits.hits.iter().map(|hit| hit.doc.get()).collect::<HashSet<u32>>()
    };
    for member in 0..4 {
        assert_eq!(group(member), HashSet::from([0, 1, 3]), "the one that does not match is not there");
    }
    assert_eq!(group(4), HashSet::from([4]));
    let hits =
        searcher.search_within(&query, 0, 10, CopiesView::Only(PageKey::END), Limits::default()).unwrap();
    assert_eq!((hits.total, hits.hits.len()), (0, 0));
}

#[test]
fn of_pages_that_are_alike_the_one_whose_title_was_typed_is_shown() {
    // The text of each has the names of all.
    let text = "frame methods are where, mask, filler, other, more, squeeze";
    let page = |name: &str| (format!("frame {name}"), format!("{text} and this is {name}"));
    let names = ["where", "mask", "filler", "other", "more", "squeeze", "where"];
    let fixture = fixture(&names.map(page));
    let group: Vec<DocId> = [1, 0, 5, 6].map(DocId::new).into();
    let searcher = fixture.searcher.clone().with_copies(Arc::new(Copies::new(7, [group.as_slice()])));
    // The title, and who is shown: of two that are called so the first, and without a title who always stands for them.
    for (typed, shown) in [("frame squeeze", 5), ("frame mask", 1), ("frame where", 0), ("frame methods", 1)]
    {
        for in_halves in [false, true] {
            let (query, limits) = (Query::parse(typed).unwrap(), Limits { in_halves, ..Limits::default() });
            let found = searcher.search_within(&query, 0, 10, CopiesView::Folded, limits).unwrap();
            let docs: Vec<u32> = found.hits.iter().map(|hit| hit.doc.get()).collect();
            let others: Vec<u32> = docs.iter().copied().filter(|doc| [0, 1, 5, 6].contains(doc)).collect();
            assert_eq!(others, [shown], "{typed} {in_halves} {docs:?}");
        }
    }
}
