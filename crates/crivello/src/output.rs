//! How results, errors and logs are shown. Standard output is data that can be piped; everything else is standard
//! error. Text that others wrote goes through [`terminal`].

mod surroundings;
mod terminal;

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

pub use page::{counted, thousands};
use tracing_subscriber::EnvFilter;

pub use self::surroundings::{may_move, may_paint};
pub use self::terminal::{for_terminal, is_steering, json_for_terminal, one_line};
use crate::hints::hint_for;
pub use crate::hints::hinted;

/// How a command ended, if it could run at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Everything was done.
    Done,
    /// It was done, but something failed and was counted.
    SomethingFailed,
}

impl Ending {
    /// Says that all was done, unless there were failures.
    pub fn from_failures(count: u64) -> Self {
        if count == 0 { Self::Done } else { Self::SomethingFailed }
    }
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> Self {
        ExitCode::from(ending as u8)
    }
}

/// Logs go to standard error: warnings always, more on request.
pub fn start_logging(verbose: u8) {
    let level = match verbose {
        0 => "warn",
        1 => "info",
        _ => "debug",
    };
    let filter = EnvFilter::try_from_env("CRIVELLO_LOG").unwrap_or_else(|_| EnvFilter::new(level));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(may_paint(&io::stderr()))
        .with_target(false)
        .log_internal_errors(false)
        .init();
}

/// Shows what went wrong, and the next step; `dir` is the folder that the command was given. Returns the exit code.
pub fn show_error(error: &anyhow::Error, dir: Option<&Path>) -> ExitCode {
    if is_broken_pipe(error) {
        return ExitCode::SUCCESS;
    }
    errln!("error: {}", error_text(error, dir));
    ExitCode::from(2)
}

/// Tells what went wrong in one line and, where there is one, the next step in another.
pub fn error_text(error: &anyhow::Error, dir: Option<&Path>) -> String {
    let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
    let mut text = causes[0].clone();
    for (outer, inner) in causes.iter().zip(&causes[1..]) {
        // Errors that pass a cause on as it is would say everything twice.
        if !outer.contains(inner.as_str()) {
            text = format!("{text}: {inner}");
        }
    }
    if let Some(hint) = hint_for(error, dir) {
        text = format!("{text}\nhint: {hint}");
    }
    text
}

/// Recognises that whoever reads our output has enough: `crivello export … | head`.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let is_pipe = |kind: io::ErrorKind| kind == io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| {
        let of_system = cause.downcast_ref::<io::Error>().is_some_and(|error| is_pipe(error.kind()));
        let of_json = cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
        of_system || of_json.is_some_and(is_pipe)
    })
}

/// Prints a line of results. When nobody reads any more (`crivello search … | head`) there is nothing left to do.
pub fn print_line(line: std::fmt::Arguments<'_>) {
    write_line(&for_terminal(&line.to_string()));
}

/// Prints a line of which some parts are marked: in bold on a terminal, between asterisks elsewhere.
pub fn print_marked_line<'a>(parts: impl Iterator<Item = (&'a str, bool)>) {
    let (begin, end) = if may_paint(&io::stdout()) { ("\x1b[1m", "\x1b[0m") } else { ("*", "*") };
    let mut line = String::new();
    for (text, is_marked) in parts {
        let text = for_terminal(text);
        if is_marked {
            line.extend([begin, &text, end]);
        } else {
            line.push_str(&text);
        }
    }
    write_line(&line);
}

fn write_line(line: &str) {
    if let Err(error) = writeln!(io::stdout().lock(), "{line}") {
        if error.kind() != io::ErrorKind::BrokenPipe {
            errln!("error: cannot write the results: {error}");
            std::process::exit(2);
        }
        std::process::exit(0);
    }
}

/// Like `println!`, but neither a reader that went away nor a full disk is a panic.
macro_rules! outln {
    ($($text:tt)*) => { $crate::output::print_line(format_args!($($text)*)) };
}
pub(crate) use outln;

/// Prints a line to standard error. Nobody is left to tell that it cannot be written, and the work goes on without it.
pub fn print_error_line(line: std::fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr().lock(), "{}", for_terminal(&line.to_string()));
}

/// Like `eprintln!`, but a reader that went away is no panic.
macro_rules! errln {
    ($($text:tt)*) => { $crate::output::print_error_line(format_args!($($text)*)) };
}
pub(crate) use errln;

/// Prints one JSON object.
pub fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(value)?;
    writeln!(io::stdout().lock(), "{}", json_for_terminal(&text))?;
    Ok(())
}

/// A file that is opened before a long computation, so that nobody hears at its end that it cannot be written, and keeps
/// what it held until there is something to write.
pub struct LateFile {
    file: File,
    is_cleared: bool,
}

impl LateFile {
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::options().write(true).create(true).truncate(false).open(path)?;
        Ok(Self { file, is_cleared: false })
    }

    fn clear(&mut self) -> io::Result<()> {
        if !self.is_cleared && self.file.metadata()?.is_file() {
            self.file.set_len(0)?;
        }
        self.is_cleared = true;
        Ok(())
    }
}

impl Write for LateFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.clear()?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.clear()?;
        self.file.flush()
    }
}
