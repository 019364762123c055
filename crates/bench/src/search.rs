//! Searching: how long do ten results take?
//!
//! The same thousand queries of words, once all of them required and once any, and the same thousand phrases, asked of us and
//! of tantivy for the ten best, for more, and for their number, one thread, all in memory; of each query the best of some
//! passes counts. Then come the steps by which an intersection becomes quick. Then the latent space of the same documents is
//! made, beside their index, and the best of each query are put into a new order. Then come a cold cache, other orders of
//! documents, indexes that are split, and queries that are made to hurt.

mod cold;
mod hostile;
mod orders;
mod queries;
mod splits;
mod steps;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use ::index::{Analysis, Analyzer, Codecs, Index};
use ::search::{
    CopiesView, Limits, Meanings, Query, RESULTS_MAX, Searcher, SpaceSettings, Spaces, TotalWish, make_space,
};
use latent::LatentSpace;
use page::DocId;

use crate::index::{Corpus, Inverted, Queries, build_index};
use crate::search::queries::Race;
use crate::tantivy::{self, Latency};
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
    /// The one part that is measured; all of them if none is named.
    pub only: Option<SearchPart>,
}

/// What is measured apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchPart {
    /// Words and phrases, beside tantivy.
    Queries,
    /// The steps by which an intersection becomes quick.
    Steps,
    /// The latent space.
    Meanings,
    /// A cold cache.
    Cold,
    /// Orders of documents.
    Orders,
    /// Indexes that are split.
    Splits,
    /// Queries that are made to hurt.
    Hostile,
}

impl SearchPart {
    /// Lists all of them.
    pub const ALL: [Self; 7] =
        [Self::Queries, Self::Steps, Self::Meanings, Self::Cold, Self::Orders, Self::Splits, Self::Hostile];

    /// Gives the name that people write.
    pub fn name(self) -> &'static str {
        match self {
            Self::Queries => "queries",
            Self::Steps => "steps",
            Self::Meanings => "meanings",
            Self::Cold => "cold",
            Self::Orders => "orders",
            Self::Splits => "splits",
            Self::Hostile => "hostile",
        }
    }

    /// Finds the part of a name.
    pub fn parse(name: &str) -> Result<Self, String> {
        let names = Self::ALL.map(Self::name).join(", ");
        Self::ALL.into_iter().find(|part| part.name() == name).ok_or_else(|| format!("it is one of {names}"))
    }
}

impl Yardstick for SearchBench {
    fn measure(&self, surroundings: &Surroundings<'_>) -> Result<Vec<Row>, Error> {
        let is_wanted = |part| self.only.is_none_or(|only| only == part);
        surroundings.say("reading words");
        let corpus = Corpus::read(&self.documents)?;
        let queries = Queries::of(&corpus, &Inverted::new(&corpus));
        let (scratch, mut rows) = (tempfile::tempdir()?, Vec::new());
        surroundings.say("building");
        let started = Instant::now();
        build_index(&corpus, &scratch.path().join("ours"), self.codecs)?;
        let indexed_seconds = started.elapsed().as_secs_f64();
        let index = Arc::new(Index::open(&scratch.path().join("ours"))?);
        let searcher = Searcher::new(index);
        if is_wanted(SearchPart::Queries) {
            rows.extend(self.race(&corpus, &queries, &searcher, scratch.path(), surroundings)?);
        }
        if is_wanted(SearchPart::Steps) {
            surroundings.say("steps of an intersection");
            rows.extend(steps::rows(&corpus, &queries, searcher.index(), self.passes)?);
        }
        if is_wanted(SearchPart::Hostile) {
            surroundings.say("hostile queries");
            rows.extend(hostile::rows(&corpus, &searcher)?);
        }
        if is_wanted(SearchPart::Meanings) {
            surroundings.say("meanings");
            let any: Vec<String> = queries.words.iter().map(|words| words.join(" OR ")).collect();
            rows.extend(meanings(&corpus, searcher, &any, self.passes, indexed_seconds, scratch.path())?);
        }
        if is_wanted(SearchPart::Cold) {
            surroundings.say("a cold cache");
            rows.extend(cold::rows(&corpus, &queries, &scratch.path().join("ours"))?);
        }
        if is_wanted(SearchPart::Orders) {
            surroundings.say("orders of documents");
            let read = (&corpus, &*self.documents);
            rows.extend(orders::rows(read, &queries, self.codecs, self.passes, scratch.path())?);
        }
        if is_wanted(SearchPart::Splits) {
            surroundings.say("splits");
            rows.extend(splits::rows(&corpus, &queries, self.codecs, self.passes, scratch.path())?);
        }
        Ok(rows)
    }
}

impl SearchBench {
    fn race(
        &self,
        corpus: &Corpus,
        queries: &Queries,
        searcher: &Searcher,
        scratch: &Path,
        surroundings: &Surroundings<'_>,
    ) -> Result<Vec<Row>, Error> {
        surroundings.say("tantivy");
        let peer = tantivy::run(self.tantivy.as_deref(), corpus, queries, self.passes, scratch)?;
        let race = Race { corpus, queries, peer: &peer, passes: self.passes };
        surroundings.say("searching");
        let mut rows = race.rows(searcher)?;
        surroundings.say("fields and ranks");
        rows.extend(race.rows_with_ranks(self.codecs, scratch)?);
        Ok(rows)
    }
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
    make_space(index, &path, SpaceSettings { threads: 1, ..SpaceSettings::default() })?;
    let seconds = started.elapsed().as_secs_f64();
    let space = LatentSpace::open(&path)?;
    let bytes = path.metadata()?.len() as f64 / f64::from(space.documents().max(1));
    let mut spaces = Spaces::new();
    spaces.add(DocId::new(0)..DocId::new(index.documents()), space);
    let searcher = searcher.with_spaces(spaces);
    let limits = Limits { total: TotalWish::Free, ..Limits::default() };
    let thousand = latency(&searcher, texts, Wanted::Best(RESULTS_MAX), passes)?;
    let reordered = timed(texts, passes, |query| {
        let (shown, on) = (CopiesView::Shown, Meanings::On);
        let found = searcher.search_by_meaning(query, 0, RESULTS_MAX, shown, limits, on)?;
        Ok(found.hits.len() as u64)
    })?;
    let name = |what: &str| format!("{}: {what}", corpus.name);
    Ok([
        Row::new(name("latent space, making"), "s", seconds, "the index", Ok(indexed_seconds), None),
        Row::absolute(name("latent space, bytes of a document"), "bytes", bytes, 250.0),
        Row::absolute(
            name("1,000 results by meaning, beyond finding them"),
            "µs",
            reordered.mean - thousand.mean,
            1000.0,
        ),
    ])
}

/// What is asked for.
#[derive(Debug, Clone, Copy)]
enum Wanted {
    /// So many of the best.
    Best(usize),
    /// How many there are.
    Count,
}

/// Asks all queries.
fn latency(searcher: &Searcher, texts: &[String], wanted: Wanted, passes: u32) -> Result<Latency, Error> {
    let (count, is_counted) = match wanted {
        Wanted::Best(count) => (count, false),
        Wanted::Count => (0, true),
    };
    // A rival that looks for the best does not count the others either.
    let total = if is_counted { TotalWish::Exact } else { TotalWish::Free };
    let limits = Limits { total, ..Limits::default() };
    timed(texts, passes, |query| {
        let found = searcher.search_within(query, 0, count, CopiesView::Shown, limits)?;
        Ok(if is_counted { found.total } else { found.hits.len() as u64 })
    })
}

/// Asks all queries some times; of each the best counts.
fn timed(
    texts: &[String],
    passes: u32,
    search: impl Fn(&Query) -> Result<u64, ::search::Error>,
) -> Result<Latency, Error> {
    let mut queries = Vec::with_capacity(texts.len());
    for text in texts {
        let query = Query::parse_for(text, Analyzer::new(Analysis::Plain));
        queries.push(query.map_err(|error| Error::Search(error.into()))?);
    }
    let mut best = vec![f64::INFINITY; queries.len()];
    let mut hits = 0;
    for _ in 0..passes.max(1) {
        hits = 0;
        for (query, best) in queries.iter().zip(&mut best) {
            // The clock that the peer looks at: that of a thread's own time takes as long as a short search.
            let started = Instant::now();
            hits += search(query)?;
            *best = best.min(started.elapsed().as_secs_f64() * 1e6);
        }
    }
    best.sort_by(f64::total_cmp);
    let mean = best.iter().sum::<f64>() / best.len().max(1) as f64;
    Ok(Latency { mean, p99: best.get(best.len() * 99 / 100).copied().unwrap_or(0.0), hits })
}
