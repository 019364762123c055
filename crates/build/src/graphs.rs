//! The graph of a collection: made from its pages and links, kept in `graph/`, and asked by everyone who ranks.
//!
//! Nodes are the stored pages. Addresses that redirect are folded into where they lead, and pages that name another page of
//! their own domain as canonical, or send their readers there and have little else, into that page; a page of somebody
//! else's domain cannot be named, because it would inherit the links. Copies are folded into the page that stands for them if that is wanted. Arcs are the links that a reader can
//! follow, with their words; nofollow links are kept and marked.
//!
//! What the graph was made from is its stamp: how much of the table, which groups of copies, which options and rules. It is
//! made anew when the stamp would be another one, unless it is only a few pages behind and a build may leave it so ([`lag`]). Ranks are made after the graph and lie beside it, see [`ranks`].
//!
//! Cost: two passes over all links (the first finds navigation that is not marked, see [`navigation`]), which are read by a thread of
//! their own ([`ahead`]), and what [`graph::GraphBuilder`] needs.

mod ahead;
pub mod arcs;
pub mod broken;
pub mod for_search;
pub mod fronts;
pub mod lag;
pub mod navigation;
pub mod page_links;
pub mod ranks;
pub mod report;
mod settings;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use graph::{BuildOptions, BvOptions, EfGraph, GraphBuilder, GraphFolder, LinkRecord, Manifest};
use page::{Fingerprint, Link, LinkKind, PageUrl};
use serde::{Deserialize, Serialize};
use store::{Collection, PageRecord, RecordKind, StoreReader};
use xxhash_rust::xxh3::xxh3_64;

use self::ahead::{PageLinks, read_ahead};
use self::arcs::RankedArcs;
use self::navigation::{CountedLinks, Directories, Navigation};
use self::ranks::NodeRanks;
pub use self::settings::RankSettings;
use crate::copies::groups::{groups_path, read_groups};
use crate::gone::{Gone, forgotten_bytes};
use crate::{Covered, Error, GraphSteps, Notice, Progress, Watcher, Work};

/// How the graph of a collection is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphOptions {
    /// Pages that name another as canonical are folded into it.
    pub fold_canonicals: bool,
    /// Copies are folded into the page that stands for them.
    pub fold_copies: bool,
    /// Links that ask not to be followed are arcs, with a mark.
    pub keep_nofollow: bool,
    /// Addresses that were never fetched are nodes.
    pub keep_off_crawl: bool,
    /// Compressed as well as we can, for other tools that know π codes.
    pub optimise: bool,
    /// The lists are also kept in Elias–Fano, which answers at once whether there is an arc.
    pub with_ef: bool,
}

impl Default for GraphOptions {
    fn default() -> Self {
        Self {
            fold_canonicals: true,
            fold_copies: false,
            keep_nofollow: true,
            keep_off_crawl: false,
            optimise: false,
            with_ef: false,
        }
    }
}

/// Goes up when the same pages would give another graph than before.
const RULES: u32 = 4;

/// What a graph was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    #[serde(default)]
    rules: u32,
    table_bytes: u64,
    /// A checksum of the groups of copies, if they were asked and are there.
    groups: Option<u64>,
    options: GraphOptions,
    /// How long the journal of forgotten pages was.
    #[serde(default)]
    forgotten: u64,
}

impl Stamp {
    /// That of a graph, if it can be read.
    fn of(folder: &GraphFolder) -> Option<Self> {
        serde_json::from_str(&folder.manifest().stamp).ok()
    }
}

/// What making a graph came to.
#[derive(Debug, Clone, Serialize)]
pub struct GraphSummary {
    /// Nothing had to be done.
    pub up_to_date: bool,
    /// Pages, without those that were folded into others.
    pub nodes: u64,
    /// Distinct links between them.
    pub arcs: u64,
    /// The size of the lists of links.
    pub bits_per_link: f64,
    /// The newest pages that it does not have yet: see [`lag`].
    pub pages_behind: u64,
    /// How long it took.
    pub elapsed_seconds: f64,
}

impl GraphSummary {
    fn of(manifest: &Manifest, up_to_date: bool, pages_behind: u64, started: Instant) -> Self {
        Self {
            up_to_date,
            nodes: manifest.nodes as u64,
            arcs: manifest.arcs,
            bits_per_link: bits_per_link(manifest),
            pages_behind,
            elapsed_seconds: started.elapsed().as_secs_f64(),
        }
    }
}

/// The folder of the graph.
pub fn graph_dir(dir: &Path) -> PathBuf {
    dir.join("graph")
}

/// The Elias–Fano form of a build, if it was asked for.
pub fn ef_path(dir: &Path, manifest: &Manifest) -> PathBuf {
    graph_dir(dir).join(&manifest.build).join("graph.ef")
}

/// Opens the graph of a collection. That there is none yet is an error which says how to make it.
pub fn open_graph(collection: &Collection) -> Result<GraphFolder, graph::Error> {
    GraphFolder::open(&graph_dir(collection.dir()))
}

/// Whether the graph of a collection has copies folded into one node. Then its ranks cannot tell which copy is best.
pub fn folds_copies(collection: &Collection) -> bool {
    let stamp = open_graph(collection).ok().and_then(|graph| Stamp::of(&graph));
    stamp.is_some_and(|stamp| stamp.options.fold_copies)
}

/// Whether a graph is made from so much of the table and, if it folds them, from the copies that are there now.
pub fn is_up_to_date(collection: &Collection, folder: &GraphFolder, covered: Covered) -> Result<bool, Error> {
    let Some(stamp) = Stamp::of(folder) else { return Ok(false) };
    let groups = if stamp.options.fold_copies { groups_print(collection)? } else { None };
    let (options, forgotten) = (stamp.options, forgotten_bytes(collection)?);
    Ok(stamp == Stamp { rules: RULES, table_bytes: covered.table_bytes, groups, options, forgotten })
}

/// A graph that is as new as the collection.
pub struct UpToDate {
    /// The graph itself.
    pub folder: GraphFolder,
    /// It was not made now.
    pub was_there: bool,
    /// How the ranks beside the graph that was there were computed.
    pub settings: Option<RankSettings>,
}

/// Makes the graph if it is not up to date. Options that are not given are those of the graph that is there.
pub fn make_if_needed(
    collection: &Collection,
    covered: Covered,
    options: Option<GraphOptions>,
    memory_bytes: u64,
    watcher: &dyn Watcher,
) -> Result<UpToDate, Error> {
    let say_damaged =
        |error: graph::Error| watcher.tell(Notice::MadeAnew { what: "the graph is", why: &error });
    let old = match open_graph(collection) {
        Ok(old) => Some(old),
        Err(graph::Error::Missing { .. }) => None,
        Err(error) => {
            say_damaged(error);
            None
        }
    };
    let old_stamp = old.as_ref().and_then(Stamp::of);
    let settings = old.as_ref().and_then(|old| ranks::settings_of(collection, old));
    let options = options.or_else(|| Some(old_stamp.as_ref()?.options)).unwrap_or_default();
    let groups = if options.fold_copies { groups_print(collection)? } else { None };
    let forgotten = forgotten_bytes(collection)?;
    let stamp = Stamp { rules: RULES, table_bytes: covered.table_bytes, groups, options, forgotten };
    let is_there = |old: &GraphFolder| {
        old_stamp.as_ref() == Some(&stamp)
            && (!options.with_ef || ef_path(collection.dir(), old.manifest()).exists())
            && check_offsets(collection.dir(), old).map_err(say_damaged).is_ok()
    };
    if let Some(folder) = old.filter(is_there) {
        graph::remove_leftovers(&graph_dir(collection.dir()))?;
        return Ok(UpToDate { folder, was_there: true, settings });
    }
    Ok(UpToDate { folder: make(collection, &stamp, memory_bytes, watcher)?, was_there: false, settings })
}

/// Nobody here reads the offsets, but other tools do. They take one pass over a number for each page.
fn check_offsets(dir: &Path, folder: &GraphFolder) -> Result<(), graph::Error> {
    let build = graph_dir(dir).join(&folder.manifest().build);
    folder.graph().check_offsets(&build.join("graph.offsets"))?;
    folder.transpose().check_offsets(&build.join("transpose.offsets"))
}

/// Brings graph and ranks up to date, with the options and settings of those that are there.
pub fn bring_up_to_date(
    collection: &Collection,
    covered: Covered,
    memory_bytes: u64,
    watcher: &dyn Watcher,
) -> Result<GraphSummary, Error> {
    let started = Instant::now();
    let made = make_if_needed(collection, covered, None, memory_bytes, watcher)?;
    let UpToDate { folder, was_there, settings } = made;
    let up_to_date = was_there && settings.is_some();
    if !up_to_date {
        let settings = settings.unwrap_or_default();
        let arcs = RankedArcs::of_folder(&folder, &settings, memory_bytes, &graph_dir(collection.dir()))?;
        let ranks = NodeRanks::of(&arcs, &settings, false, &GraphSteps(watcher));
        ranks::tell_if_damaged(collection, watcher);
        ranks::write(collection, &folder, &settings, &ranks)?;
    }
    Ok(GraphSummary::of(folder.manifest(), up_to_date, 0, started))
}

/// The size of the lists.
pub fn bits_per_link(manifest: &Manifest) -> f64 {
    manifest.graph_bits as f64 / manifest.arcs.max(1) as f64
}

fn groups_print(collection: &Collection) -> Result<Option<u64>, Error> {
    match std::fs::read(groups_path(collection.dir())) {
        Ok(bytes) => Ok(Some(xxh3_64(&bytes))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn make(
    collection: &Collection,
    stamp: &Stamp,
    memory_bytes: u64,
    watcher: &dyn Watcher,
) -> Result<GraphFolder, Error> {
    let options = stamp.options;
    let store = StoreReader::open(collection)?;
    let gone = Gone::of(collection, Covered::of(collection, stamp.table_bytes))?;
    let show = |done, counted| {
        let total = Some(2 * stamp.table_bytes);
        watcher.progress(Progress { work: Work::Links, done, total, counted, detail: "" });
    };
    let (stored, navigation) = first_pass(&store, &gone, &show)?;
    watcher.memory_is_free();
    let mut builder = GraphBuilder::create(
        &graph_dir(collection.dir()),
        BuildOptions {
            memory_bytes: memory_bytes as usize,
            bv: if options.optimise { BvOptions::optimised() } else { BvOptions::standard() },
            keep_nofollow: options.keep_nofollow,
            keep_off_crawl: options.keep_off_crawl,
            domain_of: &page::registrable_domain,
        },
    )?;
    if options.fold_copies {
        add_copies(collection, &store, &mut builder)?;
    }
    let (mut links, mut count) = (store.links()?, 0);
    // What came after the first pass waits for the next build.
    read_ahead(
        &store,
        stamp.table_bytes,
        |key, record| if gone.has(key) { Ok(Vec::new()) } else { Ok(links.of(record)?) },
        |key, record, links| {
            count += 1;
            show(stamp.table_bytes + key.get(), count);
            if gone.has(key) {
                return Ok(());
            }
            add_aliases(&mut builder, &record, &links, &stored, options.fold_canonicals)?;
            if record.is_page() { add_page(&mut builder, &record.url, &links, &navigation) } else { Ok(()) }
        },
    )?;
    let stamp_text = serde_json::to_string(stamp).expect("a stamp is plain data");
    let folder = builder.finish_watched(&stamp_text, &GraphSteps(watcher))?;
    if options.with_ef {
        EfGraph::from_graph(folder.graph()).write(&ef_path(collection.dir(), folder.manifest()))?;
    }
    Ok(folder)
}

/// Which pages are stored, and which of their links are navigation.
fn first_pass(
    store: &StoreReader,
    gone: &Gone,
    show: &dyn Fn(u64, u64),
) -> Result<(HashSet<Fingerprint>, Navigation), Error> {
    let (mut stored, mut directories, mut pages) = (HashSet::new(), Directories::default(), store.pages()?);
    while let Some((key, record)) = pages.next()? {
        if record.is_page() && !gone.has(key) {
            stored.insert(record.url.fingerprint());
            if record.links_offset.is_some() {
                directories.add_page(&record.url);
            }
        }
    }
    let (mut navigation, mut links, mut count) = (Navigation::new(directories), store.links()?, 0);
    read_ahead(
        store,
        u64::MAX,
        |key, record| {
            let mut counted = CountedLinks::default();
            if record.is_page() && !gone.has(key) {
                links.see(record, |link| counted.add(link))?;
            }
            Ok(counted)
        },
        |key, record, counted| {
            count += 1;
            show(key.get(), count);
            if record.is_page() && !gone.has(key) {
                navigation.add_page(&record.url, &counted);
            }
            Ok(())
        },
    )?;
    Ok((stored, navigation.finish()))
}

impl PageLinks for CountedLinks {
    fn count(&self) -> usize {
        self.len()
    }
}

impl PageLinks for Vec<Link> {
    fn count(&self) -> usize {
        self.len()
    }
}

fn add_page(
    builder: &mut GraphBuilder,
    page: &PageUrl,
    links: &[Link],
    navigation: &Navigation,
) -> Result<(), Error> {
    builder.add_page(page)?;
    let navigation = navigation.on(page);
    for link in links.iter().filter(|link| link.kind.is_arc()) {
        builder.add_link(&LinkRecord {
            source: page,
            target: &link.target,
            anchor: &link.anchor,
            is_navigation: navigation.has(link),
            is_nofollow: link.nofollow,
        })?;
    }
    Ok(())
}

/// A page with a refresh and at most so many links is a redirect in the disguise of a page.
const STUB_LINKS_MAX: usize = 2;

/// What a record says about other names of addresses: where it redirects or sends to, and what it names as canonical.
fn add_aliases(
    builder: &mut GraphBuilder,
    record: &PageRecord,
    links: &[Link],
    stored: &HashSet<Fingerprint>,
    fold_canonicals: bool,
) -> Result<(), Error> {
    let is_answer = matches!(record.kind, RecordKind::Fetched | RecordKind::Imported);
    let is_stored = stored.contains(&record.url.fingerprint());
    // A page that sends its readers on at once has little else to say; one that is renewed now and then has.
    let is_stub = links.iter().filter(|link| link.kind.is_arc()).count() <= STUB_LINKS_MAX;
    let alias = links.iter().find(|link| match link.kind {
        // An address that once answered with a page stays one.
        LinkKind::Redirect => is_answer && !is_stored,
        LinkKind::Refresh => record.is_page() && is_stub,
        LinkKind::Canonical => fold_canonicals && record.is_page(),
        _ => false,
    });
    let Some(Link { target, kind, .. }) = alias else { return Ok(()) };
    let domain = page::registrable_domain;
    let is_sound = match kind {
        LinkKind::Canonical | LinkKind::Refresh => {
            stored.contains(&target.fingerprint()) && domain(target.host()) == domain(record.url.host())
        }
        _ => true,
    };
    if is_sound && *target != record.url {
        builder.add_alias(&record.url, target)?;
    }
    Ok(())
}

fn add_copies(collection: &Collection, store: &StoreReader, builder: &mut GraphBuilder) -> Result<(), Error> {
    let Some(groups) = read_groups(collection.dir())? else { return Ok(()) };
    for group in groups.iter() {
        let canonical = store.page_at(group[0])?.url;
        for key in &group[1..] {
            builder.add_alias(&store.page_at(*key)?.url, &canonical)?;
        }
    }
    Ok(())
}
