//! Front pages: what people look for who type the name of a site, or of a manual.
//!
//! That of a host is the page at `/`, or where that leads to: by redirects, or as it is named by the page itself. A page of
//! somebody else's domain is no front page.
//!
//! A host that has none holds several sites side by side, as an imported folder of manuals does: there each folder that is
//! entered at an index page is a site, unless it lies within another one, or has very few pages.
//!
//! Navigation does not count for ranks, and a front page is often reached by nothing else, so its own rank says little: in
//! searches, and where one of several copies is to be chosen, it stands no lower than any page of its site.
//!
//! Cost: a look-up for each host; where a host has no front page, a look at each of its addresses.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use graph::{GraphFolder, key_of};
use page::{NodeId, PageUrl, registrable_domain};

use super::ranks::PageRanks;

/// Sites are looked for so many folders below a host.
const DEPTH_MAX: usize = 6;
/// A folder of fewer pages is no site.
const PAGES_MIN: usize = 8;
/// What the page is called at which a folder is entered, if it has a name.
const INDEX_PAGES: [&str; 6] =
    ["index.html", "index.htm", "index.xhtml", "index.php", "index.jsp", "index.asp"];

/// A front page, and its site.
pub struct Front {
    /// The name of the host.
    pub host: String,
    /// The folder, between two slashes; `/` for all of the host.
    pub folder: String,
    /// The nodes of the site.
    pub nodes: Range<u32>,
    /// That of the front page, which may be on another host of the domain.
    pub node: NodeId,
}

/// The front pages of all hosts, and of folders of those that have none, in the order of hosts.
pub fn fronts(graph: &GraphFolder) -> Vec<Front> {
    let mut starts = graph.host_starts();
    starts.push(graph.manifest().nodes as u32);
    let hosts = starts.windows(2).map(|ends| ends[0]..ends[1]);
    hosts.flat_map(|nodes| fronts_of_host(graph, nodes).unwrap_or_default()).collect()
}

fn fronts_of_host(graph: &GraphFolder, nodes: Range<u32>) -> Option<Vec<Front>> {
    let some_page = PageUrl::parse(&graph.address(NodeId::new(nodes.start))).ok()?;
    let Some(node) = graph.node(&some_page.join("/").ok()?) else {
        return Some(fronts_of_folders(graph, some_page.host(), nodes));
    };
    let (host, there) = (some_page.host().to_owned(), PageUrl::parse(&graph.address(node)).ok()?);
    let is_its_own = registrable_domain(there.host()) == registrable_domain(&host);
    is_its_own.then(|| vec![Front { host, folder: "/".to_owned(), nodes, node }])
}

/// The outermost folders that are entered at a page.
fn fronts_of_folders(graph: &GraphFolder, host: &str, nodes: Range<u32>) -> Vec<Front> {
    let mut entrances = BTreeMap::<String, u32>::new();
    for node in nodes.clone() {
        let address = graph.address(NodeId::new(node));
        if let Some(folder) = folder_entered_at(&address) {
            entrances.entry(folder.to_owned()).or_insert(node);
        }
    }
    let mut fronts: Vec<Front> = Vec::new();
    let mut outer: Option<String> = None;
    for (address, node) in entrances {
        // A folder comes before those that are in it, and nothing else comes between.
        if outer.as_ref().is_some_and(|outer| address.starts_with(outer)) {
            continue;
        }
        if let Ok(url) = PageUrl::parse(&address) {
            let folder = url.path_and_query().to_owned();
            let nodes = nodes_below(graph, &url, nodes.clone());
            if nodes.len() >= PAGES_MIN {
                fronts.push(Front { host: host.to_owned(), folder, nodes, node: NodeId::new(node) });
            }
        }
        outer = Some(address);
    }
    fronts
}

/// The address of the folder to which this one leads, if it is that of an index page; not of a whole host.
fn folder_entered_at(address: &str) -> Option<&str> {
    let (folder, file) = address.split_at(address.rfind('/')? + 1);
    // Two slashes before the host, one behind it.
    let depth = folder.matches('/').count().checked_sub(3)?;
    let is_entered = file.is_empty() || INDEX_PAGES.contains(&file);
    (is_entered && (1..=DEPTH_MAX).contains(&depth) && !folder.contains('?')).then_some(folder)
}

/// The nodes among these whose addresses begin like this, which follow each other.
fn nodes_below(graph: &GraphFolder, folder: &PageUrl, nodes: Range<u32>) -> Range<u32> {
    let (prefix, mut key) = (key_of(folder), Vec::new());
    let mut first = |is_before: &dyn Fn(&[u8]) -> bool| {
        let (mut low, mut high) = (nodes.start, nodes.end);
        while low < high {
            let middle = low + (high - low) / 2;
            graph.addresses().key(middle, &mut key);
            if is_before(&key) { low = middle + 1 } else { high = middle }
        }
        low
    };
    let start = first(&|key| key < prefix.as_bytes());
    start..first(&|key| key < prefix.as_bytes() || key.starts_with(prefix.as_bytes()))
}

/// Ranks as searches and copies take them.
pub struct Standings {
    ranks: PageRanks,
    /// The greatest PageRank of the site of each front page.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_entered_at_their_index_pages() {
        let rows = [
            ("http://a.test/m/", Some("http://a.test/m/")),
            ("http://a.test/m/n/index.html", Some("http://a.test/m/n/")),
            ("https://a.test:8/m/index.php", Some("https://a.test:8/m/")),
            ("http://a.test/m/index.txt", None),
            ("http://a.test/m/page.html", None),
            ("http://a.test/index.html", None),
            ("http://a.test/", None),
            ("http://a.test/m/?to=/n/", None),
            ("http://a.test/1/2/3/4/5/6/", Some("http://a.test/1/2/3/4/5/6/")),
            ("http://a.test/1/2/3/4/5/6/7/", None),
        ];
        for (address, folder) in rows {
            assert_eq!(folder_entered_at(address), folder, "{address}");
        }
    }
}
