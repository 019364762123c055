//! How do we compare? The yardsticks: each measures us beside a peer, in the same run on the same machine.
//!
//! Peers that are programs (wget, Python with igraph) are run if they are installed. Peers that are libraries of Rust are
//! compiled with the feature `peers` only, so that the product does not contain its rivals. A peer that is missing leaves
//! its place in the [`Row`] empty, with a hint how to get it.
//!
//! ```
//! use bench::Row;
//!
//! let row = Row::new("hit".into(), "ns", 2.0, "fastbloom", Ok(5.0), Some(0.5));
//! assert_eq!((row.ratio, row.holds), (Some(0.4), Some(true)));
//! let row = Row::new("hit".into(), "ns", 2.0, "fastbloom", Err("how to get it".into()), Some(0.5));
//! assert_eq!((row.peer, row.holds, row.hint.as_deref()), (None, None, Some("how to get it")));
//! ```
#![forbid(unsafe_code)]

mod build;
mod clock;
mod codec;
mod crawl;
mod dedup;
mod error;
mod filter;
mod frontier;
mod graph;
mod index;
mod peers;
mod plot;
mod process;
mod row;
mod search;
mod sieve;
mod tantivy;

use std::path::Path;

use serde::Serialize;

pub use self::build::BuildBench;
pub use self::codec::CodecBench;
pub use self::crawl::CrawlBench;
pub use self::dedup::DedupBench;
pub use self::error::Error;
pub use self::filter::FilterBench;
pub use self::frontier::FrontierBench;
pub use self::graph::{GraphBench, GraphBuilding};
pub use self::index::IndexBench;
pub use self::row::Row;
pub use self::search::{SearchBench, SearchPart};
pub use self::sieve::{OneSieve, SieveBench};

/// Something that is measured, with its settings.
pub trait Yardstick {
    /// Measures everything that belongs to it.
    fn measure(&self, surroundings: &Surroundings<'_>) -> Result<Vec<Row>, Error>;
}

/// What a yardstick is told beside its settings.
pub struct Surroundings<'a> {
    /// Our own program, which is run as a user would where a whole process is measured.
    pub program: &'a Path,
    /// Hears what is measured next.
    pub say: &'a dyn Fn(&str),
}

impl Surroundings<'_> {
    fn say(&self, text: &str) {
        (self.say)(text);
    }
}

/// All comparisons of one run, and where they were made.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The machine and its load when the run began.
    pub machine: String,
    /// The comparisons.
    pub rows: Vec<Row>,
}

/// Makes one run.
pub fn run(yardstick: &dyn Yardstick, surroundings: &Surroundings<'_>) -> Result<Report, Error> {
    Ok(Report { machine: process::machine(), rows: yardstick.measure(surroundings)? })
}
