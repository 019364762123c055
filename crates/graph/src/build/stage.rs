//! How far a stage of a build is, told now and then.

use crate::Watcher;

/// So often is told how far a stage is.
const TELLS: u64 = 200;

/// One pass over keys, links or nodes.
pub(super) struct Stage<'a> {
    watcher: &'a dyn Watcher,
    name: &'static str,
    total: u64,
    tell_at: u64,
}

impl<'a> Stage<'a> {
    pub(super) fn new(watcher: &'a dyn Watcher, name: &'static str, total: u64) -> Self {
        let mut stage = Self { watcher, name, total, tell_at: 0 };
        stage.at(0);
        stage
    }

    /// So many steps are behind us.
    #[inline]
    pub(super) fn at(&mut self, done: u64) {
        if done >= self.tell_at {
            self.watcher.progress(self.name, done, Some(self.total));
            self.tell_at = done + self.total / TELLS + 1;
        }
    }
}
