//! A line for each request that was made, for whoever wants to check how polite a crawl was.
//!
//! ```text
//! begin (µs since 1970) <TAB> host <TAB> address <TAB> GET <TAB> path and query <TAB> status, 0 without an answer
//!   <TAB> bytes of the body <TAB> user agent <TAB> end (µs)
//! ```
//!
//! The columns are those of a server's log of accesses, as checkers of politeness read it, and one more. Moments are
//! measured by the steady clock, from the date at which the log was opened. Lines are appended when an answer has come, so
//! they are in the order of their ends; those of requests that a kill cut off are missing.

use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use page::{Fetched, Outcome, Timestamp};

use crate::Error;

/// The log. One writer, many threads.
#[derive(Debug)]
pub(crate) struct RequestLog {
    file: Mutex<LogFile>,
    opened: Instant,
    opened_us: u64,
    user_agent: String,
}

/// A file, and what it had no room for.
#[derive(Debug)]
struct LogFile {
    file: std::fs::File,
    waiting: Vec<u8>,
}

impl LogFile {
    /// Writes what waits; what has been written does not wait any more, also if the rest is refused.
    fn flush(&mut self) -> std::io::Result<()> {
        while !self.waiting.is_empty() {
            let written = self.file.write(&self.waiting)?;
            self.waiting.drain(..written);
        }
        Ok(())
    }
}

impl RequestLog {
    /// Opens a log to append to it.
    pub(crate) fn open(path: &Path, now: Timestamp, user_agent: &str) -> Result<Self, Error> {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        let file = file
            .map_err(|error| std::io::Error::new(error.kind(), format!("`{}`: {error}", path.display())))?;
        let (opened, opened_us) = (Instant::now(), now.0 * 1000);
        let file = LogFile { file, waiting: Vec::new() };
        Ok(Self { file: Mutex::new(file), opened, opened_us, user_agent: user_agent.to_owned() })
    }

    /// Adds a request that began and ended then. If it fails, the line is written with the next one, or by
    /// [`flush`](Self::flush).
    pub(crate) fn add(&self, fetched: &Fetched, began: Instant, ended: Instant) -> Result<(), Error> {
        let at = |moment: Instant| {
            self.opened_us + moment.saturating_duration_since(self.opened).as_micros() as u64
        };
        let (status, bytes) = match &fetched.outcome {
            Outcome::Response(response) => (response.status, response.raw_body.len()),
            Outcome::Failed(_) => (0, 0),
        };
        let address = fetched.address.map_or("-".to_owned(), |address| address.ip().to_string());
        let line = format!(
            "{}\t{}\t{address}\tGET\t{}\t{status}\t{bytes}\t{}\t{}\n",
            at(began),
            fetched.url.host(),
            fetched.url.path_and_query(),
            self.user_agent,
            at(ended),
        );
        let mut file = self.file.lock().expect("nobody panics with it");
        file.waiting.extend_from_slice(line.as_bytes());
        Ok(file.flush()?)
    }

    /// Writes what the disk had no room for.
    pub(crate) fn flush(&self) -> Result<(), Error> {
        Ok(self.file.lock().expect("nobody panics with it").flush()?)
    }
}
