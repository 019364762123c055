//! What a build costs when little is new: adding one page in a hundred, beside the build of all others.
//!
//! The pages are those of a folder of HTML, as lines of JSON: every hundredth waits. The others are imported and built, then
//! those that waited; our program is run as a user would, and all its threads count. The peer is ourselves: the first build.
//! The graph may be left behind by so few pages (`build::Lag`), so what it costs to make it is a row of its own. Beside that, what
//! documents take on disk, and how long one takes to come back.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use build::documents::DocumentStore;
use fs_err as fs;
use page::{PageKey, thousands};

use crate::process::{Usage, measure};
use crate::{Error, Row, Surroundings, Yardstick};

/// Building again with a hundredth more.
#[derive(Debug)]
pub struct BuildBench {
    /// A folder with files that end in `.html`.
    pub pages: PathBuf,
    /// How often everything is done; the best counts.
    pub rounds: u32,
}

/// One page in so many waits.
const WAITS: usize = 100;
/// At most this share of the first build may the second cost.
const GOAL: f64 = 0.05;

/// What the builds of a round took.
#[derive(Debug, Clone, Copy)]
struct Round {
    first: Usage,
    more: Usage,
    graph: Usage,
}

impl Yardstick for BuildBench {
    fn measure(&self, surroundings: &Surroundings<'_>) -> Result<Vec<Row>, Error> {
        let scratch = tempfile::Builder::new().prefix("crivello-bench-").tempdir()?;
        surroundings.say("reading pages");
        let pages = write_lines(&self.pages, scratch.path())?;
        let mut rounds = Vec::new();
        for round in 1..=self.rounds.max(1) {
            surroundings.say(&format!("round {round}"));
            rounds.push(one_round(surroundings.program, scratch.path())?);
        }
        let mut rows = rows(pages, &rounds);
        rows.extend(of_documents(&scratch.path().join("bench.crivello").join("documents"))?);
        Ok(rows)
    }
}

fn rows(pages: u64, rounds: &[Round]) -> Vec<Row> {
    let best = |of: &dyn Fn(&Round) -> f64| rounds.iter().map(of).fold(f64::INFINITY, f64::min);
    let name = |what: &str| format!("{} pages: {what}", thousands(pages));
    let (cpu, wall) = (|usage: Usage| usage.cpu_seconds, |usage: Usage| usage.wall_seconds);
    let mut rows = Vec::new();
    for (unit, of) in [("CPU s", cpu as fn(Usage) -> f64), ("s", wall)] {
        let first = best(&|round| of(round.first));
        let row = |what, ours, goal| Row::new(name(what), unit, ours, "all others", Ok(first), goal);
        rows.push(row("a hundredth more, built again", best(&|round| of(round.more)), Some(GOAL)));
        rows.push(row("then the graph and its report", best(&|round| of(round.graph)), None));
    }
    rows
}

/// At most this part of the bytes of the texts may documents take, and so many microseconds one that is asked for.
const BYTES_GOAL: f64 = 0.25;
const MICROSECONDS_GOAL: f64 = 150.0;

/// Documents that are asked for, from all over.
const ASKED: usize = 5000;

/// What documents take, and how long they take to come back, one here and one there.
fn of_documents(folder: &Path) -> Result<Vec<Row>, Error> {
    let store = DocumentStore::open(folder)?;
    let sizes = store.summary();
    let keys: Vec<PageKey> = store.keys().collect();
    // Far from each other, so that none is in the block of the one before.
    let step = (keys.len() * 5 / 8) | 1;
    let mut times = Vec::with_capacity(ASKED);
    for place in (0..ASKED).map(|turn| turn * step % keys.len().max(1)).filter(|place| *place < keys.len()) {
        let started = Instant::now();
        store.get(keys[place])?;
        times.push(started.elapsed().as_secs_f64() * 1e6);
    }
    times.sort_unstable_by(f64::total_cmp);
    let at = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or(0.0);
    let (text, files) = (sizes.text_bytes as f64, sizes.file_bytes as f64);
    let back =
        |name: &str, ours, goal| Row::new(name.to_owned(), "µs", ours, "goal", Ok(MICROSECONDS_GOAL), goal);
    Ok(vec![
        Row::new("documents on disk".to_owned(), "bytes", files, "their texts", Ok(text), Some(BYTES_GOAL)),
        back("a document back, in the middle", at(50), Some(1.0)),
        back("a document back, nine of ten", at(90), None),
    ])
}

/// Imports and builds in a collection of its own.
fn one_round(program: &Path, scratch: &Path) -> Result<Round, Error> {
    let collection = scratch.join("bench.crivello");
    if collection.exists() {
        fs::remove_dir_all(&collection)?;
    }
    let run = |command: &str, path: Option<&str>| -> Result<Usage, Error> {
        let paths = path.map(|path| scratch.join(path));
        let usage = measure(Command::new(program).args([command, "--quiet"]).arg(&collection).args(paths))?;
        let failed = || Error::OurProgram(format!("`{command}` ended with {:?}", usage.exit_code));
        (usage.exit_code == Some(0)).then_some(usage).ok_or_else(failed)
    };
    run("import", Some("pages.jsonl"))?;
    let first = run("build", None)?;
    run("import", Some("more.jsonl"))?;
    Ok(Round { first, more: run("build", None)?, graph: run("graph", None)? })
}

/// Writes the pages of a folder into two files; how many there are.
fn write_lines(folder: &Path, scratch: &Path) -> Result<u64, Error> {
    let mut paths = Vec::new();
    find_pages(folder, &mut paths)?;
    paths.sort();
    let create = |name: &str| fs::File::create(scratch.join(name)).map(BufWriter::new);
    let (mut pages, mut more) = (create("pages.jsonl")?, create("more.jsonl")?);
    for (number, path) in paths.iter().enumerate() {
        let below = path.strip_prefix(folder).unwrap_or(path).to_string_lossy();
        let html = String::from_utf8_lossy(&fs::read(path)?).into_owned();
        let line = serde_json::json!({ "url": format!("http://bench.invalid/{below}"), "html": html });
        let file = if number % WAITS == WAITS / 2 { &mut more } else { &mut pages };
        writeln!(file, "{line}")?;
    }
    pages.flush()?;
    more.flush()?;
    if paths.len() < WAITS {
        return Err(Error::FewPages { path: folder.to_owned(), pages: paths.len(), wanted: WAITS });
    }
    Ok(paths.len() as u64)
}

/// The files below a folder that end in `.html`. Links are not followed.
fn find_pages(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), Error> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            find_pages(&path, found)?;
        } else if kind.is_file() && path.extension().is_some_and(|extension| extension == "html") {
            found.push(path);
        }
    }
    Ok(())
}
