//! What was found, for people, for pipes and for programs.

use std::collections::HashMap;
use std::io::{self, BufWriter, StdoutLock, Write};
use std::time::Instant;

use dedup::{CopyPair, DuplicateGroups, PairsReport, SketchReport};
use input::FileCounts;
use page::format_bytes;
use serde_json::{Map, Value, json};

use super::{DedupArgs, kept, names};
use crate::commands::Context;
use crate::output::{counted, outln, print_json, thousands};
use crate::process;

/// Whoever knows what documents are called.
pub trait Named {
    /// Says what a document is called.
    fn name(&self, document: u32) -> Vec<u8>;
}

/// What a run came to.
pub struct Report {
    /// About reading.
    pub sketched: SketchReport,
    /// The groups, if they were made.
    pub groups: Option<DuplicateGroups>,
    /// The same in another order, if not the first document of a group stands for it.
    pub ordered: Option<Vec<Vec<u32>>>,
    /// The pairs, if they were asked for.
    pub pairs: Option<PairsFound>,
    /// What became of the files that were met, if documents come from files.
    pub files: Option<FileCounts>,
    /// Files and folders that could not be read, with who knows how many documents.
    pub left_out: u64,
    /// Documents that were written.
    pub written: Option<u64>,
}

impl Report {
    /// Begins a report with what is known about reading.
    pub fn new(sketched: SketchReport) -> Self {
        Self { sketched, groups: None, ordered: None, pairs: None, files: None, left_out: 0, written: None }
    }

    /// Gives the groups as they are shown: who stands for each comes first.
    fn shown_groups(&self) -> Vec<&[u32]> {
        match (&self.ordered, &self.groups) {
            (Some(ordered), _) => ordered.iter().map(Vec::as_slice).collect(),
            (None, Some(groups)) => groups.iter().collect(),
            (None, None) => Vec::new(),
        }
    }
}

/// The pairs that were shown, or kept for one JSON object.
#[derive(Debug, Default)]
pub struct PairsFound {
    count: u64,
    exact_copies: u64,
    kept: Vec<Value>,
}

/// Names are looked up in files; so many are remembered.
const NAMES_REMEMBERED_MAX: usize = 1 << 16;

/// Prints pairs while they are found.
pub struct PairLines<'n, N: Named> {
    named: &'n N,
    remembered: HashMap<u32, Vec<u8>>,
    is_json: bool,
    found: PairsFound,
    out: BufWriter<StdoutLock<'static>>,
    failure: Option<io::Error>,
}

impl<'n, N: Named> PairLines<'n, N> {
    /// Lines on standard output, or values for JSON.
    pub fn new(named: &'n N, is_json: bool) -> Self {
        Self {
            named,
            remembered: HashMap::new(),
            is_json,
            found: PairsFound::default(),
            out: BufWriter::new(io::stdout().lock()),
            failure: None,
        }
    }

    /// Takes a pair. An error only says that no more are wanted; which one it was is told at the end.
    pub fn see(&mut self, pair: &CopyPair) -> Result<(), dedup::Error> {
        self.found.count += 1;
        let (first, second) = (self.name(pair.first), self.name(pair.second));
        if self.is_json {
            let (first, second) = (names::for_json(&first), names::for_json(&second));
            self.found.kept.push(json!([first, second, pair.similarity]));
        } else {
            let (first, second) = (names::for_line(&first), names::for_line(&second));
            if let Err(error) = writeln!(self.out, "{first}\t{second}\t{:.6}", pair.similarity) {
                let kind = error.kind();
                self.failure = Some(error);
                return Err(io::Error::from(kind).into());
            }
        }
        Ok(())
    }

    fn name(&mut self, document: u32) -> Vec<u8> {
        if self.remembered.len() >= NAMES_REMEMBERED_MAX {
            self.remembered.clear();
        }
        self.remembered.entry(document).or_insert_with(|| self.named.name(document)).clone()
    }

    /// Ends when all pairs were seen, or there was an error.
    pub fn finish(mut self, outcome: Result<PairsReport, dedup::Error>) -> anyhow::Result<PairsFound> {
        if let Some(error) = self.failure {
            return Err(error.into());
        }
        self.found.exact_copies = outcome?.exact_copies;
        self.out.flush()?;
        Ok(self.found)
    }
}

/// Shows what was asked for.
pub fn show(
    context: Context,
    args: &DedupArgs,
    report: &Report,
    named: &impl Named,
    started: Instant,
) -> anyhow::Result<()> {
    if context.json {
        return print_json(&as_json(args, report, named, started));
    }
    let summary = summary(report, started);
    let lines_go_out = args.groups || args.pairs || args.output.as_deref().is_some_and(kept::is_stdout);
    if lines_go_out {
        // Standard output is for the lines.
        if args.groups {
            print_groups(&report.shown_groups(), named)?;
        }
        context.showing.say(&summary);
    } else {
        outln!("{summary}");
        print_largest(report.shown_groups(), named);
    }
    if let (Some(written), Some(path)) = (report.written, &args.output)
        && !kept::is_stdout(path)
    {
        context.showing.say(&format!("{} written to {}", counted(written, "document"), path.display()));
    }
    Ok(())
}

fn print_groups(groups: &[&[u32]], named: &impl Named) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    for group in groups {
        for (document, separator) in group.iter().zip(std::iter::once("").chain(std::iter::repeat("\t"))) {
            write!(out, "{separator}{}", names::for_line(&named.name(*document)))?;
        }
        writeln!(out)?;
    }
    out.flush()
}

fn summary(report: &Report, started: Instant) -> String {
    let sketched = &report.sketched;
    let mut text = report.files.map_or(String::new(), |files| files.sentence() + "\n");
    text += &format!("{}, {}", counted(sketched.documents, "document"), format_bytes(sketched.bytes_read));
    if let Some(groups) = &report.groups {
        text += &format!(
            ": {} of copies, {} could go, {} of them exact",
            counted(groups.len() as u64, "group"),
            counted(groups.copies() as u64, "document"),
            thousands(groups.exact_copies)
        );
    }
    if let Some(pairs) = &report.pairs {
        text += &format!(
            ": {} of copies, {} the same as earlier ones",
            counted(pairs.count, "pair"),
            counted(pairs.exact_copies, "document")
        );
    }
    if let Some(groups) = &report.groups
        && groups.checks.left_out > 0
    {
        text += &format!(
            "; {} within very large families left out (--pairs makes all)",
            counted(groups.checks.left_out, "comparison")
        );
    }
    let too_short = sketched.too_short - sketched.unreadable;
    for (count, what) in [
        (too_short, "too short to compare"),
        (sketched.unreadable, "unreadable"),
        (report.left_out, "files or folders left out"),
    ] {
        if count > 0 {
            text += &format!("; {} {what}", thousands(count));
        }
    }
    text + &format!("; {:.1} s", started.elapsed().as_secs_f64())
}

/// How many groups, and how many names of each, are shown to people.
const GROUPS_SHOWN: usize = 10;
const NAMES_SHOWN: usize = 3;

fn print_largest(mut largest: Vec<&[u32]>, named: &impl Named) {
    largest.sort_by_key(|group| std::cmp::Reverse(group.len()));
    largest.truncate(GROUPS_SHOWN);
    if !largest.is_empty() {
        outln!("the largest groups (all with --groups):");
    }
    for group in largest {
        let shown: Vec<String> =
            group.iter().take(NAMES_SHOWN).map(|document| names::for_line(&named.name(*document))).collect();
        let rest = if group.len() > NAMES_SHOWN { ", …" } else { "" };
        outln!("{:>7}  {}{rest}", thousands(group.len() as u64), shown.join(", "));
    }
}

fn as_json(args: &DedupArgs, report: &Report, named: &impl Named, started: Instant) -> Value {
    let sketched = &report.sketched;
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("documents", sketched.documents.into());
    put("too_short", (sketched.too_short - sketched.unreadable).into());
    put("unreadable", sketched.unreadable.into());
    put("files_left_out", report.left_out.into());
    if let Some(files) = &report.files {
        put("files", json!(files));
    }
    put("bytes", sketched.bytes_read.into());
    if let Some(groups) = &report.groups {
        put("exact_copies", groups.exact_copies.into());
        put("copies", groups.copies().into());
        put("groups", groups.len().into());
        put("candidates", groups.checks.candidates.into());
        put("verified", groups.checks.verified.into());
        put("comparisons_left_out", groups.checks.left_out.into());
        let names = |group: &&[u32]| -> Value {
            group.iter().map(|document| names::for_json(&named.name(*document))).collect()
        };
        if args.groups {
            put("group_list", report.shown_groups().iter().map(names).collect());
        }
    }
    if let Some(pairs) = &report.pairs {
        put("pairs", pairs.count.into());
        put("pair_list", Value::Array(pairs.kept.clone()));
    }
    if let Some(written) = report.written {
        put("written", written.into());
    }
    put("elapsed_seconds", started.elapsed().as_secs_f64().into());
    put("cpu_seconds", process::cpu_seconds().into());
    put("peak_memory_bytes", process::peak_memory_bytes().into());
    Value::Object(object)
}
