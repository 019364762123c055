//! `crivello run`: crawl, build and serve.

use clap::Args;
use store::Collection;

use super::crawl::CrawlArgs;
use super::{Context, build, crawl, serve};
use crate::listen::ListenArgs;
use crate::output::Ending;

/// Crawl, build and serve: the main job in one command
///
/// Ctrl-C ends the crawl and goes on with what was fetched until then; another one ends the search page.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct RunArgs {
    #[command(flatten)]
    pub crawl: CrawlArgs,
    #[command(flatten)]
    pub listen: ListenArgs,
}

const EXAMPLES: &str = "\
Examples:
  crivello run docs.crivello https://docs.example.org/
  crivello run docs.crivello https://docs.example.org/ --max-pages 1000 --delay 2s --addr 127.0.0.1:8399";

/// Runs the command.
pub fn run(context: Context, args: &RunArgs) -> anyhow::Result<Ending> {
    let server = serve::bind(&args.listen)?;
    let summary = crawl::crawl(context, &args.crawl)?;
    if !context.json {
        summary.print();
    }
    let collection = Collection::open_to_build(&args.crawl.dir)?;
    let built = build::build_all(context, &collection, None, summary.memory / 2)?;
    if !context.json {
        build::print(&built);
    }
    serve::serve(
        context,
        server,
        std::slice::from_ref(&args.crawl.dir),
        &[],
        ::build::SnapshotSettings::of_all(),
    )?;
    Ok(Ending::from_failures(summary.failed))
}
