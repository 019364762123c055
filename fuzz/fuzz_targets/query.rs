//! Whatever somebody types is a query that can be searched for, or is refused with a reason.
#![no_main]

use std::sync::{Arc, OnceLock};

use index::{Index, IndexBuilder, IndexDocument, Piece};
use libfuzzer_sys::fuzz_target;
use page::PageKey;
use search::{QUERY_BYTES_MAX, Query, Searcher};

/// A few pages, so that operators are walked and not only read.
fn searcher() -> &'static Searcher {
    static SEARCHER: OnceLock<Searcher> = OnceLock::new();
    SEARCHER.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let mut builder = IndexBuilder::create(folder.path(), 1 << 20).expect("an index can be made");
        for (number, text) in ["a b a c", "b b ab", "a ab abc a b", "c"].iter().enumerate() {
            let pieces = Piece::title_and_text("a b", text);
            let key = PageKey::new(number as u64);
            builder.add(&IndexDocument { key, language: None, pieces: &pieces }).expect("it has room");
        }
        builder.finish("fuzz").expect("it can be written");
        let searcher = Searcher::new(Arc::new(Index::open(folder.path()).expect("it was just written")));
        // Its files stay open.
        std::mem::forget(folder);
        searcher
    })
}

fuzz_target!(|text: &str| {
    match Query::parse(text) {
        Ok(query) => {
            assert!(query.terms().len() <= QUERY_BYTES_MAX);
            let hits = searcher().search(&query, 0, 10).expect("the index is whole");
            for hit in &hits.hits {
                let explanation = searcher().explain(&query, hit.doc).expect("the index is whole");
                assert!(explanation.matches && (explanation.score - hit.score).abs() < 1e-9, "{text}");
            }
        }
        Err(problem) => assert!(!problem.to_string().is_empty()),
    }
});
