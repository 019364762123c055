//! What is told while and after the work is done.

use std::collections::HashSet;

use crate::Unreadable;

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Documents are read and sketched; counted in documents.
    Sketching,
    /// Keys are sorted so that candidates stand side by side; counted in keys.
    Sorting,
    /// Candidates are verified; counted in pairs.
    Verifying,
}

/// Whoever wants to know how far the work is. Calls come from the thread that waits for the result.
pub trait Watcher: Sync {
    /// So much is done of so much; of 0 where the total is not known.
    fn progress(&self, stage: Stage, done: u64, total: u64) {
        let _ = (stage, done, total);
    }

    /// A document cannot be read and is taken as empty, be it when it is sketched or when it is compared.
    fn unreadable(&self, document: u32, why: &Unreadable) {
        let _ = (document, why);
    }
}

/// Nobody watches.
impl Watcher for () {}

/// What sketching met, over all documents of the work folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SketchReport {
    /// Documents with a sketch, whether made now or before.
    pub documents: u64,
    /// Those of them that were sketched by this call.
    pub new_documents: u64,
    /// Documents without a single shingle. They are copies of nothing.
    pub too_short: u64,
    /// Documents that could not be read. They are among those that are too short.
    pub unreadable: u64,
    /// Bytes of text.
    pub bytes_read: u64,
}

/// How much was done to tell copies from candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Checks {
    /// Pairs whose sketches were compared, or whose common keys were counted.
    pub candidates: u64,
    /// Pairs whose sets were compared.
    pub verified: u64,
    /// Pairs that turned out to be copies.
    pub copies: u64,
    /// Documents that were read when they were sketched and could not be read any more when they were to be compared.
    /// They were taken as copies of nothing but their equals.
    pub unreadable: u64,
    /// Pairs with a common key that were not compared because a bound on the work was reached, counted once for each
    /// band that they have in common. If this is 0, nothing was left out.
    pub left_out: u64,
}

impl std::ops::AddAssign for Checks {
    fn add_assign(&mut self, other: Self) {
        self.candidates += other.candidates;
        self.verified += other.verified;
        self.copies += other.copies;
        self.unreadable += other.unreadable;
        self.left_out += other.left_out;
    }
}

/// Tells each document that cannot be read any more once, however many pairs it is in.
pub(crate) struct UnreadableNow<'w> {
    watcher: &'w dyn Watcher,
    told: HashSet<u32>,
    count: u64,
}

impl<'w> UnreadableNow<'w> {
    /// Tells this watcher of each document once.
    pub fn new(watcher: &'w dyn Watcher) -> Self {
        Self { watcher, told: HashSet::new(), count: 0 }
    }

    /// Tells of a document, unless it was told.
    pub fn tell(&mut self, document: u32, why: &Unreadable) {
        if self.told.insert(document) {
            self.watcher.unreadable(document, why);
            self.count += 1;
        }
    }

    /// How many were told since the last call.
    pub fn take_count(&mut self) -> u64 {
        std::mem::take(&mut self.count)
    }
}

/// What looking for pairs met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PairsReport {
    /// Documents looked at.
    pub documents: u64,
    /// Documents that equal an earlier one, shingle for shingle.
    pub exact_copies: u64,
    /// Pairs that were shown.
    pub pairs: u64,
    /// The work, not counting exact copies.
    pub checks: Checks,
}
