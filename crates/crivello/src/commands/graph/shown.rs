//! Links as they are shown, and why an address has no node to show.

use graph::{GraphFolder, LabelledArc};
use page::{NodeId, PageUrl};
use serde::Serialize;
use store::{Collection, PageRecord, RecordKind, StoreReader};

use crate::output::hinted;

/// A link as it is shown.
#[derive(Debug, Serialize)]
pub struct ShownLink {
    /// Where the other end is.
    pub url: String,
    /// Its words.
    pub anchor: String,
    /// It asks not to be followed.
    pub nofollow: bool,
    /// It is navigation.
    pub navigation: bool,
    /// Both ends are on one host.
    pub same_host: bool,
}

impl ShownLink {
    /// Shows the link of an arc whose other end is there.
    pub fn new(url: String, arc: LabelledArc) -> Self {
        Self {
            url,
            anchor: arc.anchor,
            nofollow: arc.flags.is_nofollow,
            navigation: arc.flags.is_navigation,
            same_host: arc.flags.is_same_host,
        }
    }

    /// Tells people what is unusual about it.
    pub fn notes(&self) -> String {
        let flags =
            [(self.nofollow, "nofollow"), (self.navigation, "navigation"), (!self.same_host, "other host")];
        let flags: Vec<&str> = flags.iter().filter(|(is_set, _)| *is_set).map(|(_, name)| *name).collect();
        flags.join(", ")
    }
}

/// Finds the node of an address. If it has none, what became of it is told.
pub fn node_of(collection: &Collection, folder: &GraphFolder, address: &PageUrl) -> anyhow::Result<NodeId> {
    if let Some(node) = folder.node(address) {
        return Ok(node);
    }
    let message = format!("`{address}` is not in the graph");
    Err(match last_record(collection, address)? {
        Some(record) if !record.is_page() => hinted(
            format!("{message}, because it is no page: {}", fate(&record)),
            "`--backlinks` says who links to a dead address, and `--broken` lists them all",
        ),
        _ => hinted(
            message,
            "it was never fetched, or after the graph was made; `crivello build DIR` brings the graph up to date",
        ),
    })
}

/// Finds what the collection has last heard of an address.
fn last_record(collection: &Collection, address: &PageUrl) -> anyhow::Result<Option<PageRecord>> {
    let (mut pages, mut last) = (StoreReader::open(collection)?.pages()?, None);
    while let Some((_, record)) = pages.next()? {
        if record.url == *address {
            last = Some(record);
        }
    }
    Ok(last)
}

fn fate(record: &PageRecord) -> String {
    match (record.kind, record.failure) {
        (RecordKind::Forbidden, _) => "robots.txt forbids it".into(),
        (_, Some(failure)) => failure.as_str().into(),
        _ => format!("it answered {}", record.status),
    }
}
