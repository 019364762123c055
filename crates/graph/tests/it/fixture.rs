//! A graph written by an earlier version of the format is read as it was written, or refused by name: never misread.
//!
//! A fixture is written by `CRIVELLO_BLESS=1 cargo test -p graph --test it version`; bless only a new version.

use std::path::{Path, PathBuf};

use graph::{
    BuildOptions, Components, Csr, EfGraph, Error, GraphBuilder, GraphFolder, LinkRecord, PageRank, RankArray,
};
use page::{NodeId, PageUrl};

fn folder(version: u32) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/graph-v{version}"))
}

fn url(text: &str) -> PageUrl {
    PageUrl::parse(text).unwrap()
}

/// Forty pages of two hosts. Each links to the next with its number, to the start with one of two words, and the first
/// to all; one address redirects.
fn write_fixture(folder: &Path) {
    let _ = std::fs::remove_dir_all(folder);
    let options = BuildOptions { keep_off_crawl: true, ..BuildOptions::default() };
    let mut builder = GraphBuilder::create(folder, options).unwrap();
    let pages: Vec<PageUrl> = (0..40)
        .map(|number| url(&format!("https://{}.example/page/{number:02}", ["a", "b"][number % 2])))
        .collect();
    for (number, source) in pages.iter().enumerate() {
        builder.add_page(source).unwrap();
        let mut link = |target: usize, anchor: &str, is_navigation, is_nofollow| {
            let target = &pages[target % 40];
            builder.add_link(&LinkRecord { source, target, anchor, is_navigation, is_nofollow }).unwrap();
        };
        link(number + 1, &format!("page {}", (number + 1) % 40), false, number == 7);
        link(0, if number % 5 == 0 { "Home" } else { "Start" }, true, false);
        if number == 0 {
            (1..40).for_each(|target| link(target, &format!("perché {target}"), false, false));
        }
    }
    builder.add_alias(&url("https://old.example/"), &pages[0]).unwrap();
    let graph = builder.finish("a fixture").unwrap();
    let build = folder.join(&graph.manifest().build);
    EfGraph::from_graph(graph.graph()).write(&build.join("graph.ef")).unwrap();
    let ranks = PageRank::default().of(graph.graph()).scores;
    RankArray::write(&build.join("pagerank.rank"), graph.set_id(), "PageRank on all arcs", &ranks).unwrap();
    let components = Components::of(graph.graph());
    let size = |component: &u32| f64::from(components.sizes()[*component as usize]);
    let sizes: Vec<f64> = components.component_of().iter().map(size).collect();
    RankArray::write(&build.join("component.rank"), graph.set_id(), "sizes of components", &sizes).unwrap();
    std::fs::remove_file(folder.join("lock")).unwrap();
}

#[test]
fn version_4_reads_as_it_was_written() {
    if std::env::var_os("CRIVELLO_BLESS").is_some() {
        write_fixture(&folder(graph::FORMAT_VERSION));
    }
    let graph = GraphFolder::open(&folder(4)).unwrap();
    let manifest = graph.manifest();
    assert_eq!((manifest.nodes, manifest.arcs, manifest.aliases, manifest.links), (40, 117, 1, 119));
    assert_eq!(manifest.stamp, "a fixture");
    // Pages of `a.example` come first, in their order.
    let node = |address: &str| graph.node(&url(address)).unwrap();
    assert_eq!(
        (node("https://a.example/page/08"), node("https://b.example/page/01")),
        (NodeId::new(4), NodeId::new(20))
    );
    assert_eq!(node("https://old.example/"), NodeId::new(0));
    assert_eq!(graph.addresses().address(21), "https://b.example/page/03");
    let arcs: Vec<(u32, String, bool, bool, bool)> = graph
        .labels(node("https://b.example/page/07"))
        .map(|arc| {
            (
                arc.target.get(),
                arc.anchor,
                arc.flags.is_navigation,
                arc.flags.is_nofollow,
                arc.flags.is_same_host,
            )
        })
        .collect();
    assert_eq!(arcs, [(0, "Start".into(), true, false, false), (4, "page 8".into(), false, true, false)]);
    assert_eq!(graph.labels(NodeId::new(5)).map(|arc| arc.anchor).collect::<Vec<_>>(), ["Home", "page 11"]);
    assert_eq!(graph.anchors(NodeId::new(0)).collect::<Vec<_>>(), ["Start", "Home"]);
    assert_eq!(graph.labels(NodeId::new(0)).filter(|arc| arc.anchor.starts_with("page")).count(), 1);
    assert_eq!(Csr::from_graph(graph.transpose()), Csr::from_graph(graph.graph()).transpose());
    assert_eq!((graph.hosts().len(), graph.hosts().name(1)), (2, "b.example"));
    assert_eq!(graph.hosts().arcs_of(1).collect::<Vec<_>>(), [(0, 39)]);
    let build = folder(4).join(&manifest.build);
    let ef = EfGraph::open(&build.join("graph.ef")).unwrap();
    assert_eq!(Csr::from_graph(&ef), Csr::from_graph(graph.graph()));
    let ranks = RankArray::open(&build.join("pagerank.rank")).unwrap();
    assert_eq!((ranks.about(), ranks.nodes()), ("PageRank on all arcs", 40));
    assert_eq!(
        (0..40).max_by(|one, other| ranks.score(*one).partial_cmp(&ranks.score(*other)).unwrap()),
        Some(0)
    );
    assert_eq!(RankArray::open(&build.join("component.rank")).unwrap().score(39), Some(40.0));
}

#[test]
fn earlier_versions_are_refused_by_name() {
    let is_of = |version: u32, error: &Error| matches!(error, Error::File(journal::Error::Version { found, expected: 4, .. }) if *found == version);
    for version in [1, 2, 3] {
        let error = GraphFolder::open(&folder(version)).unwrap_err();
        assert!(is_of(version, &error) && error.is_of_older_format(), "{error}");
        assert!(
            error.to_string().contains(&format!("graph-v{version}")) && error.hint().is_some(),
            "{error}"
        );
        for file in ["graph.ef", "pagerank.rank"] {
            let path = folder(version).join("build-1").join(file);
            let told = [EfGraph::open(&path).unwrap_err(), RankArray::open(&path).unwrap_err()];
            assert!(told.iter().all(|error| is_of(version, error)), "{told:?}");
        }
    }
}
