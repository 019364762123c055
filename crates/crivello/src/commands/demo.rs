//! `crivello demo`: everything at once, on a fake web that knows what should come of it.

mod copies;
mod links;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ::build::{SnapshotSettings, for_each_arc};
use ::lab::{AuditPolicy, AuditReport, FakeWeb, LabServer, Truth};
use ::search::{Query, Searcher};
use clap::Args;
use serde::Serialize;
use store::{Collection, StoreReader};

use super::crawl::{CrawlArgs, CrawlSummary};
use super::{Context, build, crawl, serve};
use crate::crawl_options::{CrawlOptions, ScopeKind};
use crate::lab_args::LabArgs;
use crate::listen::ListenArgs;
use crate::output::{Ending, counted, hinted, outln, print_json, thousands};
use crate::sieve_args::SieveArgs;

/// Show everything at once: a fake web, crawled, indexed and served, without any network
///
/// It works in a temporary folder and leaves nothing behind. The fake web knows every page and every link, and hears every request: the demo compares what was found with what
/// is there, and says how polite the crawl was.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct DemoArgs {
    #[command(flatten)]
    pub web: LabArgs,
    /// Rest between two requests to a host (a real crawl rests for seconds)
    #[arg(long, value_name = "T", default_value = "2ms", value_parser = page::parse_duration)]
    pub delay: Duration,
    /// Memory for the crawl
    #[arg(long, value_name = "BYTES", default_value = "512MiB", value_parser = page::parse_memory)]
    pub memory: u64,
    #[command(flatten)]
    pub sieve: SieveArgs,
    #[command(flatten)]
    pub listen: ListenArgs,
    /// Stop after the comparison, without serving
    #[arg(long)]
    pub once: bool,
    /// Keep the collection in this folder
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  crivello demo                                           see everything, then search it in a browser
  crivello demo --once --json                             compare what was found with the truth, and end
  crivello demo --once --pages 100000 --hosts 500 --seed 7 --delay 0";

/// What was found, compared with what is there.
#[derive(Debug, Serialize)]
struct Comparison {
    crawl: CrawlSummary,
    pages_expected: u64,
    missing: u64,
    extra: u64,
    stored_twice: u64,
    arcs_expected: u64,
    arcs_missing: u64,
    arcs_extra: u64,
    /// The same of the graph, where redirects are folded: with links that lead through them.
    graph_arcs_expected: u64,
    graph_arcs_missing: u64,
    graph_arcs_extra: u64,
    /// Links that the pages mark as navigation, in the graph.
    navigation_expected: u64,
    navigation_missing: u64,
    /// Links that the graph calls so although they are neither marked nor on most pages of their host.
    navigation_extra: u64,
    words_checked: u64,
    words_wrong: u64,
    copies_expected: u64,
    copies_missing: u64,
    copies_extra: u64,
    politeness_violations: u64,
    refetched: u64,
    audit: AuditReport,
}

/// Runs the command.
pub fn run(context: Context, args: &DemoArgs) -> anyhow::Result<Ending> {
    let page_server = if args.once { None } else { Some(serve::bind(&args.listen)?) };
    let temporary = tempfile::Builder::new().prefix("crivello-demo-").tempdir()?;
    let dir = args.keep.clone().unwrap_or_else(|| temporary.path().join("demo.crivello"));
    let config = args.web.config()?;
    let crawl_args = crawl_args(args, &dir, temporary.path().join("hosts.tsv"));
    crawl::refuse_too_few_files(&crawl_args.options.config())?;
    let web = Arc::new(FakeWeb::new(config));
    let policy = AuditPolicy { host_delay: args.delay, address_delay: args.delay, ..AuditPolicy::default() };
    let server = LabServer::start(web.clone(), 0, policy).map_err(|error| {
        hinted(
            format!("cannot serve the fake web: {error}"),
            "fewer --hosts or more open files (ulimit -n) may help",
        )
    })?;
    context.showing.say(&format!(
        "1. a fake web of {} on {} is served on loopback (seed {})",
        counted(args.web.pages.into(), "page"),
        counted(args.web.hosts.into(), "host"),
        args.web.seed
    ));

    context.showing.say(&format!(
        "2. crawling it from {}, {:?} of rest per host",
        counted(server.seeds().len() as u64, "seed"),
        args.delay
    ));
    std::fs::write(temporary.path().join("hosts.tsv"), server.hosts_tsv())?;
    let crawl = crawl::crawl(context, &CrawlArgs { urls: server.seeds(), ..crawl_args })?;
    if !context.json {
        crawl.print();
    }

    context.showing.say("3. finding copies, making the graph and building the index");
    let collection = Collection::open_to_build(&dir)?;
    let built = build::build_all(context, &collection, None, args.memory / 2)?;
    if !context.json {
        build::print(&built);
    }

    context.showing.say("4. comparing with the truth");
    let comparison = Comparison::new(crawl, &collection, &web.truth(server.port()), server.audit())?;
    if args.once && context.json {
        print_json(&comparison)?;
    } else {
        comparison.print();
    }
    let ending = Ending::from_failures(comparison.differences());
    match page_server {
        None => Ok(ending),
        Some(page_server) => {
            serve::serve(
                context,
                page_server,
                &[collection.dir().to_owned()],
                &web.suggested_queries(),
                SnapshotSettings::of_all(),
            )?;
            Ok(ending)
        }
    }
}

fn crawl_args(args: &DemoArgs, dir: &Path, hosts_table: PathBuf) -> CrawlArgs {
    let options = CrawlOptions {
        memory: args.memory,
        scope: ScopeKind::All,
        delay: args.delay,
        resolve: Some(hosts_table),
        allow_net: vec!["127.0.0.0/8".parse().expect("loopback is a range")],
        sieve: args.sieve,
        serves_itself: true,
        ..CrawlOptions::default()
    };
    CrawlArgs { dir: dir.to_owned(), urls: Vec::new(), unset: Vec::new(), options, typed: None }
}

impl Comparison {
    fn new(
        crawl: CrawlSummary,
        collection: &Collection,
        truth: &Truth,
        audit: AuditReport,
    ) -> anyhow::Result<Self> {
        let found = truth.compare_pages(StoreReader::open(collection)?.page_addresses()?);
        let mut arcs = truth.arc_check();
        for_each_arc(collection, false, |source, target| {
            arcs.see(source.as_str(), target);
            anyhow::Ok(())
        })?;
        let arcs = arcs.finish();
        let graph = links::compare_graph(collection, truth)?;
        let copies = copies::compare_copies(collection, truth)?;
        Ok(Self {
            crawl,
            pages_expected: found.pages.expected,
            missing: found.pages.missing,
            extra: found.pages.extra,
            stored_twice: found.twice,
            arcs_expected: arcs.expected,
            arcs_missing: arcs.missing,
            arcs_extra: arcs.extra,
            graph_arcs_expected: graph.links.expected,
            graph_arcs_missing: graph.links.missing,
            graph_arcs_extra: graph.links.extra,
            navigation_expected: graph.navigation.expected,
            navigation_missing: graph.navigation.missing,
            navigation_extra: graph.navigation.extra,
            words_checked: truth.words.len() as u64,
            words_wrong: count_wrong_words(collection, &truth.words)?,
            copies_expected: copies.expected,
            copies_missing: copies.missing,
            copies_extra: copies.extra,
            politeness_violations: audit.violations,
            refetched: audit.refetched,
            audit,
        })
    }

    fn differences(&self) -> u64 {
        self.missing
            + self.extra
            + self.stored_twice
            + self.arcs_missing
            + self.arcs_extra
            + self.graph_arcs_missing
            + self.graph_arcs_extra
            + self.navigation_missing
            + self.navigation_extra
            + self.words_wrong
            + self.copies_missing
            + self.copies_extra
            + self.politeness_violations
    }

    fn print(&self) {
        outln!(
            "pages: {} expected, {} missing, {} too many, {} stored twice",
            thousands(self.pages_expected),
            self.missing,
            self.extra,
            self.stored_twice
        );
        outln!(
            "links: {} expected, {} missing, {} too many",
            thousands(self.arcs_expected),
            self.arcs_missing,
            self.arcs_extra
        );
        outln!(
            "graph: {} expected with those through redirects, {} missing, {} too many",
            thousands(self.graph_arcs_expected),
            self.graph_arcs_missing,
            self.graph_arcs_extra
        );
        outln!(
            "navigation: {} expected, {} missing, {} too many",
            thousands(self.navigation_expected),
            self.navigation_missing,
            self.navigation_extra
        );
        outln!(
            "words: {} searched for, {} with other results than expected",
            self.words_checked,
            self.words_wrong
        );
        outln!(
            "copies: {} expected, {} missing, {} too many",
            thousands(self.copies_expected),
            self.copies_missing,
            self.copies_extra
        );
        outln!(
            "politeness: {} heard, {}",
            counted(self.audit.requests, "request"),
            counted(self.politeness_violations, "violation")
        );
        for example in &self.audit.examples {
            outln!("  {example}");
        }
    }
}

/// Searches for each word of the truth; the results must be exactly the pages that have it.
fn count_wrong_words(collection: &Collection, words: &BTreeMap<String, Vec<String>>) -> anyhow::Result<u64> {
    let searcher = Searcher::new(Arc::new(index::Index::open(&collection.dir().join("index"))?));
    let store = StoreReader::open(collection)?;
    let mut wrong = 0;
    for (word, expected) in words {
        let hits = searcher.search(&Query::parse(word)?, 0, 1000)?;
        let mut found = Vec::new();
        for hit in &hits.hits {
            found.push(store.page_at(hit.key)?.url.as_str().to_owned());
        }
        found.sort();
        // More results than one page of them can hold are compared by their number.
        let is_right =
            hits.total == expected.len() as u64 && (found.len() < expected.len() || found == *expected);
        wrong += u64::from(!is_right);
    }
    Ok(wrong)
}
