//! `crivello stats`: what is worth knowing about a collection.

mod copies;
mod failed;

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use ::build::Covered;
use ::build::copies::read_groups;
use ::build::graphs::ranks::{PageRanks, page_ranks};
use ::build::graphs::{bits_per_link, is_up_to_date, open_graph};
use clap::Args;
use index::{Index, IndexReport};
use page::format_bytes;
use serde::Serialize;
use store::{Collection, RecordKind, StoreReader};

use self::copies::{CopyStats, HostCounts};
use super::Context;
use crate::commands::build::graph_size_text;
use crate::output::{Ending, counted, errln, error_text, outln, print_json, thousands};

/// Print what is worth knowing about a collection
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct StatsArgs {
    /// The collection's folder
    pub dir: PathBuf,
    /// List the addresses that gave no answer, and the start addresses that are no page, with the reasons
    #[arg(long)]
    pub failed: bool,
}

const EXAMPLES: &str = "\
Examples:
  crivello stats docs.crivello
  crivello stats docs.crivello --json                     for another program";

/// All numbers about a collection.
#[derive(Debug, Default, Serialize)]
struct Stats {
    created_at: String,
    /// Pages with content.
    pages: u64,
    hosts: u64,
    /// Links that a reader can follow, on those pages.
    links: u64,
    /// Pages that another one stands for; if nobody looked for copies yet, pages whose bytes are those of an earlier one.
    copies: u64,
    /// Pages that ask not to be found.
    noindex: u64,
    redirects: u64,
    forbidden: u64,
    /// Addresses that gave no answer, and start addresses that are no page, when they were tried last.
    failed: u64,
    status: BTreeMap<u16, u64>,
    content_types: BTreeMap<String, u64>,
    body_bytes: u64,
    store_bytes: u64,
    first_fetched_at: Option<String>,
    last_fetched_at: Option<String>,
    /// None until it is built.
    index: Option<IndexReport>,
    index_is_damaged: bool,
    /// None until somebody looks for copies.
    dedup: Option<CopyStats>,
    dedup_is_damaged: bool,
    /// None until it is made.
    graph: Option<GraphStats>,
    graph_is_damaged: bool,
}

/// What the graph says of itself.
#[derive(Debug, Serialize)]
struct GraphStats {
    nodes: u64,
    arcs: u64,
    bits_per_link: f64,
    transpose_bits_per_link: f64,
    hosts: u64,
    /// Nothing was stored since it was made.
    up_to_date: bool,
    /// The ranks beside it, and what they were computed on.
    ranks: Option<String>,
}

impl GraphStats {
    fn new(folder: &graph::GraphFolder, up_to_date: bool, ranks: Option<&PageRanks>) -> Self {
        let manifest = folder.manifest();
        Self {
            nodes: manifest.nodes as u64,
            arcs: manifest.arcs,
            bits_per_link: bits_per_link(manifest),
            transpose_bits_per_link: manifest.transpose_bits as f64 / manifest.arcs.max(1) as f64,
            hosts: folder.hosts().len() as u64,
            up_to_date,
            ranks: ranks.map(|ranks| ranks.about().to_owned()),
        }
    }
}

/// Runs the command.
pub fn run(context: Context, args: &StatsArgs) -> anyhow::Result<Ending> {
    let collection = Collection::open(&args.dir)?;
    if args.failed {
        return failed::list(context, &collection);
    }
    let stats = Stats::gather(&collection)?;
    if context.json {
        print_json(&stats)?;
    } else {
        stats.print();
    }
    Ok(Ending::from_failures(
        u64::from(stats.index_is_damaged)
            + u64::from(stats.dedup_is_damaged)
            + u64::from(stats.graph_is_damaged),
    ))
}

/// Says what is damaged and how it is made anew; the other numbers are told all the same.
fn tell_damage(error: impl Into<anyhow::Error>, collection: &Collection) {
    errln!("error: {}", error_text(&error.into(), Some(collection.dir())));
}

impl Stats {
    fn gather(collection: &Collection) -> anyhow::Result<Self> {
        let mut stats = Self { created_at: collection.manifest().created_at.clone(), ..Self::default() };
        let store = StoreReader::open(collection)?;
        let (mut pages, mut links) = (store.pages()?, store.links()?);
        let groups = read_groups(collection.dir()).unwrap_or_else(|error| {
            tell_damage(error, collection);
            stats.dedup_is_damaged = true;
            None
        });
        let (mut hosts, mut digests) = (HostCounts::default(), HashSet::new());
        while let Some((key, record)) = pages.next()? {
            stats.count_outcome(&record);
            if !record.is_page() {
                continue;
            }
            hosts.add(record.url.host(), groups.as_ref().and_then(|groups| groups.group_of(key)));
            stats.pages += 1;
            stats.copies += u64::from(!digests.insert(record.digest));
            stats.noindex += u64::from(record.flags.noindex);
            stats.body_bytes += record.body_bytes;
            stats.links += links.of(&record)?.iter().filter(|link| link.kind.is_arc()).count() as u64;
            let essence = page::ContentType(&record.content_type).essence().to_ascii_lowercase();
            *stats.content_types.entry(essence).or_default() += 1;
        }
        let covered = Covered::of(collection, pages.position());
        stats.hosts = hosts.hosts();
        stats.failed = store.failed()?.len() as u64;
        if let Some(groups) = &groups {
            stats.copies = groups.copies();
            stats.dedup = Some(CopyStats::new(groups, &hosts, covered));
        }
        stats.store_bytes = store.bytes_on_disk()?;
        stats.index = match Index::open(&collection.dir().join("index")) {
            Ok(index) => Some(index.report().clone()),
            Err(index::Error::Missing { .. }) => None,
            Err(error) => {
                tell_damage(error, collection);
                stats.index_is_damaged = true;
                None
            }
        };
        match open_graph(collection) {
            Ok(folder) => {
                let ranks = page_ranks(collection).unwrap_or_else(|error| {
                    tell_damage(error, collection);
                    stats.graph_is_damaged = true;
                    None
                });
                let up_to_date = is_up_to_date(collection, &folder, covered)?;
                stats.graph = Some(GraphStats::new(&folder, up_to_date, ranks.as_ref()));
            }
            Err(graph::Error::Missing { .. }) => {}
            Err(error) => {
                tell_damage(error, collection);
                stats.graph_is_damaged = true;
            }
        }
        Ok(stats)
    }

    fn count_outcome(&mut self, record: &store::PageRecord) {
        match record.kind {
            RecordKind::Forbidden => self.forbidden += 1,
            RecordKind::Failed | RecordKind::Robots | RecordKind::Sitemap => {}
            RecordKind::Fetched | RecordKind::Imported => {
                *self.status.entry(record.status).or_default() += 1;
                self.redirects += u64::from(matches!(record.status, 301..=303 | 307 | 308));
                let at = record.at.to_string();
                self.first_fetched_at.get_or_insert_with(|| at.clone());
                self.last_fetched_at = Some(at);
            }
        }
    }

    fn print_copies(&self, row: &dyn Fn(&str, String)) {
        let Some(dedup) = &self.dedup else {
            return row(
                "copies",
                format!("{} with the bytes of an earlier one", counted(self.copies, "page")),
            );
        };
        let (exact, near) = (thousands(dedup.exact), thousands(dedup.near));
        let (groups, largest) = (counted(dedup.groups, "group"), thousands(dedup.largest_group));
        let state = if dedup.up_to_date { "" } else { "; newer pages are not among them yet" };
        row("copies", format!("{}, {exact} exact and {near} near{state}", counted(self.copies, "page")));
        row("", format!("in {groups}, the largest of {largest}, threshold {}", dedup.threshold));
        for mirror in &dedup.mirrors {
            let (shared, pages) = (thousands(mirror.shared), counted(mirror.pages, "page"));
            row("mirror", format!("{} of {}: {shared} of {pages}", mirror.host, mirror.of));
        }
    }

    fn print(&self) {
        let row = |name: &str, value: String| outln!("{name:>12}  {value}");
        row("pages", format!("{} on {}", thousands(self.pages), counted(self.hosts, "host")));
        row("links", thousands(self.links));
        self.print_copies(&row);
        row("noindex", thousands(self.noindex));
        row("redirects", thousands(self.redirects));
        row("forbidden", format!("{}, by robots.txt", counted(self.forbidden, "address")));
        let how = if self.failed > 0 { " (which, and why: --failed)" } else { "" };
        row("failed", format!("{}{how}", thousands(self.failed)));
        for (status, count) in &self.status {
            row(&format!("HTTP {status}"), thousands(*count));
        }
        for (content_type, count) in &self.content_types {
            row("type", format!("{} {content_type}", thousands(*count)));
        }
        row("content", format_bytes(self.body_bytes));
        row("store", format!("{} on disk", format_bytes(self.store_bytes)));
        if let (Some(first), Some(last)) = (&self.first_fetched_at, &self.last_fetched_at) {
            row("fetched", format!("{first} to {last}"));
        }
        match &self.graph {
            None if self.graph_is_damaged => row("graph", "damaged".into()),
            None => row("graph", "not made yet".into()),
            Some(graph) => {
                let state = if graph.up_to_date { "" } else { "; it is older than the newest pages" };
                row("graph", graph_size_text(graph.nodes, graph.arcs, graph.bits_per_link) + state);
            }
        }
        match &self.index {
            None if self.index_is_damaged => row("index", "damaged".into()),
            None => row("index", "not built yet".into()),
            Some(index) => row(
                "index",
                format!(
                    "{}, {}, {} on disk",
                    counted(index.documents, "document"),
                    counted(index.terms, "term"),
                    format_bytes(index.bytes)
                ),
            ),
        }
    }
}
