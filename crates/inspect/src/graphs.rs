//! Files of a graph: its manifest, sealed files, and graphs in BV format.

use std::path::Path;

use graph::{BvGraph, LinkGraph, Manifest, RankArray};

use crate::{Error, Inspection};

/// Checks a sealed file of a graph.
pub(crate) fn inspect_sealed(path: &Path) -> Result<Inspection, Error> {
    let file = graph::check_sealed(path)?;
    let kind = match &file.kind() {
        b"strt" => "where the lists of a graph in BV format start",
        b"addr" => "a sorted list of addresses",
        b"word" => "the words of links",
        b"mmph" => "a function from texts to their places in the list beside it",
        b"alia" => "the nodes of addresses that redirect or were folded",
        b"labl" => "flags and anchor texts of links",
        b"host" => "the graph of hosts or domains",
        b"efgr" => "a graph in Elias–Fano",
        b"rank" => "ranks of pages",
        other => {
            return Err(Error::damaged(
                path,
                8,
                format!("there is no file of kind `{}`", other.escape_ascii()),
            ));
        }
    };
    let mut facts = vec![("payload_bytes", file.payload_bytes().into())];
    if file.kind() == *b"rank" {
        let ranks = RankArray::open(path)?;
        facts.extend([("about", ranks.about().into()), ("nodes", (ranks.nodes() as u64).into())]);
    }
    Ok(Inspection { kind, version: Some(graph::FORMAT_VERSION), facts, records: None })
}

/// Checks a graph in BV format by any of its files; `None` if the file is none of them.
pub(crate) fn inspect_bv(path: &Path) -> Result<Option<Inspection>, Error> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let basename = path.with_extension("");
    let is_one = matches!(extension, Some("graph" | "offsets" | "properties"));
    if !is_one || !basename.with_added_extension("properties").is_file() {
        return Ok(None);
    }
    // What was written here must be what was written; of others every list is checked.
    let is_ours = basename.with_added_extension("starts").exists();
    let graph = if is_ours { BvGraph::open_sealed(&basename) } else { BvGraph::open(&basename) };
    let graph = graph.map_err(|source| Error::Bv { path: path.to_owned(), source })?;
    if extension == Some("offsets") {
        graph.check_offsets(path)?;
    }
    let facts = vec![
        ("nodes", (graph.nodes() as u64).into()),
        ("arcs", graph.arcs().into()),
        ("bits_per_link", graph.bits_per_link().into()),
    ];
    Ok(Some(Inspection { kind: "a graph in BV format", version: None, facts, records: None }))
}

/// Reads the manifest of a graph.
pub(crate) fn inspect_manifest(path: &Path) -> Result<Inspection, Error> {
    let manifest = Manifest::check(path)?;
    let facts = vec![
        ("build", manifest.build.as_str().into()),
        ("covers", manifest.stamp.as_str().into()),
        ("nodes", (manifest.nodes as u64).into()),
        ("arcs", manifest.arcs.into()),
        ("aliases", (manifest.aliases as u64).into()),
        ("links", manifest.links.into()),
        ("links_dropped", manifest.links_dropped.into()),
    ];
    Ok(Inspection { kind: "manifest of a graph", version: Some(manifest.format), facts, records: None })
}
