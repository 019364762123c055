//! One file per subcommand.

pub mod bench;
pub mod build;
pub mod crawl;
pub mod dedup;
pub mod demo;
pub mod export;
pub mod graph;
pub mod import;
pub mod inspect;
pub mod lab;
pub mod manual;
pub mod run;
pub mod search;
pub mod serve;
pub mod stats;

use crate::bars::Showing;
use crate::cli::{Cli, Command};
use crate::output::Ending;

/// What every command is told beside its own options.
#[derive(Debug, Clone, Copy)]
pub struct Context {
    /// Print one JSON object.
    pub json: bool,
    /// How to show progress.
    pub showing: Showing,
}

/// Runs what the user asked for.
pub fn run(cli: Cli) -> anyhow::Result<Ending> {
    let context = Context { json: cli.json, showing: Showing::new(cli.quiet, cli.verbose > 0) };
    match cli.command {
        Command::Demo(args) => demo::run(context, &args),
        Command::Run(args) => run::run(context, &args),
        Command::Crawl(args) => crawl::run(context, &args),
        Command::Import(args) => import::run(context, &args),
        Command::Build(args) => build::run(context, &args),
        Command::Dedup(args) => dedup::run(context, &args),
        Command::Graph(args) => graph::run(context, &args),
        Command::Index(args) => build::index(context, &args),
        Command::Search(args) => search::run(context, &args),
        Command::Serve(args) => serve::run(context, &args),
        Command::Stats(args) => stats::run(context, &args),
        Command::Export(args) => export::run(context, &args),
        Command::Inspect(args) => inspect::run(context, &args),
        Command::Lab(command) => lab::run(context, &command),
        Command::Bench(args) => bench::run(context, &args),
        Command::Completions(args) => manual::completions(&args),
        Command::Man(args) => manual::man(context, &args),
    }
}
