//! `crivello graph DIR --linked FROM TO`: is there a link?
//!
//! The Elias–Fano form of the graph, if it is there, answers without reading the list of links; otherwise the list is
//! read. The words of a link are looked up only if there is one. A link to a dead address is found in the store.

use graph::{EfGraph, GraphFolder, LinkGraph};
use page::{NodeId, PageUrl};
use serde_json::json;
use store::Collection;

use super::shown::{ShownLink, node_of};
use crate::commands::Context;
use crate::output::{one_line, outln, print_json};
use build::graphs::broken::DeadLinks;
use build::graphs::ef_path;

/// Says whether a page links to an address, and with which words.
pub fn show(
    context: Context,
    collection: &Collection,
    folder: &GraphFolder,
    from: NodeId,
    to: &PageUrl,
) -> anyhow::Result<()> {
    let (found, answered_by) = match folder.node(to) {
        Some(to) => find(collection, folder, from, to)?,
        None => match find_dead(collection, folder, from, to)? {
            Some(link) => (link, "store"),
            // It says why there is no such page.
            None => find(collection, folder, from, node_of(collection, folder, to)?)?,
        },
    };
    if context.json {
        let from = folder.address(from);
        let to = folder.node(to).map_or_else(|| to.to_string(), |node| folder.address(node));
        let linked = found.is_some();
        return print_json(&json!({
            "linked": linked, "from": from, "to": to, "link": found, "answered_by": answered_by
        }));
    }
    match found {
        None => outln!("no"),
        Some(link) => outln!("yes\t{}\t{}", one_line(&link.anchor), link.notes()),
    }
    Ok(())
}

fn find(
    collection: &Collection,
    folder: &GraphFolder,
    from: NodeId,
    to: NodeId,
) -> anyhow::Result<(Option<ShownLink>, &'static str)> {
    let path = ef_path(collection.dir(), folder.manifest());
    let (is_linked, answered_by) = if path.exists() {
        (EfGraph::open(&path)?.has_arc(from.get(), to.get()), "ef")
    } else {
        let mut targets = Vec::new();
        folder.graph().successors(from.get(), &mut targets);
        (targets.binary_search(&to.get()).is_ok(), "bv")
    };
    if !is_linked {
        return Ok((None, answered_by));
    }
    let arc = folder.labels(from).find(|arc| arc.target == to);
    Ok((arc.map(|arc| ShownLink::new(folder.address(to), arc)), answered_by))
}

/// Finds the link to an address that is dead, if there is one. None if the address is not dead.
fn find_dead(
    collection: &Collection,
    folder: &GraphFolder,
    from: NodeId,
    to: &PageUrl,
) -> anyhow::Result<Option<Option<ShownLink>>> {
    let dead = DeadLinks::of(collection)?;
    let Some(address) = dead.end_of(to) else { return Ok(None) };
    let link = dead.links(address).find(|link| folder.node(link.page) == Some(from));
    Ok(Some(link.map(|link| ShownLink {
        url: address.url.to_string(),
        anchor: link.words.to_owned(),
        nofollow: link.is_nofollow,
        navigation: link.is_navigation,
        same_host: link.page.host() == address.url.host(),
    })))
}
