//! `crivello graph DIR --links`, `--backlinks`, `--linked`, `--path` and `--near`: the neighbourhood of a page.
//!
//! They read the graph that is there, also while a crawl goes on; only if there is none, it is made.

use std::path::Path;

use build::Covered;
use build::graphs;
use build::graphs::arcs::RankedArcs;
use build::graphs::page_links::{PageLink, links_of, links_to};
use build::graphs::ranks::{self, page_ranks};
use build::graphs::report::first;
use graph::{GraphFolder, shortest_path};
use page::NodeId;
use store::Collection;

use super::shown::node_of;
use super::{GraphArgs, broken, linked};
use crate::build_watch::BuildWatch;
use crate::commands::{Context, address_of};
use crate::output::{Ending, counted, errln, one_line, outln, print_json};

/// Runs the command.
pub fn run(context: Context, args: &GraphArgs, dir: &Path) -> anyhow::Result<Ending> {
    let collection = Collection::open(dir)?;
    let folder = match graphs::open_graph(&collection) {
        Err(graph::Error::Missing { .. }) => make(context, args, &Collection::open_to_build(dir)?)?,
        other => other?,
    };
    let node_of = |text: &str| node_of(&collection, &folder, &address_of(text)?);
    if let Some(url) = &args.links {
        let node = node_of(url)?;
        show_links(context, &collection, &folder, node, links_of(&folder, node))?;
    } else if let Some(url) = &args.backlinks {
        let address = address_of(url)?;
        if folder.node(&address).is_none() && broken::show_backlinks(context, &collection, &address)? {
            return Ok(Ending::Done);
        }
        let node = node_of(url)?;
        show_links(context, &collection, &folder, node, links_to(&folder, node))?;
    } else if let Some([from, to]) = args.linked.as_deref() {
        linked::show(context, &collection, &folder, node_of(from)?, &address_of(to)?)?;
    } else if let Some([from, to]) = args.path.as_deref() {
        show_path(context, &folder, node_of(from)?, node_of(to)?)?;
    } else {
        let nodes: Result<Vec<NodeId>, _> = args.near.iter().map(|url| node_of(url)).collect();
        show_near(context, args, dir, &folder, &nodes?)?;
    }
    Ok(Ending::Done)
}

fn show_links(
    context: Context,
    collection: &Collection,
    folder: &GraphFolder,
    node: NodeId,
    links: Vec<PageLink>,
) -> anyhow::Result<()> {
    if context.json {
        let url = folder.address(node);
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
        outln!("{}\t{}\t{}", one_line(&link.url), one_line(&link.anchor), link.notes());
    }
    context.showing.say(&counted(links.len() as u64, "link"));
    Ok(())
}

fn show_path(context: Context, folder: &GraphFolder, from: NodeId, to: NodeId) -> anyhow::Result<()> {
    let found = shortest_path(folder.graph(), Some(folder.transpose()), from.get(), to.get());
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

fn make(context: Context, args: &GraphArgs, collection: &Collection) -> anyhow::Result<GraphFolder> {
    let watch = BuildWatch::new(context.showing);
    let covered = Covered::now(collection)?;
    let made = graphs::make_if_needed(collection, covered, None, args.memory, &watch)?;
    watch.finish();
    Ok(made.folder)
}

/// Shows the pages with the largest PageRank for a reader who always begins on one of some pages, without these.
fn show_near(
    context: Context,
    args: &GraphArgs,
    dir: &Path,
    folder: &GraphFolder,
    start: &[NodeId],
) -> anyhow::Result<()> {
    let settings = args.settings();
    let arcs = RankedArcs::of_folder(folder, &settings, args.memory, &graphs::graph_dir(dir))?;
    let mut scores = ranks::pagerank_near(&arcs, settings.damping, start, &());
    start.iter().for_each(|node| scores[node.index()] = 0.0);
    let mut near = first(&scores, |node| folder.addresses().address(node));
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
