//! `crivello bench`: the yardsticks. Each compares us with a peer in the same run on the same machine.

mod clock;
pub mod crawl;
pub mod dedup;
pub mod filter;
pub mod graph;
mod peer;

use clap::{Args, Subcommand};
use serde::Serialize;

use super::Context;
use crate::output::{Ending, outln, print_json};

/// Measure ourselves, beside others where they are installed
///
/// Claims of speed are ratios within one run on one machine. The tables are Markdown and can be kept.
#[derive(Debug, Args)]
pub struct BenchArgs {
    #[command(subcommand)]
    pub name: BenchName,
}

/// The yardsticks.
#[derive(Debug, Subcommand)]
pub enum BenchName {
    /// CPU time per page of a whole crawl, beside wget and wget2
    Crawl(crawl::CrawlBenchArgs),
    /// Shingles, sketches, clusters and fingerprints, beside gaoya and rensa
    Dedup(dedup::DedupBenchArgs),
    /// Bloom filters and the index of many filters, beside fastbloom and a Parquet split-block filter
    Filter(filter::FilterBenchArgs),
    /// Compression, building, ranks and distances of a link graph, beside igraph, networkit and webgraph-algo
    Graph(graph::GraphBenchArgs),
}

/// One comparison.
#[derive(Debug, Serialize)]
pub struct Row {
    /// What was measured.
    pub name: String,
    /// In what.
    pub unit: &'static str,
    /// Our number.
    pub ours: f64,
    /// The peer's number, if it is installed.
    pub peer: Option<f64>,
    /// Who the peer is; nobody where the goal is a fixed number.
    pub peer_name: &'static str,
    /// Ours divided by the peer's: below 1 we are better.
    pub ratio: Option<f64>,
    /// What we want at most: of the ratio, or of our number where no peer is named.
    pub goal: Option<f64>,
    /// Whether we have it; unknown where a peer is named and missing.
    pub holds: Option<bool>,
    /// Why there is no peer, and how to get it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Row {
    /// Compares two numbers of which the smaller is the better.
    pub fn new(
        name: String,
        unit: &'static str,
        ours: f64,
        peer_name: &'static str,
        peer: Result<f64, String>,
        goal: Option<f64>,
    ) -> Self {
        let (peer, hint) = match peer {
            Ok(number) => (Some(number), None),
            Err(hint) => (None, Some(hint)),
        };
        let ratio = peer.map(|peer| ours / peer);
        let holds = ratio.zip(goal).map(|(ratio, goal)| ratio <= goal);
        Self { name, unit, ours, peer, peer_name, ratio, goal, holds, hint }
    }

    /// A number that belongs to the picture, without a goal.
    pub fn informative(name: String, unit: &'static str, ours: f64) -> Self {
        Self { name, unit, ours, peer: None, peer_name: "", ratio: None, goal: None, holds: None, hint: None }
    }

    /// Compares a number with a fixed one that it may not exceed: there is no peer, and the goal is in the row's unit.
    pub fn absolute(name: String, unit: &'static str, ours: f64, goal: f64) -> Self {
        let holds = Some(ours <= goal);
        Self { name, unit, ours, peer: None, peer_name: "", ratio: None, goal: Some(goal), holds, hint: None }
    }
}

/// All comparisons of one run, and where they were made.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The machine and its load.
    pub machine: String,
    /// The comparisons.
    pub rows: Vec<Row>,
}

/// Runs the command.
pub fn run(context: Context, args: &BenchArgs) -> anyhow::Result<Ending> {
    let report = match &args.name {
        BenchName::Crawl(args) => crawl::run(context, args)?,
        BenchName::Dedup(args) => dedup::run(context, args)?,
        BenchName::Filter(args) => filter::run(context, args)?,
        BenchName::Graph(args) => graph::run(context, args)?,
    };
    if context.json {
        print_json(&report)?;
    } else {
        print_table(&report);
    }
    let lost = report.rows.iter().filter(|row| row.holds == Some(false)).count();
    Ok(Ending::from_failures(lost as u64))
}

/// Us, the processor, and how busy it is.
fn machine() -> String {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or(": unknown CPU");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("?").to_owned();
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "Crivello {version}, {cores} × {}, load {load}",
        model.trim_start_matches([' ', '\t', ':']).trim()
    )
}

/// As Markdown, so that it can be kept in `benches/runs/`.
fn print_table(report: &Report) {
    outln!("{}\n", report.machine);
    outln!("| what | unit | Crivello | peer | | ratio | goal | |");
    outln!("|---|---|---|---|---|---|---|---|");
    let number = |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.3}"));
    for row in &report.rows {
        let verdict = match row.holds {
            Some(true) => "holds",
            Some(false) => "missed",
            None => row.hint.as_deref().unwrap_or(""),
        };
        outln!(
            "| {} | {} | {:.3} | {} | {} | {} | {} | {verdict} |",
            row.name,
            row.unit,
            row.ours,
            number(row.peer),
            row.peer_name,
            number(row.ratio),
            row.goal.map_or("–".into(), goal_text),
        );
    }
}

/// A goal without digits that say nothing: a third is 0.3333.
fn goal_text(goal: f64) -> String {
    let rounded = (goal * 10_000.0).round() / 10_000.0;
    let is_small = goal != 0.0 && rounded == 0.0;
    format!("≤ {}", if is_small { goal } else { rounded })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_decide_whether_a_goal_is_reached() {
        let beside = |ours, peer, goal| Row::new("x".into(), "ns", ours, "other", peer, goal);
        let cases = [
            (beside(2.0, Ok(4.0), Some(0.5)), Some(0.5), Some(true)),
            (beside(3.0, Ok(4.0), Some(0.5)), Some(0.75), Some(false)),
            (beside(3.0, Ok(4.0), None), Some(0.75), None),
            (beside(3.0, Err("not installed".into()), Some(0.5)), None, None),
            (Row::absolute("x".into(), "%", 1.0, 1.0), None, Some(true)),
            (Row::absolute("x".into(), "%", 1.01, 1.0), None, Some(false)),
            (Row::absolute("x".into(), "%", f64::NAN, 1.0), None, Some(false)),
        ];
        for (row, ratio, holds) in cases {
            assert_eq!((row.ratio, row.holds), (ratio, holds), "{row:?}");
        }
        let json = serde_json::to_value(Row::absolute("x".into(), "ns", 2.0, 3.0)).unwrap();
        assert_eq!((&json["peer"], &json["goal"]), (&serde_json::Value::Null, &3.0.into()));
    }
}
