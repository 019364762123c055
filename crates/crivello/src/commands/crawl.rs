//! `crivello crawl`: crawl, or go on with a crawl.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use ::crawl::{Agent, CrawlReport, MirrorSite, Progress, StopReason};
use anyhow::Context as _;
use clap::Args;
use page::{Clock, PageUrl, SystemClock, format_bytes};
use serde::Serialize;
use store::Collection;

use super::Context;
use crate::bars::{Bar, Showing};
use crate::cli::CrawlOptions;
use crate::output::{Ending, errln, hinted, outln, print_json, thousands};
use crate::{process, signals};

/// Crawl, or go on with a crawl that was stopped in whatever way
///
/// The collection is a folder; it is made if it does not exist. Stop with Ctrl-C, by a signal, by pulling the plug:
/// the same command goes on where it stopped. Without addresses it goes on with what the collection has waiting.
#[derive(Debug, Args)]
pub struct CrawlArgs {
    /// The collection's folder, for example my.crivello
    pub dir: PathBuf,
    /// Where to start, for example https://example.org/
    #[arg(value_name = "URL")]
    pub urls: Vec<String>,
    #[command(flatten)]
    pub options: CrawlOptions,
}

/// What a crawl says at its end.
#[derive(Debug, Serialize)]
pub struct CrawlSummary {
    pages_stored: u64,
    pages_this_run: u64,
    requests: u64,
    pub failed: u64,
    forbidden: u64,
    copies_exact: u64,
    copies_near: u64,
    mirrors: Vec<MirrorLine>,
    hosts: u64,
    waiting: u64,
    bytes_fetched: u64,
    elapsed_seconds: f64,
    cpu_seconds: f64,
    peak_memory_bytes: u64,
    finished: bool,
    stopped_by: &'static str,
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
    /// The crawl's own account and the system's.
    fn new(report: &CrawlReport, cpu_seconds: f64) -> Self {
        Self {
            pages_stored: report.pages_stored,
            pages_this_run: report.pages_this_run,
            requests: report.requests,
            failed: report.failed,
            forbidden: report.forbidden,
            copies_exact: report.copies_exact,
            copies_near: report.copies_near,
            mirrors: report.mirrors.iter().map(MirrorLine::new).collect(),
            hosts: report.sites,
            waiting: report.waiting,
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

    /// For people.
    pub fn print(&self) {
        outln!(
            "{} pages in the collection, {} of them new; {} requests to {} hosts, {} failed, {} forbidden by robots.txt",
            thousands(self.pages_stored),
            thousands(self.pages_this_run),
            thousands(self.requests),
            thousands(self.hosts),
            thousands(self.failed),
            thousands(self.forbidden),
        );
        outln!(
            "{} fetched in {:.1} s ({:.0} pages/s), {:.1} s of CPU, {} of memory",
            format_bytes(self.bytes_fetched),
            self.elapsed_seconds,
            self.pages_this_run as f64 / self.elapsed_seconds.max(0.001),
            self.cpu_seconds,
            format_bytes(self.peak_memory_bytes),
        );
        if self.copies_exact + self.copies_near > 0 {
            let (exact, near) = (thousands(self.copies_exact), thousands(self.copies_near));
            outln!("{exact} pages repeat an earlier one word for word, {near} more nearly");
        }
        for mirror in &self.mirrors {
            outln!(
                "{} is a mirror of {}: {} pages",
                mirror.host,
                mirror.of,
                thousands(u64::from(mirror.pages))
            );
        }
        if self.finished && self.waiting > 0 {
            outln!(
                "finished: the budgets are used up; {} addresses wait for larger ones",
                thousands(self.waiting)
            );
        } else if self.finished {
            outln!("finished: nothing is left to fetch within the budgets");
        } else {
            outln!(
                "stopped by {}: {} addresses wait; the same command goes on",
                self.stopped_by,
                thousands(self.waiting)
            );
        }
    }
}

/// Runs the command.
pub fn run(context: Context, args: &CrawlArgs) -> anyhow::Result<Ending> {
    let summary = crawl(context, args)?;
    if context.json {
        print_json(&summary)?;
    } else {
        summary.print();
    }
    Ok(Ending::from_failures(summary.failed))
}

/// Crawls and tells how it went.
pub fn crawl(context: Context, args: &CrawlArgs) -> anyhow::Result<CrawlSummary> {
    let seeds = parse_seeds(&args.urls)?;
    let config = args.options.config();
    let resolver = args.options.resolver()?;
    refuse_closed_seeds(&seeds, &resolver)?;
    let collection = Collection::open_or_create(&args.dir, SystemClock.now())
        .with_context(|| format!("cannot crawl into `{}`", args.dir.display()))?;
    let cpu_before = process::cpu_seconds();
    let pages_max = config.budget.pages_max;
    let agent = Agent::open(&collection, config, resolver, Arc::new(SystemClock))?;
    let report = run_with_progress(context.showing, agent, seeds, pages_max)?;
    Ok(CrawlSummary::new(&report, process::cpu_seconds() - cpu_before))
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

/// A seed that may not be reached is a mistake of the user's, better told before the crawl than counted after it.
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
    while !is_over.load(Relaxed) {
        let pages = progress.pages_stored.load(Relaxed);
        bar.set(pages, pages, || describe(progress));
        std::thread::sleep(Duration::from_millis(50));
    }
    bar.finish();
}

/// What is going on, and if nothing is, why.
fn describe(progress: &Progress) -> String {
    let (active, in_flight) = (progress.active.load(Relaxed).max(0) as u64, progress.in_flight.load(Relaxed));
    let failed = progress.failed.load(Relaxed);
    let waiting = if in_flight == 0 && active > 0 { ", all hosts are resting (--delay)" } else { "" };
    format!(
        "{} waiting, {in_flight} under way, {} hosts, {failed} failed{waiting}",
        thousands(active.saturating_sub(in_flight)),
        thousands(progress.sites.load(Relaxed)),
    )
}
