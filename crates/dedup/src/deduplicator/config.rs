//! What is a copy, and how copies are looked for.

use std::thread;

use crate::minhash::{SLOTS, Scheme};
use crate::{Error, Execution, Shingling, TextOptions};

/// All settings of a [`Deduplicator`](crate::Deduplicator).
#[derive(Debug, Clone, PartialEq)]
pub struct DedupConfig {
    /// What texts are cut into.
    pub shingling: Shingling,
    /// What is left out of texts before.
    pub text: TextOptions,
    /// How sketches are made.
    pub scheme: Scheme,
    /// The slots of a sketch.
    pub slots: usize,
    /// What the sketches' randomness grows from.
    pub seed: u64,
    /// Two documents are copies when their similarity is at least this, from 0 to 1.
    pub threshold: f64,
    /// How pairs that may be copies are found.
    pub clustering: Clustering,
    /// How it is decided whether they are.
    pub verification: Verification,
    /// On how many threads, and how they share the work. The results do not depend on it.
    pub execution: Execution,
    /// Memory for sorting and for sets of shingles that are at hand. The results do not depend on it, unless a bound on
    /// the work is reached, which [`Checks::left_out`](crate::Checks::left_out) tells.
    ///
    /// Beside it there are about twelve bytes per document, and whatever single documents need.
    pub memory_bytes: u64,
}

impl Default for DedupConfig {
    fn default() -> Self {
        Self {
            shingling: Shingling::Words(5),
            text: TextOptions::default(),
            scheme: Scheme::FastSimilarity,
            slots: SLOTS,
            seed: 1,
            threshold: 0.8,
            clustering: Clustering::Banded,
            verification: Verification::Exact,
            execution: Execution::Threads(thread::available_parallelism().map_or(1, usize::from)),
            memory_bytes: 512 << 20,
        }
    }
}

impl DedupConfig {
    /// Refuses what cannot be meant.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let refuse = |why: String| Err(Error::Settings(why));
        if !(0.0..=1.0).contains(&self.threshold) {
            return refuse(format!("a threshold of {} is not between 0 and 1", self.threshold));
        }
        if self.slots == 0 || self.slots > SLOTS_MAX {
            return refuse(format!("a sketch has 1 to {SLOTS_MAX} slots, not {}", self.slots));
        }
        if let Clustering::Features { groups, size } = self.clustering
            && (size == 0 || groups < 2 || groups.saturating_mul(size) > self.slots)
        {
            return refuse(format!(
                "{groups} features of {size} slots each cannot be made of {} slots: at least two features are needed",
                self.slots
            ));
        }
        Ok(())
    }
}

/// The most slots of a sketch. Each may become a file of its own, and open files are few.
pub const SLOTS_MAX: usize = 512;

/// How pairs that may be copies are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Clustering {
    /// Sketches are cut into bands; documents that agree in a band are candidates. See [`banding`](crate::banding).
    #[default]
    Banded,
    /// As in the MinHash report: all pairs (signature, document) are sorted, and common signatures counted.
    SortedPairs,
    /// As in the MinHash report, 1.4: so many features of so many slots each; two in common make a candidate.
    Features {
        /// The number of features.
        groups: usize,
        /// The slots of each.
        size: usize,
    },
    /// No sketch decides: all pairs are found, exactly. The sets of all documents are held in memory, eight bytes per
    /// shingle, whatever the budget.
    Exhaustive,
}

/// How it is decided whether a candidate is a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Verification {
    /// Both documents are read again, and the similarity of their sets computed.
    #[default]
    Exact,
    /// By their sketches alone.
    Estimate,
}
