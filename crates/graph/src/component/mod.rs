//! What hangs together, and what the whole looks like.

mod scc;

pub use scc::Components;
