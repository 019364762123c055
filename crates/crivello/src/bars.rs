//! Progress on standard error: a bar on a terminal, a line every ten seconds elsewhere, nothing if not wanted.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::thousands;

const LINE_EVERY: Duration = Duration::from_secs(10);

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Showing {
    /// A bar that moves.
    Bar,
    /// A line now and then.
    Lines,
    /// Nothing.
    Nothing,
}

impl Showing {
    /// What fits where standard error goes.
    pub fn new(quiet: bool) -> Self {
        match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => Self::Nothing,
            (false, true) => Self::Bar,
            (false, false) => Self::Lines,
        }
    }

    /// A sentence about what happens next.
    pub fn say(self, text: &str) {
        if self != Self::Nothing {
            eprintln!("{text}");
        }
    }
}

/// One long piece of work.
pub struct Bar {
    showing: Showing,
    bar: ProgressBar,
    name: &'static str,
    started: Instant,
    last_line: Instant,
}

impl Bar {
    /// Begins to show work on `total` items; 0 if nobody knows how many there are.
    pub fn new(showing: Showing, name: &'static str, total: u64) -> Self {
        let target =
            if showing == Showing::Bar { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target((total > 0).then_some(total), target);
        let template = if total > 0 {
            "{prefix:>9} {bar:30} {human_pos}/{human_len}  {per_sec}  {eta} left  {msg}"
        } else {
            "{prefix:>9} {spinner} {human_pos}  {per_sec}  {elapsed}  {msg}"
        };
        bar.set_style(ProgressStyle::with_template(template).expect("the templates are sound"));
        bar.set_prefix(name);
        let now = Instant::now();
        Self { showing, bar, name, started: now, last_line: now }
    }

    /// Shows how far the work has come.
    pub fn set(&mut self, position: u64, message: impl FnOnce() -> String) {
        match self.showing {
            Showing::Nothing => {}
            Showing::Bar => {
                self.bar.set_position(position);
                self.bar.set_message(message());
            }
            Showing::Lines if self.last_line.elapsed() >= LINE_EVERY => {
                self.last_line = Instant::now();
                let rate = position as f64 / self.started.elapsed().as_secs_f64();
                eprintln!("{}: {} ({rate:.0}/s) {}", self.name, self.of_total(position), message());
            }
            Showing::Lines => {}
        }
    }

    fn of_total(&self, position: u64) -> String {
        match self.bar.length() {
            Some(total) => format!("{} of {}", thousands(position), thousands(total)),
            None => thousands(position),
        }
    }

    /// The work is done.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }
}
