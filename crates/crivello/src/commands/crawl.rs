//! `crivello crawl`: crawl, or go on with a crawl.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use ::crawl::{
    Agent, CrawlReport, FailedAddress, Failures, FullDisk, LeftOut, Progress, RestCause, Resting, StopReason,
};
use anyhow::Context as _;
use clap::Args;
use dedup::MirrorSite;
use indicatif::HumanDuration;
use page::{Clock, PageUrl, SystemClock, format_bytes};
use serde::Serialize;
use store::Collection;

use super::Context;
use crate::bars::{Bar, Showing, shortened};
use crate::crawl_options::CrawlOptions;
use crate::output::{Ending, counted, errln, hinted, outln, thousands};
use crate::remembered::{News, Typed};
use crate::{process, signals};

/// Crawl, or go on with a crawl that was stopped in whatever way
///
/// The collection is a folder; it is made if it does not exist. Stop with Ctrl-C, by a signal, by pulling the plug:
/// `crivello crawl DIR` goes on where it stopped, and as it was told: the collection remembers the addresses and all
/// options (`crivello stats DIR` shows them). What is given anew replaces what was given before; more addresses come on top.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CrawlArgs {
    /// The collection's folder, for example my.crivello
    pub dir: PathBuf,
    /// Where to start, for example https://example.org/
    #[arg(value_name = "URL")]
    pub urls: Vec<String>,
    /// Forget an option that the collection remembers, for example max-pages (may be repeated; `all`: every option)
    #[arg(long, value_name = "OPTION")]
    pub unset: Vec<String>,
    #[command(flatten)]
    pub options: CrawlOptions,
    /// Which of the options were typed. None of a crawl that is not remembered.
    #[arg(skip)]
    pub typed: Option<Typed>,
}

const EXAMPLES: &str = "\
Examples:
  crivello crawl docs.crivello https://docs.example.org/ --max-pages 10000
  crivello crawl docs.crivello                            go on with it as it was
  crivello crawl docs.crivello --max-pages 20000 --unset exclude
  crivello crawl uni.crivello https://example.edu/ --scope domain --exclude '[?&]sort=' --sitemaps
  crivello crawl lab.crivello http://a.test:8000/ --resolve hosts.tsv --allow-net 127.0.0.0/8 --delay 0";

/// What a crawl says at its end.
#[derive(Debug, Serialize)]
pub struct CrawlSummary {
    pages_stored: u64,
    pages_this_run: u64,
    requests: u64,
    pub failed: u64,
    /// The first of them.
    failures: Vec<FailureLine>,
    failures_by_reason: BTreeMap<String, u64>,
    forbidden: u64,
    copies_exact: u64,
    copies_near: u64,
    /// Pages that the last ones were not compared with, for want of memory; `build` compares all.
    copies_not_compared: u64,
    mirrors: Vec<MirrorLine>,
    hosts: u64,
    waiting: u64,
    left_out: LeftOutLine,
    bytes_fetched: u64,
    elapsed_seconds: f64,
    cpu_seconds: f64,
    peak_memory_bytes: u64,
    finished: bool,
    stopped_by: &'static str,
    #[serde(skip)]
    dir: PathBuf,
    /// What it was allowed to use.
    #[serde(skip)]
    pub memory: u64,
}

/// An address that failed.
#[derive(Debug, Serialize)]
struct FailureLine {
    url: String,
    reason: String,
}

impl FailureLine {
    fn first_of(failures: &Failures) -> Vec<Self> {
        let line = |failed: &FailedAddress| Self {
            url: failed.url.as_str().to_owned(),
            reason: failed.why.to_string(),
        };
        failures.first().iter().map(line).collect()
    }
}

/// Links that were left out before the sieve, by what did it.
#[derive(Debug, Serialize)]
struct LeftOutLine {
    place: u64,
    shape: u64,
    site_depth: u64,
    full: u64,
}

impl LeftOutLine {
    fn new(left_out: LeftOut) -> Self {
        let LeftOut { place, shape, site_depth, full } = left_out;
        Self { place, shape, site_depth, full }
    }

    fn print(&self) {
        let all = [
            (self.place, "far down on long pages (--max-links-per-page)"),
            (self.shape, "to addresses like those of traps (--max-url-…)"),
            (self.site_depth, "deep into hosts (--max-site-depth)"),
            (self.full, "to hosts or domains that are full (--max-per-…)"),
        ];
        let there: Vec<String> = all
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{} {what}", thousands(count)))
            .collect();
        if !there.is_empty() {
            outln!("links left out: {}", there.join(", "));
        }
    }
}

/// A host that is mostly a copy of another.
#[derive(Debug, Serialize)]
struct MirrorLine {
    host: String,
    of: String,
    pages: u32,
}

impl MirrorLine {
    fn new(mirror: &MirrorSite) -> Self {
        Self { host: mirror.site.clone(), of: mirror.of.clone(), pages: mirror.pages }
    }
}

impl CrawlSummary {
    /// Puts together the crawl's own account and the system's.
    fn new(report: &CrawlReport, cpu_seconds: f64, dir: &Path) -> Self {
        let by_reason = report.failures.by_reason().into_iter();
        Self {
            failures: FailureLine::first_of(&report.failures),
            failures_by_reason: by_reason.map(|(why, count)| (why.to_string(), count)).collect(),
            dir: dir.to_owned(),
            memory: 0,
            pages_stored: report.pages_stored,
            pages_this_run: report.pages_this_run,
            requests: report.requests,
            failed: report.failed,
            forbidden: report.forbidden,
            copies_exact: report.copies_exact,
            copies_near: report.copies_near,
            copies_not_compared: report.copies_not_compared,
            mirrors: report.mirrors.iter().map(MirrorLine::new).collect(),
            hosts: report.sites,
            waiting: report.waiting,
            left_out: LeftOutLine::new(report.left_out),
            bytes_fetched: report.bytes_fetched,
            elapsed_seconds: report.elapsed.as_secs_f64(),
            cpu_seconds,
            peak_memory_bytes: process::peak_memory_bytes(),
            finished: report.is_finished(),
            stopped_by: match report.reason {
                StopReason::Finished => "nothing left",
                StopReason::PageBudget => "page budget",
                StopReason::Duration => "duration",
                StopReason::Asked => "signal",
            },
        }
    }

    /// Prints it for people.
    pub fn print(&self) {
        outln!(
            "{} in the collection, {} new; {} to {}, {} failed, {} forbidden by robots.txt",
            counted(self.pages_stored, "page"),
            thousands(self.pages_this_run),
            counted(self.requests, "request"),
            counted(self.hosts, "host"),
            thousands(self.failed),
            thousands(self.forbidden),
        );
        outln!(
            "{} fetched in {:.1} s ({}/s), {:.1} s of CPU, {} of memory",
            format_bytes(self.bytes_fetched),
            self.elapsed_seconds,
            counted((self.pages_this_run as f64 / self.elapsed_seconds.max(0.001)).round() as u64, "page"),
            self.cpu_seconds,
            format_bytes(self.peak_memory_bytes),
        );
        self.print_failures();
        self.left_out.print();
        if self.copies_exact + self.copies_near > 0 {
            let (exact, near) = (counted(self.copies_exact, "page"), thousands(self.copies_near));
            outln!("{exact} with the words of an earlier one, {near} more with nearly those");
        }
        if self.copies_not_compared > 0 {
            let pages = counted(self.copies_not_compared, "earlier page");
            outln!(
                "near copies of {pages} may be unmarked (--memory, or too many alike): `crivello build` finds them"
            );
        }
        for mirror in &self.mirrors {
            outln!(
                "{} is a mirror of {}: {}",
                mirror.host,
                mirror.of,
                counted(u64::from(mirror.pages), "page")
            );
        }
        if self.finished && self.waiting > 0 {
            outln!(
                "finished: the budgets are used up; {} left for larger ones",
                counted(self.waiting, "address")
            );
        } else if self.finished {
            outln!("finished: nothing is left to fetch within the budgets");
        } else {
            outln!(
                "stopped by {}: {} left; `crivello crawl {}` goes on",
                self.stopped_by,
                counted(self.waiting, "address"),
                self.dir.display()
            );
        }
    }

    /// Prints the first failures by name, the others by reason.
    fn print_failures(&self) {
        for FailureLine { url, reason } in &self.failures {
            outln!("failed: {url}: {reason}");
        }
        let mut named: HashMap<&str, u64> = HashMap::new();
        for line in &self.failures {
            *named.entry(&line.reason).or_default() += 1;
        }
        let unnamed = |reason: &str, count: u64| count - named.get(reason).unwrap_or(&0);
        let others = self.failures_by_reason.iter().map(|(reason, count)| (reason, unnamed(reason, *count)));
        let others: Vec<String> = others
            .filter(|(_, count)| *count > 0)
            .map(|(reason, count)| format!("{} {reason}", thousands(count)))
            .collect();
        if !others.is_empty() {
            let dir = self.dir.display();
            outln!("failed too: {} (all of them: crivello stats {dir} --failed)", others.join(", "));
        }
        if self.pages_stored == 0 && self.failed == 0 && self.finished {
            outln!("no page was found: the start addresses redirect in a circle, or to what is not wanted");
        }
    }
}

/// Runs the command.
pub fn run(context: Context, args: &CrawlArgs) -> anyhow::Result<Ending> {
    let summary = crawl(context, args)?;
    context.print(&summary, || summary.print())?;
    Ok(Ending::from_failures(summary.failed))
}

/// Crawls and tells how it went.
pub fn crawl(context: Context, args: &CrawlArgs) -> anyhow::Result<CrawlSummary> {
    let Plan { seeds, options, mut told } = Plan::new(context, args)?;
    let config = options.config();
    refuse_too_few_files(&config)?;
    refuse_no_topic(&config)?;
    if config.requests_max() < REQUESTS_USUAL {
        let (files, requests) = (process::open_files_max(), config.requests_max());
        let few = "few files may be open at once (ulimit -n)";
        let requests = counted(requests as u64, "request");
        context.showing.say(&format!("{few}: {files}, so no more than {requests} at a time"));
    }
    let resolver = options.resolver()?;
    refuse_closed_seeds(&seeds, &resolver)?;
    let collection = Collection::open_or_create(&args.dir, SystemClock.now())
        .with_context(|| format!("cannot crawl into `{}`", args.dir.display()))?;
    if let Some(told) = &mut told {
        told.remember(&args.dir, &options)?;
    }
    let cpu_before = process::cpu_seconds();
    let pages_max = config.budget.pages_max;
    let agent = Agent::open(&collection, config, resolver, Arc::new(SystemClock))?;
    let report = run_with_progress(context.showing, agent, seeds, pages_max)?;
    let summary = CrawlSummary::new(&report, process::cpu_seconds() - cpu_before, &args.dir);
    Ok(CrawlSummary { memory: options.memory, ..summary })
}

/// What a crawl is to do.
struct Plan {
    seeds: Vec<PageUrl>,
    options: CrawlOptions,
    told: Option<News>,
}

impl Plan {
    /// Puts together what is said now and what the collection remembers, and tells what that comes to.
    fn new(context: Context, args: &CrawlArgs) -> anyhow::Result<Self> {
        let Some(typed) = args.typed.clone() else {
            return Ok(Self { seeds: parse_seeds(&args.urls)?, options: args.options.clone(), told: None });
        };
        let told = News::new(&args.dir, &args.urls, typed, &args.unset)?;
        let options = told.options(&args.dir)?;
        let seeds = parse_seeds(&told.now.seeds)?;
        told.lines().iter().for_each(|line| context.showing.say(line));
        Ok(Self { seeds, options, told: Some(told) })
    }
}

/// A crawl that had fewer requests under way than this would be told to be slow.
const REQUESTS_USUAL: usize = 64;

/// Refuses to begin with too few files: that is better told before than by every connection that cannot be opened.
pub fn refuse_too_few_files(config: &::crawl::CrawlConfig) -> anyhow::Result<()> {
    let (may, needs) = (config.open_files_max, ::crawl::CrawlConfig::OPEN_FILES_MIN);
    if may >= needs {
        return Ok(());
    }
    let files = process::open_files_max();
    let share =
        if may < files { format!(", and this crawl has {may} of them to itself") } else { String::new() };
    Err(hinted(
        format!("only {files} files may be open at once{share}; it needs {needs}"),
        "allow more, for example with `ulimit -n 1024`",
    ))
}

/// Whoever chooses by a topic has to name it.
fn refuse_no_topic(config: &::crawl::CrawlConfig) -> anyhow::Result<()> {
    let lacking = config.priority.iter().find(|way| way.needs_topic && config.topic.is_empty());
    let Some(way) = lacking else { return Ok(()) };
    Err(hinted(
        format!("--priority {} needs a topic", way.name),
        "name it by a few words, for example --topic \"rust book\"",
    ))
}

fn parse_seeds(urls: &[String]) -> anyhow::Result<Vec<PageUrl>> {
    urls.iter()
        .map(|text| {
            PageUrl::parse(text).map_err(|error| {
                hinted(
                    format!("`{text}` cannot be crawled: {error}"),
                    "write the whole address, such as https://example.org/",
                )
            })
        })
        .collect()
}

/// Refuses a seed that may not be reached: it is a mistake of the user's, better told before the crawl than counted after it.
fn refuse_closed_seeds(seeds: &[PageUrl], resolver: &fetch::NameResolver) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for seed in seeds {
        if runtime.block_on(resolver.resolve(seed.host())) == Err(page::FetchFailure::AddressNotAllowed) {
            return Err(hinted(
                format!("`{}` is on a private address, which a crawl does not reach by itself", seed.host()),
                "if you mean it, allow its range, for example --allow-net 127.0.0.0/8",
            ));
        }
    }
    Ok(())
}

fn run_with_progress(
    showing: Showing,
    agent: Agent<'_>,
    seeds: Vec<PageUrl>,
    pages_max: Option<u64>,
) -> anyhow::Result<CrawlReport> {
    let (progress, handle) = (agent.progress(), agent.stop_handle());
    let _watch = signals::on_interrupt(move || {
        errln!("stopping: waiting for what is under way (once more to stop at once)");
        handle.stop();
    });
    let is_over = AtomicBool::new(false);
    let report = std::thread::scope(|scope| {
        scope.spawn(|| show_progress(showing, &progress, pages_max, &is_over));
        let report = agent.run(seeds);
        is_over.store(true, Relaxed);
        report
    })?;
    Ok(report)
}

fn show_progress(showing: Showing, progress: &Progress, pages_max: Option<u64>, is_over: &AtomicBool) {
    let mut bar = Bar::new(showing, "crawling", pages_max.unwrap_or(0));
    let mut was_full = false;
    while !is_over.load(Relaxed) {
        let full = progress.full_disk();
        if full.is_some() != was_full {
            was_full = full.is_some();
            showing.say(&full.map_or("there is room on the disk again".to_owned(), |full| full_text(&full)));
        }
        let pages = progress.pages_stored.load(Relaxed);
        bar.set(pages, pages, || describe(progress));
        std::thread::sleep(Duration::from_millis(50));
    }
    bar.finish();
}

/// Tells which disk is full, and what was refused.
fn full_text(full: &FullDisk) -> String {
    let (folder, free) = (full.folder.display(), full.free_bytes.map(format_bytes));
    let free = free.map(|free| format!(" ({free} free)")).unwrap_or_default();
    format!("the disk of {folder} is full{free}: the crawl waits until there is room; {}", full.refused)
}

/// Tells what is going on, and if nothing is, why.
fn describe(progress: &Progress) -> String {
    if let Some(full) = progress.full_disk() {
        let free = full.free_bytes.map(|free| format!(", {} free", format_bytes(free))).unwrap_or_default();
        return format!("waiting for room on the disk of {}{free}", full.folder.display());
    }
    let (active, in_flight) = (progress.active.load(Relaxed).max(0) as u64, progress.in_flight.load(Relaxed));
    let failed = progress.failed.load(Relaxed);
    let is_idle = in_flight == 0 && active > 0;
    let resting = progress.next_to_visit().filter(|_| is_idle);
    let left = match progress.frontier().seconds_left {
        0 => String::new(),
        seconds => format!(", {:#} left or more", HumanDuration(Duration::from_secs(seconds))),
    };
    format!(
        "{}{} waiting, {in_flight} under way, {}, {failed} failed{left}",
        resting.map(|next| rest_text(&next, Instant::now())).unwrap_or_default(),
        thousands(active.saturating_sub(in_flight)),
        counted(progress.sites.load(Relaxed), "host"),
    )
}

/// Tells whom everybody waits for. It comes first, since the end of a line may not fit its terminal.
fn rest_text(next: &Resting, now: Instant) -> String {
    let why = match next.cause {
        RestCause::Delay => "--delay",
        RestCause::CrawlDelay => "its Crawl-delay",
        RestCause::Pause => "it asked for a pause, or failed",
    };
    // Rounded up: nobody waits for zero seconds.
    let seconds = next.until.saturating_duration_since(now).as_millis().div_ceil(1000);
    format!("next in {seconds} s: {} ({why}), ", shortened(&next.site.host()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_waited_for_is_named_with_the_reason_and_the_time_left() {
        let now = Instant::now();
        let site = PageUrl::parse("http://slow.test:81/x").unwrap().site();
        let rows = [
            (RestCause::Delay, 1, "next in 1 s: slow.test (--delay), "),
            (RestCause::CrawlDelay, 29_001, "next in 30 s: slow.test (its Crawl-delay), "),
            (RestCause::Pause, 60_000, "next in 60 s: slow.test (it asked for a pause, or failed), "),
        ];
        for (cause, left_ms, expected) in rows {
            let until = now + Duration::from_millis(left_ms);
            assert_eq!(rest_text(&Resting { site: site.clone(), until, cause }, now), expected);
        }
    }
}
