//! `crivello graph DIR --linked FROM TO`: is there a link?

use build::graphs::page_links::{Linked, link_between, link_to_dead};
use graph::GraphFolder;
use page::{NodeId, PageUrl};
use serde_json::json;
use store::Collection;

use super::shown::node_of;
use crate::commands::Context;
use crate::output::{one_line, outln, print_json};

/// Says whether a page links to an address, and with which words.
pub fn show(
    context: Context,
    collection: &Collection,
    folder: &GraphFolder,
    from: NodeId,
    to: &PageUrl,
) -> anyhow::Result<()> {
    let Linked { link, answered_by } = match folder.node(to) {
        Some(to) => link_between(collection, folder, from, to)?,
        None => match link_to_dead(collection, folder, from, to)? {
            Some(linked) => linked,
            // It says why there is no such page.
            None => link_between(collection, folder, from, node_of(collection, folder, to)?)?,
        },
    };
    if context.json {
        let from = folder.address(from);
        let to = folder.node(to).map_or_else(|| to.to_string(), |node| folder.address(node));
        let linked = link.is_some();
        return print_json(&json!({
            "linked": linked, "from": from, "to": to, "link": link, "answered_by": answered_by
        }));
    }
    match link {
        None => outln!("no"),
        Some(link) => outln!("yes\t{}\t{}", one_line(&link.anchor), link.notes()),
    }
    Ok(())
}
