//! Who waits for a long computation wants to see that it moves.

/// Is told how far a computation is. Called from one thread at a time, some hundred times per pass over the graph at most.
pub trait Watcher: Sync {
    /// `done` of `total` steps of a stage are behind us. Where nobody can know the total, steps are passes over the graph.
    fn progress(&self, stage: &str, done: u64, total: Option<u64>);
}

/// Nobody looks.
impl Watcher for () {
    fn progress(&self, _: &str, _: u64, _: Option<u64>) {}
}
