//! What is worth knowing about a graph: in numbers ([`Summary`]), in words ([`words`]) and as a page with plots ([`html_page`]).
//!
//! The names of the fields are those of `crivello graph --json` and do not change.

mod html;
mod html_page;
mod plots;
mod tops;
pub mod words;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use graph::{BowTie, BowTiePart, EfGraph, GraphFolder, LinkGraph, WeightedGraph};
use serde::Serialize;

pub use self::html_page::html_page;
use self::tops::HostRanks;
pub use self::tops::{Top, first};
use super::arcs::RankedArcs;
use super::ranks::NodeRanks;
use super::{bits_per_link, ef_path};
use crate::Error;

/// All numbers about a graph.
#[derive(Debug, Default, Serialize)]
pub struct Summary {
    /// Pages, or whatever the nodes are.
    pub nodes: u64,
    /// Links between them.
    pub arcs: u64,
    /// Which links ranks, degrees, components and distances are about.
    pub filter: String,
    /// How many links that are.
    pub arcs_ranked: u64,
    /// The probability that a reader follows a link.
    pub damping: f64,
    /// Sizes on disk; none for a graph that is no collection's.
    pub sizes: Option<Sizes>,
    /// How many links nodes have.
    pub degrees: Degrees,
    /// How nodes hang together.
    pub components: ComponentCounts,
    /// How far they are from each other.
    pub distances: DistanceSummary,
    /// The first pages by each rank.
    pub top_pages: BTreeMap<&'static str, Vec<Top>>,
    /// The first hosts by each rank; empty for a graph without addresses or without links from host to host.
    pub top_hosts: BTreeMap<&'static str, Vec<Top>>,
    /// Where the page with plots was written.
    pub report: Option<PathBuf>,
    /// Whether the graph was there and needed no making; none for a graph that is no collection's.
    pub up_to_date: Option<bool>,
}

/// How a graph is kept.
#[derive(Debug, Serialize)]
pub struct Sizes {
    /// The lists of links.
    pub bits_per_link: f64,
    /// The lists of links to a page.
    pub transpose_bits_per_link: f64,
    /// Flags and the ranks of anchor texts, with the tables of targets.
    pub label_bits_per_link: f64,
    /// In Elias–Fano, if it was asked for.
    pub ef_bits_per_link: Option<f64>,
    /// Bytes of an address, on average.
    pub address_bytes: f64,
    /// The function from addresses to nodes, with signatures.
    pub function_bits: f64,
    /// Addresses that lead to a node under another name.
    pub aliases: u64,
    /// Links that pages have.
    pub links: u64,
    /// Those of them that lead to no node.
    pub links_dropped: u64,
    /// Distinct words of links.
    pub anchors: u64,
    /// Hosts that pages are on.
    pub hosts: u64,
    /// Pairs of different hosts with a link from one to the other.
    pub host_arcs: u64,
    /// Registrable domains that pages are on.
    pub domains: u64,
    /// Pairs of different domains with a link from one to the other.
    pub domain_arcs: u64,
}

/// How many links nodes have.
#[derive(Debug, Default, Serialize)]
pub struct Degrees {
    /// Links of a node, which is also links to a node.
    pub average: f64,
    /// The most links of a node.
    pub out_max: u32,
    /// The most links to a node.
    pub in_max: u32,
    /// Nodes without links.
    pub dead_ends: u64,
    /// Nodes without links to them.
    pub unlinked: u64,
    /// How many nodes have each number of links above zero.
    #[serde(skip)]
    pub out_counts: BTreeMap<u32, u64>,
    /// How many nodes have each number of links to them above zero.
    #[serde(skip)]
    pub in_counts: BTreeMap<u32, u64>,
}

/// How nodes hang together: strongly connected components, and the bow tie around the largest.
#[derive(Debug, Default, Serialize)]
pub struct ComponentCounts {
    /// Strongly connected components.
    pub count: u64,
    /// Nodes of the largest.
    pub largest: u64,
    /// Nodes of the core, which is the largest component.
    pub core: u64,
    /// Nodes that reach the core.
    #[serde(rename = "in")]
    pub inward: u64,
    /// Nodes that the core reaches.
    pub out: u64,
    /// Nodes that hang on what reaches the core, or is reached by it.
    pub tendrils: u64,
    /// Nodes on a way around the core.
    pub tubes: u64,
    /// All others.
    pub disconnected: u64,
}

/// How far nodes are from each other, in links.
#[derive(Debug, Default, Serialize)]
pub struct DistanceSummary {
    /// Otherwise estimated; then the errors are one standard error each.
    pub exact: bool,
    /// The mean over all connected pairs; none if there are none.
    pub average: Option<f64>,
    /// The error of the mean.
    pub average_error: f64,
    /// Within so many links are nine of ten connected pairs.
    pub effective_diameter: f64,
    /// The error of the effective diameter.
    pub effective_diameter_error: f64,
    /// The part of all pairs that is connected by a path.
    pub reachable_part: f64,
    /// The error of the harmonic centrality of a node.
    pub harmonic_error_percent: f64,
    /// The part of the connected pairs at each distance, from 0.
    pub distribution: Vec<f64>,
}

impl Summary {
    /// Computes everything that needs no names.
    pub fn new(arcs: &RankedArcs, ranks: &NodeRanks, filter: String, damping: f64) -> Self {
        let graph = arcs.graph();
        Self {
            nodes: graph.nodes() as u64,
            arcs: graph.arcs(),
            filter,
            arcs_ranked: graph.arcs(),
            damping,
            degrees: Degrees::new(graph, &ranks.in_degree),
            components: ComponentCounts::new(arcs, ranks),
            distances: DistanceSummary::new(graph.nodes(), ranks),
            top_pages: tops::of_nodes(arcs, ranks, |node| node.to_string()),
            ..Self::default()
        }
    }

    /// Adds what the folder of a collection knows.
    pub fn describe_folder(
        &mut self,
        dir: &Path,
        folder: &GraphFolder,
        arcs: &RankedArcs,
        damping: f64,
    ) -> Result<(), Error> {
        let ef_path = ef_path(dir, folder.manifest());
        let ef = if ef_path.exists() { Some(EfGraph::open(&ef_path)?.bits_per_link()) } else { None };
        self.arcs = folder.manifest().arcs;
        self.sizes = Some(Sizes::new(folder, ef));
        for tops in self.top_pages.values_mut() {
            tops.iter_mut().for_each(|top| top.name = folder.addresses().address(top.node));
        }
        // Hosts that do not link to each other cannot be compared.
        self.top_hosts = match HostRanks::of(folder, arcs.graph(), damping) {
            Some(ranks) => ranks.tops(),
            None => BTreeMap::new(),
        };
        Ok(())
    }
}

impl Sizes {
    fn new(folder: &GraphFolder, ef_bits_per_link: Option<f64>) -> Self {
        let manifest = folder.manifest();
        let (links, nodes) = (manifest.arcs.max(1) as f64, manifest.nodes.max(1) as f64);
        let (list_bytes, function_bytes) = folder.addresses().bytes();
        Self {
            bits_per_link: bits_per_link(manifest),
            transpose_bits_per_link: manifest.transpose_bits as f64 / links,
            label_bits_per_link: (manifest.label_bits + manifest.table_bits) as f64 / links,
            ef_bits_per_link,
            address_bytes: list_bytes as f64 / nodes,
            function_bits: 8.0 * function_bytes as f64 / nodes,
            aliases: manifest.aliases as u64,
            links: manifest.links,
            links_dropped: manifest.links_dropped,
            anchors: manifest.anchors as u64,
            hosts: folder.hosts().len() as u64,
            host_arcs: arcs_between(folder.hosts()),
            domains: folder.domains().len() as u64,
            domain_arcs: arcs_between(folder.domains()),
        }
    }
}

/// Arcs whose ends are different.
fn arcs_between(graph: &WeightedGraph) -> u64 {
    let others = |node: u32| graph.arcs_of(node).filter(|(target, _)| *target != node).count() as u64;
    (0..graph.len() as u32).map(others).sum()
}

impl Degrees {
    fn new(graph: &dyn LinkGraph, in_degree: &[u32]) -> Self {
        let mut degrees =
            Self { average: graph.arcs() as f64 / graph.nodes().max(1) as f64, ..Self::default() };
        graph.scan(0..graph.nodes() as u32, &mut |node, targets| {
            let (out, inward) = (targets.len() as u32, in_degree[node as usize]);
            degrees.dead_ends += u64::from(out == 0);
            degrees.unlinked += u64::from(inward == 0);
            degrees.out_max = degrees.out_max.max(out);
            degrees.in_max = degrees.in_max.max(inward);
            *degrees.out_counts.entry(out).or_default() += 1;
            *degrees.in_counts.entry(inward).or_default() += 1;
        });
        degrees.out_counts.remove(&0);
        degrees.in_counts.remove(&0);
        degrees
    }
}

impl ComponentCounts {
    fn new(arcs: &RankedArcs, ranks: &NodeRanks) -> Self {
        let sizes = ranks.components.sizes();
        let tie = BowTie::of(arcs.graph(), arcs.transpose(), &ranks.components);
        let size = |part| tie.size(part) as u64;
        Self {
            count: sizes.len() as u64,
            largest: sizes.first().copied().unwrap_or(0).into(),
            core: size(BowTiePart::Core),
            inward: size(BowTiePart::In),
            out: size(BowTiePart::Out),
            tendrils: size(BowTiePart::Tendril),
            tubes: size(BowTiePart::Tube),
            disconnected: size(BowTiePart::Disconnected),
        }
    }
}

impl DistanceSummary {
    fn new(nodes: usize, ranks: &NodeRanks) -> Self {
        let (neighbourhood, errors) = (&ranks.distances.neighbourhood, ranks.distances.errors);
        let pairs = (nodes as f64).powi(2).max(1.0);
        Self {
            exact: ranks.distances_are_exact,
            average: neighbourhood.average_distance(),
            average_error: errors.average_distance,
            effective_diameter: neighbourhood.effective_diameter(0.9),
            effective_diameter_error: errors.effective_diameter,
            reachable_part: neighbourhood.reachable_pairs() / pairs,
            harmonic_error_percent: 100.0 * errors.harmonic,
            distribution: if nodes == 0 { Vec::new() } else { neighbourhood.distribution() },
        }
    }
}
