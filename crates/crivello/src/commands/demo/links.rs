//! Compares the graph with what the fake web knows.
//!
//! The graph has redirects folded in, so it is compared with the links that lead to a page directly or through redirects.
//! Links that ask not to be followed are in the graph with a mark, and in the truth they are not: marked ones are left out.
//! Pages of the fake web name none but themselves as canonical, and copies are not folded unless it is asked for.

use std::collections::HashSet;

use ::lab::Truth;
use graph::{ArcFilter, LinkGraph};
use store::Collection;

use crate::graphs::open_graph;

/// Links that are missing, and links that are too many. A page that is not in the graph misses all of its links.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LinkDifferences {
    pub expected: u64,
    pub missing: u64,
    pub extra: u64,
}

/// Compares the graph of a collection with the truth.
pub fn compare_graph(collection: &Collection, truth: &Truth) -> anyhow::Result<LinkDifferences> {
    let folder = open_graph(collection)?;
    let mut node_of = Vec::with_capacity(truth.pages.len());
    for page in &truth.pages {
        node_of.push(folder.addresses().node(&page::PageUrl::parse(page)?));
    }
    let (mut expected, mut differences) = (HashSet::new(), LinkDifferences::default());
    for (source, target) in truth.arc_positions.iter().chain(&truth.redirected_positions) {
        differences.expected += 1;
        match (node_of[*source as usize], node_of[*target as usize]) {
            (Some(source), Some(target)) => drop(expected.insert((source, target))),
            _ => differences.missing += 1,
        }
    }
    let followed = folder.filtered(ArcFilter { without_nofollow: true, ..ArcFilter::default() });
    followed.scan(0..followed.nodes() as u32, &mut |node, targets| {
        let extra = targets.iter().filter(|target| !expected.remove(&(node, **target)));
        differences.extra += extra.count() as u64;
    });
    differences.missing += expected.len() as u64;
    Ok(differences)
}
