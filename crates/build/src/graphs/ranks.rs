//! The ranks of a collection's pages: computed on declared arcs, kept beside the graph in two bytes a page.
//!
//! ```text
//! graph/build-N/pagerank.rank  harmonic.rank  in-degree.rank  component-size.rank
//! ```
//!
//! They lie in the folder of the build that they were computed on, so ranks and graph cannot be mixed up. Each file says
//! what it is and how it was computed. The last one says how many pages can reach a page and be reached
//! from it.
//!
//! Links that ask not to be followed, navigation and links of a page to itself do not count unless it is wanted: what is
//! linked from every page of a site is not what matters there, and nobody votes for himself.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use graph::{
    Components, Distances, EXACT_NODES_MAX, GraphFolder, PageRank, RankArray, RankMemory, Watcher,
    exact_distances, in_degrees,
};
use page::{NodeId, PageUrl};
use serde::Serialize;
use store::Collection;

use super::arcs::RankedArcs;
use super::settings::{ABOUT_SETTINGS, RankSettings, threads};
use super::{graph_dir, open_graph};
use crate::{Error, Notice};

/// The names of the files, and what they hold.
const PAGERANK: (&str, &str) = ("pagerank", "PageRank");
const HARMONIC: (&str, &str) = ("harmonic", "harmonic centrality");
const IN_DEGREE: (&str, &str) = ("in-degree", "number of links to the page");
const COMPONENT_SIZE: (&str, &str) = ("component-size", "pages of the strongly connected component");

/// The file that is written last when ranks are.
pub const RANKS_FILE: &str = "pagerank.rank";

fn rank_path(dir: &Path, folder: &GraphFolder, name: &str) -> PathBuf {
    graph_dir(dir).join(&folder.manifest().build).join(name).with_added_extension("rank")
}

/// PageRank is computed to this L1 distance from the truth: what is left is below what a comparison could ask for.
const PAGERANK_ERROR_MAX: f64 = 1e-11;

/// Ranks of all nodes in full precision.
pub struct NodeRanks {
    /// The probability that a random surfer is there.
    pub pagerank: Vec<f64>,
    /// Harmonic centrality and its like.
    pub distances: Distances,
    /// Whether they were computed from every node, and not estimated.
    pub distances_are_exact: bool,
    /// How many pages link there.
    pub in_degree: Vec<u32>,
    /// Who reaches whom and back.
    pub components: Components,
}

impl NodeRanks {
    /// Computes all of them. Distances are exact for small graphs, or if that is asked for.
    pub fn of(arcs: &RankedArcs, settings: &RankSettings, must_be_exact: bool, watch: &dyn Watcher) -> Self {
        let (graph, transpose, memory) = (arcs.graph(), arcs.transpose(), arcs.memory());
        let pagerank = pagerank(settings.damping, memory);
        let distances = match must_be_exact {
            true => exact_distances(graph, threads(), watch),
            false => Distances::of(graph, transpose, &settings.hyperball(memory), watch),
        };
        Self {
            pagerank: pagerank.watched(graph, watch).scores,
            distances,
            distances_are_exact: must_be_exact || graph.nodes() <= EXACT_NODES_MAX,
            in_degree: in_degrees(graph),
            components: Components::of(graph),
        }
    }

    /// Replaces PageRank by that of a reader who always begins on one of some nodes.
    pub fn see_from(
        &mut self,
        arcs: &RankedArcs,
        settings: &RankSettings,
        start: &[NodeId],
        watch: &dyn Watcher,
    ) {
        self.pagerank = pagerank_near(arcs, settings.damping, start, watch);
    }

    /// A line for each node: name, PageRank, harmonic centrality, in-degree, component.
    pub fn write_lines(&self, out: &mut dyn Write, name: impl Fn(u32) -> String) -> io::Result<()> {
        for (at, component) in self.components.component_of().iter().enumerate() {
            let (pagerank, harmonic) = (self.pagerank[at], self.distances.harmonic[at]);
            let (name, in_degree) = (name(at as u32), self.in_degree[at]);
            writeln!(out, "{name}\t{pagerank:e}\t{harmonic}\t{in_degree}\t{component}")?;
        }
        Ok(())
    }
}

fn pagerank(damping: f64, memory: RankMemory) -> PageRank {
    PageRank { damping, error_max: PAGERANK_ERROR_MAX, memory, ..PageRank::default() }
}

/// PageRank for a reader who always begins on one of some nodes.
pub fn pagerank_near(arcs: &RankedArcs, damping: f64, start: &[NodeId], watch: &dyn Watcher) -> Vec<f64> {
    let mut preference = vec![0.0; arcs.graph().nodes()];
    start.iter().for_each(|node| preference[node.index()] = 1.0);
    let options = PageRank { preference: Some(preference), ..pagerank(damping, arcs.memory()) };
    options.watched(arcs.graph(), watch).scores
}

/// Puts the ranks of a graph beside it.
pub fn write(
    collection: &Collection,
    folder: &GraphFolder,
    settings: &RankSettings,
    ranks: &NodeRanks,
) -> Result<(), Error> {
    let sizes = ranks.components.sizes();
    let component_sizes: Vec<f64> = ranks
        .components
        .component_of()
        .iter()
        .map(|component| f64::from(sizes[*component as usize]))
        .collect();
    let in_degree: Vec<f64> = ranks.in_degree.iter().map(|degree| f64::from(*degree)).collect();
    // PageRank comes last: whoever finds it finds the others too.
    for ((name, what), scores) in [
        (COMPONENT_SIZE, &component_sizes),
        (IN_DEGREE, &in_degree),
        (HARMONIC, &ranks.distances.harmonic),
        (PAGERANK, &ranks.pagerank),
    ] {
        let path = rank_path(collection.dir(), folder, name);
        RankArray::write(&path, folder.set_id(), &settings.about(what), scores)?;
    }
    Ok(())
}

/// How the ranks that lie beside a graph were computed; `None` if they are not all there or cannot be read.
pub fn settings_of(collection: &Collection, folder: &GraphFolder) -> Option<RankSettings> {
    let mut found = None;
    for (name, what) in [COMPONENT_SIZE, IN_DEGREE, HARMONIC, PAGERANK] {
        let array = RankArray::open(&rank_path(collection.dir(), folder, name)).ok()?;
        let (_, settings) = array.about().split_once(ABOUT_SETTINGS)?;
        let settings: RankSettings = serde_json::from_str(settings).ok()?;
        let fits = array.whose() == Some(folder.set_id()) && array.about() == settings.about(what);
        if !fits || found.is_some_and(|found| found != settings) {
            return None;
        }
        found = Some(settings);
    }
    found
}

/// What is known of a page. Scores are those of the array: right to 0.02 %.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PageRankOf {
    /// The probability that a random surfer is there.
    pub pagerank: f64,
    /// The share of pages with a smaller PageRank.
    pub pagerank_percentile: f64,
    /// Σ 1/d over all pages that can reach it.
    pub harmonic: f64,
    /// The share of pages with a smaller harmonic centrality.
    pub harmonic_percentile: f64,
    /// How many pages link to it.
    pub in_degree: f64,
    /// How many pages reach it and are reached from it, itself included.
    pub component_size: f64,
}

/// The ranks of a collection.
#[derive(Debug)]
pub struct PageRanks {
    folder: GraphFolder,
    pagerank: RankArray,
    harmonic: RankArray,
    in_degree: RankArray,
    component_size: RankArray,
}

/// Opens the ranks of a collection; `None` if they were not computed yet. An error is damage, which the next build
/// repairs. They may be older than the newest pages, of which they then know nothing.
pub fn page_ranks(collection: &Collection) -> Result<Option<PageRanks>, graph::Error> {
    let folder = match open_graph(collection) {
        Err(graph::Error::Missing { .. }) => return Ok(None),
        folder => folder?,
    };
    let path = |name: &str| rank_path(collection.dir(), &folder, name);
    // PageRank is written last: without it, the others are not finished.
    if !path(PAGERANK.0).exists() {
        return Ok(None);
    }
    let open = |name: &str| {
        let array = RankArray::open(&path(name))?;
        let fits = array.whose() == Some(folder.set_id());
        let reason = "its ranks are those of another graph";
        fits.then_some(array).ok_or_else(|| graph::Error::Damaged { path: path(name), reason: reason.into() })
    };
    let (pagerank, harmonic) = (open(PAGERANK.0)?, open(HARMONIC.0)?);
    let (in_degree, component_size) = (open(IN_DEGREE.0)?, open(COMPONENT_SIZE.0)?);
    Ok(Some(PageRanks { folder, pagerank, harmonic, in_degree, component_size }))
}

/// Tells that ranks are computed anew because the old ones are damaged, if they are.
pub fn tell_if_damaged(collection: &Collection, watcher: &dyn crate::Watcher) {
    if let Err(error) = page_ranks(collection) {
        watcher.tell(Notice::MadeAnew { what: "the ranks are", why: &error });
    }
}

impl PageRanks {
    /// The graph that they were computed on.
    pub fn graph(&self) -> &GraphFolder {
        &self.folder
    }

    /// What the PageRank was computed on, for people and in JSON.
    pub fn about(&self) -> &str {
        self.pagerank.about()
    }

    /// The PageRank of a node; 0 if there is no such node.
    pub fn pagerank(&self, node: NodeId) -> f64 {
        self.pagerank.score(node.get()).unwrap_or_default()
    }

    /// The harmonic centrality of a node; 0 if there is no such node.
    pub fn harmonic(&self, node: NodeId) -> f64 {
        self.harmonic.score(node.get()).unwrap_or_default()
    }

    /// The ranks of an address: its own, or those of the page that it redirects to or was folded into.
    pub fn of(&self, address: &PageUrl) -> Option<PageRankOf> {
        self.of_node(self.folder.node(address)?)
    }

    /// The ranks of a node.
    pub fn of_node(&self, node: NodeId) -> Option<PageRankOf> {
        let node = node.get();
        Some(PageRankOf {
            pagerank: self.pagerank.score(node)?,
            pagerank_percentile: self.pagerank.percentile(node)?,
            harmonic: self.harmonic.score(node)?,
            harmonic_percentile: self.harmonic.percentile(node)?,
            in_degree: self.in_degree.score(node)?,
            component_size: self.component_size.score(node)?,
        })
    }
}
