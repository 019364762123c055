//! Shows how far a build is, and tells what it met.

use std::sync::Mutex;

use build::{Notice, Progress, Watcher, Work};

use crate::bars::{Bar, Showing};
use crate::hints::with_dir;
use crate::output::errln;
use crate::process;

/// So many pages or documents that cannot be read are named; the others are only counted.
const NAMED_MAX: u64 = 20;

/// Watches one build.
pub struct BuildWatch {
    showing: Showing,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    shown: Option<ShownWork>,
    unreadable: u64,
}

/// The work that has a bar now.
struct ShownWork {
    work: Work,
    detail: String,
    bar: Bar,
}

impl BuildWatch {
    /// Begins to watch; nothing is shown until something is done.
    pub fn new(showing: Showing) -> Self {
        Self { showing, state: Mutex::default() }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(shown) = self.state().shown.take() {
            shown.bar.finish();
        }
    }

    /// Says how much could not be read.
    pub fn unreadable(&self) -> u64 {
        self.state().unreadable
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics with it")
    }

    fn name_unreadable(&self, text: std::fmt::Arguments<'_>) {
        let mut state = self.state();
        state.unreadable += 1;
        match state.unreadable {
            ..=NAMED_MAX => errln!("{text}"),
            number if number == NAMED_MAX + 1 => errln!("more that cannot be read is only counted"),
            _ => {}
        }
    }
}

impl Watcher for BuildWatch {
    fn progress(&self, progress: Progress<'_>) {
        let Progress { work, done, total, counted, detail } = progress;
        let mut state = self.state();
        if state.shown.as_ref().is_none_or(|shown| (shown.work, shown.detail.as_str()) != (work, detail)) {
            if let Some(before) = state.shown.take() {
                before.bar.finish();
            }
            let (name, noun) = words(work, total.is_some());
            let bar = Bar::new(self.showing, name, total.unwrap_or(0)).counting(noun);
            state.shown = Some(ShownWork { work, detail: detail.to_owned(), bar });
        }
        if let Some(ShownWork { detail, bar, .. }) = state.shown.as_mut() {
            bar.set(done, counted, || detail.clone());
        }
    }

    fn memory_is_free(&self) {
        process::give_memory_back();
    }

    fn tell(&self, notice: Notice<'_>) {
        match notice {
            Notice::MadeAnew { what, why } => self.showing.say(&format!("{why}; {what} made anew")),
            Notice::Unreadable { what, why } => self.name_unreadable(format_args!("{what}: {why}")),
            Notice::Failed(error) => self.name_unreadable(format_args!("{error}")),
            Notice::NoRanks { why, dir } => {
                errln!("warning: links do not count, because the ranks cannot be read: {why}");
                if let Some(hint) = why.hint() {
                    errln!("hint: {}", with_dir(hint, dir));
                }
            }
            Notice::ShortTexts { short, documents, slots } => errln!(
                "warning: {short} of {documents} texts have fewer than {slots} shingles: there the estimates of this \
                 scheme are weak; --scheme fast-similarity or --exact is better"
            ),
        }
    }
}

/// Names a bar, and what it counts.
fn words(work: Work, is_bounded: bool) -> (&'static str, &'static str) {
    match work {
        Work::Reading => ("reading", "page"),
        Work::Links => ("links", "page"),
        Work::Graph if is_bounded => ("graph", "step"),
        Work::Graph => ("graph", "pass"),
        Work::Sketching => ("sketching", "document"),
        Work::Sorting => ("sorting", "key"),
        Work::Comparing => ("comparing", "pair"),
        Work::Indexing => ("indexing", "page"),
        Work::Space => ("meanings", "page"),
        Work::Importing => ("importing", "page"),
    }
}
