//! tantivy, given the same documents and queries as our own index: what `crivello bench --tantivy PROGRAM` runs.
//!
//! Arguments: documents (a line each, words separated by spaces), a folder for the index, queries (`words` or `phrase`, a
//! tabulator, the words), passes. Prints one JSON object with bytes, seconds and microseconds: of the ten best, of the hundred and
//! the thousand best, and of their number.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use tantivy::collector::{Count, TopDocs};
use tantivy::indexer::NoMergePolicy;
use tantivy::query::{BooleanQuery, Occur, PhraseQuery, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{TextAnalyzer, WhitespaceTokenizer};
use tantivy::{Index, IndexWriter, Searcher, TantivyDocument, Term};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, documents, folder, queries, passes] = arguments.as_slice() else {
        return Err("DOCUMENTS FOLDER QUERIES PASSES are needed".into());
    };
    let mut schema = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("words")
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let field = schema.add_text_field("text", TextOptions::default().set_indexing_options(indexing));
    let index = Index::create_in_dir(folder, schema.build())?;
    register(&index);
    let (started, cpu) = (Instant::now(), cpu_seconds());
    build(&index, field, &std::fs::read_to_string(documents)?)?;
    let (wall_seconds, cpu_seconds) = (started.elapsed().as_secs_f64(), cpu_seconds() - cpu);

    let started = Instant::now();
    let index = Index::open_in_dir(folder)?;
    register(&index);
    let searcher = index.reader()?.searcher();
    let open_ms = started.elapsed().as_secs_f64() * 1e3;
    let asked = std::fs::read_to_string(queries)?;
    let of = |kind: &str| -> Vec<Vec<Term>> {
        let lines = asked.lines().filter_map(|line| line.strip_prefix(kind)?.strip_prefix('\t'));
        lines.map(|line| line.split(' ').map(|word| Term::from_field_text(field, word)).collect()).collect()
    };
    let (words, phrases, passes) = (of("words"), of("phrase"), passes.parse::<u32>()?);
    let boolean = |occur: Occur| {
        move |terms: &Vec<Term>| -> Box<dyn Query> {
            let term = |term: &Term| -> (Occur, Box<dyn Query>) {
                (occur, Box::new(TermQuery::new(term.clone(), IndexRecordOption::WithFreqs)))
            };
            Box::new(BooleanQuery::new(terms.iter().map(term).collect()))
        }
    };
    let phrase = |terms: &Vec<Term>| -> Box<dyn Query> { Box::new(PhraseQuery::new(terms.clone())) };
    println!(
        "{}",
        json!({
            "bytes": bytes(Path::new(folder))?,
            "cpu_seconds": cpu_seconds,
            "wall_seconds": wall_seconds,
            "open_ms": open_ms,
            "and": latencies(&searcher, &words, passes, boolean(Occur::Must))?,
            "or": latencies(&searcher, &words, passes, boolean(Occur::Should))?,
            "phrase": latencies(&searcher, &phrases, passes, phrase)?,
        })
    );
    Ok(())
}

fn register(index: &Index) {
    index.tokenizers().register("words", TextAnalyzer::from(WhitespaceTokenizer::default()));
}

fn build(index: &Index, field: Field, documents: &str) -> tantivy::Result<()> {
    let mut writer: IndexWriter = index.writer_with_num_threads(1, 1 << 30)?;
    writer.set_merge_policy(Box::new(NoMergePolicy));
    for text in documents.lines() {
        let mut document = TantivyDocument::default();
        document.add_text(field, text);
        writer.add_document(document)?;
    }
    writer.commit()?;
    let segments = index.searchable_segment_ids()?;
    if segments.len() > 1 {
        writer.merge(&segments).wait()?;
    }
    writer.garbage_collect_files().wait()?;
    writer.wait_merging_threads()
}

/// What is asked for.
#[derive(Clone, Copy)]
enum Wanted {
    Best(usize),
    Count,
}

impl Wanted {
    /// How many results there are.
    fn ask(self, searcher: &Searcher, query: &dyn Query) -> tantivy::Result<usize> {
        match self {
            Self::Best(count) => Ok(searcher.search(query, &TopDocs::with_limit(count).order_by_score())?.len()),
            Self::Count => searcher.search(query, &Count),
        }
    }
}

fn latencies(
    searcher: &Searcher,
    asked: &[Vec<Term>],
    passes: u32,
    query: impl Fn(&Vec<Term>) -> Box<dyn Query>,
) -> tantivy::Result<Value> {
    let queries: Vec<Box<dyn Query>> = asked.iter().map(query).collect();
    let mut all = latency(searcher, &queries, passes, Wanted::Best(10))?;
    for (name, wanted) in
        [("top_100", Wanted::Best(100)), ("top_1000", Wanted::Best(1000)), ("count", Wanted::Count)]
    {
        all[name] = latency(searcher, &queries, passes, wanted)?;
    }
    Ok(all)
}

fn latency(
    searcher: &Searcher,
    queries: &[Box<dyn Query>],
    passes: u32,
    wanted: Wanted,
) -> tantivy::Result<Value> {
    let mut best = vec![f64::INFINITY; queries.len()];
    let mut hits = 0;
    for _ in 0..passes.max(1) {
        hits = 0;
        for (query, best) in queries.iter().zip(&mut best) {
            let started = Instant::now();
            hits += wanted.ask(searcher, query)?;
            *best = best.min(started.elapsed().as_secs_f64() * 1e6);
        }
    }
    best.sort_by(f64::total_cmp);
    let mean = best.iter().sum::<f64>() / best.len().max(1) as f64;
    Ok(json!({"mean": mean, "p99": best.get(best.len() * 99 / 100).copied().unwrap_or(0.0), "hits": hits}))
}

fn bytes(folder: &Path) -> std::io::Result<Value> {
    let mut of = std::collections::HashMap::<String, u64>::new();
    for file in std::fs::read_dir(folder)? {
        let file = file?;
        let ending = file.path().extension().map_or(String::new(), |name| name.to_string_lossy().into_owned());
        *of.entry(ending).or_default() += file.metadata()?.len();
    }
    let of = |endings: &[&str]| endings.iter().map(|ending| of.get(*ending).copied().unwrap_or(0)).sum::<u64>();
    let (postings, positions, terms) = (of(&["idx"]), of(&["pos"]), of(&["term"]));
    Ok(json!({
        "postings": postings,
        "positions": positions,
        "terms": terms,
        "all": postings + positions + terms + of(&["fieldnorm"]),
    }))
}

/// Seconds of the processor that this process has used.
fn cpu_seconds() -> f64 {
    let fields = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name: Vec<&str> = fields.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |at: usize| after_name.get(at).and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
    // User and system time, in hundredths.
    (ticks(11) + ticks(12)) / 100.0
}
