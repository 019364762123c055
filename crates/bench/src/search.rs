//! Searching: how long do ten results take?
//!
//! The same thousand queries of words, once all of them required and once any, and the same thousand phrases, asked of us and
//! of tantivy for the ten best, one thread, all in memory; of each query the best of some passes counts. Then the latent
//! space of the same documents is made, beside their index, and the best thousand of each query are put into a new order. Then
//! come a cold cache, other orders of documents, and indexes that are split.

mod cold;
mod orders;
mod splits;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use ::index::{Analysis, Analyzer, Codecs, Index};
use ::search::{
    CopiesView, Hits, Limits, Query, RESULTS_MAX, Searcher, SpaceSettings, Spaces, TotalWish, make_space,
};
use latent::LatentSpace;
use page::DocId;

use crate::index::{Corpus, Inverted, Queries, build_index};
use crate::tantivy::{self, Latency, Tantivy};
use crate::{Error, Row, Surroundings, Yardstick};

/// Words, all and any, and phrases.
#[derive(Debug)]
pub struct SearchBench {
    /// A collection, or a file with a document on each line.
    pub documents: PathBuf,
    /// How lists are written.
    pub codecs: Codecs,
    /// The program that does the same with tantivy.
    pub tantivy: Option<PathBuf>,
    /// How often each query is asked; the best counts.
    pub passes: u32,
}

const RESULTS: usize = 10;

/// One kind of query of what the peer tells.
type Of = fn(&Tantivy) -> Latency;

impl Yardstick for SearchBench {
    fn measure(&self, surroundings: &Surroundings<'_>) -> Result<Vec<Row>, Error> {
        surroundings.say("reading words");
        let corpus = Corpus::read(&self.documents)?;
        let queries = Queries::of(&corpus, &Inverted::new(&corpus));
        let scratch = tempfile::tempdir()?;
        surroundings.say("building");
        let started = Instant::now();
        build_index(&corpus, &scratch.path().join("ours"), self.codecs)?;
        let indexed_seconds = started.elapsed().as_secs_f64();
        let index = Arc::new(Index::open(&scratch.path().join("ours"))?);
        let searcher = Searcher::new(index);
        surroundings.say("tantivy");
        let peer = tantivy::run(self.tantivy.as_deref(), &corpus, &queries, self.passes, scratch.path())?;
        surroundings.say("searching");
        let ask = |queries: &[Vec<String>], write: fn(&[String]) -> String| {
            latency(&searcher, &queries.iter().map(|words| write(words)).collect::<Vec<_>>(), self.passes)
        };
        let kinds: [(&str, Latency, Of); 3] = [
            ("all words", ask(&queries.words, |words| words.join(" AND "))?, |peer| peer.and),
            ("any word", ask(&queries.words, |words| words.join(" OR "))?, |peer| peer.or),
            ("phrase", ask(&queries.phrases, |words| format!("\"{}\"", words.join(" ")))?, |peer| {
                peer.phrase
            }),
        ];
        let kinds = kinds.into_iter();
        let mut rows: Vec<Row> =
            kinds.flat_map(|(name, ours, theirs)| rows(&corpus, name, ours, theirs, &peer)).collect();
        surroundings.say("meanings");
        let any: Vec<String> = queries.words.iter().map(|words| words.join(" OR ")).collect();
        rows.extend(meanings(&corpus, searcher, &any, self.passes, indexed_seconds, scratch.path())?);
        surroundings.say("a cold cache");
        rows.extend(cold::rows(&corpus, &queries, &scratch.path().join("ours"))?);
        surroundings.say("orders of documents");
        let read = (&corpus, &*self.documents);
        rows.extend(orders::rows(read, &queries, self.codecs, self.passes, scratch.path())?);
        surroundings.say("splits");
        rows.extend(splits::rows(&corpus, &queries, self.codecs, self.passes, scratch.path())?);
        Ok(rows)
    }
}

fn rows(corpus: &Corpus, name: &str, ours: Latency, theirs: Of, peer: &Result<Tantivy, String>) -> [Row; 3] {
    let theirs = peer.as_ref().map(theirs).map_err(Clone::clone);
    let row = |what: &str, unit, of: fn(&Latency) -> f64, goal| {
        let name = format!("{}: {name}, {what}", corpus.name);
        Row::new(name, unit, of(&ours), tantivy::NAME, theirs.as_ref().map(of).map_err(Clone::clone), goal)
    };
    [
        row("mean", "µs", |latency| latency.mean, Some(1.0)),
        row("99th percentile", "µs", |latency| latency.p99, Some(1.0)),
        row("found", "results", |latency| latency.hits as f64, None),
    ]
}

/// What a latent space takes beside the index, and what it costs to weigh meanings.
fn meanings(
    corpus: &Corpus,
    searcher: Searcher,
    texts: &[String],
    passes: u32,
    indexed_seconds: f64,
    scratch: &Path,
) -> Result<[Row; 3], Error> {
    let (index, path, started) = (searcher.index(), scratch.join("space"), Instant::now());
    make_space(index, SpaceSettings { threads: 1, ..SpaceSettings::default() })?.finish(&path)?;
    let seconds = started.elapsed().as_secs_f64();
    let space = LatentSpace::open(&path)?;
    let bytes = path.metadata()?.len() as f64 / f64::from(space.documents().max(1));
    let mut spaces = Spaces::new();
    spaces.add(DocId::new(0)..DocId::new(index.documents()), space);
    let searcher = searcher.with_spaces(spaces);
    let thousand = timed(texts, passes, |query, limits| {
        searcher.search_within(query, 0, RESULTS_MAX, CopiesView::Shown, limits)
    })?;
    let reordered = timed(texts, passes, |query, limits| {
        searcher.search_by_meaning(query, 0, RESULTS_MAX, CopiesView::Shown, limits)
    })?;
    let name = |what: &str| format!("{}: {what}", corpus.name);
    Ok([
        Row::new(name("latent space, making"), "s", seconds, "the index", Ok(indexed_seconds), None),
        Row::absolute(name("latent space, bytes of a document"), "bytes", bytes, 250.0),
        Row::absolute(
            name("1,000 by meaning, beyond finding them"),
            "µs",
            reordered.mean - thousand.mean,
            1000.0,
        ),
    ])
}

/// Asks for the ten best of all queries.
fn latency(searcher: &Searcher, texts: &[String], passes: u32) -> Result<Latency, Error> {
    timed(texts, passes, |query, limits| searcher.search_within(query, 0, RESULTS, CopiesView::Shown, limits))
}

/// Asks all queries some times; of each the best counts.
fn timed(
    texts: &[String],
    passes: u32,
    search: impl Fn(&Query, Limits) -> Result<Hits, ::search::Error>,
) -> Result<Latency, Error> {
    let mut queries = Vec::with_capacity(texts.len());
    for text in texts {
        let query = Query::parse_for(text, Analyzer::new(Analysis::Plain));
        queries.push(query.map_err(|error| Error::Search(error.into()))?);
    }
    // A rival that looks for the best does not count the others either.
    let limits = Limits { total: TotalWish::Free, ..Limits::default() };
    let mut best = vec![f64::INFINITY; queries.len()];
    let mut hits = 0;
    for _ in 0..passes.max(1) {
        hits = 0;
        for (query, best) in queries.iter().zip(&mut best) {
            // The clock that the peer looks at: that of a thread's own time takes as long as a short search.
            let started = Instant::now();
            hits += search(query, limits)?.hits.len() as u64;
            *best = best.min(started.elapsed().as_secs_f64() * 1e6);
        }
    }
    best.sort_by(f64::total_cmp);
    let mean = best.iter().sum::<f64>() / best.len().max(1) as f64;
    Ok(Latency { mean, p99: best.get(best.len() * 99 / 100).copied().unwrap_or(0.0), hits })
}
