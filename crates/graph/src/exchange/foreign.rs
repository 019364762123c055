//! A graph that somebody else made: in BV format, or as a list of arcs.

use std::path::{Path, PathBuf};

use page::NodeId;

use super::import::{ImportReport, import_arcs};
use crate::{BvGraph, BvOptions, Error, LinkGraph as _};

/// A graph of others.
#[derive(Debug)]
pub struct ForeignGraph {
    /// The graph.
    pub graph: BvGraph,
    /// What its nodes are called.
    pub names: NodeNames,
    /// What its list of arcs became, if it was one.
    pub report: Option<ImportReport>,
}

impl ForeignGraph {
    /// Opens a graph in BV format by the name before `.graph`, or by that of one of its files; `None` if there is none.
    pub fn open_bv(from: &Path) -> Result<Option<Self>, Error> {
        let Some(basename) = basename_of(from) else { return Ok(None) };
        let graph = BvGraph::open(&basename)?;
        let names = NodeNames { nodes: graph.nodes(), names: None };
        Ok(Some(Self { graph, names, report: None }))
    }

    /// Makes a graph of a list of arcs, in a folder that has to stay as long as the graph is used.
    pub fn of_arcs(list: &Path, folder: &Path, memory_bytes: usize) -> Result<Self, Error> {
        let basename = folder.join("arcs");
        let mut report = import_arcs(list, &basename, &BvOptions::standard(), memory_bytes)?;
        let graph = BvGraph::open(&basename)?;
        let names = NodeNames { nodes: graph.nodes(), names: report.names.take() };
        Ok(Self { graph, names, report: Some(report) })
    }
}

/// What nodes are called: by names, or where there are none by their numbers.
#[derive(Debug)]
pub struct NodeNames {
    nodes: usize,
    names: Option<Vec<String>>,
}

impl NodeNames {
    /// What a node is called.
    pub fn name(&self, node: u32) -> String {
        self.names.as_ref().map_or_else(|| node.to_string(), |names| names[node as usize].clone())
    }

    /// The node that is called so, if there is one.
    pub fn node(&self, name: &str) -> Option<NodeId> {
        match &self.names {
            Some(names) => names.iter().position(|known| known == name).map(NodeId::from_index),
            None => name.parse().ok().map(NodeId::new).filter(|node| node.index() < self.nodes),
        }
    }
}

/// Finds the name before `.graph`, if there is a graph in BV format.
fn basename_of(from: &Path) -> Option<PathBuf> {
    let text = from.to_str()?;
    let ends = [".graph", ".properties", ".offsets", ".ef", "."];
    let without = ends.iter().find_map(|end| text.strip_suffix(end));
    let has = |name: &Path, extension: &str| name.with_added_extension(extension).is_file();
    let names = [Some(text), without].into_iter().flatten().map(PathBuf::from);
    names.into_iter().find(|name| has(name, "graph") || has(name, "properties"))
}
