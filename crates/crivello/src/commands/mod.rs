//! One file per subcommand.

pub mod bench;
pub mod build;
pub mod crawl;
pub mod dedup;
pub mod demo;
pub mod eval;
pub mod export;
pub mod forget;
pub mod graph;
pub mod import;
pub mod inspect;
pub mod lab;
pub mod manual;
pub mod related;
pub mod run;
pub mod search;
pub mod serve;
pub mod stats;
pub mod tune;
pub mod why;

use crate::bars::Showing;

/// What every command is told beside its own options.
#[derive(Debug, Clone, Copy)]
pub struct Context {
    /// Print one JSON object.
    pub json: bool,
    /// How to show progress.
    pub showing: Showing,
}
