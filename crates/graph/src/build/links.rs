//! Links that were set aside are turned into arcs with labels.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::BuildOptions;
use super::link_log::LinkLogReader;
use super::nodes::Nodes;
use super::stage::Stage;
use crate::addresses::AddressList;
use crate::labels::LabelWriter;
use crate::sort::{ArcSorter, SortedArcs};
use crate::{BvGraph, BvReport, BvWriter, Error, LinkFlags, Watcher, WeightedGraph, folder};

/// Remembers some of the last keys, so that what comes again and again is not sorted again and again.
pub(super) struct RecentKeys(Vec<u64>);

const RECENT_KEYS: usize = 1 << 16;

impl Default for RecentKeys {
    fn default() -> Self {
        Self(vec![0; RECENT_KEYS])
    }
}

impl RecentKeys {
    /// False only for what came before. (Two keys with the same 64 bits of hash are taken for one.)
    pub(super) fn is_new(&mut self, key: &[u8]) -> bool {
        let hash = xxh3_64(key) | 1;
        std::mem::replace(&mut self.0[(hash >> 48) as usize % RECENT_KEYS], hash) != hash
    }
}

/// Arcs in order, each with a number of some bits more and two bits of flags.
type LabelledArcs = SortedArcs<(u64, u64)>;

/// What became of the links.
pub(crate) struct LinkCounts {
    /// Links that were given and kept.
    pub(crate) links: u64,
    /// Links with an end that is no node.
    pub(crate) dropped: u64,
    pub(crate) graph: BvReport,
    pub(crate) transpose: BvReport,
    pub(crate) anchors: usize,
    pub(crate) label_bits: u64,
    pub(crate) table_bits: u64,
}

/// Turns links into the graph, its labels, its transpose, and the graphs of hosts and domains.
pub(super) fn compress(
    building: &Path,
    nodes: &Nodes,
    anchors: &AddressList,
    log: LinkLogReader,
    options: &BuildOptions,
    watcher: &dyn Watcher,
) -> Result<LinkCounts, Error> {
    let mut labels = LabelWriter::create(&building.join(folder::LABELS))?;
    let half = options.memory_bytes / 2;
    let over_nodes = |name| Stage::new(watcher, name, nodes.count as u64);
    let over_links = Stage::new(watcher, "sorting links by target", log.bytes_left());
    let (by_target, links, dropped) = sort_by_target(building, nodes, anchors, log, half, over_links)?;
    let counting = over_nodes("sorting links by source");
    let by_source = rank_anchors(building, nodes.count, by_target, &mut labels, half, counting)?;
    let graph = write_graph(building, nodes, by_source, &mut labels, options, over_nodes("compressing"))?;
    let (label_bits, table_bits) = labels.finish()?;
    let transpose = write_backwards(building, options, over_nodes("compressing the transpose"))?;
    Ok(LinkCounts { links, dropped, graph, transpose, anchors: anchors.len(), label_bits, table_bits })
}

/// What an arc carries while it is sorted by target: its anchor and its flags.
fn sort_by_target(
    building: &Path,
    nodes: &Nodes,
    anchors: &AddressList,
    mut log: LinkLogReader,
    memory_bytes: usize,
    mut stage: Stage,
) -> Result<(LabelledArcs, u64, u64), Error> {
    let whole = log.bytes_left();
    let mut sorter = ArcSorter::<(u64, u64)>::with_items(nodes.count, memory_bytes, building)?;
    let (mut links, mut dropped) = (0, 0);
    let (mut source, mut targets, mut texts) = (None, Known::new(), Known::new());
    while let Some(link) = log.next()? {
        links += 1;
        if link.is_new_source {
            source = nodes.node(link.source);
        }
        let target = targets.get(link.target, |key| nodes.node(key));
        let (Some(source), Some(target)) = (source, target) else {
            dropped += 1;
            continue;
        };
        let anchor = texts.get(link.anchor, |text| anchors.node_of_key(text)).unwrap_or(0);
        sorter.push_item(target, source, u64::from(anchor) << 2 | u64::from(link.flags))?;
        stage.at(whole - log.bytes_left());
    }
    Ok((sorter.finish()?, links, dropped))
}

/// The answers to the last questions: most links of a page are those of the page before.
struct Known(Vec<(u64, Option<u32>)>);

impl Known {
    fn new() -> Self {
        Self(vec![(0, None); RECENT_KEYS])
    }

    fn get(&mut self, key: &[u8], ask: impl FnOnce(&[u8]) -> Option<u32>) -> Option<u32> {
        let hash = xxh3_64(key) | 1;
        let place = &mut self.0[(hash >> 48) as usize % RECENT_KEYS];
        if place.0 != hash {
            *place = (hash, ask(key));
        }
        place.1
    }
}

/// Makes the table of each target, and sorts the arcs by source, each with the rank of its anchor.
fn rank_anchors(
    building: &Path,
    nodes: usize,
    mut arcs: LabelledArcs,
    labels: &mut LabelWriter,
    memory_bytes: usize,
    mut stage: Stage,
) -> Result<LabelledArcs, Error> {
    let mut sorter = ArcSorter::<(u64, u64)>::with_items(nodes, memory_bytes, building)?;
    let mut next = arcs.next()?;
    let mut incoming: Vec<(u32, u64)> = Vec::new();
    let mut counts: HashMap<u32, u32> = HashMap::new();
    for node in 0..nodes as u32 {
        stage.at(node.into());
        incoming.clear();
        counts.clear();
        while let Some((target, source, carried)) = next.filter(|(target, ..)| *target == node) {
            debug_assert_eq!(target, node);
            // Links of one page with the same words are one, whatever their flags; sorted, they stand together.
            let anchor = carried >> 2;
            if incoming.last().is_none_or(|(before, carried)| (*before, carried >> 2) != (source, anchor)) {
                *counts.entry(anchor as u32).or_default() += 1;
            }
            incoming.push((source, carried));
            next = arcs.next()?;
        }
        let mut table: Vec<(u32, u32)> = counts.iter().map(|(anchor, count)| (*anchor, *count)).collect();
        table.sort_unstable_by_key(|(anchor, count)| (u32::MAX - count, *anchor));
        let ranks: HashMap<u32, u32> =
            table.iter().zip(0..).map(|((anchor, _), rank)| (*anchor, rank)).collect();
        for links in incoming.chunk_by(|one, next| one.0 == next.0) {
            // Of several links between two pages: the most usual words, and a flag only if all have it.
            let rank = links.iter().map(|(_, carried)| ranks[&((carried >> 2) as u32)]).min();
            let flags = links.iter().fold(3, |flags, (_, carried)| flags & carried);
            let rank = rank.expect("there is a link in each group");
            sorter.push_item(links[0].0, node, u64::from(rank) << 2 | flags)?;
        }
        labels.push_table(table.into_iter().map(|(anchor, _)| anchor));
    }
    sorter.finish()
}

/// Writes lists and labels, and counts links between hosts: nodes of one host stand together.
fn write_graph(
    building: &Path,
    nodes: &Nodes,
    mut arcs: LabelledArcs,
    labels: &mut LabelWriter,
    options: &BuildOptions,
    mut stage: Stage,
) -> Result<BvReport, Error> {
    let mut writer = BvWriter::create(&building.join(folder::GRAPH), options.bv.clone())?;
    let mut next = arcs.next()?;
    let (mut targets, mut list) = (Vec::new(), Vec::new());
    let mut host_lists: Vec<Vec<(u32, u64)>> = Vec::with_capacity(nodes.hosts.len());
    for host in 0..nodes.hosts.len() {
        let own = nodes.host_starts[host]..nodes.host_starts[host + 1];
        let mut weights: BTreeMap<u32, u64> = BTreeMap::new();
        for node in own.clone() {
            stage.at(node.into());
            targets.clear();
            list.clear();
            while let Some((_, target, carried)) = next.filter(|(source, ..)| *source == node) {
                targets.push(target);
                list.push((target, LinkFlags::from_stored(carried as u8 & 3), (carried >> 2) as u32));
                let target_host = if own.contains(&target) { host } else { nodes.host_of(target) };
                *weights.entry(target_host as u32).or_default() += 1;
                next = arcs.next()?;
            }
            writer.push(&targets)?;
            labels.push_labels(&list)?;
        }
        host_lists.push(weights.into_iter().collect());
    }
    let hosts = WeightedGraph::new(nodes.hosts.clone(), &host_lists);
    hosts.write(&building.join(folder::HOSTS))?;
    hosts.grouped(|host| (options.domain_of)(host)).write(&building.join(folder::DOMAINS))?;
    writer.finish()
}

/// Writes the transpose of the graph that was just written.
fn write_backwards(building: &Path, options: &BuildOptions, mut stage: Stage) -> Result<BvReport, Error> {
    let graph = BvGraph::open_sealed(&building.join(folder::GRAPH))?;
    let sorted = ArcSorter::transpose(&graph, options.memory_bytes, building)?;
    let mut writer = BvWriter::create(&building.join(folder::TRANSPOSE), options.bv.clone())?;
    let mut nodes = 0;
    sorted.for_each_list(|sources| {
        nodes += 1;
        stage.at(nodes);
        writer.push(sources)
    })?;
    writer.finish()
}
