//! Files and folders that cannot be read: told, counted, and no reason to lose everything else.
//!
//! What the user named and what cannot even be opened is a mistake of the command, and ends it; so does a work folder
//! that cannot be written. Everything else that is met is left out.

use crate::output::errln;

/// So many are named; the others are only counted.
const NAMED_MAX: u64 = 5;

/// What was left out so far.
#[derive(Debug, Default)]
pub struct LeftOut {
    count: u64,
    first: Option<input::Error>,
}

impl LeftOut {
    /// Tells and counts.
    pub fn add(&mut self, error: input::Error) {
        self.count += 1;
        match self.count {
            ..=NAMED_MAX => errln!("left out: {error}"),
            number if number == NAMED_MAX + 1 => errln!("more that cannot be read is only counted"),
            _ => {}
        }
        self.first.get_or_insert(error);
    }

    /// Says how many files and folders.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Gives the first of them, if it is all that there is to say.
    pub fn into_first(self) -> Option<input::Error> {
        self.first
    }
}
