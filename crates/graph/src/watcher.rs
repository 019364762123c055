//! Who waits for a long computation wants to see that it moves.

/// Is told how far a computation is. Called from one thread at a time, at most once per pass over the graph.
pub trait Watcher: Sync {
    /// `done` of `total` steps of a stage are behind us. The total is absent where nobody can know it.
    fn progress(&self, stage: &str, done: u64, total: Option<u64>);
}

/// Nobody looks.
impl Watcher for () {
    fn progress(&self, _: &str, _: u64, _: Option<u64>) {}
}
