//! What follows from the pages? Everything that a collection holds beside them, made from them and nothing else.
//!
//! ```text
//!  store/ ══► documents/ ──► graph/ ──► dedup/ ──► index/ ──► latent/     made by this crate, each when it is out of date
//!                  └───────────┴──────────┴──────────┴──────────┴──► Snapshot: what `search` and `serve` open
//! ```
//!
//! `store/` is the truth: each part can be deleted, and is made again from it. A part says what it was made from
//! ([`Covered`]), so that what is out of date is known by looking at it.
//!
//! - [`bring_up_to_date`] makes whatever is out of date: [`documents`], [`graphs`], [`copies`], [`indexing`], [`spaces`]. [`Part`] says
//!   which is made from which.
//! - [`Snapshot`] opens them together, as searches want them, of one collection or of a [`Shelf`].
//! - [`import`] takes in pages that come from files.
//! - [`CollectionStats`] says in numbers what there is.
//!
//! Nobody here prints: whoever calls may pass a [`Watcher`].
#![forbid(unsafe_code)]

mod across;
pub mod anchors;
mod archived;
mod arrangement;
mod clicks;
pub mod copies;
mod covered;
pub mod documents;
mod editions;
mod error;
pub mod forget;
pub mod gone;
pub mod graphs;
pub mod import;
pub mod indexing;
mod judged;
mod known;
mod newer;
mod newest;
mod page_lines;
mod pages;
mod parts;
pub mod reading;
mod reread;
mod shelf;
mod shelf_pages;
mod short_texts;
mod site_names;
mod snapshot;
pub mod spaces;
mod stand_in;
mod standing;
mod statistics;
mod stored_links;
mod watcher;
mod weights_file;

pub use archived::ReadPage;
pub use clicks::{ClicksSummary, keep_clicks};
pub use covered::Covered;
pub use error::{ClicksError, Error};
pub use graphs::lag::Lag;
pub use judged::{DEPTH, Judged, JudgedRun, tune_weights};
pub use newest::Newest;
pub use page_lines::{LineCounts, PageLine, for_each_page_line, for_each_text};
pub use pages::for_each_page;
pub use parts::{BuildSettings, Built, Part, bring_up_to_date, make_index_anew};
pub use reread::{document_of, read_document};
pub use shelf::{Shelf, ShelfEntry, ShelfWatch};
pub use snapshot::{Snapshot, SnapshotSettings, SnapshotStamp};
pub use stand_in::stand_ins;
pub use statistics::{CollectionStats, CopyStats, GraphStats, Mirror, RoutingStats, SiteStats};
pub use stored_links::{for_each_arc, originals};
pub use watcher::{CopySteps, GraphSteps, Notice, Progress, Watcher, Work};
pub use weights_file::{read_synonyms, read_weights};
