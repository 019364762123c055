//! Queries of words and phrases, beside tantivy: the ten best, more of them, and how many there are.
//!
//! The last rows ask an index with more in it for the same: the first words of each document are its title, and every document
//! has a rank, as few have a high one. tantivy is asked for words alone there too: a value of its own for each document costs it
//! two to four times as long.

use std::path::Path;
use std::sync::Arc;

use ::index::{Analysis, Codecs, Field, Index, IndexBuilder, IndexDocument, Piece};
use ::search::{LinkRanks, Searcher};
use page::PageKey;
use xxhash_rust::xxh3::xxh3_64;

use super::{Wanted, latency};
use crate::index::{Corpus, MEMORY_BYTES, Queries};
use crate::tantivy::{self, Kind, Latency, Tantivy};
use crate::{Error, Row};

/// Words that are the title of a document where fields count.
const TITLE_WORDS: usize = 8;
/// What links add at most, beside what words do.
const RANK_WEIGHT: f64 = 1.0;

/// What is not told about the peer.
const UNTOLD: &str = "the program that runs tantivy does not tell it";

/// A kind of query: how it is written, which ones there are, what the peer says of it, and the goals of mean and 99th percentile.
struct Form {
    name: &'static str,
    write: fn(&[String]) -> String,
    asked: fn(&Queries) -> &[Vec<String>],
    theirs: fn(&Tantivy) -> &Kind,
    goals: [f64; 2],
}

const FORMS: [Form; 3] = [
    Form {
        name: "all words",
        write: |words| words.join(" AND "),
        asked: |queries| &queries.words,
        theirs: |peer| &peer.and,
        goals: [0.8, 0.8],
    },
    Form {
        name: "any word",
        write: |words| words.join(" OR "),
        asked: |queries| &queries.words,
        theirs: |peer| &peer.or,
        goals: [0.8, 0.8],
    },
    Form {
        name: "phrase",
        write: |words| format!("\"{}\"", words.join(" ")),
        asked: |queries| &queries.phrases,
        theirs: |peer| &peer.phrase,
        goals: [0.4, 0.25],
    },
];

impl Form {
    fn texts(&self, queries: &Queries) -> Vec<String> {
        (self.asked)(queries).iter().map(|words| (self.write)(words)).collect()
    }
}

/// What a searcher and its peer are asked.
pub(super) struct Race<'r> {
    pub(super) corpus: &'r Corpus,
    pub(super) queries: &'r Queries,
    pub(super) peer: &'r Result<Tantivy, String>,
    pub(super) passes: u32,
}

impl Race<'_> {
    /// The ten best, then more of them, then how many there are.
    pub(super) fn rows(&self, searcher: &Searcher) -> Result<Vec<Row>, Error> {
        let mut rows = Vec::new();
        for form in &FORMS {
            let ours = latency(searcher, &form.texts(self.queries), Wanted::Best(10), self.passes)?;
            rows.extend(self.rows_of(form.name, ours, self.theirs(form, |kind| Some(kind.ten)), form.goals));
        }
        type Further = (Wanted, &'static str, fn(&Kind) -> Option<Latency>);
        let further: [Further; 3] = [
            (Wanted::Best(100), "top 100", |kind| kind.top_100),
            (Wanted::Best(1000), "top 1,000", |kind| kind.top_1000),
            (Wanted::Count, "counted", |kind| kind.count),
        ];
        for (wanted, what, theirs) in further {
            for form in &FORMS {
                let ours = latency(searcher, &form.texts(self.queries), wanted, self.passes)?;
                let name = format!("{}, {what}", form.name);
                rows.extend(self.rows_of(&name, ours, self.theirs(form, theirs), [1.0, 1.0]));
            }
        }
        Ok(rows)
    }

    /// The ten best by fields and ranks, which are in an index of their own, beside the peer's by words alone.
    pub(super) fn rows_with_ranks(&self, codecs: Codecs, scratch: &Path) -> Result<Vec<Row>, Error> {
        let folder = scratch.join("fields");
        build_with_titles(self.corpus, &folder, codecs)?;
        let ranks = LinkRanks::new(ranks(self.corpus.documents.len()), RANK_WEIGHT);
        let searcher = Searcher::new(Arc::new(Index::open(&folder)?)).with_ranks(ranks);
        let mut rows = Vec::new();
        for form in &FORMS[..2] {
            let ours = latency(&searcher, &form.texts(self.queries), Wanted::Best(10), self.passes)?;
            let name = format!("{}, fields and ranks", form.name);
            rows.extend(self.rows_of(&name, ours, self.theirs(form, |kind| Some(kind.ten)), [1.0, 1.0]));
        }
        Ok(rows)
    }

    fn theirs(&self, form: &Form, of: fn(&Kind) -> Option<Latency>) -> Result<Latency, String> {
        let peer = self.peer.as_ref().map_err(Clone::clone)?;
        of((form.theirs)(peer)).ok_or_else(|| UNTOLD.into())
    }

    fn rows_of(
        &self,
        name: &str,
        ours: Latency,
        theirs: Result<Latency, String>,
        goals: [f64; 2],
    ) -> [Row; 3] {
        let row = |what: &str, unit, of: fn(&Latency) -> f64, goal| {
            let (name, theirs) = (format!("{}: {name}, {what}", self.corpus.name), theirs.as_ref());
            Row::new(name, unit, of(&ours), tantivy::NAME, theirs.map(of).map_err(Clone::clone), goal)
        };
        [
            row("mean", "µs", |latency| latency.mean, Some(goals[0])),
            row("99th percentile", "µs", |latency| latency.p99, Some(goals[1])),
            row("found", "results", |latency| latency.hits as f64, None),
        ]
    }
}

/// Makes an index in which documents have titles.
fn build_with_titles(corpus: &Corpus, folder: &Path, codecs: Codecs) -> Result<(), Error> {
    let mut builder =
        IndexBuilder::create(folder, MEMORY_BYTES)?.with_codecs(codecs).with_analysis(Analysis::Plain);
    for (number, text) in (0u64..).zip(&corpus.documents) {
        let end = text.match_indices(' ').nth(TITLE_WORDS - 1).map_or(text.len(), |(place, _)| place);
        let (title, main) = text.split_at(end);
        let pieces = [Piece { field: Field::Title, text: title }, Piece { field: Field::Main, text: main }];
        builder.add(&IndexDocument { key: PageKey::new(number), language: None, pieces: &pieces })?;
    }
    builder.finish("bench")?;
    Ok(())
}

/// Ranks by a power law, as those of pages are, in multiples of the average; the same in every run.
fn ranks(documents: usize) -> Arc<[f32]> {
    let rank = |number: u64| {
        let share = (xxh3_64(&number.to_le_bytes()) >> 11) as f64 / (1u64 << 53) as f64;
        (0.5 / (1.0 - share).max(1e-6)) as f32
    };
    (0..documents as u64).map(rank).collect()
}
