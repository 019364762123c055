//! How good are the ten? Judged collections, the measures that the field compares systems by, and tests of differences.
//!
//! A judged collection has questions ([`Questions`]) and says which documents answer them ([`Judgements`]). What a system
//! finds for the questions is a [`Run`]. [`Scores`] measure it as trec_eval does, [`Comparison`] says whether one run is
//! better than another or whether that is luck, and [`tune`] finds the weights by which a system is best.
//!
//! ```
//! use eval::{Judgements, Run, Scores};
//!
//! let judgements = Judgements::parse("q1\tromeo\t1\nq1\tjuliet\t1\n")?;
//! let run = Run::parse("q1 Q0 romeo 1 9.5 mine\nq1 Q0 tybalt 2 7.1 mine\nq1 Q0 juliet 3 2.0 mine\n")?;
//! let scores = Scores::of(&run, &judgements);
//! assert_eq!((scores.queries.len(), scores.mean().map), (1, (1.0 + 2.0 / 3.0) / 2.0));
//! # Ok::<(), eval::Error>(())
//! ```
//!
//! Nothing here knows how documents are searched: a run comes from a file, or from whoever ranks.
#![forbid(unsafe_code)]

mod ascent;
mod compare;
mod error;
mod judgements;
mod lines;
mod measures;
mod names;
mod questions;
mod run;
mod tuned;
mod tuning;

pub use ascent::{Dial, GAIN_LEAST, ascend};
pub use compare::{Comparison, Difference};
pub use error::Error;
pub use judgements::Judgements;
pub use measures::{Measures, Rise, Scores};
pub use names::Names;
pub use questions::Questions;
pub use run::{Ranked, Run};
pub use tuned::{Gain, Tuned, TunedCollection};
pub use tuning::{Folds, Measure, TuningSettings, tune};
