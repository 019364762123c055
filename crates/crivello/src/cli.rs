//! The command line: its words, and which command each of them runs.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use build::Shelf;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::bars::Showing;
use crate::commands::{self, Context};
use crate::output::Ending;
use crate::remembered;

/// A web search engine that one person can own: it crawls politely, keeps everything, and answers.
#[derive(Debug, Parser)]
#[command(name = "crivello", version, max_term_width = 110, propagate_version = true, after_help = EXAMPLES)]
pub struct Cli {
    /// Print one JSON object on standard output instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// Show no progress
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Say more about what happens: once tells every failure of a crawl, twice every page (status, bytes, address)
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  crivello demo                                          a fake web, crawled and searchable, offline
  crivello run docs.crivello https://docs.example.org/   crawl a site, index it, open a search page
  crivello crawl docs.crivello https://docs.example.org/ --max-pages 1000 --delay 2s
  crivello dedup articles/ --threshold 0.7               near copies in any texts
  crivello build docs.crivello && crivello search docs.crivello 'install \"quick start\" -windows'

Exit codes: 0 done, 1 done but something failed and was counted, 2 could not run.";

/// The commands, in the order of the work.
#[derive(Debug, Subcommand)]
pub enum Command {
    Demo(commands::demo::DemoArgs),
    Run(commands::run::RunArgs),
    Crawl(commands::crawl::CrawlArgs),
    Import(commands::import::ImportArgs),
    /// Bring everything that is made from the stored pages up to date
    ///
    /// That is the graph of links with its ranks (see `graph`), the groups of copies (see `dedup`), and the inverted
    /// index. Nothing is done about what already covers all pages; the old state stays in use until the new one is
    /// complete. Groups that `dedup` made with other settings stay until there are new pages. A graph of ten thousand pages
    /// or more is made anew when one page in sixteen is new; until then the new ones have no rank, and `graph` makes it.
    Build(commands::build::BuildArgs),
    /// Make the inverted index anew, whether it is up to date or not
    ///
    /// Pages that ask not to be found (noindex) are left out. The old index stays in use until the new one is complete.
    Index(commands::build::IndexAnewArgs),
    Dedup(commands::dedup::DedupArgs),
    Graph(commands::graph::GraphArgs),
    Search(commands::search::SearchArgs),
    Eval(commands::eval::EvalArgs),
    Tune(commands::tune::TuneArgs),
    Related(commands::related::RelatedArgs),
    Serve(commands::serve::ServeArgs),
    Forget(commands::forget::ForgetArgs),
    Why(commands::why::WhyArgs),
    Stats(commands::stats::StatsArgs),
    Export(commands::export::ExportArgs),
    Inspect(commands::inspect::InspectArgs),
    Lab(commands::lab::LabCommand),
    Bench(commands::bench::BenchArgs),
    Completions(commands::manual::CompletionsArgs),
    Man(commands::manual::ManArgs),
}

impl Cli {
    /// Reads the command line; on a mistake it is told, and the process ends.
    pub fn read(words: impl IntoIterator<Item = OsString>) -> Self {
        let matches = Self::command().get_matches_from(words);
        let mut cli = Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        cli.command.note_typed(&matches);
        cli
    }

    /// Runs what the user asked for.
    pub fn run(self) -> anyhow::Result<Ending> {
        let context = Context { json: self.json, showing: Showing::new(self.quiet, self.verbose > 0) };
        match self.command {
            Command::Demo(args) => commands::demo::run(context, &args),
            Command::Run(args) => commands::run::run(context, &args),
            Command::Crawl(args) => commands::crawl::run(context, &args),
            Command::Import(args) => commands::import::run(context, &args),
            Command::Build(args) => commands::build::run(context, &args),
            Command::Dedup(args) => commands::dedup::run(context, &args),
            Command::Graph(args) => commands::graph::run(context, &args),
            Command::Index(args) => commands::build::index(context, &args),
            Command::Search(args) => commands::search::run(context, &args),
            Command::Eval(args) => commands::eval::run(context, &args),
            Command::Tune(args) => commands::tune::run(context, &args),
            Command::Related(args) => commands::related::run(context, &args),
            Command::Serve(args) => commands::serve::run(context, &args),
            Command::Forget(args) => commands::forget::run(context, &args),
            Command::Why(args) => commands::why::run(context, &args),
            Command::Stats(args) => commands::stats::run(context, &args),
            Command::Export(args) => commands::export::run(context, &args),
            Command::Inspect(args) => commands::inspect::run(context, &args),
            Command::Lab(command) => commands::lab::run(context, &command),
            Command::Bench(args) => commands::bench::run(context, &args),
            Command::Completions(args) => commands::manual::completions(&args, Self::command()),
            Command::Man(args) => commands::manual::man(context, &args, Self::command()),
        }
    }
}

impl Command {
    /// Tells a crawl which of its options were typed: it remembers them, and recalls the others.
    fn note_typed(&mut self, matches: &ArgMatches) {
        let Some((_, matches)) = matches.subcommand() else { return };
        match self {
            Self::Crawl(args) => args.typed = Some(remembered::typed(matches)),
            Self::Run(args) => args.crawl.typed = Some(remembered::typed(matches)),
            _ => {}
        }
    }

    /// Names the collection that a command is about, if it is about one.
    pub fn dir(&self) -> Option<&Path> {
        match self {
            Self::Run(args) => Some(&args.crawl.dir),
            Self::Crawl(args) => Some(&args.dir),
            Self::Import(args) => Some(&args.dir),
            Self::Build(args) => Some(&args.index.dir),
            Self::Index(args) => Some(&args.index.dir),
            Self::Dedup(args) => args.paths.first().map(PathBuf::as_path),
            Self::Graph(args) => args.dir.as_deref(),
            // What is wrong with several, or on a shelf, is wrong with one of them, which the error names.
            Self::Search(args) if args.folders_and_query().0.len() > 1 => None,
            Self::Serve(args) if args.dirs.len() > 1 => None,
            Self::Related(args) => Some(&*args.dir).filter(|dir| !Shelf::is_shelf(dir)),
            Self::Search(args) => Some(&*args.dir).filter(|dir| !Shelf::is_shelf(dir)),
            Self::Serve(args) => args.dirs.first().map(PathBuf::as_path).filter(|dir| !Shelf::is_shelf(dir)),
            Self::Eval(args) => args.dir(),
            Self::Forget(args) => Some(&args.dir),
            Self::Why(args) => Some(&args.dir),
            Self::Stats(args) => Some(&args.dir),
            Self::Export(args) => Some(&args.dir),
            Self::Demo(_) | Self::Tune(_) | Self::Inspect(_) | Self::Lab(_) | Self::Bench(_) => None,
            Self::Completions(_) | Self::Man(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Finds every command that can be run, with the words that lead to it.
    fn leaves(command: &clap::Command, path: &str, found: &mut Vec<(String, clap::Command)>) {
        for below in command.get_subcommands() {
            let path = format!("{path} {}", below.get_name());
            if below.has_subcommands() {
                leaves(below, &path, found)
            } else {
                found.push((path, below.clone()))
            }
        }
    }

    /// Cuts a line into words as a shell would; enough for ours.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut quote) = (vec![String::new()], None);
        for letter in line.trim().chars() {
            match (quote, letter) {
                (None, '\'' | '"') => quote = Some(letter),
                (Some(open), _) if open == letter => quote = None,
                (None, ' ') => words.push(String::new()),
                _ => words.last_mut().expect("there is one").push(letter),
            }
        }
        words
    }

    #[test]
    fn every_command_shows_examples_and_each_can_be_run() {
        let mut all = vec![("crivello".to_owned(), Cli::command())];
        leaves(&Cli::command(), "crivello", &mut all);
        assert!(all.len() > 15);
        for (path, command) in all {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            if path == "crivello completions" {
                continue; // Its examples are its text.
            }
            assert!(help.starts_with("Examples:\n"), "`{path} --help` shows no examples");
            let is_ours = |line: &&str| line.starts_with("  crivello ");
            assert!(help.lines().any(|line| line.trim().starts_with(&path)), "{path}: {help}");
            for line in help.lines().filter(is_ours) {
                // Behind two spaces it says what it is for; behind other signs is another program.
                let command = line.trim().split("  ").next().unwrap_or_default();
                for part in command.split(" && ").filter(|part| part.starts_with("crivello")) {
                    let part = part.split(['|', '>']).next().unwrap_or_default();
                    let parsed = Cli::try_parse_from(words(part));
                    if let Err(error) = parsed {
                        panic!("{path}: `{part}`: {error}");
                    }
                }
            }
        }
    }
}
