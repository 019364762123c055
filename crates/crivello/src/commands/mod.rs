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

use page::PageUrl;
use serde::Serialize;

use crate::bars::Showing;
use crate::output::{hinted, print_json};

/// What every command is told beside its own options.
#[derive(Debug, Clone, Copy)]
pub struct Context {
    /// Print one JSON object.
    pub json: bool,
    /// How to show progress.
    pub showing: Showing,
}

impl Context {
    /// Prints what came of a command: as JSON if that is wanted, or in words.
    fn print(self, value: &impl Serialize, in_words: impl FnOnce()) -> anyhow::Result<()> {
        if self.json {
            return print_json(value);
        }
        in_words();
        Ok(())
    }
}

/// Reads the address of a page that a command was given.
fn address_of(text: &str) -> anyhow::Result<PageUrl> {
    PageUrl::parse(text).map_err(|error| {
        hinted(format!("`{text}` is no address: {error}"), "give it whole, with http:// or https://")
    })
}
