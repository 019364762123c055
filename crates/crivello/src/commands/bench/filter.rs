//! Sets that are wrong in one direction only, and many of them at once: speed, size and true rate.
//!
//! One thread, CPU time, the best of several rounds. The claims: a query of the blocked filter takes at most half as long
//! as fastbloom's, at a true rate of at most 1.00 % and 10.2 bits a key; the sliced index answers the thesis' case within
//! fixed times; and the adaptive index is at most a fifth slower than the structure that is best for a case.
//!
//! `--plots` makes the comparison of the thesis' chapter 5 beside that.

mod adaptive;
mod chapter5;
mod plot;
mod sets;
mod speed;
mod subjects;
mod thesis;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;

use super::{Report, machine};
use crate::commands::Context;
use crate::output::thousands;

/// Bloom filters and the index of many filters.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct FilterBenchArgs {
    /// Keys of the filters: from ten million on they are asked in batches [default: 20000 100000000]
    #[arg(long, value_name = "N", num_args = 1.., value_parser = clap::value_parser!(u64).range(1..=KEYS_MAX))]
    pub keys: Vec<u64>,
    /// Write the comparison of the thesis' chapter 5 into this folder: tables as Markdown, plots as SVG
    #[arg(long, value_name = "DIR")]
    pub plots: Option<PathBuf>,
    /// Nothing that takes minutes: small filters, and at most a thousand in an index
    #[arg(long)]
    pub quick: bool,
}

const EXAMPLES: &str = "\
Examples:
  crivello bench filter";

/// Three filters of so many keys take four gigabytes.
const KEYS_MAX: u64 = 1_000_000_000;

/// Measures everything.
pub fn run(context: Context, args: &FilterBenchArgs) -> anyhow::Result<Report> {
    if let Some(folder) = &args.plots {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let machine = machine();
    let mut rows = Vec::new();
    for keys in args.sizes() {
        context.showing.say(&format!("filters of {} keys", thousands(keys)));
        rows.extend(speed::rows(keys as usize));
    }
    context.showing.say("the thesis' case");
    rows.extend(thesis::rows());
    context.showing.say("the adaptive index");
    let (row, grid) = adaptive::grid(args.counts());
    rows.push(row);
    if let Some(folder) = &args.plots {
        context.showing.say("chapter 5");
        write_chapter(folder, args.counts(), &grid)?;
    }
    Ok(Report { machine, rows })
}

impl FilterBenchArgs {
    fn sizes(&self) -> Vec<u64> {
        match (self.keys.is_empty(), self.quick) {
            (false, _) => self.keys.clone(),
            (true, true) => vec![20_000],
            (true, false) => vec![20_000, 100_000_000],
        }
    }

    /// Numbers of filters in an index.
    fn counts(&self) -> &'static [usize] {
        if self.quick { &[10, 100, 1_000] } else { &[10, 100, 1_000, 10_000, 100_000] }
    }
}

/// Writes the tables and the plots.
fn write_chapter(folder: &Path, counts: &[usize], grid: &str) -> anyhow::Result<()> {
    let mut text = format!("# Indexes of many filters\n\n{}\n", machine());
    let write = |name: &str, content: &str| {
        let path = folder.join(name);
        std::fs::write(&path, content).with_context(|| path.display().to_string())
    };
    for plot in chapter5::against_count(counts).into_iter().chain(chapter5::against_shape()) {
        let name = plot.file_name();
        text += &format!("\n{}\n![the same as a plot]({name})\n", plot.table());
        write(&name, &plot.svg())?;
    }
    text += &format!("\n{grid}\n{}", adaptive::mix());
    write("README.md", &text)
}
