//! Who waits for a build wants to see that it moves, and what it met.

use std::fmt::Display;
use std::path::Path;

use dedup::{Stage, Unreadable};

/// What a build is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Work {
    /// Pages are read and understood.
    Reading,
    /// Links are counted and taken into the graph.
    Links,
    /// The graph is compressed and weighed.
    Graph,
    /// Texts are sketched.
    Sketching,
    /// Keys of sketches are sorted.
    Sorting,
    /// Candidates are compared.
    Comparing,
    /// Words are inverted.
    Indexing,
    /// Words and documents get their places in a latent space.
    Space,
    /// Files become pages.
    Importing,
}

/// How far a piece of work is.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// What is being done.
    pub work: Work,
    /// Steps that are behind us.
    pub done: u64,
    /// Steps in all; `None` where nobody can know.
    pub total: Option<u64>,
    /// What people count: pages, documents, pairs.
    pub counted: u64,
    /// What exactly is being done, if there is a word for it.
    pub detail: &'a str,
}

/// Something that is worth a sentence.
#[derive(Clone, Copy)]
pub enum Notice<'a> {
    /// A part is made anew although nothing new came.
    MadeAnew {
        /// The part.
        what: &'a str,
        /// What was wrong with it.
        why: &'a dyn Display,
    },
    /// A page or a file cannot be read. It is counted, and the work goes on.
    Unreadable {
        /// Its address or path.
        what: &'a str,
        /// Why it cannot be read.
        why: &'a dyn Display,
    },
    /// Something cannot be read, and says so itself. It is counted, and the work goes on.
    Failed(&'a crate::Error),
    /// Sketches by masks are weak estimates for short texts.
    ShortTexts {
        /// Texts with fewer shingles than masks.
        short: u64,
        /// Texts in all.
        documents: u64,
        /// How many masks a sketch has.
        slots: usize,
    },
    /// Links do not count in searches, because the ranks are damaged.
    NoRanks {
        /// What is wrong with them.
        why: &'a graph::Error,
        /// The collection's folder.
        dir: &'a Path,
    },
}

/// Is told how far a build is. Called by one thread at a time.
pub trait Watcher: Sync {
    /// The work has come this far.
    fn progress(&self, progress: Progress<'_>) {
        let _ = progress;
    }

    /// A step is done, and what it took is free: a good moment to give memory back to the system. Allocators keep what threads
    /// freed that are no more, and the next step would have that beside its budget.
    fn memory_is_free(&self) {}

    /// This was met.
    fn tell(&self, notice: Notice<'_>) {
        let _ = notice;
    }
}

/// Nobody looks.
impl Watcher for () {}

/// Shows a computation on a graph to whoever watches the build.
pub struct GraphSteps<'w>(pub &'w dyn Watcher);

impl graph::Watcher for GraphSteps<'_> {
    fn progress(&self, stage: &str, done: u64, total: Option<u64>) {
        self.0.progress(Progress { work: Work::Graph, done, total, counted: done, detail: stage });
    }
}

/// Shows the search for copies to whoever watches the build.
pub struct CopySteps<'w> {
    /// Who is shown.
    pub watcher: &'w dyn Watcher,
    /// Says what a document is called.
    pub name: &'w (dyn Fn(u32) -> String + Sync),
}

impl dedup::Watcher for CopySteps<'_> {
    fn progress(&self, stage: Stage, done: u64, total: u64) {
        let work = match stage {
            Stage::Sketching => Work::Sketching,
            Stage::Sorting => Work::Sorting,
            Stage::Verifying => Work::Comparing,
        };
        let total = (total > 0).then_some(total);
        self.watcher.progress(Progress { work, done, total, counted: done, detail: "" });
    }

    fn unreadable(&self, document: u32, why: &Unreadable) {
        self.watcher.tell(Notice::Unreadable { what: &(self.name)(document), why });
    }
}
