//! The characters of a page, given to the tokenizer so that its stack stays flat and its work ends.
//!
//! html5gum calls from state to state where that is faster than going back to its loop, and one ring of these calls is
//! closed: the name of an attribute, its value in double quotes, white space, the name of the next attribute. So each
//! attribute of a tag lies on the stack until the tag ends, and a tag with enough of them is the end of the process. A
//! read that fails brings the tokenizer back to its loop. Inside of a value in double quotes the state to go on with is
//! always the one that it has noted, so there, now and then, one read fails without having taken anything; asked again,
//! it gives what it would have given.
//!
//! A page that has used up its tokens has no more characters.

use std::cell::Cell;
use std::fmt;

use html5gum::{Readable, Reader, StringReader};

/// Reads in double quotes between two that fail: as many attributes can lie on the stack.
const QUOTED_READS_MAX: u32 = 16;

/// What the tokenizer searches for in a value in double quotes begins with these, and nowhere else.
const QUOTED_VALUE_ENDS: &[u8] = b"\"&";

/// How many tokens a page may still have, counted by whoever takes them.
#[derive(Debug)]
pub(crate) struct TokenBudget(Cell<usize>);

impl TokenBudget {
    pub(crate) fn new(tokens_max: usize) -> Self {
        Self(Cell::new(tokens_max))
    }

    #[inline]
    pub(crate) fn spend(&self) {
        self.0.set(self.0.get().saturating_sub(1));
    }

    #[inline]
    fn is_spent(&self) -> bool {
        self.0.get() == 0
    }
}

/// A text that unwinds its reader's stack now and then.
#[derive(Debug)]
pub(crate) struct PacedReader<'t> {
    text: StringReader<'t>,
    budget: &'t TokenBudget,
    quoted_reads: u32,
}

impl<'t> PacedReader<'t> {
    pub(crate) fn new(text: &'t [u8], budget: &'t TokenBudget) -> Self {
        Self { text: text.to_reader(), budget, quoted_reads: 0 }
    }
}

/// Not a failure: the tokenizer shall go back to its loop and ask again.
#[derive(Debug)]
pub(crate) struct Unwind;

impl fmt::Display for Unwind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ask again")
    }
}

impl std::error::Error for Unwind {}

impl Reader for PacedReader<'_> {
    type Error = Unwind;

    #[inline(always)]
    fn read_byte(&mut self) -> Result<Option<u8>, Unwind> {
        if self.budget.is_spent() {
            return Ok(None);
        }
        let Ok(byte) = self.text.read_byte();
        Ok(byte)
    }

    #[inline(always)]
    fn try_read_string(&mut self, string: &[u8], case_sensitive: bool) -> Result<bool, Unwind> {
        let Ok(found) = self.text.try_read_string(string, case_sensitive);
        Ok(found)
    }

    #[inline(always)]
    fn read_until<'b>(
        &'b mut self,
        ends: &[u8],
        buffer: &'b mut [u8; 4],
    ) -> Result<Option<&'b [u8]>, Unwind> {
        if self.budget.is_spent() {
            return Ok(None);
        }
        if ends.starts_with(QUOTED_VALUE_ENDS) {
            self.quoted_reads += 1;
            if self.quoted_reads > QUOTED_READS_MAX {
                self.quoted_reads = 0;
                return Err(Unwind);
            }
        }
        let Ok(piece) = self.text.read_until(ends, buffer);
        Ok(piece)
    }
}
