//! Numbers for addresses: sorted keys, with aliases folded into what they stand for.

use std::fs;
use std::ops::Deref;
use std::path::Path;

use journal::StringSort;

use super::link_log::{Answers, LinkLogReader};
use super::stage::Stage;
use super::{BuildOptions, aliases};
use crate::addresses::{AddressList, KeyListWriter};
use crate::sealed::write_sealed;
use crate::{Error, folder};

/// Why a key is known; the bits are written behind it while it is sorted.
pub(super) const PAGE: u8 = 1;
pub(super) const TARGET: u8 = 2;
pub(super) const ALIAS: u8 = 4;

/// No node.
const NONE: u32 = u32::MAX;

/// All addresses that were seen, and the node each belongs to.
pub(super) struct Nodes {
    seen: TemporaryList,
    node_of_seen: Vec<u32>,
    /// How many nodes there are.
    pub(super) count: usize,
    /// How many addresses are folded into another.
    pub(super) aliases: usize,
    /// The first node of each host, and the end.
    pub(super) host_starts: Vec<u32>,
    /// The name of each host.
    pub(super) hosts: Vec<String>,
}

impl Nodes {
    /// The node of a key, aliases followed.
    pub(super) fn node(&self, key: &[u8]) -> Option<u32> {
        let seen = self.seen.node_of_key(key)?;
        Some(self.node_of_seen[seen as usize]).filter(|node| *node != NONE)
    }

    pub(super) fn host_of(&self, node: u32) -> usize {
        self.host_starts.partition_point(|start| *start <= node) - 1
    }
}

/// Sorts keys, follows aliases, and writes the lists of nodes and of aliases.
pub(super) fn number(
    building: &Path,
    keys: StringSort,
    mut alias_log: LinkLogReader,
    options: &BuildOptions,
    sorting: Stage,
) -> Result<Nodes, Error> {
    let mut kinds = Vec::new();
    let seen = TemporaryList::write(&building.join("seen.tmp"), |writer| {
        kinds = write_seen(writer, keys, options, sorting)?;
        Ok(())
    })?;
    let mut to: Vec<u32> = (0..seen.len() as u32).collect();
    let mut targets = Answers::default();
    while let Some(alias) = alias_log.next()? {
        let target = targets.get(alias.target, |key| seen.node_of_key(key));
        let ends = (seen.node_of_key(alias.source), target);
        // Of several aliases of one address, the first counts.
        if let (Some(from), Some(target)) = ends
            && to[from as usize] == from
        {
            to[from as usize] = target;
        }
    }
    aliases::resolve(&mut to);
    let mut writers = (
        KeyListWriter::create(&building.join(folder::ADDRESSES))?,
        KeyListWriter::create(&building.join(folder::ALIASES))?,
    );
    let is_node = |at: usize| to[at] as usize == at && kinds[at] & (PAGE | TARGET) != 0;
    let mut node_of_seen = vec![NONE; seen.len()];
    let (mut host_starts, mut hosts, mut host): (Vec<u32>, Vec<String>, Vec<u8>) = Default::default();
    let mut keys = seen.keys();
    for (at, slot) in node_of_seen.iter_mut().enumerate() {
        let key = keys.next().expect("there is a key for each number");
        if !is_node(at) {
            continue;
        }
        let node = writers.0.len() as u32;
        *slot = node;
        writers.0.push(key)?;
        let key_host = crate::addresses::reversed_host(key);
        if hosts.is_empty() || host != key_host {
            host = key_host.to_vec();
            hosts.push(crate::reversed(&String::from_utf8_lossy(key_host)));
            host_starts.push(node);
        }
    }
    let count = writers.0.len();
    host_starts.push(count as u32);
    let mut alias_nodes = Vec::new();
    keys.restart();
    for at in 0..seen.len() {
        let key = keys.next().expect("there is a key for each number");
        let end = to[at] as usize;
        if end != at && node_of_seen[end] != NONE {
            node_of_seen[at] = node_of_seen[end];
            alias_nodes.extend_from_slice(&node_of_seen[end].to_le_bytes());
            writers.1.push(key)?;
        }
    }
    let aliases = writers.1.len();
    writers.0.finish()?;
    writers.1.finish()?;
    write_sealed(&building.join(folder::ALIAS_NODES), folder::ALIAS_NODES_KIND, &alias_nodes)?;
    Ok(Nodes { seen, node_of_seen, count, aliases, host_starts, hosts })
}

/// Writes the list of all keys that may become nodes or aliases; returns why each is known.
fn write_seen(
    writer: &mut KeyListWriter,
    keys: StringSort,
    options: &BuildOptions,
    mut stage: Stage,
) -> Result<Vec<u8>, Error> {
    let mut kinds: Vec<u8> = Vec::new();
    let mut sorted = keys.finish()?;
    let mut current: Option<Vec<u8>> = None;
    while let Some(record) = sorted.next()? {
        let (kind, key) = record.split_last().expect("a kind stands behind every key");
        if current.as_deref() == Some(key) {
            *kinds.last_mut().expect("there is a current key") |= kind;
            continue;
        }
        debug_assert!(options.keep_off_crawl || *kind != TARGET);
        writer.push(key)?;
        stage.at(writer.len() as u64);
        kinds.push(*kind);
        current = Some(key.to_vec());
    }
    Ok(kinds)
}

/// A list that is only needed to build. Were it left behind, it would be removed with the next build.
pub(super) struct TemporaryList(AddressList);

impl TemporaryList {
    pub(super) fn write(
        path: &Path,
        push_all: impl FnOnce(&mut KeyListWriter) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let mut writer = KeyListWriter::create(path)?;
        push_all(&mut writer)?;
        writer.finish()?;
        AddressList::open(path).map(Self)
    }
}

impl Deref for TemporaryList {
    type Target = AddressList;

    fn deref(&self) -> &AddressList {
        &self.0
    }
}

impl Drop for TemporaryList {
    fn drop(&mut self) {
        let path = self.0.path();
        let _ = fs::remove_file(path);
    }
}
