//! What hangs together, and what the whole looks like.

mod bow_tie;
mod scc;

pub use bow_tie::{BowTie, BowTiePart};
pub use scc::Components;
