//! The command line: its words, and the options that several commands share.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::commands;

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
    /// complete. Groups that `dedup` made with other settings stay until there are new pages.
    Build(commands::build::BuildArgs),
    /// Make the inverted index anew, whether it is up to date or not
    ///
    /// Pages that ask not to be found (noindex) are left out. The old index stays in use until the new one is complete.
    Index(commands::build::IndexArgs),
    Dedup(commands::dedup::DedupArgs),
    Graph(commands::graph::GraphArgs),
    Search(commands::search::SearchArgs),
    Serve(commands::serve::ServeArgs),
    Stats(commands::stats::StatsArgs),
    Export(commands::export::ExportArgs),
    Inspect(commands::inspect::InspectArgs),
    Lab(commands::lab::LabCommand),
    Bench(commands::bench::BenchArgs),
    Completions(commands::manual::CompletionsArgs),
    Man(commands::manual::ManArgs),
}

impl Command {
    /// The collection that a command is about, if it is about one.
    pub fn dir(&self) -> Option<&Path> {
        match self {
            Self::Run(args) => Some(&args.crawl.dir),
            Self::Crawl(args) => Some(&args.dir),
            Self::Import(args) => Some(&args.dir),
            Self::Build(args) => Some(&args.index.dir),
            Self::Index(args) => Some(&args.dir),
            Self::Dedup(args) => args.paths.first().map(PathBuf::as_path),
            Self::Graph(args) => args.dir.as_deref(),
            Self::Search(args) => Some(&args.dir),
            Self::Serve(args) => Some(&args.dir),
            Self::Stats(args) => Some(&args.dir),
            Self::Export(args) => Some(&args.dir),
            Self::Demo(_) | Self::Inspect(_) | Self::Lab(_) | Self::Bench(_) => None,
            Self::Completions(_) | Self::Man(_) => None,
        }
    }
}

/// How a crawl behaves: the options of `crawl`, `run` and partly of `demo`.
#[derive(Debug, Clone, Args)]
pub struct CrawlOptions {
    /// Stop when the collection has this many pages
    #[arg(long, value_name = "N", help_heading = "Budgets")]
    pub max_pages: Option<u64>,
    /// Fetch nothing further than this many links from a seed (redirects do not count)
    #[arg(long, value_name = "N", help_heading = "Budgets")]
    pub max_depth: Option<u16>,
    /// Leave a host alone after this many pages
    #[arg(long, value_name = "N", help_heading = "Budgets")]
    pub max_per_host: Option<u64>,
    /// Stop after this time, for example 10m
    #[arg(long, value_name = "T", value_parser = page::parse_duration, help_heading = "Budgets")]
    pub duration: Option<Duration>,
    /// Memory to use, for example 512MiB or 2GB
    ///
    /// It covers the sieve, the queues, links and pages on their way, and the ranks of --priority rank: what does not fit
    /// goes to disk or waits. Not covered are 16 bytes for each page of the collection (to recognise copies), some
    /// kilobytes for each host, and addresses of hosts whose name is being looked up. `build` has its own: half of this
    /// after `run`; the graph of links can take more while it is made.
    #[arg(long, value_name = "BYTES", default_value = "512MiB", value_parser = page::parse_bytes, help_heading = "Budgets")]
    pub memory: u64,
    /// How far to go from the given addresses
    #[arg(long, value_enum, default_value_t = ScopeKind::Host, help_heading = "What to fetch")]
    pub scope: ScopeKind,
    /// Fetch only addresses that match this regular expression (may be repeated: any of them)
    #[arg(long, value_name = "RE", value_parser = parse_pattern, help_heading = "What to fetch")]
    pub include: Vec<regex::Regex>,
    /// Fetch no address that matches this regular expression (may be repeated)
    #[arg(long, value_name = "RE", value_parser = parse_pattern, help_heading = "What to fetch")]
    pub exclude: Vec<regex::Regex>,
    /// Fetch the sitemaps that robots.txt files name, and what they list
    #[arg(long, help_heading = "What to fetch")]
    pub sitemaps: bool,
    /// Follow links that ask not to be followed
    #[arg(long, help_heading = "What to fetch")]
    pub follow_nofollow: bool,
    /// Rest between two requests to a host; a longer Crawl-delay in its robots.txt holds instead
    #[arg(long, value_name = "T", default_value = "4s", value_parser = page::parse_duration, help_heading = "Politeness")]
    pub delay: Duration,
    /// Rest between two requests to one IP address [default: the value of --delay]
    #[arg(long, value_name = "T", value_parser = page::parse_duration, help_heading = "Politeness")]
    pub ip_delay: Option<Duration>,
    /// Rest at least this many times as long as the last answer took
    #[arg(long, value_name = "R", default_value_t = 0.0, value_parser = parse_ratio, help_heading = "Politeness")]
    pub rest_ratio: f64,
    /// How to present ourselves; the first word is looked for in robots.txt
    #[arg(long, value_name = "NAME", default_value = crawl::USER_AGENT, value_parser = parse_user_agent, help_heading = "Politeness")]
    pub user_agent: String,
    /// Lines `address<TAB>host` that take precedence over DNS
    #[arg(long, value_name = "hosts.tsv", help_heading = "Network")]
    pub resolve: Option<PathBuf>,
    /// Allow private addresses of this range, for example 127.0.0.0/8 (may be repeated)
    #[arg(long, value_name = "CIDR", help_heading = "Network")]
    pub allow_net: Vec<fetch::Cidr>,
    /// How addresses that were seen before are recognised
    #[arg(long, value_enum, default_value_t = SieveKind::Mercator, help_heading = "Method")]
    pub sieve: SieveKind,
    /// What becomes of the links of pages that repeat an earlier page
    #[arg(long, value_enum, default_value_t = CopiesKind::Follow, help_heading = "What to fetch")]
    pub copies: CopiesKind,
    /// Which address of a host is next
    #[arg(long, default_value = frontier::Priority::default().name, value_parser = priority_parser(), help_heading = "Method")]
    pub priority: frontier::Priority,
    /// Threads that fetch and read pages [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), help_heading = "Method")]
    pub workers: Option<u16>,
    /// The servers are in this process too, so that a connection takes two of its open files.
    #[arg(skip)]
    pub serves_itself: bool,
}

/// See [`crawl::Scope`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScopeKind {
    /// Only the hosts of the given addresses
    Host,
    /// All hosts of their registrable domains
    Domain,
    /// Wherever the links lead
    All,
}

/// The kinds of sieves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SieveKind {
    /// Exact: a sorted list on disk, merged in batches
    Mercator,
    /// A filter in memory: misses about one page in a thousand
    Bloom,
}

/// See [`crawl::CopyLinks`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CopiesKind {
    /// They are followed like any other
    Follow,
    /// They are kept but not followed
    Skip,
}

/// Understands the name of any priority that there is.
fn priority_parser() -> impl TypedValueParser<Value = frontier::Priority> {
    let value = |priority: &frontier::Priority| PossibleValue::new(priority.name).help(priority.help);
    PossibleValuesParser::new(frontier::Priority::ALL.iter().map(value))
        .map(|name| frontier::Priority::named(&name).expect("the parser knows the names"))
}

impl CrawlOptions {
    /// What the crawl is told.
    pub fn config(&self) -> crawl::CrawlConfig {
        let defaults = crawl::CrawlConfig::default();
        crawl::CrawlConfig {
            policy: frontier::PolitenessPolicy {
                host_delay: self.delay,
                address_delay: self.ip_delay.unwrap_or(self.delay),
                rest_ratio: self.rest_ratio,
            },
            budget: crawl::CrawlBudget {
                pages_max: self.max_pages,
                depth_max: self.max_depth,
                pages_per_host_max: self.max_per_host,
                duration_max: self.duration,
            },
            scope: match self.scope {
                ScopeKind::Host => crawl::Scope::Host,
                ScopeKind::Domain => crawl::Scope::Domain,
                ScopeKind::All => crawl::Scope::All,
            },
            sieve: match self.sieve {
                SieveKind::Mercator => crawl::SieveChoice::Mercator,
                SieveKind::Bloom => crawl::SieveChoice::Bloom,
            },
            copies: match self.copies {
                CopiesKind::Follow => crawl::CopyLinks::Follow,
                CopiesKind::Skip => crawl::CopyLinks::Skip,
            },
            priority: self.priority,
            include: self.include.clone(),
            exclude: self.exclude.clone(),
            follow_nofollow: self.follow_nofollow,
            sitemaps: self.sitemaps,
            user_agent: self.user_agent.clone(),
            memory_bytes: self.memory.max(MEMORY_BYTES_MIN),
            open_files_max: self.open_files_max(),
            workers: self.workers.map_or(defaults.workers, usize::from),
            ..defaults
        }
        .within_open_files()
    }

    /// What the crawl may have open of what the process may.
    fn open_files_max(&self) -> usize {
        let files = crate::process::open_files_max().min(OPEN_FILES_MAX);
        if self.serves_itself { files / 2 } else { files }
    }

    /// Who finds the machines of hosts, within what the user allows.
    pub fn resolver(&self) -> anyhow::Result<fetch::NameResolver> {
        let mut resolver = fetch::NameResolver::new(fetch::AddressGuard::new(self.allow_net.clone()));
        if let Some(path) = &self.resolve {
            resolver.load_table(path)?;
        }
        Ok(resolver)
    }
}

/// Connections that rest between visits take memory too, so a crawl does not use any number of them.
const OPEN_FILES_MAX: usize = 16_384;

/// Below this a crawl could not even hold one page of the usual limits.
const MEMORY_BYTES_MIN: u64 = 16 << 20;

fn parse_ratio(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(ratio) if (0.0..=1000.0).contains(&ratio) => Ok(ratio),
        _ => Err("a number between 0 and 1000 is needed".into()),
    }
}

/// A pattern is compared with every link of every page, so it is kept small.
const PATTERN_BYTES_MAX: usize = 4096;
/// What it may be compiled to: about a hundred letters of any alphabet in a row.
const PATTERN_COMPILED_BYTES_MAX: usize = 10 << 20;
/// Groups within groups.
const PATTERN_DEPTH_MAX: u32 = 50;

fn parse_pattern(text: &str) -> Result<regex::Regex, String> {
    if text.len() > PATTERN_BYTES_MAX {
        return Err(format!(
            "it has {} bytes, and {PATTERN_BYTES_MAX} are the most; the option can be repeated",
            text.len()
        ));
    }
    let mut builder = regex::RegexBuilder::new(text);
    builder.size_limit(PATTERN_COMPILED_BYTES_MAX).nest_limit(PATTERN_DEPTH_MAX);
    builder.build().map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => {
            "it repeats too much; `+` or `*` instead of a large `{…}` makes it small".to_owned()
        }
        error => error.to_string(),
    })
}

fn parse_user_agent(text: &str) -> Result<String, String> {
    let is_sound = !text.is_empty() && text.bytes().all(|byte| (0x20..0x7f).contains(&byte));
    if is_sound { Ok(text.to_owned()) } else { Err("only printable ASCII characters can be sent".into()) }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// Every command that can be run, with the words that lead to it.
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

    /// The words of a line as a shell would cut them; enough for ours.
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
