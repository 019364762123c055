//! How a crawl behaves: the options that `crawl`, `run` and `demo` share, and what they come to.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, FromArgMatches, ValueEnum};

use crate::gate_args::GateArgs;
use crate::sieve_args::SieveArgs;

/// How a crawl behaves: the options of `crawl`, `run` and partly of `demo`.
#[derive(Debug, Clone, Args)]
pub struct CrawlOptions {
    /// Stop when the collection has this many pages
    #[arg(long, value_name = "N", help_heading = "Budgets")]
    pub max_pages: Option<u64>,
    /// Fetch nothing further than this many links from a seed (redirects do not count)
    #[arg(long, value_name = "N", help_heading = "Budgets")]
    pub max_depth: Option<u16>,
    /// Fetch nothing that is so many links further from the seeds than the first page of its host that was met
    ///
    /// A crawl that is bounded by depth, of either kind, goes level by level, so that every address is met by a shortest way.
    #[arg(long, value_name = "N", help_heading = "Budgets")]
    pub max_site_depth: Option<u16>,
    /// Leave a host alone after this many pages; links to it are then left out before they cost anything
    #[arg(long, value_name = "N", help_heading = "Budgets")]
    pub max_per_host: Option<u64>,
    /// Leave all hosts of a registrable domain (example.co.uk) alone after this many pages of theirs together
    #[arg(long, value_name = "N", help_heading = "Budgets")]
    pub max_per_domain: Option<u64>,
    /// Stop after this time, for example 10m
    #[arg(long, value_name = "T", value_parser = page::parse_duration, help_heading = "Budgets")]
    pub duration: Option<Duration>,
    /// Memory to use, for example 512MiB or 2GB
    ///
    /// It covers the sieve, the queues, hosts and what is known of them, links and pages on their way, and the ranks of
    /// --priority rank: what does not fit goes to disk or waits. Not covered are 50 to 110 bytes for each host, and its name
    /// and 40 to 70 bytes if a page of it is kept (to find mirrors). `build` has its own: half of this after `run`; the
    /// graph of links can take more while it is made.
    #[arg(long, value_name = "BYTES", default_value = "512MiB", value_parser = page::parse_memory, help_heading = "Budgets")]
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
    #[command(flatten)]
    pub gate: GateArgs,
    /// Fetch the sitemaps that robots.txt files name, and what they list
    #[arg(long, help_heading = "What to fetch", action = clap::ArgAction::Set, num_args = 0..=1, require_equals = true, default_missing_value = "true", default_value_t = false, hide_default_value = true, hide_possible_values = true, value_name = "true|false")]
    pub sitemaps: bool,
    /// Follow links that ask not to be followed
    #[arg(long, help_heading = "What to fetch", action = clap::ArgAction::Set, num_args = 0..=1, require_equals = true, default_missing_value = "true", default_value_t = false, hide_default_value = true, hide_possible_values = true, value_name = "true|false")]
    pub follow_nofollow: bool,
    /// Rest between two visits to a host; a longer Crawl-delay in its robots.txt holds instead
    #[arg(long, value_name = "T", default_value = "4s", value_parser = page::parse_duration, help_heading = "Politeness")]
    pub delay: Duration,
    /// Rest between two visits to one IP address [default: the value of --delay]
    #[arg(long, value_name = "T", value_parser = page::parse_duration, help_heading = "Politeness")]
    pub ip_delay: Option<Duration>,
    /// Rest at least this many times as long as the last visit took
    #[arg(long, value_name = "R", default_value_t = 0.0, value_parser = parse_ratio, help_heading = "Politeness")]
    pub rest_ratio: f64,
    /// Make one request after the other to a host, on one connection, for so long; then it rests. 0: a visit is one request
    ///
    /// With --delay 0 --rest-ratio 9 --visit-time 1s a host is busy with us for a tenth of its time, however fast it is. Hosts
    /// that ask for a Crawl-delay have it between any two requests.
    #[arg(long, value_name = "T", default_value = "0", value_parser = page::parse_duration, help_heading = "Politeness")]
    pub visit_time: Duration,
    /// Append a line for each request to this file: begin in µs, host, address, method, path, status, bytes, agent, end
    #[arg(long, value_name = "FILE", help_heading = "Politeness")]
    pub audit: Option<PathBuf>,
    /// How to present ourselves; the first word is looked for in robots.txt
    #[arg(long, value_name = "NAME", default_value = crawl::USER_AGENT, value_parser = parse_user_agent, help_heading = "Politeness")]
    pub user_agent: String,
    /// Lines `address<TAB>host` that take precedence over DNS
    #[arg(long, value_name = "hosts.tsv", help_heading = "Network")]
    pub resolve: Option<PathBuf>,
    /// Allow private addresses of this range, for example 127.0.0.0/8 (may be repeated)
    #[arg(long, value_name = "CIDR", help_heading = "Network")]
    pub allow_net: Vec<fetch::Cidr>,
    #[command(flatten)]
    pub sieve: SieveArgs,
    /// What becomes of the links of pages that repeat an earlier page
    #[arg(long, value_enum, default_value_t = CopiesKind::Follow, help_heading = "What to fetch")]
    pub copies: CopiesKind,
    /// Which address of a host is next; several with commas: the first decides, the next among what is about the same to it
    #[arg(long, value_delimiter = ',', default_value = frontier::Priority::default().name, value_parser = priority_parser(), help_heading = "Method")]
    pub priority: Vec<frontier::Priority>,
    /// What pages should speak of, for --priority keywords and topic: words, for example "rust book"
    #[arg(long, value_name = "WORDS", help_heading = "Method")]
    pub topic: Option<String>,
    /// What is kept of what was fetched
    #[arg(long, value_enum, default_value_t = StoreKind::All, help_heading = "Method")]
    pub store: StoreKind,
    /// Threads that fetch pages, and read them [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), help_heading = "Method")]
    pub workers: Option<u16>,
    /// Threads that only read what the others fetch; 0: whoever fetches a page reads it [default: one per core but one]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=256), help_heading = "Method")]
    pub readers: Option<u16>,
    /// Pages between two checkpoints, from which a crawl goes on after a stop; fewer: it goes on sooner
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..), help_heading = "Method")]
    pub checkpoint_every: u64,
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

/// What is kept of what was fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StoreKind {
    /// Every answer, with its links
    All,
    /// Only that it was fetched, and what came of it; a crawl that is killed may then miss links of its last pages
    None,
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

impl Default for CrawlOptions {
    /// What whoever types nothing gets.
    fn default() -> Self {
        let parser = Self::augment_args(clap::Command::new("crawl").no_binary_name(true));
        let typed = parser.get_matches_from([""; 0]);
        Self::from_arg_matches(&typed).expect("every option of a crawl has a default")
    }
}

impl CrawlOptions {
    /// Makes of the options what the crawl is told.
    pub fn config(&self) -> crawl::CrawlConfig {
        let defaults = crawl::CrawlConfig::default();
        crawl::CrawlConfig {
            policy: frontier::PolitenessPolicy {
                host_delay: self.delay,
                address_delay: self.ip_delay.unwrap_or(self.delay),
                rest_ratio: self.rest_ratio,
                visit_time: self.visit_time,
            },
            budget: crawl::CrawlBudget {
                pages_max: self.max_pages,
                depth_max: self.max_depth,
                site_depth_max: self.max_site_depth,
                pages_per_host_max: self.max_per_host,
                pages_per_domain_max: self.max_per_domain,
                duration_max: self.duration,
            },
            scope: match self.scope {
                ScopeKind::Host => crawl::Scope::Host,
                ScopeKind::Domain => crawl::Scope::Domain,
                ScopeKind::All => crawl::Scope::All,
            },
            sieve: self.sieve.choice(),
            copies: match self.copies {
                CopiesKind::Follow => crawl::CopyLinks::Follow,
                CopiesKind::Skip => crawl::CopyLinks::Skip,
            },
            priority: self.priority.clone(),
            topic: frontier::Topic::new(self.topic.as_deref().unwrap_or("")),
            include: self.include.clone(),
            exclude: self.exclude.clone(),
            gate: self.gate.limits(),
            follow_nofollow: self.follow_nofollow,
            sitemaps: self.sitemaps,
            user_agent: self.user_agent.clone(),
            audit: self.audit.clone(),
            memory_bytes: self.memory.max(MEMORY_BYTES_MIN),
            open_files_max: self.open_files_max(),
            workers: self.workers.map_or(defaults.workers, usize::from),
            readers: self.readers.map_or(defaults.readers, usize::from),
            keeps_pages: self.store == StoreKind::All,
            checkpoint_every: self.checkpoint_every,
            ready_part_bytes: self
                .checkpoint_every
                .saturating_mul(LOG_BYTES_A_PAGE)
                .min(defaults.ready_part_bytes),
            ..defaults
        }
        .within_open_files()
    }

    /// Says how many files the crawl may have open of those that the process may.
    fn open_files_max(&self) -> usize {
        let files = crate::process::open_files_max().min(OPEN_FILES_MAX);
        if self.serves_itself { files / 2 } else { files }
    }

    /// Makes the resolver, which finds the machines of hosts within what the user allows.
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

/// What a page adds to the log of addresses, about: a part of it is as long as what comes between two checkpoints.
const LOG_BYTES_A_PAGE: u64 = 1 << 10;

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

/// Reads a pattern that is small enough to be compared with every address.
pub fn parse_pattern(text: &str) -> Result<regex::Regex, String> {
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
