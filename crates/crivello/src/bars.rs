//! Progress on standard error: a bar on a terminal, a line every ten seconds elsewhere, nothing if not wanted.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::{counted, errln, may_move, one_line};

const LINE_EVERY: Duration = Duration::from_secs(10);

/// What does not fit a terminal's width is cut off, by columns.
const TEMPLATE: &str = "{prefix:>9} {wide_msg}";
const BAR_COLUMNS: u64 = 20;

/// Where a terminal is narrower, numbers and reasons matter more than a drawing, and then than a guess.
const WIDTH_FOR_BAR: u16 = 120;
const WIDTH_FOR_GUESS: u16 = 72;

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
    /// Chooses what fits where standard error goes.
    pub fn new(quiet: bool, is_logging: bool) -> Self {
        match (quiet, may_move(&std::io::stderr())) {
            (true, _) => Self::Nothing,
            // A bar and a log would write over each other.
            (false, true) if !is_logging => Self::Bar,
            (false, _) => Self::Lines,
        }
    }

    /// Prints a sentence about what happens next.
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
    /// How many columns its terminal has now.
    width: fn() -> u16,
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
        let width = || console::Term::stderr().size().1;
        Self { width, ..Self::on(target, showing, name, total) }
    }

    fn on(target: ProgressDrawTarget, showing: Showing, name: &'static str, total: u64) -> Self {
        let bar = ProgressBar::with_draw_target((total > 0).then_some(total), target);
        bar.set_style(ProgressStyle::with_template(TEMPLATE).expect("the template is sound"));
        bar.set_prefix(name);
        let (rate, last_line) = (Rate::new(), Instant::now());
        Self { showing, bar, width: || WIDTH_FOR_BAR, name, noun: "page", rate, last_line }
    }

    /// Says what is counted, when it is not pages.
    pub fn counting(mut self, noun: &'static str) -> Self {
        self.noun = noun;
        self
    }

    /// Shows how far the work has come: in steps, and in pages, or whatever people count.
    pub fn set(&mut self, step: u64, pages: u64, message: impl FnOnce() -> String) {
        let per_second = self.rate.update(pages);
        let text = || format!("{}, {per_second:.0}/s  {}", counted(pages, self.noun), message());
        match self.showing {
            Showing::Nothing => {}
            Showing::Bar => {
                self.bar.set_position(step);
                let how_far = self.how_far(step, (self.width)());
                self.bar.set_message(one_line(&format!("{how_far}  {}", text())).into_owned());
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

    /// Tells what comes before the numbers: how much of the work is done, or for how long it goes on.
    fn how_far(&self, step: u64, width: u16) -> String {
        let Some(total) = self.bar.length() else {
            return format!("{:#}", HumanDuration(self.bar.elapsed()));
        };
        let percent = format!("{:>3} %", step.min(total) * 100 / total.max(1));
        if width < WIDTH_FOR_GUESS {
            return percent;
        }
        let told = format!("{percent}  {:#} left", HumanDuration(self.bar.eta()));
        if width < WIDTH_FOR_BAR {
            return told;
        }
        let done = (step.min(total) * BAR_COLUMNS / total.max(1)) as usize;
        let (full, empty) = ("█".repeat(done), "░".repeat(BAR_COLUMNS as usize - done));
        format!("{full}{empty} {told}")
    }

    /// Takes the bar away, as the work is done.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// Leaves out the middle of a name that is long, since a line of progress is short.
pub fn shortened(name: &str) -> Cow<'_, str> {
    const CHARS_MAX: usize = 32;
    let count = name.chars().count();
    if count <= CHARS_MAX {
        return name.into();
    }
    let end = name.chars().skip(count - CHARS_MAX / 2);
    name.chars().take(CHARS_MAX / 2 - 1).chain(['…']).chain(end).collect::<String>().into()
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

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use indicatif::TermLike;

    use super::*;

    /// A terminal of 40 columns that keeps what it is shown.
    #[derive(Debug, Clone, Default)]
    struct Narrow(Arc<Mutex<String>>);

    impl TermLike for Narrow {
        fn width(&self) -> u16 {
            40
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write_str(text)
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }
        fn clear_line(&self) -> io::Result<()> {
            self.write_str("\n")
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_of_progress_fits_its_terminal_by_columns() {
        for total in [0, 1000] {
            let terminal = Narrow::default();
            let target = ProgressDrawTarget::term_like(Box::new(terminal.clone()));
            let mut bar = Bar::on(target, Showing::Bar, "crawling", total);
            bar.set(500, 500, || "海港".repeat(40));
            bar.bar.tick();
            let shown = terminal.0.lock().unwrap().clone();
            let columns =
                |line: &str| line.chars().map(|c| if c < '\u{2e80}' { 1 } else { 2 }).sum::<usize>();
            let widest = shown.lines().map(|line| columns(line.trim_end())).max().unwrap();
            assert!((30..=40).contains(&widest), "{widest} columns: {shown:?}");
            assert_eq!(shown.contains("50 %"), total > 0, "{shown:?}");
        }
    }

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(shortened("docs.example.org"), "docs.example.org");
        let long = "a-host-with-a-very-long-name.docs.example.org";
        assert_eq!(shortened(long), "a-host-with-a-v…docs.example.org");
    }

    #[test]
    fn on_a_narrow_terminal_the_drawing_gives_way_to_what_is_told() {
        let bar = Bar::on(ProgressDrawTarget::hidden(), Showing::Bar, "crawling", 1000);
        let columns = |width| bar.how_far(500, width).chars().count();
        assert_eq!(bar.how_far(500, 60), " 50 %");
        assert!(bar.how_far(500, 80).starts_with(" 50 %  ") && columns(80) < 20);
        assert_eq!(columns(120), columns(80) + 1 + BAR_COLUMNS as usize);
    }
}
