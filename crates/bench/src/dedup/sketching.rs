//! From text to sketch, shingles included: how fast, beside gaoya (Rust) and rensa (driven from Python)?

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use ::dedup::minhash::{SLOTS, Scheme};
use ::dedup::{DedupConfig, Deduplicator, Execution, Shingler, Shingling, TextOptions, WorkFolder};

use super::texts::write_lines;
use crate::clock::timed;
use crate::{Error, Row, peers};

/// The best of them counts.
pub const ROUNDS: usize = 5;
/// 300 MB/s.
const SECONDS_PER_GB_MAX: f64 = 1.0 / 0.3;
const GAOYA_RATIO_MAX: f64 = 1.0 / 4.0;
const RENSA_RATIO_MAX: f64 = 1.0 / 25.0;
/// Of the time that one thread takes.
const TWO_THREADS_RATIO_MAX: f64 = 1.0 / 1.8;

/// All of them.
pub fn rows(documents: &[String], python: &str) -> Vec<Row> {
    let words = Shingling::Words(5);
    let per_gb = |nanoseconds: f64| per_gigabyte(nanoseconds, documents);
    let unit = "CPU s per GB";
    let name = |scheme: Scheme, shingling: &str| format!("{scheme}, {shingling}, {SLOTS} slots");

    // The rounds are interleaved, so that a slow minute hits all of them.
    let (mut ours, mut gaoya) = (f64::INFINITY, Ok(f64::INFINITY));
    for _ in 0..ROUNDS {
        ours = ours.min(sketch_all(documents, words, Scheme::FastSimilarity));
        gaoya = least(gaoya, peers::gaoya_minhash(documents));
    }
    let gaoya = gaoya.map(per_gb);
    let default = name(Scheme::FastSimilarity, "words:5");
    let mut rows = vec![
        Row::absolute(default.clone(), unit, per_gb(ours), SECONDS_PER_GB_MAX),
        Row::new(default.clone(), unit, per_gb(ours), "gaoya", gaoya.clone(), Some(GAOYA_RATIO_MAX)),
    ];
    let rensa = sketch_with_rensa(documents, python);
    rows.push(Row::new(default, unit, per_gb(ours), "rensa, from Python", rensa, Some(RENSA_RATIO_MAX)));
    for scheme in [Scheme::OnePermutation, Scheme::MultiplyAdd] {
        let time = per_gb(best(|| sketch_all(documents, words, scheme)));
        rows.push(Row::new(name(scheme, "words:5"), unit, time, "gaoya", gaoya.clone(), None));
    }
    for (scheme, shingling) in
        [(Scheme::FastSimilarity, Shingling::Chars(54)), (Scheme::Seed, Shingling::SeedChars(54))]
    {
        let some = &documents[..documents.len() / 8];
        let time = per_gigabyte(best(|| sketch_all(some, shingling, scheme)), some);
        rows.push(Row::new(name(scheme, "chars:54"), unit, time, "gaoya", gaoya.clone(), None));
    }
    rows
}

/// The less of two times, if both are known.
pub fn least(best: Result<f64, String>, now: Result<f64, String>) -> Result<f64, String> {
    Ok(best?.min(now?))
}

/// Seconds for a gigabyte of text, from nanoseconds for all documents.
pub fn per_gigabyte(nanoseconds: f64, documents: &[String]) -> f64 {
    nanoseconds / documents.iter().map(String::len).sum::<usize>() as f64
}

/// `--execution threads` with two threads beside one, in real time: to sketches, and to groups, which is what a user waits
/// for. The last row is what was measured before: two bare loops, each over half of the texts, that meet nowhere.
pub fn thread_rows(documents: &[String]) -> Result<Vec<Row>, Error> {
    let halves = documents.split_at(documents.len() / 2);
    let sketch = |documents: &[String]| sketch_all(documents, Shingling::Words(5), Scheme::FastSimilarity);
    let mut one = Times::default();
    let mut two = Times::default();
    for _ in 0..ROUNDS {
        one.measure(documents, 1)?;
        two.measure(documents, 2)?;
        one.loops = one.loops.min(wall(|| _ = sketch(documents)));
        two.loops = two.loops.min(wall(|| {
            std::thread::scope(|scope| {
                scope.spawn(|| sketch(halves.0));
                scope.spawn(|| sketch(halves.1));
            });
        }));
    }
    let row = |what: &str, two, one, goal| {
        Row::new(format!("two threads beside one, {what}, real time"), "ms", two, "one thread", Ok(one), goal)
    };
    Ok(vec![
        row("texts to sketches", two.sketches, one.sketches, Some(TWO_THREADS_RATIO_MAX)),
        row("texts to groups", two.groups, one.groups, Some(TWO_THREADS_RATIO_MAX)),
        row("bare loops as before", two.loops, one.loops, None),
    ])
}

/// The best times of a number of threads, in milliseconds.
struct Times {
    sketches: f64,
    groups: f64,
    loops: f64,
}

impl Default for Times {
    fn default() -> Self {
        Self { sketches: f64::INFINITY, groups: f64::INFINITY, loops: f64::INFINITY }
    }
}

impl Times {
    /// Goes the way of `crivello dedup --execution threads --threads N`.
    fn measure(&mut self, documents: &[String], threads: usize) -> Result<(), Error> {
        let folder = tempfile::tempdir()?;
        let config = DedupConfig { execution: Execution::Threads(threads), ..DedupConfig::default() };
        let started = Instant::now();
        let mut deduplicator = Deduplicator::open_in(WorkFolder::temporary(folder.path())?, config, "")?;
        deduplicator.sketch(&documents, &())?;
        self.sketches = self.sketches.min(started.elapsed().as_secs_f64() * 1e3);
        deduplicator.groups(&documents, &())?;
        self.groups = self.groups.min(started.elapsed().as_secs_f64() * 1e3);
        Ok(())
    }
}

fn wall(work: impl FnOnce()) -> f64 {
    let started = Instant::now();
    work();
    started.elapsed().as_secs_f64() * 1e3
}

fn best(mut run: impl FnMut() -> f64) -> f64 {
    (0..ROUNDS).map(|_| run()).fold(f64::INFINITY, f64::min)
}

fn sketch_all(documents: &[String], shingling: Shingling, scheme: Scheme) -> f64 {
    let mut shingler = Shingler::new(shingling, TextOptions::default());
    let hasher = scheme.hasher(SLOTS, 0);
    let (mut hashes, mut slots) = (Vec::new(), [0; SLOTS]);
    timed(|| {
        for document in documents {
            shingler.shingle(document.as_bytes(), &mut hashes);
            hasher.sketch(&hashes, &mut slots);
            std::hint::black_box(&slots);
        }
    })
    .1
}

/// Seconds for a gigabyte, of a Python program that makes sets of five words and gives them to rensa.
fn sketch_with_rensa(documents: &[String], python: &str) -> Result<f64, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = folder.path().join("texts");
    // It is slow: a part of the texts tells as much.
    let some = &documents[..documents.len() / 8];
    write_lines(&path, some).map_err(|error| error.to_string())?;
    Ok(per_gigabyte(run_python(python, RENSA, &path)? * 1e9, some))
}

fn run_python(python: &str, program: &str, path: &Path) -> Result<f64, String> {
    let output = Command::new(python).arg("-c").arg(program).arg(path).env("RAYON_NUM_THREADS", "1").output();
    let output = output.map_err(|error| format!("`{python}` cannot be run: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let hint =
        || format!("install it with `{python} -m pip install rensa`, or name another Python with --python");
    text.trim().parse().map_err(|_| hint())
}

/// Prints CPU seconds, without those for starting and reading.
const RENSA: &str = r#"
import sys, time
from rensa import RMinHash
texts = open(sys.argv[1], encoding="utf-8").read().split("\n")
def shingles(text):
    words = text.lower().split()
    return {" ".join(words[i:i + 5]) for i in range(max(len(words) - 4, 0))}
best = None
for _ in range(3):
    start = time.process_time()
    RMinHash.digest_matrix_from_token_sets([list(shingles(text)) for text in texts], 200, 42)
    took = time.process_time() - start
    best = took if best is None else min(best, took)
print(best)
"#;
