//! Files of lines that people write are read or refused with the line: synonyms, clicks, judgements, runs, questions, arcs.
#![no_main]

use std::path::Path;
use std::sync::{Arc, OnceLock};

use graph::BvOptions;
use index::{Index, IndexBuilder, IndexDocument, Piece};
use libfuzzer_sys::fuzz_target;
use page::{PageKey, Timestamp};
use search::{Query, Searcher, Synonyms};
use store::Collection;

fn index() -> &'static Arc<Index> {
    static INDEX: OnceLock<Arc<Index>> = OnceLock::new();
    INDEX.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let mut builder = IndexBuilder::create(folder.path(), 1 << 20).unwrap();
        for (number, text) in ["a b a c", "b car ab", "a ab motor a b", "c"].iter().enumerate() {
            let pieces = Piece::title_and_text("a b", text);
            let key = PageKey::new(number as u64);
            builder.add(&IndexDocument { key, language: None, pieces: &pieces }).unwrap();
        }
        builder.finish("fuzz").unwrap();
        let index = Arc::new(Index::open(folder.path()).unwrap());
        // Its files stay open.
        std::mem::forget(folder);
        index
    })
}

fn search_with(text: &str) {
    let Ok(synonyms) = Synonyms::parse(text) else { return };
    let searcher = Searcher::new(Arc::clone(index())).with_synonyms(&synonyms);
    let first = text.split([',', '=', '\n']).next().unwrap_or_default();
    for query in ["a car", "ab motor c", first] {
        let Ok(query) = Query::parse(query) else { continue };
        for hit in searcher.search(&query, 0, 10).expect("the index is whole").hits {
            let explanation = searcher.explain(&query, hit.doc).expect("the index is whole");
            assert!(explanation.matches && (explanation.score - hit.score).abs() < 1e-9, "{text}");
        }
    }
}

fn keep_clicks(folder: &Path, path: &Path) {
    let collection = Collection::open_or_create(&folder.join("c.crivello"), Timestamp(1)).unwrap();
    let _ = build::keep_clicks(&collection, path);
}

fn measure(text: &str) {
    let _ = eval::Questions::parse(text);
    let (before, behind) = text.split_once('\u{1}').unwrap_or((text, text));
    let (Ok(run), Ok(judgements)) = (eval::Run::parse(before), eval::Judgements::parse(behind)) else { return };
    let scores = eval::Scores::of(&run, &judgements);
    assert!((0.0..=1.0).contains(&scores.mean().map));
}

fuzz_target!(|data: &[u8]| {
    let [rule, input @ ..] = data else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, input).unwrap();
    match rule % 4 {
        0 => search_with(&String::from_utf8_lossy(input)),
        1 => keep_clicks(folder.path(), &path),
        2 => measure(&String::from_utf8_lossy(input)),
        _ => {
            let _ = graph::import_arcs(&path, &folder.path().join("graph"), &BvOptions::standard(), 1 << 20);
        }
    }
});
