//! Shows how far a computation on a graph is.

use std::sync::Mutex;

use graph::Watcher;

use crate::bars::{Bar, Showing};

/// Watches one computation after the other.
pub struct GraphWatch {
    showing: Showing,
    bar: Mutex<Option<(String, Bar)>>,
}

impl GraphWatch {
    /// Nothing is shown until something is computed.
    pub fn new(showing: Showing) -> Self {
        Self { showing, bar: Mutex::default() }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some((_, bar)) = self.bar.lock().expect("nobody panics with it").take() {
            bar.finish();
        }
    }
}

impl Watcher for GraphWatch {
    fn progress(&self, stage: &str, done: u64, total: Option<u64>) {
        let mut bar = self.bar.lock().expect("nobody panics with it");
        if bar.as_ref().is_none_or(|(shown, _)| shown != stage) {
            if let Some((_, before)) = bar.take() {
                before.finish();
            }
            let noun = if total.is_none() { "pass" } else { "step" };
            let new = Bar::new(self.showing, "graph", total.unwrap_or(0)).counting(noun);
            *bar = Some((stage.to_owned(), new));
        }
        if let Some((stage, bar)) = bar.as_mut() {
            bar.set(done, done, || stage.clone());
        }
    }
}
