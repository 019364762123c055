//! `crivello stats`: what is worth knowing about a collection.

mod failed;

use std::path::{Path, PathBuf};
use std::time::Duration;

use ::build::{CollectionStats, RoutingStats};
use clap::Args;
use indicatif::HumanDuration;
use page::{Clock, SystemClock, Timestamp, format_bytes};
use serde::Serialize;
use sieve::SieveState;
use store::{Collection, Told};

use super::Context;
use crate::commands::build::graph_size_text;
use crate::output::{Ending, counted, errln, error_text, outln, thousands};
use crate::remembered::as_typed;

/// Print what is worth knowing about a collection
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct StatsArgs {
    /// The collection's folder
    pub dir: PathBuf,
    /// List the addresses that gave no answer, and the start addresses that are no page, with the reasons
    #[arg(long)]
    pub failed: bool,
    /// How many sites to show, those with the most pages
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub sites: usize,
}

const EXAMPLES: &str = "\
Examples:
  crivello stats docs.crivello
  crivello stats docs.crivello --json                     for another program";

/// Runs the command.
pub fn run(context: Context, args: &StatsArgs) -> anyhow::Result<Ending> {
    let collection = Collection::open(&args.dir)?;
    if args.failed {
        return failed::list(context, &collection);
    }
    let told = |error: anyhow::Error| errln!("error: {}", error_text(&error, Some(&args.dir)));
    // What is damaged is told with how it is made anew; the other numbers are told all the same.
    let stats = CollectionStats::gather(&collection, &mut |error| told(error.into()))?;
    let mut damaged = stats.parts_damaged();
    let mut or_told = |error: anyhow::Error| {
        told(error);
        damaged += 1;
    };
    let now = SystemClock.now();
    let sieve = SieveStats::gather(&args.dir.join("sieve")).map_err(|error| or_told(error.into()));
    let crawl = Told::read(&args.dir).map_err(|error| or_told(error.into()));
    let frontier = ::crawl::WaitingStats::gather(&collection, now).map_err(|error| or_told(error.into()));
    let frontier = frontier.ok().flatten().map(|frontier| FrontierLine::new(&frontier, now));
    let (sieve, crawl) = (sieve.ok().flatten(), crawl.ok().flatten());
    let shown = Shown { stats, sieve, frontier, crawl };
    context.print(&shown, || {
        print(&shown, args.sites);
        shown.crawl.iter().for_each(print_crawl);
    })?;
    Ok(Ending::from_failures(damaged))
}

/// What is told of a collection.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    stats: CollectionStats,
    /// Of one that was crawled.
    sieve: Option<SieveStats>,
    /// What waits to be fetched.
    frontier: Option<FrontierLine>,
    /// What its crawl was told; none if nobody crawled into it.
    crawl: Option<Told>,
}

/// What waits to be fetched, and how it does while a crawl goes on.
#[derive(Debug, Serialize)]
struct FrontierLine {
    addresses: u64,
    hosts: u64,
    hosts_paused: u64,
    live: Option<LiveLine>,
}

/// What a crawl said of its hosts, and when.
#[derive(Debug, Serialize)]
struct LiveLine {
    seconds_ago: u64,
    hosts_ready: u64,
    hosts_resting: u64,
    hosts_in_flight: u64,
    hosts_full: u64,
    hosts_idle: u64,
    addresses_in_memory: u64,
    addresses_on_disk: u64,
    seconds_left: u64,
}

impl FrontierLine {
    fn new(frontier: &::crawl::WaitingStats, now: Timestamp) -> Self {
        let live = frontier.live.map(|(at, counts)| LiveLine {
            seconds_ago: now.since(at).as_secs(),
            hosts_ready: counts.hosts_ready,
            hosts_resting: counts.hosts_resting,
            hosts_in_flight: counts.hosts_in_flight,
            hosts_full: counts.hosts_full,
            hosts_idle: counts.hosts_idle,
            addresses_in_memory: counts.addresses_in_memory,
            addresses_on_disk: counts.addresses_on_disk,
            seconds_left: counts.seconds_left,
        });
        let ::crawl::WaitingStats { addresses, hosts, hosts_paused, .. } = *frontier;
        Self { addresses, hosts, hosts_paused, live }
    }

    fn print(&self, row: &dyn Fn(&str, String)) {
        let (addresses, hosts) = (counted(self.addresses, "address"), counted(self.hosts, "host"));
        let paused = match self.hosts_paused {
            0 => String::new(),
            paused => format!("; {} of them left alone for a while", thousands(paused)),
        };
        row("waiting", format!("{addresses} of {hosts}{paused}"));
        let Some(live) = &self.live else { return };
        row(
            "frontier",
            format!(
                "{} ready, {} resting, {} being asked, {} full, {} idle; {} in memory, {} on disk ({} s ago)",
                counted(live.hosts_ready, "host"),
                thousands(live.hosts_resting),
                thousands(live.hosts_in_flight),
                thousands(live.hosts_full),
                thousands(live.hosts_idle),
                counted(live.addresses_in_memory, "address"),
                thousands(live.addresses_on_disk),
                live.seconds_ago,
            ),
        );
        if live.seconds_left > 0 {
            let left = HumanDuration(Duration::from_secs(live.seconds_left));
            row("", format!("what waits takes {left} or more, by the rests of its hosts"));
        }
    }
}

/// What is worth knowing about the sieve.
#[derive(Debug, Serialize)]
struct SieveStats {
    kind: &'static str,
    /// Addresses that have passed it.
    seen: u64,
    signature_bits: u32,
    /// How many others are expected to have been taken for them so far.
    expected_collisions: f64,
    bytes: u64,
}

impl SieveStats {
    fn gather(dir: &Path) -> Result<Option<Self>, sieve::Error> {
        let Some(state) = SieveState::of(dir)? else { return Ok(None) };
        Ok(Some(Self {
            kind: state.kind.name(),
            seen: state.seen,
            signature_bits: state.signature_bits(),
            expected_collisions: state.expected_collisions(),
            bytes: journal::folder_bytes(dir)?,
        }))
    }

    fn text(&self) -> String {
        let (seen, bytes) = (counted(self.seen, "address"), format_bytes(self.bytes));
        let (kind, bits, expected) = (self.kind, self.signature_bits, self.expected_collisions);
        format!(
            "{kind}, {seen}, {bytes} on disk; signatures of {bits} bits, {expected:.1e} collisions expected"
        )
    }
}

/// So many start addresses are shown.
const SEEDS_SHOWN: usize = 5;

fn print_crawl(told: &Told) {
    let row = |name: &str, value: &str| outln!("{name:>12}  {value}");
    for (number, seed) in told.seeds.iter().take(SEEDS_SHOWN).enumerate() {
        row(if number == 0 { "crawl of" } else { "" }, seed);
    }
    if told.seeds.len() > SEEDS_SHOWN {
        let more = counted((told.seeds.len() - SEEDS_SHOWN) as u64, "more start address");
        row("", &format!("{more} (all of them: --json)"));
    }
    let options: Vec<String> = told.options.iter().map(|(name, values)| as_typed(name, values)).collect();
    if !options.is_empty() {
        row("with", &options.join(" "));
    }
}

fn print_copies(stats: &CollectionStats, row: &dyn Fn(&str, String)) {
    let Some(dedup) = &stats.dedup else {
        return row("copies", format!("{} with the bytes of an earlier one", counted(stats.copies, "page")));
    };
    let (exact, near) = (thousands(dedup.exact), thousands(dedup.near));
    let (groups, largest) = (counted(dedup.groups, "group"), thousands(dedup.largest_group));
    let state = if dedup.up_to_date { "" } else { "; newer pages are not among them yet" };
    row("copies", format!("{}, {exact} exact and {near} near{state}", counted(stats.copies, "page")));
    row("", format!("in {groups}, the largest of {largest}, threshold {}", dedup.threshold));
    for mirror in &dedup.mirrors {
        let (shared, pages) = (thousands(mirror.shared), counted(mirror.pages, "page"));
        row("mirror", format!("{} of {}: {shared} of {pages}", mirror.host, mirror.of));
    }
}

fn print_sites(stats: &CollectionStats, shown: usize, row: &dyn Fn(&str, String)) {
    for site in stats.sites.iter().take(shown) {
        let (pages, bytes) = (counted(site.pages, "page"), format_bytes(site.body_bytes));
        let mut line = format!("{}: {pages}, {bytes}", site.site);
        for (count, what) in [(site.forbidden, "forbidden"), (site.other, "without a page")] {
            if count > 0 {
                line += &format!(", {} {what}", thousands(count));
            }
        }
        row("site", line);
    }
    if stats.sites.len() > shown {
        let more = counted((stats.sites.len() - shown) as u64, "more site");
        row("", format!("{more} (--sites N shows more)"));
    }
}

fn print(Shown { stats, sieve, frontier, .. }: &Shown, sites_shown: usize) {
    let row = |name: &str, value: String| outln!("{name:>12}  {value}");
    row("pages", format!("{} on {}", thousands(stats.pages), counted(stats.hosts, "host")));
    print_sites(stats, sites_shown, &row);
    row("links", thousands(stats.links));
    print_copies(stats, &row);
    row("noindex", thousands(stats.noindex));
    row("forgotten", thousands(stats.forgotten));
    row("redirects", thousands(stats.redirects));
    row("forbidden", format!("{}, by robots.txt", counted(stats.forbidden, "address")));
    let how = if stats.failed > 0 { " (which, and why: --failed)" } else { "" };
    row("failed", format!("{}{how}", thousands(stats.failed)));
    for (status, count) in &stats.status {
        row(&format!("HTTP {status}"), thousands(*count));
    }
    for (content_type, count) in &stats.content_types {
        row("type", format!("{} {content_type}", thousands(*count)));
    }
    row("content", format_bytes(stats.body_bytes));
    row("store", format!("{} on disk", format_bytes(stats.store_bytes)));
    if let (Some(first), Some(last)) = (&stats.first_fetched_at, &stats.last_fetched_at) {
        row("fetched", format!("{first} to {last}"));
    }
    if let Some(sieve) = sieve {
        row("sieve", sieve.text());
    }
    if let Some(frontier) = frontier {
        frontier.print(&row);
    }
    print_parts(stats, &row);
}

fn print_parts(stats: &CollectionStats, row: &dyn Fn(&str, String)) {
    let older = "of an older format; `crivello build` makes it anew";
    match &stats.graph {
        None if stats.graph_is_damaged => row("graph", "damaged".into()),
        None if stats.graph_is_of_older_format => row("graph", older.into()),
        None => row("graph", "not made yet".into()),
        Some(graph) => {
            let state = if graph.up_to_date { "" } else { "; it is older than the newest pages" };
            row("graph", graph_size_text(graph.nodes, graph.arcs, graph.bits_per_link) + state);
        }
    }
    match &stats.index {
        None if stats.index_is_damaged => row("index", "damaged".into()),
        None if stats.index_is_of_older_format => row("index", older.into()),
        None => row("index", "not built yet".into()),
        Some(index) => row(
            "index",
            format!(
                "{}, {}, {} on disk, {} analysis, {} kept, order of {}, {}{}",
                counted(index.documents, "document"),
                counted(index.terms, "term"),
                format_bytes(index.bytes),
                index.analysis.name(),
                index.precision.name(),
                index.order.name(),
                index.split,
                stats.index_lacks_told()
            ),
        ),
    }
    if let Some(RoutingStats { filters, sample }) = &stats.routing {
        let (count, bytes) = (counted(filters.filters, "filter"), format_bytes(filters.memory_bytes));
        let (asked, skipped) =
            (counted(sample.segments_asked, "dictionary"), thousands(sample.segments_skipped));
        let terms = counted(sample.lookups, "term");
        row(
            "routing",
            format!("{count} of {bytes}; for {terms} that were tried {asked} asked, {skipped} not"),
        );
    }
}
