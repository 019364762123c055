//! `crivello graph DIR --links`, `--backlinks`, `--path` and `--near`: the neighbourhood of a page.
//!
//! They read the graph that is there, also while a crawl goes on; only if there is none, it is made.

use std::path::Path;

use graph::{GraphFolder, LabelledArc, LinkGraph, shortest_path};
use page::PageUrl;
use serde::Serialize;
use store::Collection;

use super::{GraphArgs, tops};
use crate::commands::Context;
use crate::graphs;
use crate::graphs::arcs::RankedArcs;
use crate::graphs::ranks::{self, page_ranks};
use crate::output::{Ending, errln, hinted, outln, print_json};

/// A link as it is shown.
#[derive(Debug, Serialize)]
struct ShownLink {
    url: String,
    anchor: String,
    nofollow: bool,
    navigation: bool,
    same_host: bool,
}

impl ShownLink {
    fn new(url: String, arc: LabelledArc) -> Self {
        Self {
            url,
            anchor: arc.anchor,
            nofollow: arc.flags.is_nofollow,
            navigation: arc.flags.is_navigation,
            same_host: arc.flags.is_same_host,
        }
    }
}

/// Runs the command.
pub fn run(context: Context, args: &GraphArgs, dir: &Path) -> anyhow::Result<Ending> {
    let collection = Collection::open(dir)?;
    let folder = match graphs::open_graph(&collection) {
        Err(graph::Error::Missing { .. }) => {
            graphs::make_if_needed(context, &Collection::open_to_write(dir)?, None, args.memory)?.folder
        }
        other => other?,
    };
    if let Some(url) = &args.links {
        let node = node_of(&folder, url)?;
        let links =
            folder.labels(node).map(|arc| ShownLink::new(folder.addresses().address(arc.target), arc));
        show_links(context, &collection, &folder, node, links.collect())?;
    } else if let Some(url) = &args.backlinks {
        let node = node_of(&folder, url)?;
        show_links(context, &collection, &folder, node, backlinks(&folder, node))?;
    } else if let Some([from, to]) = args.path.as_deref() {
        let (from, to) = (node_of(&folder, from)?, node_of(&folder, to)?);
        show_path(context, &folder, from, to)?;
    } else {
        let nodes: Result<Vec<u32>, _> = args.near.iter().map(|url| node_of(&folder, url)).collect();
        show_near(context, args, dir, &folder, &nodes?)?;
    }
    Ok(Ending::Done)
}

fn node_of(folder: &GraphFolder, text: &str) -> anyhow::Result<u32> {
    let address = PageUrl::parse(text).map_err(|error| {
        hinted(format!("`{text}` is no address: {error}"), "give it whole, with http:// or https://")
    })?;
    folder.node(&address).ok_or_else(|| {
        hinted(
            format!("`{address}` is not in the graph"),
            "it was never fetched, or after the graph was made; `crivello build DIR` brings the graph up to date",
        )
    })
}

fn backlinks(folder: &GraphFolder, node: u32) -> Vec<ShownLink> {
    let mut sources = Vec::new();
    folder.transpose().successors(node, &mut sources);
    let links = sources.into_iter().filter_map(|source| {
        let arc = folder.labels(source).find(|arc| arc.target == node)?;
        Some(ShownLink::new(folder.addresses().address(source), arc))
    });
    links.collect()
}

fn show_links(
    context: Context,
    collection: &Collection,
    folder: &GraphFolder,
    node: u32,
    links: Vec<ShownLink>,
) -> anyhow::Result<()> {
    if context.json {
        let url = folder.addresses().address(node);
        let ranks = page_ranks(collection).unwrap_or_else(|error| {
            errln!("warning: the ranks cannot be read: {error}");
            None
        });
        let ranks = ranks.and_then(|ranks| ranks.of_node(node));
        let count = links.len();
        return print_json(
            &serde_json::json!({ "url": url, "ranks": ranks, "count": count, "links": links }),
        );
    }
    for link in &links {
        let flags =
            [(link.nofollow, "nofollow"), (link.navigation, "navigation"), (!link.same_host, "other host")];
        let flags: Vec<&str> = flags.iter().filter(|(is_set, _)| *is_set).map(|(_, name)| *name).collect();
        outln!("{}\t{}\t{}", link.url, link.anchor, flags.join(", "));
    }
    context.showing.say(&format!("{} links", links.len()));
    Ok(())
}

fn show_path(context: Context, folder: &GraphFolder, from: u32, to: u32) -> anyhow::Result<()> {
    let found = shortest_path(folder.graph(), Some(folder.transpose()), from, to);
    let path =
        found.map(|path| path.iter().map(|node| folder.addresses().address(*node)).collect::<Vec<_>>());
    if context.json {
        let hops = path.as_ref().map(|path| path.len() - 1);
        return print_json(&serde_json::json!({ "hops": hops, "path": path }));
    }
    match path {
        None => outln!("there is no path"),
        Some(path) => path.iter().for_each(|address| outln!("{address}")),
    }
    Ok(())
}

/// The pages with the largest PageRank for a reader who always begins on one of some pages, without these.
fn show_near(
    context: Context,
    args: &GraphArgs,
    dir: &Path,
    folder: &GraphFolder,
    start: &[u32],
) -> anyhow::Result<()> {
    let settings = args.settings();
    let arcs = RankedArcs::of_folder(folder, &settings, args.memory, &graphs::graph_dir(dir))?;
    let mut scores = ranks::pagerank_near(&arcs, settings.damping, start, &());
    start.iter().for_each(|node| scores[*node as usize] = 0.0);
    let mut near = tops::first(&scores, |node| folder.addresses().address(node));
    near.retain(|top| top.score > 0.0);
    if context.json {
        return print_json(&serde_json::json!({ "near": near }));
    }
    near.iter().for_each(|top| outln!("{:.6}\t{}", top.score, top.name));
    if near.is_empty() {
        context.showing.say(&format!("nothing is reached on {}", settings.filter_text()));
    }
    Ok(())
}
