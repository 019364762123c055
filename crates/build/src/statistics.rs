//! What is worth knowing about a collection, in numbers: its pages, and what each part says of itself.
//!
//! The names of the fields are those of `crivello stats --json` and do not change.

mod copies;
mod sites;

use std::collections::{BTreeMap, HashSet};

use index::{Index, IndexReport, RoutingFilters, RoutingReport};
use page::thousands;
use serde::Serialize;
use store::{Collection, RecordKind, StoreReader};

use self::copies::HostCounts;
pub use self::copies::{CopyStats, Mirror};
use self::sites::SiteCounts;
pub use self::sites::SiteStats;
use crate::copies::read_groups;
use crate::gone::forgotten;
use crate::graphs::ranks::{PageRanks, page_ranks};
use crate::graphs::{bits_per_link, is_up_to_date, open_graph};
use crate::newer::NewerPages;
use crate::{Covered, Error};

/// All numbers about a collection.
#[derive(Debug, Default, Serialize)]
pub struct CollectionStats {
    /// When it was made.
    pub created_at: String,
    /// Pages with content.
    pub pages: u64,
    /// Hosts with such pages.
    pub hosts: u64,
    /// Links that a reader can follow, on those pages.
    pub links: u64,
    /// Pages that another one stands for; if nobody looked for copies yet, pages whose bytes are those of an earlier one.
    pub copies: u64,
    /// Pages that ask not to be found.
    pub noindex: u64,
    /// Pages that were forgotten on request. They are counted above, too: that they were stored is known.
    pub forgotten: u64,
    /// Addresses that answered with a redirect.
    pub redirects: u64,
    /// Addresses that robots.txt forbids.
    pub forbidden: u64,
    /// Addresses that gave no answer, and start addresses that are no page, when they were tried last.
    pub failed: u64,
    /// Answers by their status.
    pub status: BTreeMap<u16, u64>,
    /// Pages by their media type.
    pub content_types: BTreeMap<String, u64>,
    /// Bytes of all pages.
    pub body_bytes: u64,
    /// Bytes that the store takes on disk.
    pub store_bytes: u64,
    /// What there is of each site, those with the most pages first; of very many the first thousand.
    pub sites: Vec<SiteStats>,
    /// When the first answer came.
    pub first_fetched_at: Option<String>,
    /// When the last answer came.
    pub last_fetched_at: Option<String>,
    /// None until it is built.
    pub index: Option<IndexReport>,
    /// Pages that were stored after it was built, and are not in it yet; of very many some.
    pub index_lacks_pages: u64,
    /// What terms are routed to the segments of the index with, and what that saves.
    pub routing: Option<RoutingStats>,
    /// There is an index, and it cannot be read.
    pub index_is_damaged: bool,
    /// The index was made by an earlier version, and says nothing until it is made anew.
    pub index_is_of_older_format: bool,
    /// None until somebody looks for copies.
    pub dedup: Option<CopyStats>,
    /// There are groups of copies, and they cannot be read.
    pub dedup_is_damaged: bool,
    /// None until it is made.
    pub graph: Option<GraphStats>,
    /// There is a graph, or ranks, and they cannot be read.
    pub graph_is_damaged: bool,
    /// The graph was written by an earlier version, and says nothing until it is made anew.
    pub graph_is_of_older_format: bool,
}

/// How terms find the segments of an index that have them.
#[derive(Debug, Serialize)]
pub struct RoutingStats {
    /// The filters.
    #[serde(flatten)]
    pub filters: RoutingFilters,
    /// What they save for terms of the index, as many of each segment.
    pub sample: RoutingReport,
}

impl RoutingStats {
    /// So many terms of each segment are looked up: that takes a millisecond or two.
    const TERMS_PER_SEGMENT: usize = 1000;

    fn of(index: &Index) -> Result<Self, index::Error> {
        Ok(Self {
            sample: index.routing_of_sample(Self::TERMS_PER_SEGMENT)?,
            filters: index.routing_filters(),
        })
    }
}

/// What the graph says of itself.
#[derive(Debug, Serialize)]
pub struct GraphStats {
    /// Pages, without those that were folded into others.
    pub nodes: u64,
    /// Distinct links between them.
    pub arcs: u64,
    /// The size of the lists of links.
    pub bits_per_link: f64,
    /// The size of the lists of links to a page.
    pub transpose_bits_per_link: f64,
    /// Hosts with such pages.
    pub hosts: u64,
    /// Nothing was stored since it was made.
    pub up_to_date: bool,
    /// The ranks beside it, and what they were computed on.
    pub ranks: Option<String>,
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

impl CollectionStats {
    /// Reads the page table and asks each part. A part that is damaged is given to `damaged`, and the others are counted.
    pub fn gather(collection: &Collection, damaged: &mut dyn FnMut(Error)) -> Result<Self, Error> {
        let mut stats = Self { created_at: collection.manifest().created_at.clone(), ..Self::default() };
        let store = StoreReader::open(collection)?;
        let (mut pages, mut links) = (store.pages()?, store.links()?);
        let groups = read_groups(collection.dir()).unwrap_or_else(|error| {
            damaged(error);
            stats.dedup_is_damaged = true;
            None
        });
        let (mut hosts, mut digests) = (HostCounts::default(), HashSet::new());
        let mut sites = SiteCounts::default();
        while let Some((key, record)) = pages.next()? {
            stats.count_outcome(&record);
            sites.add(&record);
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
        stats.sites = sites.largest();
        stats.failed = store.failed()?.len() as u64;
        stats.forgotten = forgotten(collection)?.into_iter().collect::<HashSet<_>>().len() as u64;
        if let Some(groups) = &groups {
            stats.copies = groups.copies();
            stats.dedup = Some(CopyStats::new(groups, &hosts, covered));
        }
        stats.store_bytes = store.bytes_on_disk()?;
        stats.ask_index(collection, damaged);
        stats.ask_graph(collection, covered, damaged)?;
        Ok(stats)
    }

    fn ask_index(&mut self, collection: &Collection, damaged: &mut dyn FnMut(Error)) {
        let index = Index::open(&collection.dir().join("index"));
        let newer = |index: &Index| {
            let mut newer = NewerPages::behind(index.source_stamp())?;
            newer.count(collection).ok()?;
            Some(newer.pages)
        };
        let of = |index: Index| {
            Ok((RoutingStats::of(&index)?, index.report().clone(), newer(&index).unwrap_or_default()))
        };
        match index.and_then(of) {
            Ok((routing, report, newer)) => {
                (self.routing, self.index, self.index_lacks_pages) = (Some(routing), Some(report), newer);
            }
            Err(index::Error::Missing { .. }) => {}
            Err(error) if error.is_of_older_format() => self.index_is_of_older_format = true,
            Err(error) => {
                damaged(error.into());
                self.index_is_damaged = true;
            }
        }
    }

    fn ask_graph(
        &mut self,
        collection: &Collection,
        covered: Covered,
        damaged: &mut dyn FnMut(Error),
    ) -> Result<(), Error> {
        match open_graph(collection) {
            Ok(folder) => {
                let ranks = page_ranks(collection).unwrap_or_else(|error| {
                    damaged(error.into());
                    self.graph_is_damaged = true;
                    None
                });
                let up_to_date = is_up_to_date(collection, &folder, covered)?;
                self.graph = Some(GraphStats::new(&folder, up_to_date, ranks.as_ref()));
            }
            Err(graph::Error::Missing { .. }) => {}
            Err(error) if error.is_of_older_format() => self.graph_is_of_older_format = true,
            Err(error) => {
                damaged(error.into());
                self.graph_is_damaged = true;
            }
        }
        Ok(())
    }

    /// What the index lacks, in words behind a semicolon; nothing where it has all pages.
    pub fn index_lacks_told(&self) -> String {
        match self.index_lacks_pages {
            0 => String::new(),
            pages => format!("; newer pages are not in it yet: {}", thousands(pages)),
        }
    }

    /// Counts the parts that are there and cannot be read.
    pub fn parts_damaged(&self) -> u64 {
        let parts = [self.index_is_damaged, self.dedup_is_damaged, self.graph_is_damaged];
        parts.into_iter().map(u64::from).sum()
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
}
