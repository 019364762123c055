//! `crivello import`: pages that come from files.

use std::path::PathBuf;

use ::build::import::{find_files, import};
use clap::Args;
use page::{Clock, PageUrl, SystemClock};
use store::Collection;

use super::Context;
use crate::build_watch::BuildWatch;
use crate::output::{Ending, counted, hinted, outln, print_json, thousands};

/// Take in pages from files and folders: HTML, text, and what else --help lists
#[derive(Debug, Args)]
#[command(long_about = long_about(), after_help = EXAMPLES)]
pub struct ImportArgs {
    /// The collection's folder; it is made if it does not exist
    pub dir: PathBuf,
    /// Files and folders
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// What the addresses of files begin with
    #[arg(long, value_name = "URL", default_value = "http://import.invalid/")]
    pub base: String,
}

/// Writes the help: which files are read is known to whoever reads them.
fn long_about() -> String {
    format!(
        "Take in pages from files and folders\n\n\
         Folders are searched for files whose names end so:\n\n{}\n\n\
         Hidden files are passed over. Symbolic links in folders are not followed, a file counts once, and one that is \
         called so but is no text (it begins as an image or an archive does, or has a zero byte early on) is left out; \
         they are counted. A page whose address the collection already has is left out, so an import can be repeated.",
        input::pages::help_text()
    )
}

const EXAMPLES: &str = "\
Examples:
  crivello import docs.crivello public/ --base https://docs.example.org/  a site as it lies on the disk
  crivello import docs.crivello pages.jsonl               lines with url, title and text
  crivello import other.crivello index.ciff               the documents of an index that another engine wrote";

/// Runs the command.
pub fn run(context: Context, args: &ImportArgs) -> anyhow::Result<Ending> {
    let base = PageUrl::parse(&args.base)
        .map_err(|error| hinted(format!("`{}`: {error}", args.base), "give --base as http://name/"))?;
    let watch = BuildWatch::new(context.showing);
    // Before the collection is made: a wrong path leaves none behind.
    let found = find_files(&args.dir, &args.paths, &watch)?;
    let collection = Collection::open_or_create(&args.dir, SystemClock.now())?;
    let summary = import(&collection, &found, &args.paths, base, &SystemClock, &watch)?;
    watch.finish();
    if context.json {
        print_json(&summary)?;
    } else {
        outln!(
            "{} imported, {} already there, {} failed",
            counted(summary.imported, "page"),
            thousands(summary.already_there),
            thousands(summary.failed)
        );
        let left_out = summary.no_text + summary.links + summary.repeated;
        if left_out > 0 {
            outln!(
                "left out: {} that are no text, {} symbolic links, {} met twice",
                thousands(summary.no_text),
                thousands(summary.links),
                thousands(summary.repeated)
            );
        }
    }
    Ok(Ending::from_failures(summary.failed))
}
