//! The index: how small, how quickly built, how fast read?
//!
//! The same documents as plain lower-cased words of one field go into our index and into tantivy's, one thread each, merged to
//! one segment. The claims: documents, counts, skips and maxima in 0.72 of tantivy's bytes, positions in 0.89, all in 0.85,
//! built in 0.8 of its CPU time, and with two threads 1.7 times as fast as with one; two segments merged in a fifth of the CPU
//! time in which their documents are indexed; whole lists at 800 million postings a second where they are dense and at 250 million in the
//! mean of query terms; a skip in 60 ns; the positions of a document that was found in 150 ns. Rows without a claim tell what an
//! index takes that keeps less than positions.
//!
//! tantivy is run as a program ([`crate::tantivy`]). Where it is missing, what its layout would take is computed from the same
//! lists, which gives the bytes of documents and positions and nothing else.

mod corpus;
mod inverted;
mod layout;
mod lists;
mod terms;

use std::path::{Path, PathBuf};
use std::time::Instant;

use ::index::{Analysis, Codecs, Field, Index, IndexBuilder, IndexDocument, Piece, Precision};
use page::{PageKey, thousands};

pub use self::corpus::Corpus;
pub use self::inverted::{Inverted, Queries};
use crate::clock::process_seconds;
use crate::tantivy::{self, Tantivy};
use crate::{Error, Row, Surroundings, Yardstick};

/// Bytes, building and reading.
#[derive(Debug)]
pub struct IndexBench {
    /// A collection, or a file with a document on each line.
    pub documents: PathBuf,
    /// How lists are written.
    pub codecs: Codecs,
    /// The program that does the same with tantivy.
    pub tantivy: Option<PathBuf>,
    /// How often the index is built; the best counts.
    pub rounds: u32,
    /// Made-up terms that are looked up, once so many and once a tenth; none leaves it out.
    pub terms: u64,
}

pub(crate) const MEMORY_BYTES: u64 = 256 << 20;
const MEGABYTE: f64 = 1e6;

impl Yardstick for IndexBench {
    fn measure(&self, surroundings: &Surroundings<'_>) -> Result<Vec<Row>, Error> {
        surroundings.say("reading words");
        let corpus = Corpus::read(&self.documents)?;
        let inverted = Inverted::new(&corpus);
        let queries = Queries::of(&corpus, &inverted);
        let scratch = tempfile::tempdir()?;
        surroundings.say("building");
        let folder = scratch.path().join("ours");
        let builds = self.builds(&corpus, scratch.path(), &folder)?;
        surroundings.say("tantivy");
        let peer = tantivy::run(self.tantivy.as_deref(), &corpus, &queries, 1, scratch.path())?;
        let mut rows = size_rows(&corpus, &inverted, &folder, &peer)?;
        rows.extend(building_rows(&corpus, &builds, &peer));
        surroundings.say("precisions");
        rows.extend(precision_rows(&corpus, self.codecs, &folder, scratch.path())?);
        surroundings.say("reading lists");
        rows.push(opening_row(&folder, &peer)?);
        rows.extend(lists::rows(&folder, &inverted, &queries)?);
        for terms in [self.terms / 10, self.terms].into_iter().filter(|&terms| terms > 0) {
            surroundings.say(&format!("{} terms", thousands(terms)));
            rows.extend(terms::rows(terms)?);
        }
        Ok(rows)
    }
}

/// What work took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Took {
    pub(crate) cpu_seconds: f64,
    wall_seconds: f64,
}

impl Took {
    pub(crate) fn of(work: impl FnOnce() -> Result<(), Error>) -> Result<Self, Error> {
        let (cpu, wall) = (process_seconds(), Instant::now());
        work()?;
        Ok(Self { cpu_seconds: process_seconds() - cpu, wall_seconds: wall.elapsed().as_secs_f64() })
    }

    fn better(self, other: Self) -> Self {
        Self {
            cpu_seconds: self.cpu_seconds.min(other.cpu_seconds),
            wall_seconds: self.wall_seconds.min(other.wall_seconds),
        }
    }
}

/// What builds took.
struct Builds {
    one_thread: Took,
    two_threads: Took,
    /// Of two segments, each with half of the documents.
    merge: Took,
}

impl Builds {
    fn better(self, other: Self) -> Self {
        Self {
            one_thread: self.one_thread.better(other.one_thread),
            two_threads: self.two_threads.better(other.two_threads),
            merge: self.merge.better(other.merge),
        }
    }
}

impl IndexBench {
    /// Builds the index again and again; the one in `folder` stays.
    fn builds(&self, corpus: &Corpus, scratch: &Path, folder: &Path) -> Result<Builds, Error> {
        let (merged, all) = (scratch.join("merged"), &corpus.documents[..]);
        let once = || {
            let one_thread = Took::of(|| build_index(corpus, folder, self.codecs))?;
            let two_threads = Took::of(|| {
                let builder = IndexBuilder::create(&merged, MEMORY_BYTES)?.with_codecs(self.codecs);
                add_all(builder.with_analysis(Analysis::Plain).with_threads(2), 0, all)
            })?;
            let (first, second) = all.split_at(all.len() / 2);
            let builder = IndexBuilder::create(&merged, MEMORY_BYTES)?.with_codecs(self.codecs);
            add_all(builder.with_analysis(Analysis::Plain), 0, first)?;
            add_all(IndexBuilder::append(&merged, MEMORY_BYTES)?, first.len() as u64, second)?;
            let merge = Took::of(|| Ok(::index::merge_all(&merged).map(drop)?))?;
            Ok::<_, Error>(Builds { one_thread, two_threads, merge })
        };
        let mut best = once()?;
        for _ in 1..self.rounds {
            best = best.better(once()?);
        }
        Ok(best)
    }
}

/// Makes the index of a corpus, with one thread.
pub fn build_index(corpus: &Corpus, folder: &Path, codecs: Codecs) -> Result<(), Error> {
    // The peer has words and no more.
    let builder = IndexBuilder::create(folder, MEMORY_BYTES)?;
    add_all(builder.with_codecs(codecs).with_analysis(Analysis::Plain), 0, &corpus.documents)
}

/// Adds documents of one field, whose keys follow each other, and completes the index.
pub(crate) fn add_all(mut builder: IndexBuilder, first_key: u64, documents: &[String]) -> Result<(), Error> {
    for (number, text) in (first_key..).zip(documents) {
        let pieces = [Piece { field: Field::Main, text }];
        builder.add(&IndexDocument { key: PageKey::new(number), language: None, pieces: &pieces })?;
    }
    builder.finish("bench")?;
    Ok(())
}

/// Bytes of the files of an index whose names these are; of all files if there are none.
pub(crate) fn file_bytes(folder: &Path, names: &[&str]) -> Result<f64, Error> {
    let mut bytes = 0;
    for entry in fs_err::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            bytes += file_bytes(&entry.path(), names)? as u64;
        } else if names.is_empty() || names.iter().any(|name| entry.file_name() == *name) {
            bytes += entry.metadata()?.len();
        }
    }
    Ok(bytes as f64)
}

/// What an index takes that keeps less, beside one with positions.
fn precision_rows(
    corpus: &Corpus,
    codecs: Codecs,
    with_positions: &Path,
    scratch: &Path,
) -> Result<Vec<Row>, Error> {
    let (whole, mut rows) = (file_bytes(with_positions, &[])? / MEGABYTE, Vec::new());
    for precision in [Precision::Documents, Precision::Counts] {
        let folder = scratch.join(precision.name());
        build_index(corpus, &folder, Codecs { precision, ..codecs })?;
        let name = format!("{}: all, {} alone kept", corpus.name, precision.name());
        let ours = file_bytes(&folder, &[])? / MEGABYTE;
        rows.push(Row::new(name, "MB", ours, "with positions", Ok(whole), None));
    }
    Ok(rows)
}

fn size_rows(
    corpus: &Corpus,
    inverted: &Inverted,
    folder: &Path,
    peer: &Result<Tantivy, String>,
) -> Result<Vec<Row>, Error> {
    let computed = layout::bytes(inverted);
    let of = |name: &str| format!("{}: {name}", corpus.name);
    let row = |name: &str, files: &[&str], theirs: fn(&Tantivy) -> f64, goal| -> Result<Row, Error> {
        let theirs = peer.as_ref().map(|peer| theirs(peer) / MEGABYTE).map_err(Clone::clone);
        Ok(Row::new(of(name), "MB", file_bytes(folder, files)? / MEGABYTE, tantivy::NAME, theirs, goal))
    };
    let beside_layout = |name: &str, files: &[&str], theirs: f64, goal| -> Result<Row, Error> {
        let ours = file_bytes(folder, files)? / MEGABYTE;
        Ok(Row::new(of(name), "MB", ours, layout::NAME, Ok(theirs / MEGABYTE), Some(goal)))
    };
    let lists = ["postings", "skips"];
    let bits = |bytes: f64, count: u64| 8.0 * bytes / count as f64;
    let (list_bytes, position_bytes) = (file_bytes(folder, &lists)?, file_bytes(folder, &["positions"])?);
    Ok(vec![
        row("documents, counts, skips, maxima", &lists, |peer| peer.bytes.postings, Some(0.72))?,
        beside_layout("the same, by layout", &lists, computed.postings, 0.72)?,
        row("positions", &["positions"], |peer| peer.bytes.positions, Some(0.89))?,
        beside_layout("the same, by layout", &["positions"], computed.positions, 0.89)?,
        row("terms", &["terms", "blocks", "filter", "numbers"], |peer| peer.bytes.terms, None)?,
        row("all", &[], |peer| peer.bytes.all, Some(0.85))?,
        Row::informative(
            of("documents and counts"),
            "bits per posting",
            bits(list_bytes, inverted.postings()),
        ),
        Row::informative(
            of("positions"),
            "bits per occurrence",
            bits(position_bytes, inverted.occurrences()),
        ),
    ])
}

fn building_rows(corpus: &Corpus, builds: &Builds, peer: &Result<Tantivy, String>) -> Vec<Row> {
    let row = |name: &str, unit, ours, theirs: fn(&Tantivy) -> f64, goal| {
        let theirs = peer.as_ref().map(theirs).map_err(Clone::clone);
        Row::new(format!("{}: {name}", corpus.name), unit, ours, tantivy::NAME, theirs, goal)
    };
    let Builds { one_thread, two_threads, merge } = builds;
    let beside_ours = |name: &str, unit, took: f64, peer: &'static str, theirs: f64, goal| {
        Row::new(format!("{}: {name}", corpus.name), unit, took, peer, Ok(theirs), Some(goal))
    };
    let (seconds, alone) = (two_threads.wall_seconds, one_thread.wall_seconds);
    let (merging, indexing) = (merge.cpu_seconds, one_thread.cpu_seconds);
    vec![
        row("built from plain words", "CPU s", one_thread.cpu_seconds, |peer| peer.cpu_seconds, Some(0.8)),
        row("built from plain words", "s", one_thread.wall_seconds, |peer| peer.wall_seconds, None),
        beside_ours("built with two threads", "s", seconds, "one thread", alone, 1.0 / 1.7),
        beside_ours("two segments merged", "CPU s", merging, "indexing", indexing, 0.2),
    ]
}

fn opening_row(folder: &Path, peer: &Result<Tantivy, String>) -> Result<Row, Error> {
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        let index = Index::open(folder)?;
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
        drop(index);
    }
    let theirs = peer.as_ref().map(|peer| peer.open_ms).map_err(Clone::clone);
    Ok(Row::new("opening".into(), "ms", best, tantivy::NAME, theirs, None))
}
