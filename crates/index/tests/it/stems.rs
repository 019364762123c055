//! Words are found by their stems, in the language of the document, however the index was made.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use index::{Analysis, Analyzer, Error, Index, IndexBuilder, IndexDocument, IndexReport, Piece, TokenKind};
use page::{DocId, PageKey};

/// A language and a text.
type Text = (Option<&'static str>, String);

fn texts() -> Vec<Text> {
    let sentences: [Text; 8] = [
        (Some("en"), "the connection was connected to connections".to_owned()),
        (Some("en-GB"), "Connect the dots; running runs, a runner ran".to_owned()),
        (Some("de"), "die Häuser und das Haus, connections und Verbindungen".to_owned()),
        (Some("fr"), "l'été a été mangé, mangées et manger ; connections".to_owned()),
        (None, "connections connected without a language".to_owned()),
        (Some("zh"), "水是生命之源，水。東京都".to_owned()),
        (Some("xx"), "getConnections e-mails 3.11".to_owned()),
        (Some("en"), "the unique word".to_owned()),
    ];
    (0..400).map(|number| sentences[number * 7 % 8].clone()).collect()
}

fn add_all(mut builder: IndexBuilder, texts: &[Text], first: u64) -> IndexReport {
    for ((language, text), key) in texts.iter().zip(first..) {
        let pieces = Piece::title_and_text(if key % 3 == 0 { "Connecting" } else { "" }, text);
        builder.add(&IndexDocument { key: PageKey::new(key), language: *language, pieces: &pieces }).unwrap();
    }
    builder.finish("test").unwrap()
}

/// Stem, documents, how often; as the list of a stem has it, and none where only the stem itself has it.
type Model = BTreeMap<String, BTreeMap<DocId, u32>>;

fn model(texts: &[Text]) -> Model {
    let (mut model, mut others) = (Model::new(), BTreeMap::<String, bool>::new());
    for ((language, text), doc) in texts.iter().zip(0..) {
        let title = if doc % 3 == 0 { "Connecting" } else { "" };
        for text in [title, text] {
            Analyzer::default().tokens(text, &mut |token| {
                let own = token.term.to_owned();
                let stem = match (language, token.kind) {
                    (Some(language), TokenKind::Word | TokenKind::Extra)
                        if !matches!(*language, "zh" | "xx") =>
                    {
                        stem_by_index(language, &text[token.start..token.end], token.term)
                    }
                    _ => own.clone(),
                };
                *others.entry(stem.clone()).or_default() |= stem != own || token.kind == TokenKind::Letter;
                for stem in BTreeSet::from([own, stem]) {
                    *model.entry(stem).or_default().entry(DocId::new(doc)).or_default() += 1;
                }
            });
        }
    }
    model.retain(|stem, _| others.get(stem) == Some(&true));
    model
}

/// The stem of a word, as an index of that language alone would give it.
fn stem_by_index(language: &str, typed: &str, term: &str) -> String {
    thread_local! {
        static ANALYZERS: std::cell::RefCell<BTreeMap<String, Analyzer>> = Default::default();
    }
    ANALYZERS.with_borrow_mut(|analyzers| {
        let analyzer = analyzers.entry(language.to_owned()).or_insert_with(|| {
            let folder = tempfile::tempdir().unwrap();
            let mut builder = IndexBuilder::create(folder.path(), 1 << 20).unwrap();
            let pieces = Piece::title_and_text("", "a");
            builder
                .add(&IndexDocument { key: PageKey::new(0), language: Some(language), pieces: &pieces })
                .unwrap();
            builder.finish("").unwrap();
            Index::open(folder.path()).unwrap().analyzer()
        });
        analyzer.stems(typed, term).pop().unwrap()
    })
}

fn postings(index: &Index, stem: &str) -> BTreeMap<DocId, u32> {
    let mut postings = BTreeMap::new();
    let Some(entry) = index.stem(stem).unwrap() else { return postings };
    let mut cursor = index.cursor(&entry);
    while cursor.doc() != DocId::END {
        assert_eq!(cursor.counts().total(), cursor.frequency());
        postings.insert(cursor.doc(), cursor.frequency());
        cursor.next();
    }
    assert_eq!(postings.len(), entry.document_frequency() as usize);
    postings
}

fn assert_equals_model(index: &Index, model: &Model) {
    for (stem, expected) in model {
        assert_eq!(&postings(index, stem), expected, "{stem}");
    }
}

#[test]
fn the_lists_of_stems_are_those_of_a_map_whatever_the_memory_and_the_segments() {
    let texts = texts();
    let model = model(&texts);
    for stem in ["connect", "run", "haus", "mang", "水", "verbind"] {
        assert!(model.contains_key(stem), "{stem}");
    }
    assert!(!model.contains_key("unique") && !model.contains_key("東京"));
    let mut reports = Vec::new();
    for memory in [u64::MAX, 1 << 12] {
        let folder = tempfile::tempdir().unwrap();
        reports.push(add_all(IndexBuilder::create(folder.path(), memory).unwrap(), &texts, 0));
        let index = Index::open(folder.path()).unwrap();
        assert_eq!(index.report().stems, model.len() as u64);
        assert_equals_model(&index, &model);
    }
    assert!(reports[1].runs > 20 && reports[0].bytes == reports[1].bytes);
    let folder = tempfile::tempdir().unwrap();
    add_all(IndexBuilder::create(folder.path(), 1 << 20).unwrap(), &texts[..150], 0);
    add_all(IndexBuilder::append(folder.path(), 1 << 20).unwrap(), &texts[150..], 150);
    assert_equals_model(&Index::open(folder.path()).unwrap(), &model);
}

#[test]
fn a_stem_that_is_its_only_word_is_the_list_of_the_word_in_each_segment() {
    let folder = tempfile::tempdir().unwrap();
    let text = |text: &str| vec![(Some("en"), text.to_owned())];
    add_all(IndexBuilder::create(folder.path(), 1 << 20).unwrap(), &text("connect"), 1);
    assert_eq!(Index::open(folder.path()).unwrap().report().stems, 0);
    add_all(IndexBuilder::append(folder.path(), 1 << 20).unwrap(), &text("connections"), 2);
    let index = Index::open(folder.path()).unwrap();
    assert_eq!(index.analyzer().stems("connecting", "connecting"), ["connect"]);
    assert_eq!(postings(&index, "connect").len(), 2);
    assert_eq!(postings(&index, "absent").len(), 0);
    let entry = index.stem("connect").unwrap().unwrap();
    let mut cursor = index.cursor(&entry);
    cursor.next();
    assert!(
        matches!(cursor.positions(&mut Vec::new()), Err(Error::Damaged { .. })),
        "stems have no positions"
    );
}

#[test]
fn a_query_is_stemmed_in_the_languages_of_a_twentieth_of_the_documents() {
    let folder = tempfile::tempdir().unwrap();
    let mut texts = vec![(Some("en"), "words".to_owned()); 39];
    texts.extend([(Some("de"), "Wörter".to_owned()), (Some("de"), "Wörter".to_owned())]);
    texts.push((Some("fr"), "mots".to_owned()));
    add_all(IndexBuilder::create(folder.path(), 1 << 20).unwrap(), &texts, 1);
    let analyzer = |dir: &Path| Index::open(dir).unwrap().analyzer();
    assert_eq!(analyzer(folder.path()).stems("nationally", "nationally"), ["nation"]);
    add_all(IndexBuilder::append(folder.path(), 1 << 20).unwrap(), &[(Some("de"), "Wort".to_owned())], 50);
    assert_eq!(analyzer(folder.path()).stems("nationally", "nationally"), ["nationally", "nation"]);
}

#[test]
fn a_plain_index_has_words_alone_and_later_segments_are_alike() {
    let folder = tempfile::tempdir().unwrap();
    let text = [(Some("en"), "getConnections e-mail 東京".to_owned())];
    let builder = IndexBuilder::create(folder.path(), 1 << 20).unwrap().with_analysis(Analysis::Plain);
    add_all(builder, &text, 1);
    add_all(IndexBuilder::append(folder.path(), 1 << 20).unwrap(), &text, 2);
    let index = Index::open(folder.path()).unwrap();
    assert_eq!((index.analysis(), index.report().stems), (Analysis::Plain, 0));
    for (term, documents) in
        [("getconnections", 2), ("mail", 2), ("東", 2), ("email", 0), ("get", 0), ("東京", 0)]
    {
        let found = index.term(term).unwrap().map_or(0, |entry| entry.document_frequency());
        assert_eq!(found, documents, "{term}");
    }
    assert_eq!(index.analyzer().stems("connections", "connections"), [""; 0]);
}

#[test]
fn the_vocabularies_of_snowball_have_their_stems() {
    let data = match std::env::var_os("CRIVELLO_DATA") {
        Some(data) => std::path::PathBuf::from(data),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
    };
    let folded = |word: &str| {
        let mut terms = Vec::new();
        Analyzer::new(Analysis::Plain).tokens(word, &mut |token| terms.push(token.term.to_owned()));
        terms.pop().filter(|_| word.chars().all(char::is_alphabetic))
    };
    for (name, tag) in
        [("english", "en"), ("french", "fr"), ("german", "de"), ("italian", "it"), ("spanish", "es")]
    {
        let folder = data.join("conformance/snowball-data").join(name);
        let read = |file| std::fs::read_to_string(folder.join(file));
        let (Ok(words), Ok(stems)) = (read("voc.txt"), read("output.txt")) else {
            let line = format!("skipped: {} is absent (set CRIVELLO_DATA)\n", folder.display());
            std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes()).unwrap();
            continue;
        };
        let mut compared = 0;
        for (word, stem) in words.lines().zip(stems.lines()) {
            let (Some(term), Some(stem)) = (folded(word), folded(stem)) else { continue };
            assert_eq!(stem_by_index(tag, word, &term), stem, "{name}: {word}");
            compared += 1;
        }
        assert!(compared > 20_000, "{name}: {compared}");
    }
}
