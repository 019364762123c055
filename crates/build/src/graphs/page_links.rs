//! The links of a page, looked up in the graph: where they lead, who links to it, and whether one page links to another.
//!
//! The Elias–Fano form of the graph, if it is there, says whether there is a link without reading the list of links; otherwise
//! the list is read. The words of a link are looked up only if there is one. A link to a dead address is found in the
//! store.

use graph::{EfGraph, GraphFolder, LabelledArc, LinkGraph};
use page::{NodeId, PageUrl};
use serde::Serialize;
use store::{Collection, PageRecord, RecordKind, StoreReader};

use super::broken::DeadLinks;
use super::ef_path;
use crate::Error;

/// A link of a page, seen from one of its ends.
#[derive(Debug, Serialize)]
pub struct PageLink {
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

impl PageLink {
    fn new(url: String, arc: LabelledArc) -> Self {
        Self {
            url,
            anchor: arc.anchor,
            nofollow: arc.flags.is_nofollow,
            navigation: arc.flags.is_navigation,
            same_host: arc.flags.is_same_host,
        }
    }

    /// Names what is unusual about it.
    pub fn notes(&self) -> String {
        let flags =
            [(self.nofollow, "nofollow"), (self.navigation, "navigation"), (!self.same_host, "other host")];
        let flags: Vec<&str> = flags.iter().filter(|(is_set, _)| *is_set).map(|(_, name)| *name).collect();
        flags.join(", ")
    }
}

/// The links on a page.
pub fn links_of(folder: &GraphFolder, node: NodeId) -> Vec<PageLink> {
    folder.labels(node).map(|arc| PageLink::new(folder.address(arc.target), arc)).collect()
}

/// The links to a page.
pub fn links_to(folder: &GraphFolder, node: NodeId) -> Vec<PageLink> {
    let mut sources = Vec::new();
    folder.transpose().successors(node.get(), &mut sources);
    let links = sources.into_iter().map(NodeId::new).filter_map(|source| {
        let arc = folder.labels(source).find(|arc| arc.target == node)?;
        Some(PageLink::new(folder.address(source), arc))
    });
    links.collect()
}

/// Whether one page links to another.
#[derive(Debug)]
pub struct Linked {
    /// The link, if there is one.
    pub link: Option<PageLink>,
    /// Who knew it: `ef`, `bv` or `store`.
    pub answered_by: &'static str,
}

/// Looks for the link from one page to another.
pub fn link_between(
    collection: &Collection,
    folder: &GraphFolder,
    from: NodeId,
    to: NodeId,
) -> Result<Linked, Error> {
    let path = ef_path(collection.dir(), folder.manifest());
    let (is_linked, answered_by) = if path.exists() {
        (EfGraph::open(&path)?.has_arc(from.get(), to.get()), "ef")
    } else {
        let mut targets = Vec::new();
        folder.graph().successors(from.get(), &mut targets);
        (targets.binary_search(&to.get()).is_ok(), "bv")
    };
    let arc = if is_linked { folder.labels(from).find(|arc| arc.target == to) } else { None };
    Ok(Linked { link: arc.map(|arc| PageLink::new(folder.address(to), arc)), answered_by })
}

/// Looks for the link from a page to an address that is dead; none if it is not dead.
pub fn link_to_dead(
    collection: &Collection,
    folder: &GraphFolder,
    from: NodeId,
    to: &PageUrl,
) -> Result<Option<Linked>, Error> {
    let dead = DeadLinks::of(collection)?;
    let Some(address) = dead.end_of(to) else { return Ok(None) };
    let link = dead.links(address).find(|link| folder.node(link.page) == Some(from));
    let link = link.map(|link| PageLink {
        url: address.url.to_string(),
        anchor: link.words.to_owned(),
        nofollow: link.is_nofollow,
        navigation: link.is_navigation,
        same_host: link.page.host() == address.url.host(),
    });
    Ok(Some(Linked { link, answered_by: "store" }))
}

/// What became of an address that is no page, as the collection has last heard of it; none if it is one, or was never heard of.
pub fn fate_of(collection: &Collection, address: &PageUrl) -> Result<Option<String>, Error> {
    let (mut pages, mut last) = (StoreReader::open(collection)?.pages()?, None);
    while let Some((_, record)) = pages.next()? {
        if record.url == *address {
            last = Some(record);
        }
    }
    Ok(last.filter(|record| !record.is_page()).map(|record| fate(&record)))
}

fn fate(record: &PageRecord) -> String {
    match (record.kind, record.failure) {
        (RecordKind::Forbidden, _) => "robots.txt forbids it".into(),
        (_, Some(failure)) => failure.as_str().into(),
        _ => format!("it answered {}", record.status),
    }
}
