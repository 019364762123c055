//! Links: set aside on disk while addresses come in, then turned into arcs with labels.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::nodes::{Nodes, TemporaryList};
use super::{BuildOptions, anchors};
use crate::labels::{ArcLabel, LabelWriter};
use crate::sort::{ArcSorter, SortedArcs, varint};
use crate::{BvGraph, BvReport, BvWriter, Error, LinkFlags, WeightedGraph, folder, write_transpose};

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

/// Links as keys of their ends, flags and words, one behind the other. A source that is that of the link before is left out.
pub(super) struct LinkLog {
    path: PathBuf,
    file: BufWriter<File>,
    source: String,
    record: Vec<u8>,
}

impl LinkLog {
    pub(super) fn create(path: &Path) -> Result<Self, Error> {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(path);
        let file = BufWriter::with_capacity(1 << 16, file.map_err(Error::io("create", path))?);
        std::fs::remove_file(path).map_err(Error::io("remove", path))?;
        Ok(Self { path: path.to_owned(), file, source: String::new(), record: Vec::new() })
    }

    pub(super) fn push(&mut self, source: &str, target: &str, flags: u8, anchor: &str) -> Result<(), Error> {
        self.record.clear();
        let said = if self.source == source { "" } else { source };
        for text in [said, target, anchor] {
            varint::put(&mut self.record, text.len() as u64);
            self.record.extend_from_slice(text.as_bytes());
        }
        self.record.push(flags);
        if !said.is_empty() {
            self.source.replace_range(.., source);
        }
        self.file.write_all(&self.record).map_err(Error::io("write", &self.path))
    }

    pub(super) fn finish(self) -> Result<LinkLogReader, Error> {
        let path = self.path;
        let mut file =
            self.file.into_inner().map_err(|error| Error::io("write", &path)(error.into_error()))?;
        let end = file.stream_position().map_err(Error::io("read", &path))?;
        file.seek(SeekFrom::Start(0)).map_err(Error::io("read", &path))?;
        let file = BufReader::with_capacity(1 << 16, file);
        Ok(LinkLogReader {
            path,
            file,
            left: end,
            source: Vec::new(),
            target: Vec::new(),
            anchor: Vec::new(),
        })
    }
}

/// Gives the links again.
pub(super) struct LinkLogReader {
    path: PathBuf,
    file: BufReader<File>,
    left: u64,
    source: Vec<u8>,
    target: Vec<u8>,
    anchor: Vec<u8>,
}

/// A link that was set aside.
pub(super) struct LoggedLink<'a> {
    pub(super) source: &'a [u8],
    pub(super) target: &'a [u8],
    pub(super) anchor: &'a [u8],
    pub(super) flags: u8,
    /// Whether the source is another one than before.
    pub(super) is_new_source: bool,
}

impl LinkLogReader {
    pub(super) fn next(&mut self) -> Result<Option<LoggedLink<'_>>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        let outcome = self.read();
        let (flags, is_new_source) = outcome.map_err(Error::io("read", &self.path))?;
        let Self { source, target, anchor, .. } = self;
        Ok(Some(LoggedLink { source, target, anchor, flags, is_new_source }))
    }

    fn read(&mut self) -> std::io::Result<(u8, bool)> {
        let length = self.number()?;
        if length > 0 {
            read_text(&mut self.file, length, &mut self.source)?;
        }
        let target = self.number()?;
        read_text(&mut self.file, target, &mut self.target)?;
        let anchor = self.number()?;
        read_text(&mut self.file, anchor, &mut self.anchor)?;
        let mut flags = [0];
        self.file.read_exact(&mut flags)?;
        self.left -= length + target + anchor + 1;
        Ok((flags[0], length > 0))
    }

    fn number(&mut self) -> std::io::Result<u64> {
        let (mut number, mut shift, mut byte) = (0, 0, [0x80]);
        while byte[0] & 0x80 != 0 {
            self.file.read_exact(&mut byte)?;
            number |= u64::from(byte[0] & 0x7f) << shift;
            shift += 7;
            self.left -= 1;
        }
        Ok(number)
    }
}

fn read_text(file: &mut impl Read, length: u64, text: &mut Vec<u8>) -> std::io::Result<()> {
    text.resize(length as usize, 0);
    file.read_exact(text)
}

/// Arcs in order, each with a number of some bits more and two bits of flags.
pub(super) type LabelledArcs = SortedArcs<(u64, u64)>;

/// What became of the links.
pub(crate) struct LinkCounts {
    /// Links that were given and kept.
    pub(crate) links: u64,
    /// Links with an end that is no node.
    pub(crate) dropped: u64,
    pub(crate) graph: BvReport,
    pub(crate) transpose: BvReport,
    /// Different words that arcs carry.
    pub(crate) anchors: usize,
    pub(crate) label_bits: u64,
    pub(crate) table_bits: u64,
    pub(crate) anchor_bits: u64,
}

/// Turns links into the graph, its labels, its transpose, and the graphs of hosts and domains.
pub(super) fn compress(
    building: &Path,
    nodes: &Nodes,
    words: &TemporaryList,
    log: LinkLogReader,
    options: &BuildOptions,
) -> Result<LinkCounts, Error> {
    let half = options.memory_bytes / 2;
    let (by_target, links, dropped) = sort_by_target(building, nodes, words, log, half)?;
    let (by_source, tables) = anchors::rank_words(building, nodes.count, by_target, half)?;
    let (tables, order) = tables.compress(words.len());
    let anchor_bits = 8 * anchors::write_words(building, words, &order)?;
    let anchors = order.len();
    drop(order);
    let mut labels = LabelWriter::create(&building.join(folder::LABELS), tables)?;
    let graph = write_graph(building, nodes, by_source, &mut labels, options)?;
    let (label_bits, table_bits) = labels.finish()?;
    let opened = BvGraph::open_sealed(&building.join(folder::GRAPH))?;
    let transpose =
        write_transpose(&opened, &building.join(folder::TRANSPOSE), &options.bv, options.memory_bytes)?;
    Ok(LinkCounts { links, dropped, graph, transpose, anchors, label_bits, table_bits, anchor_bits })
}

/// What an arc carries while it is sorted by target: its anchor and its flags.
fn sort_by_target(
    building: &Path,
    nodes: &Nodes,
    words: &TemporaryList,
    mut log: LinkLogReader,
    memory_bytes: usize,
) -> Result<(LabelledArcs, u64, u64), Error> {
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
        let anchor = texts.get(link.anchor, |text| words.node_of_key(text)).unwrap_or(0);
        sorter.push_item(target, source, u64::from(anchor) << 2 | u64::from(link.flags))?;
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

/// Writes lists and labels, and counts links between hosts: nodes of one host stand together.
fn write_graph(
    building: &Path,
    nodes: &Nodes,
    mut arcs: LabelledArcs,
    labels: &mut LabelWriter,
    options: &BuildOptions,
) -> Result<BvReport, Error> {
    let mut writer = BvWriter::create(&building.join(folder::GRAPH), options.bv.clone())?;
    let mut next = arcs.next()?;
    let (mut targets, mut list) = (Vec::new(), Vec::new());
    let mut host_lists: Vec<Vec<(u32, u64)>> = Vec::with_capacity(nodes.hosts.len());
    for host in 0..nodes.hosts.len() {
        let own = nodes.host_starts[host]..nodes.host_starts[host + 1];
        let mut weights: BTreeMap<u32, u64> = BTreeMap::new();
        for node in own.clone() {
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
