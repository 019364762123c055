//! The arcs that ranks are computed on, in both directions: in memory if they fit into the budget, else compressed.
//!
//! Ranks read all arcs dozens of times. In memory they take four bytes each and direction, and a pass costs 1 to 2 ns an
//! arc. If that is too much, the arcs that count are written once as two graphs in BV format, a quarter of a byte each and
//! direction, which are removed afterwards; then a pass costs 10 ns an arc. The numbers are the same.

use std::io;
use std::path::Path;

use fs_err as fs;
use graph::{
    ArcFilter, BvGraph, BvOptions, Csr, GraphFolder, LinkGraph, RankMemory, write_bv, write_transpose,
};
use journal::FileLock;
use tempfile::TempDir;

use super::RankSettings;
use crate::Error;

/// A folder that goes with us.
struct Scratch {
    folder: TempDir,
    /// Beside a graph, keeps others from removing it before.
    _lock: Option<FileLock>,
}

impl Scratch {
    fn beside_graph(graph_dir: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix(graph::SCRATCH_PREFIX).tempdir_in(graph_dir)?;
        let lock = FileLock::take(fs::File::create(folder.path().join(graph::SCRATCH_LOCK))?)?;
        Ok(Self { folder, _lock: lock })
    }
}

/// A graph and its transpose.
pub struct RankedArcs {
    graph: Box<dyn LinkGraph>,
    transpose: Box<dyn LinkGraph>,
    memory: RankMemory,
    /// Where arcs lie that were compressed for this only.
    _scratch: Option<Scratch>,
}

impl RankedArcs {
    /// The arcs of a collection that count. If they must be compressed again, that is done in `scratch`.
    pub fn of_folder(
        folder: &GraphFolder,
        settings: &RankSettings,
        memory_bytes: u64,
        scratch: &Path,
    ) -> Result<Self, Error> {
        let filter = settings.filter();
        let view = folder.filtered(filter);
        let memory = RankMemory { bytes_max: memory_bytes };
        if fits(&view, settings, memory) {
            return Ok(Self::unpacked(&view, memory));
        }
        if filter == ArcFilter::default() {
            return Ok(Self::new(folder.graph().clone(), folder.transpose().clone(), memory, None));
        }
        let scratch = Scratch::beside_graph(scratch)?;
        let basename = scratch.folder.path().join("graph");
        write_bv(&view, &basename, &BvOptions::standard())?;
        Self::compressed(BvGraph::open(&basename)?, memory, scratch)
    }

    /// All arcs of a graph that is no collection's.
    pub fn of_graph(graph: BvGraph, settings: &RankSettings, memory_bytes: u64) -> Result<Self, Error> {
        let memory = RankMemory { bytes_max: memory_bytes };
        if fits(&graph, settings, memory) {
            return Ok(Self::unpacked(&graph, memory));
        }
        let scratch = tempfile::Builder::new().prefix("crivello-graph-").tempdir()?;
        Self::compressed(graph, memory, Scratch { folder: scratch, _lock: None })
    }

    fn unpacked(graph: &dyn LinkGraph, memory: RankMemory) -> Self {
        let lists = Csr::from_graph(graph);
        let transpose = lists.transpose();
        Self::new(lists, transpose, memory, None)
    }

    fn compressed(graph: BvGraph, memory: RankMemory, scratch: Scratch) -> Result<Self, Error> {
        let basename = scratch.folder.path().join("transpose");
        write_transpose(&graph, &basename, &BvOptions::standard(), memory.bytes_max as usize)?;
        Ok(Self::new(graph, BvGraph::open(&basename)?, memory, Some(scratch)))
    }

    fn new(
        graph: impl LinkGraph + 'static,
        transpose: impl LinkGraph + 'static,
        memory: RankMemory,
        scratch: Option<Scratch>,
    ) -> Self {
        Self { graph: Box::new(graph), transpose: Box::new(transpose), memory, _scratch: scratch }
    }

    /// Who links to whom.
    pub fn graph(&self) -> &dyn LinkGraph {
        &*self.graph
    }

    /// Who is linked by whom.
    pub fn transpose(&self) -> &dyn LinkGraph {
        &*self.transpose
    }

    /// The budget of whatever is computed on them.
    pub fn memory(&self) -> RankMemory {
        self.memory
    }
}

/// Whether both directions and the hungriest of the ranks fit into the budget.
fn fits(graph: &dyn LinkGraph, settings: &RankSettings, memory: RankMemory) -> bool {
    let (arcs, nodes) = (graph.arcs(), graph.nodes() as u64);
    let lists = 2 * (4 * arcs + 8 * nodes);
    lists + settings.hyperball(memory).bytes_per_node() * nodes <= memory.bytes_max
}
