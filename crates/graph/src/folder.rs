//! The folder of a graph: which files there are, and which of them are in use.
//!
//! It is a folder of generations ([`journal::Generation`]), of which the last counts:
//!
//! ```text
//! graph/
//!   manifest.json      which build counts and what it was made from
//!   build-N/           graph.*, transpose.* (BV); addresses, aliases, alias-nodes; labels, anchors; hosts, domains
//!   scratch-*/         arcs that ranks are being computed on, if they do not fit into memory
//! ```

use std::path::Path;

use fs_err as fs;
use journal::{Bytes, FileLock, Generation, u32_at};
use page::{NodeId, PageUrl, SetId};
use serde::{Deserialize, Serialize};

use crate::flag_filter::FlagFilter;
use crate::labels::{Labels, WordReader, Words};
use crate::sealed::open_sealed;
use crate::{
    AddressList, ArcFilter, BvGraph, Error, FORMAT_VERSION, Filtered, LinkFlags, LinkGraph, WeightedGraph,
};

/// What the names of scratch folders beside the graph begin with. What a computation that was killed leaves behind goes
/// with [`remove_leftovers`].
pub const SCRATCH_PREFIX: &str = "scratch-";
/// Whoever computes in a scratch folder holds a lock on this file in it.
pub const SCRATCH_LOCK: &str = "lock";

/// What the folders of builds are called, before their number.
pub(crate) const BUILD: &str = "build";
pub(crate) const GRAPH: &str = "graph";
pub(crate) const TRANSPOSE: &str = "transpose";
pub(crate) const ADDRESSES: &str = "addresses";
pub(crate) const ALIASES: &str = "aliases";
pub(crate) const ALIAS_NODES: &str = "alias-nodes";
pub(crate) const ALIAS_NODES_KIND: [u8; 4] = *b"alia";
pub(crate) const LABELS: &str = "labels";
pub(crate) const ANCHORS: &str = "anchors";
pub(crate) const HOSTS: &str = "hosts";
pub(crate) const DOMAINS: &str = "domains";

/// What a graph was made from, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the format.
    pub format: u32,
    /// The folder of the build.
    pub build: String,
    /// What it was built from, in the words of whoever built it.
    pub stamp: String,
    /// Whether nofollow links are arcs.
    pub has_nofollow: bool,
    /// Whether targets that were not fetched are nodes.
    pub has_off_crawl: bool,
    /// How many nodes there are.
    pub nodes: usize,
    /// How many arcs there are.
    pub arcs: u64,
    /// How many addresses lead to a node under another name.
    pub aliases: usize,
    /// How many links were given.
    pub links: u64,
    /// How many of them had an end that is no node.
    pub links_dropped: u64,
    /// How many different words arcs carry.
    pub anchors: usize,
    /// The bits of the lists.
    pub graph_bits: u64,
    /// The bits of the lists of the transpose.
    pub transpose_bits: u64,
    /// The bits of flags and ranks of anchors.
    pub label_bits: u64,
    /// The bits of the tables of anchors and of what finds labels.
    pub table_bits: u64,
    /// The bits of the words themselves.
    #[serde(default)]
    pub anchor_bits: u64,
}

impl Manifest {
    /// Which pages are which nodes of this build: see [`GraphFolder::set_id`].
    pub fn set_id(&self) -> SetId {
        SetId::of(&serde_json::to_vec(self).expect("a manifest is plain data"))
    }

    fn read(folder: &Path) -> Result<Self, Error> {
        match Self::check(&folder.join("manifest.json")) {
            Err(Error::File(journal::Error::Io(error))) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(Error::Missing { path: folder.to_owned() })
            }
            manifest => manifest,
        }
    }

    /// Reads a manifest by itself; one of another version is refused.
    pub fn check(path: &Path) -> Result<Self, Error> {
        let manifest: Self = serde_json::from_slice(&fs::read(path)?)
            .map_err(|error| Error::damaged(path, error.to_string()))?;
        if manifest.format != FORMAT_VERSION {
            let (path, found, expected) = (path.to_owned(), manifest.format, FORMAT_VERSION);
            return Err(journal::Error::Version { path, found, expected }.into());
        }
        if !journal::is_generation(&manifest.build, BUILD) {
            return Err(Error::damaged(path, "it names no build"));
        }
        Ok(manifest)
    }
}

/// The graph of a collection.
#[derive(Debug)]
pub struct GraphFolder {
    manifest: Manifest,
    graph: BvGraph,
    transpose: BvGraph,
    addresses: AddressList,
    aliases: AddressList,
    alias_nodes: Bytes,
    anchors: Words,
    labels: Labels,
    hosts: WeightedGraph,
    domains: WeightedGraph,
}

/// A link with everything that is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelledArc {
    /// Where it points to.
    pub target: NodeId,
    /// What is known of it.
    pub flags: LinkFlags,
    /// Its words.
    pub anchor: String,
}

impl GraphFolder {
    /// Opens the graph that is in use.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let manifest = Manifest::read(folder)?;
        let build = folder.join(&manifest.build);
        let graph = BvGraph::open_sealed(&build.join(GRAPH))?;
        let opened = Self {
            transpose: BvGraph::open_sealed(&build.join(TRANSPOSE))?,
            addresses: AddressList::open(&build.join(ADDRESSES))?,
            aliases: AddressList::open(&build.join(ALIASES))?,
            alias_nodes: open_sealed(&build.join(ALIAS_NODES), ALIAS_NODES_KIND)?,
            anchors: Words::open(&build.join(ANCHORS))?,
            labels: Labels::open(&build.join(LABELS), graph.nodes())?,
            hosts: WeightedGraph::open(&build.join(HOSTS))?,
            domains: WeightedGraph::open(&build.join(DOMAINS))?,
            graph,
            manifest,
        };
        let nodes = opened.manifest.nodes;
        let mut alias_nodes = opened.alias_nodes.as_chunks().0.iter();
        let is_one = opened.graph.nodes() == nodes
            && opened.transpose.nodes() == nodes
            && opened.addresses.len() == nodes
            && opened.alias_nodes.len() == 4 * opened.aliases.len()
            && alias_nodes.all(|node| u32::from_le_bytes(*node) < nodes as u32);
        if !is_one {
            return Err(Error::damaged(&build, "its files do not belong together"));
        }
        Ok(opened)
    }

    /// What it was made from.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Which pages are which nodes: ranks are of this graph if they were computed on the same.
    pub fn set_id(&self) -> SetId {
        self.manifest.set_id()
    }

    /// Who links to whom.
    pub fn graph(&self) -> &BvGraph {
        &self.graph
    }

    /// Who is linked by whom.
    pub fn transpose(&self) -> &BvGraph {
        &self.transpose
    }

    /// The addresses of the nodes.
    pub fn addresses(&self) -> &AddressList {
        &self.addresses
    }

    /// The graph of hosts.
    pub fn hosts(&self) -> &WeightedGraph {
        &self.hosts
    }

    /// The graph of registrable domains.
    pub fn domains(&self) -> &WeightedGraph {
        &self.domains
    }

    /// The node of an address, or of what it redirects to or names as canonical.
    pub fn node(&self, address: &PageUrl) -> Option<NodeId> {
        let alias = || self.aliases.node(address).map(|alias| u32_at(&self.alias_nodes, 4 * alias as usize));
        self.addresses.node(address).or_else(alias).map(NodeId::new)
    }

    /// The address of a node.
    pub fn address(&self, node: NodeId) -> String {
        self.addresses.address(node.get())
    }

    /// The arcs of a node with their labels.
    pub fn labels(&self, node: NodeId) -> impl Iterator<Item = LabelledArc> {
        let node = node.get();
        let (mut targets, mut host, mut other) = (Vec::new(), Vec::new(), Vec::new());
        self.graph.successors(node, &mut targets);
        self.addresses.key(node, &mut host);
        let labels = self.labels.of_node(node, &targets);
        let mut words = self.anchors.reader();
        targets.into_iter().zip(labels).map(move |(target, (mut flags, anchor))| {
            self.addresses.key(target, &mut other);
            flags.is_same_host =
                crate::addresses::reversed_host(&host) == crate::addresses::reversed_host(&other);
            LabelledArc { target: NodeId::new(target), flags, anchor: words.get(anchor) }
        })
    }

    /// The arcs of a node with their flags, of which nobody looked whether they stay on the host, and the numbers of their
    /// words: cheaper than [`Self::labels`].
    pub fn numbered_labels(&self, node: NodeId) -> impl Iterator<Item = (NodeId, LinkFlags, u32)> {
        let mut targets = Vec::new();
        self.graph.successors(node.get(), &mut targets);
        let labels = self.labels.of_node(node.get(), &targets);
        targets.into_iter().zip(labels).map(|(target, (flags, word))| (NodeId::new(target), flags, word))
    }

    /// The numbers of the words that arcs to a node carry, the most frequent first.
    pub fn anchor_numbers(&self, target: NodeId) -> impl Iterator<Item = u32> {
        self.labels.table(target.get())
    }

    /// Somebody who looks words up by their numbers.
    pub fn anchor_reader(&self) -> WordReader<'_> {
        self.anchors.reader()
    }

    /// The words that arcs to a node carry, the most frequent first.
    pub fn anchors(&self, target: NodeId) -> impl Iterator<Item = String> {
        let mut words = self.anchors.reader();
        self.labels.table(target.get()).map(move |word| words.get(word))
    }

    /// The graph without the arcs that a filter leaves out: what ranks are computed on. Counts what is left, in one scan.
    pub fn filtered(&self, filter: ArcFilter) -> Filtered<'_, FlagFilter<'_>> {
        Filtered::new(&self.graph, FlagFilter::new(&self.labels, self.host_starts(), filter))
    }

    /// The first node of each host.
    pub fn host_starts(&self) -> Vec<u32> {
        let (mut starts, mut host) = (Vec::new(), Vec::new());
        let mut keys = self.addresses.keys();
        for node in 0..self.addresses.len() as u32 {
            let key = keys.next().expect("there is a key for each node");
            let found = crate::addresses::reversed_host(key);
            if starts.is_empty() || host != found {
                host = found.to_vec();
                starts.push(node);
            }
        }
        starts
    }
}

/// Removes what builds and computations that were killed left in the folder of a graph, unless somebody builds there now.
pub fn remove_leftovers(folder: &Path) -> Result<(), Error> {
    let used = || Manifest::read(folder).ok().map(|manifest| manifest.build);
    if journal::remove_leftovers(folder, BUILD, used)? {
        remove_scratch(folder)?;
    }
    Ok(())
}

/// Removes scratch folders that nobody computes in any more.
pub(crate) fn remove_scratch(folder: &Path) -> Result<(), Error> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_scratch =
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(SCRATCH_PREFIX));
        if is_scratch && !is_locked(&path.join(SCRATCH_LOCK)) {
            fs::remove_dir_all(path)?;
        }
    }
    Ok(())
}

fn is_locked(path: &Path) -> bool {
    fs::File::open(path).is_ok_and(|file| matches!(FileLock::take(file), Ok(None)))
}

/// Puts a finished build in use.
pub(crate) fn commit(generation: Generation, mut manifest: Manifest) -> Result<(), Error> {
    manifest.build = generation.settle()?;
    let text = serde_json::to_vec_pretty(&manifest).expect("a manifest is plain data");
    Ok(generation.commit(&text, &[&manifest.build])?)
}
