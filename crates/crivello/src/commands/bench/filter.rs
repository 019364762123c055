//! Sets that are wrong in one direction only, and many of them at once: speed, size and true rate.
//!
//! One thread, CPU time, the best of several rounds. The claims: a query of the blocked filter takes at most half as long
//! as fastbloom's, at a true rate of at most 1.00 % and 10.2 bits a key; the sliced index answers for a thousand filters
//! of 500 elements within fixed times; and the adaptive index is at most a fifth slower than the structure that is best for
//! searches, and at most 1.3 times as slow as the best one for runs of mixed operations that its constants never saw.
//!
//! `--plots` makes the figures and tables by which Bloofi and Flat Bloofi were compared, for all structures.

mod adaptive;
mod chapter5;
mod held_out;
mod plot;
mod sets;
mod speed;
mod subjects;
mod tables;
mod thousand;

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
    /// Compare all index structures (search, insert, update, delete, memory) and write the tables and plots into this
    /// folder, as Markdown and SVG
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
    context.showing.say("a thousand filters of 500 elements");
    rows.extend(thousand::rows());
    context.showing.say("the adaptive index");
    let (row, grid) = adaptive::grid(args.counts());
    rows.push(row);
    context.showing.say("the adaptive index in mixed runs");
    let (held_out_rows, runs) = held_out::measure(args.quick);
    rows.extend(held_out_rows);
    if let Some(folder) = &args.plots {
        context.showing.say("tables and plots of all structures");
        write_chapter(folder, args.counts(), &format!("{grid}\n{}\n{runs}", adaptive::mix()))?;
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
fn write_chapter(folder: &Path, counts: &[usize], adaptive: &str) -> anyhow::Result<()> {
    let mut text = format!(
        "# Indexes of many filters\n\n{}\n\n\
         Figures and tables have the numbers of those in chapters 4 and 5 of the thesis by which Bloofi (tree) and Flat\n\
         Bloofi (flat) were compared, with the other structures beside.\n\n",
        machine()
    );
    let write = |name: &str, content: &str| {
        let path = folder.join(name);
        std::fs::write(&path, content).with_context(|| path.display().to_string())
    };
    text += &tables::cases();
    for plot in chapter5::against_count(counts).into_iter().chain(chapter5::against_shape()) {
        let name = plot.file_name();
        text += &format!("\n{}\n![the same as a plot]({name})\n", plot.table());
        write(&name, &plot.svg())?;
    }
    text += &tables::spread();
    text += &tables::distances();
    text += &tables::threads(counts.iter().copied().max().unwrap_or(1_000));
    text += &format!("\n{adaptive}");
    write("README.md", &text)
}
