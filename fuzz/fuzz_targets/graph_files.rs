//! A file of a graph with a right checksum and any contents is refused, or gives any answers but no panic.
//!
//! Where lists start and the functions from addresses to nodes are left alone: what they say is believed because of their
//! checksum, see `bv/graph.rs` and `addresses/function.rs`.
#![no_main]

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use graph::{
    ArcFilter, BuildOptions, EfGraph, GRAPH_FORMAT, GraphBuilder, GraphFolder, LinkGraph, LinkRecord,
    RankArray, WeightedGraph,
};
use libfuzzer_sys::fuzz_target;
use page::PageUrl;

const FILES: [&str; 9] = [
    "labels",
    "anchors",
    "addresses",
    "aliases",
    "alias-nodes",
    "hosts",
    "domains",
    "graph.ef",
    "pagerank.rank",
];
const NODES: usize = 40;

struct Sample {
    folder: tempfile::TempDir,
    build: PathBuf,
    /// The kinds and payloads of the files as they were written.
    files: Vec<([u8; 4], Vec<u8>)>,
}

fn address(number: usize) -> PageUrl {
    PageUrl::parse(&format!("https://{}.example/{number}", ["a", "b", "www.a"][number % 3])).unwrap()
}

fn sample() -> &'static Sample {
    static SAMPLE: OnceLock<Sample> = OnceLock::new();
    SAMPLE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let mut builder = GraphBuilder::create(folder.path(), BuildOptions::default()).unwrap();
        for number in 0..NODES {
            builder.add_page(&address(number)).unwrap();
        }
        for link in 0..400 {
            let (source, target) = (&address(link % NODES), &address(link * link % NODES));
            let anchor = &["", "next", "home", "here"][link % 4].repeat(link / 50);
            let (is_navigation, is_nofollow) = (link % 7 == 0, link % 31 == 0);
            builder.add_link(&LinkRecord { source, target, anchor, is_navigation, is_nofollow }).unwrap();
        }
        builder.add_alias(&address(NODES), &address(1)).unwrap();
        let graph = builder.finish("fuzz").unwrap();
        let build = folder.path().join(&graph.manifest().build);
        EfGraph::from_graph(graph.graph()).write(&build.join("graph.ef")).unwrap();
        RankArray::write(&build.join("pagerank.rank"), graph.set_id(), "fuzz", &[0.5; NODES]).unwrap();
        let files = FILES.map(|name| {
            let file = graph::check_sealed(&build.join(name)).unwrap();
            (file.kind(), file.all_bytes().unwrap().to_vec())
        });
        let files = files.to_vec();
        Sample { folder, build, files }
    })
}

/// What the input says the file holds: any bytes, or what was written with some bytes changed.
fn payload(written: &[u8], rule: u8, input: &[u8]) -> Vec<u8> {
    if rule & 0x80 == 0 {
        return input.to_vec();
    }
    let mut payload = written.to_vec();
    for change in input.chunks_exact(3) {
        let place = usize::from(u16::from_le_bytes([change[0], change[1]])) % payload.len();
        payload[place] ^= change[2];
    }
    payload
}

fn read_folder(folder: &Path) {
    let Ok(graph) = GraphFolder::open(folder) else { return };
    let nodes = graph.graph().nodes() as u32;
    for node in 0..nodes {
        graph.labels(page::NodeId::new(node)).for_each(drop);
        graph.anchors(page::NodeId::new(node)).take(1000).for_each(drop);
        graph.addresses().address(node);
    }
    for number in 0..NODES + 3 {
        assert!(graph.node(&address(number)).is_none_or(|node| node.get() < nodes));
    }
    graph.filtered(ArcFilter { without_navigation: true, ..ArcFilter::default() });
    let read_weights = |weights: &WeightedGraph| {
        for node in 0..weights.len() as u32 {
            weights.name(node);
            weights.arcs_of(node).for_each(drop);
        }
    };
    read_weights(graph.hosts());
    read_weights(graph.domains());
}

fn read_ef(path: &Path) {
    let Ok(graph) = EfGraph::open(path) else { return };
    let mut targets = Vec::new();
    for node in 0..graph.nodes() as u32 {
        graph.successors(node, &mut targets);
        graph.has_arc(node, node.wrapping_mul(7) % NODES as u32);
    }
}

fuzz_target!(|data: &[u8]| {
    let [rule, input @ ..] = data else { return };
    let sample = sample();
    let which = usize::from(rule & 0x7f) % FILES.len();
    let (path, (kind, written)) = (sample.build.join(FILES[which]), &sample.files[which]);
    journal::write_sealed(&path, GRAPH_FORMAT, *kind, &payload(written, *rule, input)).unwrap();
    match FILES[which] {
        "graph.ef" => read_ef(&path),
        "pagerank.rank" => {
            if let Ok(ranks) = RankArray::open(&path) {
                (0..ranks.nodes() as u32).for_each(|node| _ = (ranks.score(node), ranks.percentile(node)));
            }
        }
        _ => read_folder(sample.folder.path()),
    }
    journal::write_sealed(&path, GRAPH_FORMAT, *kind, written).unwrap();
});
