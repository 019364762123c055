//! tantivy, as a program of its own that is given the same documents and queries.
//!
//! A library that brings more crates than all of ours stays out of the workspace, even behind a feature. The program is called
//! with four arguments: a file of documents, one a line, words separated by one space; a folder for its index; a file of
//! queries, each a line of `words` or `phrase`, a tabulator and the words; and how often all queries are asked. It builds an
//! index of one field with positions, with one thread and merged to one segment, asks every query for ten documents (words as
//! AND and as OR), and perhaps for more and for their number, and prints one JSON object: [`Tantivy`].

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::Error;
use crate::index::{Corpus, Queries};
use crate::process::json_of;

/// What the peer is called in the table.
pub const NAME: &str = "tantivy";

const HINT: &str = "give a program that runs tantivy with --tantivy";

/// What the program tells.
#[derive(Debug, Deserialize)]
pub struct Tantivy {
    /// What its files take.
    pub bytes: Bytes,
    /// To build the index.
    pub cpu_seconds: f64,
    /// To build the index.
    pub wall_seconds: f64,
    /// To open it.
    pub open_ms: f64,
    /// Words that all have to occur.
    pub and: Kind,
    /// Words one of which has to occur.
    pub or: Kind,
    /// Phrases.
    pub phrase: Kind,
}

/// What a kind of query takes.
#[derive(Debug, Deserialize)]
pub struct Kind {
    /// For the ten best.
    #[serde(flatten)]
    pub ten: Latency,
    /// For the hundred best.
    pub top_100: Option<Latency>,
    /// For the thousand best.
    pub top_1000: Option<Latency>,
    /// To say how many there are; its results are all of them.
    pub count: Option<Latency>,
}

/// Bytes of files by what they hold.
#[derive(Debug, Deserialize)]
pub struct Bytes {
    /// Documents, counts, skips, maxima.
    pub postings: f64,
    /// Positions.
    pub positions: f64,
    /// The dictionary.
    pub terms: f64,
    /// Everything.
    pub all: f64,
}

/// How long queries take, each by its best pass.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Latency {
    /// Microseconds in the mean.
    pub mean: f64,
    /// Of a hundred queries, one takes longer.
    pub p99: f64,
    /// Results of all queries, as many of each as were asked for at most: engines that ask the same find as many.
    pub hits: u64,
}

/// Runs the program; says how to get it where none is named.
pub fn run(
    program: Option<&Path>,
    corpus: &Corpus,
    queries: &Queries,
    passes: u32,
    scratch: &Path,
) -> Result<Result<Tantivy, String>, Error> {
    let Some(program) = program else { return Ok(Err(HINT.into())) };
    let (documents, folder, asked) =
        (scratch.join("documents.txt"), scratch.join("theirs"), scratch.join("queries.txt"));
    fs_err::write(&documents, corpus.documents.join("\n"))?;
    fs_err::create_dir_all(&folder)?;
    let mut lines = String::new();
    for (kind, queries) in [("words", &queries.words), ("phrase", &queries.phrases)] {
        for query in queries {
            writeln!(lines, "{kind}\t{}", query.join(" ")).expect("a string takes all");
        }
    }
    fs_err::write(&asked, lines)?;
    let mut command = Command::new(program);
    command.arg(&documents).arg(&folder).arg(&asked).arg(passes.to_string());
    let told = json_of(&mut command).map_err(|error| Error::Peer(error.to_string()))?;
    Ok(Ok(serde_json::from_value(told).map_err(|error| Error::Peer(error.to_string()))?))
}
