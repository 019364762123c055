//! From pages and links to a folder and back, against a model of maps and sets.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Mutex;

use graph::{
    ArcFilter, BuildOptions, Csr, Error, GraphBuilder, GraphFolder, LabelledArc, LinkGraph, LinkRecord,
    Watcher, key_of,
};
use page::{NodeId, PageUrl};
use proptest::prelude::*;

fn url(text: &str) -> PageUrl {
    PageUrl::parse(text).unwrap()
}

/// One of a few addresses on three hosts of two domains.
fn address(number: u32) -> PageUrl {
    let host = ["a.org", "www.a.org", "b.net"][number as usize % 3];
    url(&format!("https://{host}/{}", number / 3))
}

#[derive(Debug, Clone)]
struct Crawl {
    pages: Vec<u32>,
    links: Vec<(u32, u32, bool, bool, String)>,
    aliases: Vec<(u32, u32)>,
}

fn crawl() -> impl Strategy<Value = Crawl> {
    let link = (0u32..24, 0u32..24, any::<bool>(), any::<bool>(), "[ab]{0,2}");
    (
        prop::collection::vec(0u32..24, 0..24),
        prop::collection::vec(link, 0..120),
        prop::collection::vec((0u32..24, 0u32..24), 0..5),
    )
        .prop_map(|(pages, links, aliases)| Crawl { pages, links, aliases })
}

/// The words of an arc, and whether all links with them are navigation.
type Words = BTreeMap<String, bool>;

/// The graph by sets: keys of nodes, arcs by key, flags that all links of an arc share, words by arc.
struct Model {
    nodes: Vec<String>,
    end_of: BTreeMap<String, String>,
    arcs: BTreeMap<(String, String), (bool, bool, Words)>,
}

fn model(crawl: &Crawl, keep_nofollow: bool, keep_off_crawl: bool) -> Model {
    let key = |number: &u32| key_of(&address(*number));
    let links: Vec<_> = crawl.links.iter().filter(|link| keep_nofollow || !link.3).collect();
    let mut known: BTreeSet<String> = crawl.pages.iter().map(key).collect();
    if keep_off_crawl {
        known.extend(links.iter().map(|link| key(&link.1)));
        known.extend(crawl.aliases.iter().map(|alias| key(&alias.1)));
    }
    let mut seen = known.clone();
    seen.extend(crawl.aliases.iter().map(|alias| key(&alias.0)));
    let mut to: BTreeMap<String, String> = BTreeMap::new();
    for (from, target) in &crawl.aliases {
        if from != target && seen.contains(&key(target)) {
            to.entry(key(from)).or_insert_with(|| key(target));
        }
    }
    let end = |start: &String| {
        let mut path = vec![start.clone()];
        while let Some(next) = to.get(path.last().unwrap()) {
            if let Some(ring) = path.iter().position(|member| member == next) {
                return path[ring..].iter().min().unwrap().clone();
            }
            path.push(next.clone());
        }
        path.pop().unwrap()
    };
    let end_of: BTreeMap<String, String> = seen.iter().map(|key| (key.clone(), end(key))).collect();
    let nodes: Vec<String> = known.iter().filter(|key| end_of[*key] == **key).cloned().collect();
    let end_of: BTreeMap<String, String> =
        end_of.into_iter().filter(|(_, end)| nodes.contains(end)).collect();
    let mut arcs = BTreeMap::new();
    for (source, target, is_navigation, is_nofollow, anchor) in links {
        let ends = (end_of.get(&key(source)), end_of.get(&key(target)));
        if let (Some(source), Some(target)) = ends {
            let arc = arcs.entry((source.clone(), target.clone())).or_insert((true, true, Words::new()));
            *arc = (arc.0 && *is_navigation, arc.1 && *is_nofollow, std::mem::take(&mut arc.2));
            *arc.2.entry(anchor.clone()).or_insert(true) &= *is_navigation;
        }
    }
    Model { nodes, end_of, arcs }
}

fn build(crawl: &Crawl, folder: &std::path::Path, options: BuildOptions) -> Result<GraphFolder, Error> {
    let mut builder = GraphBuilder::create(folder, options)?;
    for page in &crawl.pages {
        builder.add_page(&address(*page))?;
    }
    for (source, target, is_navigation, is_nofollow, anchor) in &crawl.links {
        let (source, target) = (&address(*source), &address(*target));
        let (is_navigation, is_nofollow) = (*is_navigation, *is_nofollow);
        builder.add_link(&LinkRecord { source, target, anchor, is_navigation, is_nofollow })?;
    }
    for (from, to) in &crawl.aliases {
        builder.add_alias(&address(*from), &address(*to))?;
    }
    builder.finish("a test")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_graph_is_what_sets_and_maps_say(
        crawl in crawl(), keep_nofollow in any::<bool>(), keep_off_crawl in any::<bool>(), is_tight in any::<bool>(),
    ) {
        let scratch = tempfile::tempdir().unwrap();
        let memory_bytes = if is_tight { 0 } else { 1 << 20 };
        let options = BuildOptions { memory_bytes, keep_nofollow, keep_off_crawl, domain_of: &domain, ..BuildOptions::default() };
        let graph = build(&crawl, scratch.path(), options).unwrap();
        let model = model(&crawl, keep_nofollow, keep_off_crawl);

        prop_assert_eq!(graph.graph().nodes(), model.nodes.len());
        let number = |key: &String| model.nodes.binary_search(key).unwrap() as u32;
        for seen in 0..24 {
            let expected = model.end_of.get(&key_of(&address(seen))).map(number).map(NodeId::new);
            prop_assert_eq!(graph.node(&address(seen)), expected);
        }
        let arcs: Vec<(u32, u32)> = model.arcs.keys().map(|(source, target)| (number(source), number(target))).collect();
        let plain = Csr::from_arcs(model.nodes.len(), arcs);
        prop_assert_eq!(&Csr::from_graph(graph.graph()), &plain);
        prop_assert_eq!(&Csr::from_graph(graph.transpose()), &plain.transpose());

        // How often each words a target is linked with, counted once a source.
        let mut counts: BTreeMap<&String, BTreeMap<&String, u32>> = BTreeMap::new();
        for ((_, target), (_, _, anchors)) in &model.arcs {
            for anchor in anchors.keys() {
                *counts.entry(target).or_default().entry(anchor).or_default() += 1;
            }
        }
        for (node, key) in (0..).map(NodeId::new).zip(&model.nodes) {
            for arc in graph.labels(node) {
                let target = &model.nodes[arc.target.index()];
                let (is_navigation, is_nofollow, anchors) = &model.arcs[&(key.clone(), target.clone())];
                let host = |key: &String| key.split('/').next().unwrap().to_owned();
                prop_assert_eq!(arc.flags.is_same_host, host(key) == host(target));
                prop_assert_eq!((arc.flags.is_navigation, arc.flags.is_nofollow), (*is_navigation, *is_nofollow));
                let best = anchors.iter().min_by_key(|(words, is_navigation)| {
                    (words.is_empty(), **is_navigation, std::cmp::Reverse(counts[target][words]), *words)
                });
                prop_assert_eq!(&arc.anchor, best.unwrap().0);
            }
        }
        // A table has the words that arcs carry, the most frequent first.
        let mut tables: Vec<BTreeMap<String, u32>> = vec![BTreeMap::new(); model.nodes.len()];
        for arc in (0..model.nodes.len()).flat_map(|node| graph.labels(NodeId::from_index(node))) {
            *tables[arc.target.index()].entry(arc.anchor).or_default() += 1;
        }
        for (node, table) in tables.iter().enumerate() {
            let mut expected: Vec<&String> = table.keys().collect();
            expected.sort_by_key(|word| std::cmp::Reverse(table[*word]));
            prop_assert!(graph.anchors(NodeId::from_index(node)).eq(expected.into_iter().cloned()));
        }
        let follow = ArcFilter { without_nofollow: true, ..ArcFilter::default() };
        for filter in [ArcFilter { without_same_host: true, ..follow }, ArcFilter { without_loops: true, ..follow }] {
            let counts = |node: NodeId, arc: &LabelledArc| {
                let is_out = arc.flags.is_nofollow
                    || filter.without_same_host && arc.flags.is_same_host
                    || filter.without_loops && arc.target == node;
                !is_out
            };
            let expected = (0..model.nodes.len()).map(NodeId::from_index).flat_map(|node| {
                graph.labels(node).filter(|arc| counts(node, arc)).map(move |arc| (node.get(), arc.target.get())).collect::<Vec<_>>()
            });
            prop_assert_eq!(Csr::from_graph(&graph.filtered(filter)), Csr::from_arcs(model.nodes.len(), expected));
        }
        prop_assert_eq!(&Csr::from_graph(&graph.filtered(ArcFilter::default())), &plain);

        // Weights are numbers of arcs between pages.
        for (weighted, name_of) in [(graph.hosts(), (|host: &str| host.to_owned()) as fn(&str) -> String), (graph.domains(), |host| domain(host).to_owned())] {
            let mut expected: BTreeMap<(String, String), u64> = BTreeMap::new();
            for (source, target) in model.arcs.keys() {
                let name = |key: &String| name_of(url(&graph::address_of(key).unwrap()).host());
                *expected.entry((name(source), name(target))).or_default() += 1;
            }
            let mut found = BTreeMap::new();
            for node in 0..weighted.len() as u32 {
                for (target, weight) in weighted.arcs_of(node) {
                    found.insert((weighted.name(node).to_owned(), weighted.name(target).to_owned()), weight);
                }
            }
            prop_assert_eq!(found, expected);
        }
    }
}

#[test]
fn of_several_links_between_two_pages_the_best_words_are_kept() {
    let link =
        |source, target, is_navigation, words: &str| (source, target, is_navigation, false, words.into());
    let others = |words| (1..5).map(move |source| link(3 * source, 30, true, words));
    for (links, aliases, expected) in [
        // A picture without words stands before the link.
        (vec![link(0, 30, false, ""), link(0, 30, false, "zebra")], vec![], "zebra"),
        (vec![link(0, 30, true, "Next"), link(0, 30, false, "zebra")], vec![], "zebra"),
        // Words of the navigation are better than none.
        (vec![link(0, 30, false, ""), link(0, 30, true, "zebra")], vec![], "zebra"),
        // The same words stand in both.
        (
            vec![link(0, 30, true, "a"), link(0, 30, true, "zebra"), link(0, 30, false, "zebra")],
            vec![],
            "zebra",
        ),
        // However often others use the worse ones.
        (
            [link(0, 30, false, "zebra"), link(0, 30, false, "")].into_iter().chain(others("")).collect(),
            vec![],
            "zebra",
        ),
        (
            [link(0, 30, false, "zebra"), link(0, 30, true, "a")].into_iter().chain(others("a")).collect(),
            vec![],
            "zebra",
        ),
        // Of those that are as good, the words that most pages use.
        (
            [link(0, 30, false, "a"), link(0, 30, false, "zebra")]
                .into_iter()
                .chain(others("zebra"))
                .collect(),
            vec![],
            "zebra",
        ),
        // Links come together where an address stands for another.
        (vec![link(0, 30, false, ""), link(0, 33, false, "zebra")], vec![(33, 30)], "zebra"),
        (vec![link(0, 30, true, "Next"), link(36, 30, false, "zebra")], vec![(36, 0)], "zebra"),
        (vec![link(0, 30, false, "")], vec![], ""),
    ] {
        let scratch = tempfile::tempdir().unwrap();
        let crawl = Crawl { pages: vec![0, 3, 6, 9, 12, 30], links, aliases };
        let graph = build(&crawl, scratch.path(), BuildOptions::default()).unwrap();
        let arcs: Vec<_> = graph.labels(graph.node(&address(0)).unwrap()).collect();
        assert_eq!(arcs.len(), 1, "{crawl:?}");
        assert_eq!(arcs[0].anchor, expected, "{crawl:?}");
    }
}

fn domain(host: &str) -> &str {
    host.strip_prefix("www.").unwrap_or(host)
}

#[test]
fn a_build_that_ends_early_leaves_the_old_graph() {
    let scratch = tempfile::tempdir().unwrap();
    assert!(matches!(GraphFolder::open(scratch.path()), Err(Error::Missing { .. })));
    let crawl = Crawl { pages: vec![0, 3], links: vec![(0, 3, false, false, "x".into())], aliases: vec![] };
    build(&crawl, scratch.path(), BuildOptions::default()).unwrap();
    let mut builder = GraphBuilder::create(scratch.path(), BuildOptions::default()).unwrap();
    builder.add_page(&address(6)).unwrap();
    assert!(matches!(
        GraphBuilder::create(scratch.path(), BuildOptions::default()),
        Err(Error::File(journal::Error::Busy { .. }))
    ));
    drop(builder);
    assert_eq!(GraphFolder::open(scratch.path()).unwrap().manifest().nodes, 2);
    let more = Crawl { pages: vec![0, 3, 6], ..crawl };
    assert_eq!(build(&more, scratch.path(), BuildOptions::default()).unwrap().manifest().nodes, 3);
    let names: BTreeSet<_> =
        fs::read_dir(scratch.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["build-2", "lock", "manifest.json"].map(Into::into).into());
}

#[test]
fn a_changed_byte_of_any_file_is_an_error_that_names_it_or_made_again() {
    let scratch = tempfile::tempdir().unwrap();
    let crawl = Crawl {
        pages: (0..12).collect(),
        links: (0..60)
            .map(|link| (link % 12, link * 7 % 12, link % 5 == 0, false, format!("{}", link % 3)))
            .collect(),
        aliases: vec![(13, 1)],
    };
    let before = build(&crawl, scratch.path(), BuildOptions::default()).unwrap();
    let expected = Csr::from_graph(before.graph());
    let folder = scratch.path().join("build-1");
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        for place in (0..bytes.len()).step_by(7) {
            let mut changed = bytes.clone();
            changed[place] ^= 0x10;
            fs::write(&path, &changed).unwrap();
            match GraphFolder::open(scratch.path()) {
                // Offsets are for other tools.
                Ok(graph) => {
                    assert!(name.ends_with(".offsets"), "{name}, byte {place}");
                    assert_eq!(Csr::from_graph(graph.graph()), expected);
                    assert_eq!(graph.node(&address(13)), graph.node(&address(1)));
                }
                Err(error) => {
                    // What does not fit to `.starts` is told of there.
                    let stem = name.split('.').next().unwrap();
                    assert!(error.to_string().contains(stem), "{name}, byte {place}: {error}");
                    assert!(error.hint().is_some(), "{error}");
                }
            }
        }
        fs::write(&path, &bytes).unwrap();
    }
}

#[test]
fn no_pages_at_all_are_a_graph() {
    let scratch = tempfile::tempdir().unwrap();
    let crawl = Crawl { pages: vec![], links: vec![(0, 1, false, false, String::new())], aliases: vec![] };
    let graph = build(&crawl, scratch.path(), BuildOptions::default()).unwrap();
    assert_eq!((graph.manifest().nodes, graph.manifest().arcs, graph.manifest().links_dropped), (0, 0, 1));
    assert_eq!(graph.node(&address(0)), None);
}

/// Writes down what it is told.
#[derive(Default)]
struct Told(Mutex<Vec<(String, u64, u64)>>);

impl Watcher for Told {
    fn progress(&self, stage: &str, done: u64, total: Option<u64>) {
        self.0.lock().unwrap().push((stage.to_owned(), done, total.unwrap()));
    }
}

#[test]
fn whoever_waits_for_a_build_sees_that_it_moves() {
    let scratch = tempfile::tempdir().unwrap();
    let mut builder = GraphBuilder::create(scratch.path(), BuildOptions::default()).unwrap();
    let page = |number: u32| url(&format!("http://a.test/{number}"));
    for number in 0..2000 {
        let (source, target) = (page(number), page(number * 7 % 2000));
        builder.add_page(&source).unwrap();
        let link = LinkRecord {
            source: &source,
            target: &target,
            anchor: "",
            is_navigation: false,
            is_nofollow: false,
        };
        builder.add_link(&link).unwrap();
    }
    let told = Told::default();
    builder.finish_watched("a test", &told).unwrap();
    let told = told.0.into_inner().unwrap();
    let stages: Vec<&str> =
        told.chunk_by(|one, next| one.0 == next.0).map(|stage| stage[0].0.as_str()).collect();
    assert_eq!(stages.len(), stages.iter().collect::<BTreeSet<_>>().len(), "each comes once: {stages:?}");
    for stage in told.chunk_by(|one, next| one.0 == next.0) {
        assert!(stage.is_sorted() && stage.iter().all(|(_, done, total)| done <= total), "{stage:?}");
    }
    assert!(told.len() > 500 && told.len() < 1500, "{} times", told.len());
}
