//! What is known of pages beside their words can be asked for, alone and with words.

use std::sync::Arc;

use page::{DocId, PageKey, Timestamp};
use search::{Facts, LinkRanks, PageReader, PageText, Searcher, Sites};

use crate::fixture;

pub struct Blank;

impl PageReader for Blank {
    fn read(&self, _key: PageKey) -> Option<PageText> {
        Some(PageText::default())
    }
}

fn day(year: u32, month: u32, day: u32) -> Timestamp {
    Timestamp::from_civil((year, month, day), (12, 0, 0)).unwrap()
}

/// Five pages: host and path, language, media type, the day that it says, the day on which it was fetched.
fn searcher() -> (Searcher, crate::Fixture) {
    let pages = [
        ("a.org", "/docs/", Some("de"), "text/html", Some(day(2024, 1, 31)), day(2026, 1, 1)),
        ("a.org", "/docs/x/y.html", Some("en-US"), "text/html; charset=utf-8", None, day(2025, 1, 1)),
        ("b.a.org", "/news/x", Some("de"), "application/xhtml+xml", Some(day(2023, 12, 31)), day(2026, 1, 1)),
        ("c.org", "/notes.txt", None, "text/plain", None, day(2024, 12, 31)),
        ("c.org", "/docs/notes.txt", None, "text/plain", None, day(2026, 5, 5)),
    ];
    let fixture =
        fixture(&pages.map(|page| ("", if page.1.contains("docs") { "stone bridge" } else { "bridge" })));
    let (mut sites, mut facts) = (Sites::new(5), Facts::new(5));
    for ((host, path, language, media_type, written, fetched), doc) in
        pages.into_iter().zip((0..).map(DocId::new))
    {
        sites.add(host, path, Some(doc));
        facts.set_media_type(doc, media_type);
        facts.set_fetched(doc, fetched);
        language.iter().for_each(|language| facts.set_language(doc, language));
        written.iter().for_each(|written| facts.set_written(doc, *written));
    }
    let ranks = LinkRanks::new([1.0, 2.0, 3.0, 4.0, 5.0].into(), 2.0);
    let searcher = fixture.searcher.clone().with_sites(Arc::new(sites)).with_facts(Arc::new(facts));
    (searcher.with_ranks(ranks), fixture)
}

#[test]
fn languages_kinds_dates_and_folders_are_found_and_what_is_not_there_is_said() {
    let (searcher, _fixture) = searcher();
    let dates = "2 of 5 pages say when they were written; the others are taken by the day on which";
    // Those without words by their ranks, the best first.
    let rows: [(&str, &[u64], &[&str]); 20] = [
        ("lang:de", &[2, 0], &[]),
        ("lang:en", &[1], &[]),
        ("-lang:de", &[4, 3, 1], &[]),
        ("stone lang:de", &[0], &[]),
        ("lang:fr", &[], &["no page is lang:fr; there are lang:de, lang:en"]),
        ("type:html", &[2, 1, 0], &[]),
        ("filetype:txt", &[4, 3], &[]),
        ("filetype:pdf", &[], &["no page is type:pdf; there are type:html, type:text"]),
        ("after:2024-01-31", &[4, 3, 1, 0], &[dates]),
        ("after:2024-02-01", &[4, 3, 1], &[dates]),
        ("before:2024", &[2], &[dates]),
        ("before:2025", &[3, 2, 0], &[dates]),
        ("after:2024 before:2025", &[3, 0], &[dates]),
        ("site:a.org", &[2, 1, 0], &[]),
        ("site:a.org/docs", &[1, 0], &[]),
        ("site:org/docs -lang:en", &[4, 0], &[]),
        ("site:b.a.org/docs", &[], &["no page is from b.a.org/docs"]),
        ("site:c.org/docs/", &[4], &[]),
        ("-stone", &[3, 2], &[]),
        ("-stone -bridge", &[], &[]),
    ];
    for (text, keys, notes) in rows {
        let answer = searcher.answer(text, 0, 10, &Blank).unwrap_or_else(|error| panic!("{text}: {error}"));
        let found: Vec<u64> = answer.results.iter().map(|result| result.key.get() - 100).collect();
        assert_eq!(found, keys, "{text}");
        assert_eq!(answer.total, keys.len() as u64, "{text}");
        let said: Vec<String> = answer.notes.iter().map(ToString::to_string).collect();
        assert_eq!(said.len(), notes.len(), "{text}: {said:?}");
        assert!(said.iter().zip(notes).all(|(said, note)| said.starts_with(note)), "{text}: {said:?}");
    }
    // The first alone is enough to know that there is none better.
    let best = searcher.answer("-stone", 0, 1, &Blank).unwrap();
    assert_eq!((best.results.len(), best.results[0].key.get()), (1, 103));
}
