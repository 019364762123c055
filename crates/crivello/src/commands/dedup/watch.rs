//! Shows how far the search for copies is, and tells of documents that cannot be read.

use std::sync::Mutex;

use dedup::{Stage, Unreadable, Watcher};

use crate::bars::{Bar, Showing};
use crate::output::errln;

/// So many documents that cannot be read are named; the others are only counted.
const NAMED_MAX: u64 = 5;

/// Watches one run.
pub struct DedupWatch<'n> {
    showing: Showing,
    /// Where a document stands, for the message.
    place: Box<dyn Fn(u32) -> String + Sync + 'n>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    bar: Option<(Stage, Bar)>,
    unreadable: u64,
}

impl<'n> DedupWatch<'n> {
    /// A watch that names documents by `place`.
    pub fn new(showing: Showing, place: impl Fn(u32) -> String + Sync + 'n) -> Self {
        Self { showing, place: Box::new(place), state: Mutex::default() }
    }

    /// How many documents could not be read.
    pub fn unreadable_documents(&self) -> u64 {
        self.state.lock().expect("nobody panics with it").unreadable
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some((_, bar)) = self.state.lock().expect("nobody panics with it").bar.take() {
            bar.finish();
        }
    }
}

impl Watcher for DedupWatch<'_> {
    fn progress(&self, stage: Stage, done: u64, total: u64) {
        let mut state = self.state.lock().expect("nobody panics with it");
        if state.bar.as_ref().is_none_or(|(shown, _)| *shown != stage) {
            if let Some((_, bar)) = state.bar.take() {
                bar.finish();
            }
            let (name, noun) = match stage {
                Stage::Sketching => ("sketching", "document"),
                Stage::Sorting => ("sorting", "key"),
                Stage::Verifying => ("comparing", "pair"),
            };
            state.bar = Some((stage, Bar::new(self.showing, name, total).counting(noun)));
        }
        if let Some((_, bar)) = &mut state.bar {
            bar.set(done, done, String::new);
        }
    }

    fn unreadable(&self, document: u32, why: &Unreadable) {
        let mut state = self.state.lock().expect("nobody panics with it");
        state.unreadable += 1;
        match state.unreadable {
            ..=NAMED_MAX => errln!("{}: {why}", (self.place)(document)),
            number if number == NAMED_MAX + 1 => {
                errln!("more documents that cannot be read are only counted")
            }
            _ => {}
        }
    }
}
