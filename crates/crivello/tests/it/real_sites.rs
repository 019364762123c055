//! Real documentation, crawled over loopback: pages, links and graph are those that another crawler finds.
//!
//! The other one is `reference_crawler.py`, made of Python's own parsers of HTML and addresses. The sites and their server
//! are public data beside the project.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use graph::GraphFolder;
use serde::Deserialize;
use store::{Collection, StoreReader};

use crate::command::succeeds;

/// Few enough for seconds: DocBook and Sphinx, texinfo and Docbook-XML, in five languages and three alphabets. The server
/// gives each tenth host, from the first on, a Crawl-delay: that is one made for it, which nobody asks.
const SITES: [&str; 6] =
    ["apt-doc", "aptitude-doc-ja", "bind9-doc", "debian-faq-ru", "maint-guide-vi", "zsh-doc"];
const SLOW_SITE: &str = "aaa";

/// A line of the reference.
#[derive(Debug, Deserialize)]
struct Found {
    url: String,
    /// Targets, and whether the link stands in the navigation. Redirects have none.
    #[serde(default)]
    links: Option<Vec<(String, bool)>>,
    #[serde(default)]
    canonical: Option<String>,
    #[serde(default)]
    redirect: Option<String>,
}

/// Serves the sites until it is dropped.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().and_then(|()| self.0.wait()).expect("our own child can be ended");
    }
}

fn skipped(why: &str) {
    crate::command::skipped(&format!("{why}, so no real site is crawled"));
}

fn data() -> Option<PathBuf> {
    let root = std::env::var_os("CRIVELLO_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    root.join("sites/sites-small.tar.zst").exists().then_some(root)
}

fn unpacked(data: &Path, folder: &Path) -> bool {
    let archive = data.join("sites/sites-small.tar.zst");
    let mut tar = Command::new("tar");
    tar.arg("--zstd").arg("-xf").arg(archive).arg("-C").arg(folder).args(SITES);
    std::fs::create_dir_all(folder.join(SLOW_SITE)).unwrap();
    std::fs::write(folder.join(SLOW_SITE).join("index.html"), "<title>alone</title>").unwrap();
    tar.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Starts the server, and waits until it listens.
fn serve(data: &Path, folder: &Path, hosts: &Path) -> Option<(Server, u16)> {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut python = Command::new("python3");
    python.arg(data.join("tools/serve_sites.py")).arg(folder).args(["--port", &port.to_string()]);
    python.arg("--write-hosts").arg(hosts).stdout(Stdio::piped());
    let mut server = Server(python.spawn().ok()?);
    let mut line = String::new();
    BufReader::new(server.0.stdout.take()?).read_line(&mut line).unwrap();
    line.contains("hosts on").then_some((server, port))
}

fn reference(hosts: &Path, seeds: &[String]) -> Vec<Found> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/reference_crawler.py");
    let output = Command::new("python3").arg(script).arg(hosts).args(seeds).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
}

#[test]
fn real_sites_have_the_graph_that_another_crawler_finds() {
    let Some(data) = data() else {
        return skipped("sites/sites-small.tar.zst is absent (set CRIVELLO_DATA)");
    };
    let dir = tempfile::tempdir().unwrap();
    let (sites, hosts, collection) =
        (dir.path().join("sites"), dir.path().join("hosts.tsv"), dir.path().join("sites.crivello"));
    if !unpacked(&data, &sites) {
        return skipped("tar and zstd are needed");
    }
    let Some((_server, port)) = serve(&data, &sites, &hosts) else { return skipped("python3 is needed") };
    let seeds: Vec<String> = SITES.iter().map(|site| format!("http://{site}.test:{port}/")).collect();
    let found = reference(&hosts, &seeds);
    let (dir, hosts) = (collection.to_str().unwrap(), hosts.to_str().unwrap());
    let network = ["--resolve", hosts, "--allow-net", "127.0.0.0/8", "--delay", "1ms", "--quiet"];
    let seeds = seeds.iter().map(String::as_str);
    succeeds(&["crawl", dir].into_iter().chain(seeds).chain(network).collect::<Vec<_>>());
    succeeds(&["graph", dir, "--quiet"]);
    assert!(found.len() > 150, "{} addresses", found.len());
    assert_links_are_those_of(&found, &collection);
    assert_graph_is_that_of(&found, &collection);
}

/// Every page has the same links at the same places. Browsers may move links about, so their order does not count.
fn assert_links_are_those_of(found: &[Found], collection: &Path) {
    let reader = StoreReader::open(&Collection::open(collection).unwrap()).unwrap();
    let (mut pages, mut links, mut stored) =
        (reader.pages().unwrap(), reader.links().unwrap(), BTreeMap::new());
    while let Some((_, record)) = pages.next().unwrap() {
        if record.is_page() {
            let arcs = links.of(&record).unwrap().into_iter().filter(|link| link.kind.is_arc());
            let mut arcs: Vec<_> =
                arcs.map(|link| (link.target.as_str().to_owned(), link.in_navigation)).collect();
            arcs.sort();
            stored.insert(record.url.as_str().to_owned(), arcs);
        }
    }
    let (mut count, mut marked) = (0, 0);
    for page in found {
        let Some(links) = &page.links else { continue };
        let mut expected = links.clone();
        expected.sort();
        marked += expected.iter().filter(|(_, in_navigation)| *in_navigation).count();
        assert_eq!(stored.get(&page.url), Some(&expected), "links of {}", page.url);
        count += 1;
    }
    assert_eq!(stored.len(), count, "there are pages that the reference does not know");
    assert!(marked > 100, "only {marked} links are navigation");
}

/// Nodes and arcs with redirects and canonical addresses folded in; what is marked as navigation is navigation.
fn assert_graph_is_that_of(found: &[Found], collection: &Path) {
    let pages: BTreeMap<&str, &Found> =
        found.iter().filter(|found| found.links.is_some()).map(|found| (found.url.as_str(), found)).collect();
    let redirects: BTreeMap<&str, &str> =
        found.iter().filter_map(|found| Some((found.url.as_str(), found.redirect.as_deref()?))).collect();
    let host = |url: &str| url.split('/').nth(2).map(str::to_owned);
    let home = |mut url: String| {
        for _ in 0..16 {
            let canonical = pages.get(url.as_str()).and_then(|page| page.canonical.as_deref());
            let canonical = canonical.filter(|to| pages.contains_key(to) && host(to) == host(&url));
            match redirects.get(url.as_str()).copied().or(canonical) {
                Some(next) if next != url => url = next.to_owned(),
                _ => break,
            }
        }
        pages.contains_key(url.as_str()).then_some(url)
    };
    let nodes: BTreeSet<String> = pages.keys().filter_map(|url| home((*url).to_owned())).collect();
    let mut arcs: BTreeMap<(String, String), bool> = BTreeMap::new();
    for page in pages.values() {
        let source = home(page.url.clone()).unwrap();
        for (target, in_navigation) in page.links.iter().flatten() {
            if let Some(target) = home(target.clone()) {
                *arcs.entry((source.clone(), target)).or_insert(true) &= in_navigation;
            }
        }
    }
    let folder = GraphFolder::open(&collection.join("graph")).unwrap();
    let address = |node| folder.address(node);
    let all = (0..folder.manifest().nodes).map(page::NodeId::from_index);
    assert_eq!(all.clone().map(address).collect::<BTreeSet<_>>(), nodes);
    let mut ours = BTreeMap::new();
    for node in all {
        ours.extend(
            folder.labels(node).map(|arc| ((address(node), address(arc.target)), arc.flags.is_navigation)),
        );
    }
    assert_eq!(ours.keys().collect::<Vec<_>>(), arcs.keys().collect::<Vec<_>>());
    // Ours may be more: links that repeat themselves count as navigation too.
    let unmarked: Vec<_> = arcs.iter().filter(|(arc, marked)| **marked && !ours[*arc]).collect();
    assert_eq!(unmarked, []);
}
