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

pub use distances::{DistanceErrors, Distances, EXACT_NODES_MAX};
pub use exact::exact_distances;
pub use hyperball::{HyperBall, RegisterForm};
pub use neighbourhood::Neighbourhood;
pub use path::shortest_path;
