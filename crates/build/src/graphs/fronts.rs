//! The front pages of hosts: what people look for who type the name of a site.
//!
//! It is the page at `/`, or where that leads to: by redirects, or as it is named by the page itself. A page of somebody
//! else's domain is no front page.
//!
//! Navigation does not count for ranks, and a front page is often reached by nothing else, so its own rank says little: in
//! searches, and where one of several copies is to be chosen, it stands no lower than any page of its host.

use std::collections::HashMap;
use std::ops::Range;

use graph::GraphFolder;
use page::{NodeId, PageUrl, registrable_domain};

use super::ranks::PageRanks;

/// The front page of a host.
pub struct Front {
    /// The name of the host.
    pub host: String,
    /// The nodes of the host.
    pub nodes: Range<u32>,
    /// That of the front page, which may be on another host of the domain.
    pub node: NodeId,
}

/// The front pages of all hosts that have one.
pub fn fronts(graph: &GraphFolder) -> Vec<Front> {
    let mut starts = graph.host_starts();
    starts.push(graph.manifest().nodes as u32);
    let hosts = starts.windows(2).map(|ends| ends[0]..ends[1]);
    hosts.filter_map(|nodes| front_of(graph, nodes)).collect()
}

fn front_of(graph: &GraphFolder, nodes: Range<u32>) -> Option<Front> {
    let some_page = PageUrl::parse(&graph.address(NodeId::new(nodes.start))).ok()?;
    let host = some_page.host().to_owned();
    let node = graph.node(&some_page.join("/").ok()?)?;
    let there = PageUrl::parse(&graph.address(node)).ok()?;
    let is_its_own = registrable_domain(there.host()) == registrable_domain(&host);
    is_its_own.then_some(Front { host, nodes, node })
}

/// Ranks as searches and copies take them.
pub struct Standings {
    ranks: PageRanks,
    /// The greatest PageRank of the host of each front page.
    fronts: HashMap<NodeId, f64>,
}

impl Standings {
    /// One scan of all ranks.
    pub fn of(ranks: PageRanks) -> Self {
        let rank = |node: u32| ranks.pagerank(NodeId::new(node));
        let mut greatest = HashMap::new();
        for Front { nodes, node, .. } in fronts(ranks.graph()) {
            let most = nodes.map(rank).fold(0.0, f64::max);
            let known: &mut f64 = greatest.entry(node).or_default();
            *known = known.max(most);
        }
        Self { ranks, fronts: greatest }
    }

    /// The ranks themselves.
    pub fn ranks(&self) -> &PageRanks {
        &self.ranks
    }

    /// How a page stands: in the unit of PageRank; 0 if it is not in the graph.
    pub fn standing(&self, page: &PageUrl) -> f64 {
        let Some(node) = self.ranks.graph().node(page) else { return 0.0 };
        let own = self.ranks.pagerank(node);
        self.fronts.get(&node).map_or(own, |greatest| own.max(*greatest))
    }
}
