//! A word or a phrase can be asked for in one field, and is found where a reader of that field would find it.

use index::Field;
use page::DocId;
use proptest::prelude::*;
use search::Query;

use crate::fixture_of;

type Pieces = Vec<(Field, String)>;

/// The fields that can be asked for, by name.
const NAMES: [(&str, Field); 4] = [
    ("title", Field::Title),
    ("heading", Field::Heading),
    ("url", Field::Address),
    ("anchor", Field::Anchor),
];

/// In which line of positions a field is.
fn line(field: Field) -> usize {
    match field {
        Field::Title => 0,
        Field::Heading | Field::Main | Field::Rest => 1,
        Field::Address => 2,
        Field::Anchor => 3,
    }
}

/// By reading: the words of a line one after the other, links apart from each other.
fn holds(pieces: &Pieces, field: Field, words: &[String]) -> bool {
    let mut said: Vec<(Field, &str)> = Vec::new();
    for (of, text) in pieces.iter().filter(|(of, _)| line(*of) == line(field)) {
        said.extend(text.split_whitespace().map(|word| (*of, word)));
        if *of == Field::Anchor {
            said.push((*of, "|"));
        }
    }
    said.windows(words.len())
        .any(|window| window.iter().zip(words).all(|(said, word)| *said == (field, word)))
}

fn any_documents() -> impl Strategy<Value = Vec<Pieces>> {
    let piece = (prop::sample::select(&Field::ALL[..]), "([abc] ){0,4}");
    prop::collection::vec(prop::collection::vec(piece, 0..8), 1..25)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_is_asked_for_in_a_field_is_what_its_reader_finds(
        documents in any_documents(),
        name in prop::sample::select(&NAMES[..]),
        words in prop::collection::vec("[abc]", 1..4),
        other in "[abc]",
        kind in 0..4,
    ) {
        let fixture = fixture_of(&documents);
        let searcher = &fixture.searcher;
        let asked = match words.as_slice() {
            [word] => format!("{}:{word}", name.0),
            words => format!("{}:\"{}\"", name.0, words.join(" ")),
        };
        let has_other = |pieces: &Pieces| {
            Field::ALL.into_iter().any(|field| holds(pieces, field, std::slice::from_ref(&other)))
        };
        let text = match kind {
            0 => asked,
            1 => format!("{asked} AND {other}"),
            2 => format!("{other} OR {asked}"),
            _ => format!("{other} -{asked}"),
        };
        let expected: Vec<u32> = (0..)
            .zip(&documents)
            .filter(|(_, pieces)| {
                let is_there = holds(pieces, name.1, &words);
                match kind {
                    0 => is_there,
                    1 => is_there && has_other(pieces),
                    2 => is_there || has_other(pieces),
                    _ => has_other(pieces) && !is_there,
                }
            })
            .map(|(document, _)| document)
            .collect();
        let query = Query::parse(&text).unwrap();
        let hits = searcher.search(&query, 0, 100).unwrap().hits;
        let mut found: Vec<u32> = hits.iter().map(|hit| hit.doc.get()).collect();
        found.sort_unstable();
        prop_assert_eq!(found, expected, "{}", text);
        for hit in hits {
            let explanation = searcher.explain(&query, hit.doc).unwrap();
            prop_assert!(explanation.matches && (explanation.score - hit.score).abs() < 1e-9, "{}", explanation);
        }
    }
}

#[test]
fn only_what_stands_in_the_field_counts_and_is_explained() {
    let piece = |field, text: &str| (field, text.to_owned());
    let documents = [
        vec![piece(Field::Title, "django"), piece(Field::Main, "a framework")],
        vec![piece(Field::Main, "django django django"), piece(Field::Anchor, "the web framework")],
    ];
    let fixture = fixture_of(&documents);
    let searcher = &fixture.searcher;
    let rows = [
        ("title:django", Some((0, "django in title"))),
        ("url:django", None),
        ("anchor:\"web framework\"", Some((1, "\"web framework\" in links"))),
        ("anchor:\"framework web\"", None),
    ];
    for (text, expected) in rows {
        let query = Query::parse(text).unwrap();
        let hits = searcher.search(&query, 0, 10).unwrap().hits;
        assert_eq!(
            hits.iter().map(|hit| hit.doc.get()).collect::<Vec<_>>().as_slice(),
            expected.map_or(vec![], |(doc, _)| vec![doc]),
            "{text}"
        );
        if let Some((doc, term)) = expected {
            let explanation = searcher.explain(&query, DocId::new(doc)).unwrap();
            assert_eq!(explanation.terms[0].term, term);
            assert_eq!(explanation.terms[0].fields.len(), 1);
        }
    }
}
