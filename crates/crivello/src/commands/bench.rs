//! `crivello bench`: the yardsticks. Each compares us with a peer in the same run on the same machine.

pub mod crawl;
mod peer;

use clap::{Args, Subcommand};
use serde::Serialize;

use super::Context;
use crate::output::{Ending, print_json};

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
    /// Who the peer is.
    pub peer_name: &'static str,
    /// Ours divided by the peer's: below 1 we are better.
    pub ratio: Option<f64>,
    /// The ratio that we want at most.
    pub goal: Option<f64>,
    /// Whether we have it; unknown without a peer.
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
    };
    if context.json {
        print_json(&report)?;
    } else {
        print_table(&report);
    }
    let lost = report.rows.iter().filter(|row| row.holds == Some(false)).count();
    Ok(Ending::from_failures(lost as u64))
}

/// As Markdown, so that it can be kept in `benches/runs/`.
fn print_table(report: &Report) {
    println!("{}\n", report.machine);
    println!("| what | unit | Crivello | peer | | ratio | goal | |");
    println!("|---|---|---|---|---|---|---|---|");
    let number = |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.3}"));
    for row in &report.rows {
        let verdict = match row.holds {
            Some(true) => "holds",
            Some(false) => "missed",
            None => row.hint.as_deref().unwrap_or(""),
        };
        println!(
            "| {} | {} | {:.3} | {} | {} | {} | {} | {verdict} |",
            row.name,
            row.unit,
            row.ours,
            number(row.peer),
            row.peer_name,
            number(row.ratio),
            row.goal.map_or("–".into(), |goal| format!("≤ {goal}")),
        );
    }
}
