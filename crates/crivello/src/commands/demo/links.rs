//! Compares the graph with what the fake web knows.
//!
//! The graph has redirects folded in, so it is compared with the links that lead to a page directly or through redirects.
//! Links that ask not to be followed are in the graph with a mark, and in the truth they are not: marked ones are left out.
//! Pages of the fake web name none but themselves as canonical, and copies are not folded unless it is asked for.
//!
//! What the pages mark as navigation must be navigation in the graph. What else is must stand on most pages of its host or of a
//! directory.

use ::lab::{Differences, LinkDifferences, Truth, count_rare_links};
use graph::{ArcFilter, Csr, LinkGraph};
use page::PageUrl;
use store::Collection;

use build::graphs::open_graph;

/// All links, and those that are navigation.
#[derive(Debug)]
pub struct GraphDifferences {
    /// All of them.
    pub links: Differences,
    /// Those that the graph calls navigation.
    pub navigation: Differences,
}

/// Compares the graph of a collection with the truth.
pub fn compare_graph(collection: &Collection, truth: &Truth) -> anyhow::Result<GraphDifferences> {
    let folder = open_graph(collection)?;
    let mut node_of = Vec::with_capacity(truth.pages.len());
    for page in &truth.pages {
        node_of.push(folder.addresses().node(&PageUrl::parse(page)?));
    }
    let followed = ArcFilter { without_nofollow: true, ..ArcFilter::default() };
    let all = Csr::from_graph(&folder.filtered(followed));
    let text = Csr::from_graph(&folder.filtered(ArcFilter { without_navigation: true, ..followed }));
    let nodes = 0..folder.manifest().nodes as u32;
    let arcs = nodes.clone().flat_map(|node| all.targets(node).iter().map(move |target| (node, *target)));
    let is_navigation = |arc: &(u32, u32)| text.targets(arc.0).binary_search(&arc.1).is_err();
    let expected = truth.arc_positions.iter().chain(&truth.redirected_positions);
    let links = LinkDifferences::new(&node_of, expected, arcs.clone()).counts;
    let marked = truth.navigation_positions.iter();
    let navigation = LinkDifferences::new(&node_of, marked, arcs.filter(is_navigation));
    let addresses: Vec<String> = nodes.map(|node| folder.addresses().address(node)).collect();
    let successors = |graph: &dyn LinkGraph, node: u32| {
        let mut found = Vec::new();
        graph.successors(node, &mut found);
        found
    };
    let has_links = |node| !successors(folder.graph(), node).is_empty();
    let sources = |node| successors(folder.transpose(), node);
    let extra = count_rare_links(&addresses, has_links, sources, &navigation.extra);
    Ok(GraphDifferences { links, navigation: Differences { extra, ..navigation.counts } })
}
