//! Why an address has no node to show.

use build::graphs::page_links::fate_of;
use graph::GraphFolder;
use page::{NodeId, PageUrl};
use store::Collection;

use crate::output::hinted;

/// Finds the node of an address. If it has none, what became of it is told.
pub fn node_of(collection: &Collection, folder: &GraphFolder, address: &PageUrl) -> anyhow::Result<NodeId> {
    if let Some(node) = folder.node(address) {
        return Ok(node);
    }
    let message = format!("`{address}` is not in the graph");
    Err(match fate_of(collection, address)? {
        Some(fate) => hinted(
            format!("{message}, because it is no page: {fate}"),
            "`--backlinks` says who links to a dead address, and `--broken` lists them all",
        ),
        None => hinted(
            message,
            "it was never fetched, or after the graph was made; `crivello build DIR` brings the graph up to date",
        ),
    })
}
