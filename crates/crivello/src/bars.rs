//! Progress on standard error: a bar on a terminal, a line every ten seconds elsewhere, nothing if not wanted.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::{errln, one_line, thousands};

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
            errln!("{text}");
        }
    }
}

/// One long piece of work.
pub struct Bar {
    showing: Showing,
    bar: ProgressBar,
    name: &'static str,
    noun: &'static str,
    rate: Rate,
    last_line: Instant,
}

impl Bar {
    /// Begins to show work of `total` steps; 0 if nobody knows how many there are.
    pub fn new(showing: Showing, name: &'static str, total: u64) -> Self {
        let target =
            if showing == Showing::Bar { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target((total > 0).then_some(total), target);
        let template = if total > 0 {
            "{prefix:>9} {bar:30} {percent:>3} %  {eta} left  {msg}"
        } else {
            "{prefix:>9} {spinner} {elapsed}  {msg}"
        };
        bar.set_style(ProgressStyle::with_template(template).expect("the templates are sound"));
        bar.set_prefix(name);
        Self { showing, bar, name, noun: "pages", rate: Rate::new(), last_line: Instant::now() }
    }

    /// What is counted, when it is not pages.
    pub fn counting(mut self, noun: &'static str) -> Self {
        self.noun = noun;
        self
    }

    /// Shows how far the work has come: in steps, and in pages, or whatever people count.
    pub fn set(&mut self, step: u64, pages: u64, message: impl FnOnce() -> String) {
        let per_second = self.rate.update(pages);
        let text = || format!("{} {}, {per_second:.0}/s  {}", thousands(pages), self.noun, message());
        match self.showing {
            Showing::Nothing => {}
            Showing::Bar => {
                self.bar.set_position(step);
                self.bar.set_message(one_line(&text()).into_owned());
            }
            Showing::Lines if self.last_line.elapsed() >= LINE_EVERY => {
                self.last_line = Instant::now();
                let percent =
                    self.bar.length().map_or(String::new(), |total| format!("{} %, ", step * 100 / total));
                errln!("{}: {percent}{}", self.name, text());
            }
            Showing::Lines => {}
        }
    }

    /// The work is done.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// Pages per second over the last second or two: what happens now, not what happened on average.
struct Rate {
    since: Instant,
    pages: u64,
    per_second: f64,
}

impl Rate {
    fn new() -> Self {
        Self { since: Instant::now(), pages: 0, per_second: 0.0 }
    }

    fn update(&mut self, pages: u64) -> f64 {
        let seconds = self.since.elapsed().as_secs_f64();
        if seconds >= 1.0 {
            self.per_second = pages.saturating_sub(self.pages) as f64 / seconds;
            *self = Self { since: Instant::now(), pages, per_second: self.per_second };
        }
        self.per_second
    }
}
