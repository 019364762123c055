//! `crivello related`: pages that speak of the same as one that is known.

use std::path::PathBuf;
use std::sync::Arc;

use ::build::{Shelf, Snapshot, SnapshotSettings};
use clap::Args;

use super::search::print_result;
use super::{Context, address_of};
use crate::build_watch::BuildWatch;
use crate::output::{Ending, counted, one_line, outln};

/// Find pages that speak of the same as one, whatever words they use
///
/// Each page has a place in a space of 200 dimensions, in which words that occur together are near each other (latent
/// semantic indexing); the nearest pages are printed, with the cosine as their score. `build` makes the space. Of pages
/// that are copies of each other one is shown, and none of the page itself.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct RelatedArgs {
    /// The collection's folder, or a shelf
    pub dir: PathBuf,
    /// The address of a page that is in the index
    pub url: String,
    /// How many pages
    #[arg(short = 'n', long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub count: u16,
}

const EXAMPLES: &str = "\
Examples:
  crivello related docs.crivello https://docs.example.org/install.html
  crivello related docs.crivello https://docs.example.org/install.html -n 3 --json";

/// Runs the command.
pub fn run(context: Context, args: &RelatedArgs) -> anyhow::Result<Ending> {
    let url = address_of(&args.url)?;
    // Only between collections it matters whose rank stands for a page that two of them have.
    let settings = SnapshotSettings { with_spaces: true, ..SnapshotSettings::default() };
    let watch = Arc::new(BuildWatch::new(context.showing));
    let snapshot = Snapshot::open(Shelf::open(std::slice::from_ref(&args.dir))?, &settings, watch)?;
    let answer = snapshot.related(&url, args.count.into())?;
    context.print(&answer, || {
        let took_ms = answer.took_us as f64 / 1000.0;
        outln!("{} like {} in {took_ms:.1} ms", counted(answer.total, "page"), one_line(&answer.query));
        for result in &answer.results {
            print_result(result, snapshot.collections() > 1);
            outln!("     cosine {:.3}", result.score);
        }
    })?;
    Ok(Ending::from_failures(answer.unreadable))
}
