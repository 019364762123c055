//! Files and folders that cannot be read: told, counted, and no reason to lose everything else.
//!
//! What the user named and what cannot even be opened is a mistake of the command, and ends it; so does a work folder
//! that cannot be written. Everything else that is met is left out.

use std::io;
use std::path::Path;

use crate::output::errln;

/// So many are named; the others are only counted.
const NAMED_MAX: u64 = 5;

/// Why the documents of a file are not there.
#[derive(Debug)]
pub enum SourceError {
    /// The file cannot be opened.
    NotOpened(anyhow::Error),
    /// What is in it is not what its name says.
    Broken(anyhow::Error),
    /// The work folder cannot be written: nothing to do with the file.
    Work(anyhow::Error),
}

impl SourceError {
    /// The work folder cannot be written.
    pub fn work(path: &Path, error: io::Error) -> Self {
        Self::Work(anyhow::Error::from(error).context(path.display().to_string()))
    }
}

/// What was left out so far.
#[derive(Debug, Default)]
pub struct LeftOut {
    count: u64,
    first: Option<anyhow::Error>,
}

impl LeftOut {
    /// Tells and counts.
    pub fn add(&mut self, error: anyhow::Error) {
        self.count += 1;
        match self.count {
            ..=NAMED_MAX => errln!("left out: {error}"),
            number if number == NAMED_MAX + 1 => errln!("more that cannot be read is only counted"),
            _ => {}
        }
        self.first.get_or_insert(error);
    }

    /// Files and folders.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The first of them, if it is all that there is to say.
    pub fn into_first(self) -> Option<anyhow::Error> {
        self.first
    }
}
