//! Links that were set aside are turned into arcs with labels.

use std::collections::BTreeMap;
use std::path::Path;

use super::link_log::{Answers, LinkLogReader};
use super::nodes::{Nodes, TemporaryList};
use super::stage::Stage;
use super::{BuildOptions, anchors};
use crate::labels::{ArcLabel, LabelWriter};
use crate::sort::{ArcSorter, LabelledArcs};
use crate::{BvGraph, BvReport, BvWriter, Error, LinkFlags, Watcher, WeightedGraph, folder};

/// What became of the links.
pub(super) struct LinkCounts {
    /// Links that were given and kept.
    pub(super) links: u64,
    /// Links with an end that is no node.
    pub(super) dropped: u64,
    pub(super) graph: BvReport,
    pub(super) transpose: BvReport,
    /// Different words that arcs carry.
    pub(super) anchors: usize,
    pub(super) label_bits: u64,
    pub(super) table_bits: u64,
    pub(super) anchor_bits: u64,
}

/// Turns links into the graph, its labels, its transpose, and the graphs of hosts and domains.
pub(super) fn compress(
    building: &Path,
    nodes: &Nodes,
    words: &TemporaryList,
    log: LinkLogReader,
    options: &BuildOptions,
    watcher: &dyn Watcher,
) -> Result<LinkCounts, Error> {
    // Two sorts run at the same time, and beside them there are nodes, words and tables.
    let third = options.memory_bytes / 3;
    let over_nodes = |name| Stage::new(watcher, name, nodes.count as u64);
    let over_links = Stage::new(watcher, "sorting links by target", log.bytes_left());
    let (by_target, links, dropped) = sort_by_target(building, nodes, words, log, third, over_links)?;
    let ranking = over_nodes("sorting links by source");
    let (by_source, tables) = anchors::rank_words(building, nodes.count, by_target, third, ranking)?;
    let (tables, order) = tables.compress(words.len());
    let anchor_bits = 8 * anchors::write_words(building, words, &order)?;
    let anchors = order.len();
    drop(order);
    let mut labels = LabelWriter::create(&building.join(folder::LABELS), tables)?;
    let graph = write_graph(building, nodes, by_source, &mut labels, options, over_nodes("compressing"))?;
    let (label_bits, table_bits) = labels.finish()?;
    let transpose = write_backwards(building, options, over_nodes("compressing the transpose"))?;
    Ok(LinkCounts { links, dropped, graph, transpose, anchors, label_bits, table_bits, anchor_bits })
}

/// What an arc carries while it is sorted by target: its anchor and its flags.
fn sort_by_target(
    building: &Path,
    nodes: &Nodes,
    words: &TemporaryList,
    mut log: LinkLogReader,
    memory_bytes: usize,
    mut stage: Stage,
) -> Result<(LabelledArcs, u64, u64), Error> {
    let whole = log.bytes_left();
    let mut sorter = ArcSorter::<(u64, u64)>::with_items(nodes.count, memory_bytes, building)?;
    let (mut links, mut dropped) = (0, 0);
    let (mut source, mut targets, mut texts) = (None, Answers::default(), Answers::default());
    while let Some(link) = log.next()? {
        links += 1;
        if link.is_new_source {
            source = nodes.node(link.source);
        }
        let target = targets.get(link.target, |key| nodes.node(key));
        let anchor = texts.get(link.anchor, |text| words.node_of_key(text)).unwrap_or(anchors::NO_WORDS);
        let (Some(source), Some(target)) = (source, target) else {
            dropped += 1;
            continue;
        };
        sorter.push_item(target, source, u64::from(anchor) << 2 | u64::from(link.flags))?;
        stage.at(whole - log.bytes_left());
    }
    Ok((sorter.finish()?, links, dropped))
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
                let (flags, rank) = (LinkFlags::from_stored(carried as u8 & 3), (carried >> 2) as u32);
                list.push(ArcLabel { target, flags, rank });
                let target_host = if own.contains(&target) { host } else { nodes.host_of(target) };
                *weights.entry(target_host as u32).or_default() += 1;
                next = arcs.next()?;
            }
            writer.push(&targets)?;
            labels.push(&list)?;
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
