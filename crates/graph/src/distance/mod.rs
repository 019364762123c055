//! How far is it from here to there, and who is near to many?

mod balls;
mod broadword;
mod calibration;
mod counter;
mod distances;
mod exact;
mod hyperball;
mod jackknife;
mod many_sources;
mod measured;
mod neighbourhood;
mod path;

use crate::{LinkGraph, Watcher};
pub use distances::{DistanceErrors, Distances};
pub use exact::exact_distances;
pub use hyperball::{HyperBall, RegisterForm};
pub use neighbourhood::Neighbourhood;
pub use path::shortest_path;

/// Up to so many nodes distances are exact.
pub const EXACT_NODES_MAX: usize = 20_000;

impl Distances {
    /// Exact for small graphs, estimated for others.
    pub fn of(
        graph: &dyn LinkGraph,
        transpose: &dyn LinkGraph,
        estimate: &HyperBall,
        watcher: &dyn Watcher,
    ) -> Self {
        if graph.nodes() <= EXACT_NODES_MAX {
            exact_distances(graph, estimate.threads, watcher)
        } else {
            estimate.with_transpose(graph, transpose, watcher)
        }
    }
}
