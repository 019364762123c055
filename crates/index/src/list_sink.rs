//! Who takes posting lists, one after the other: a run, a part of a segment, a segment.

use crate::Error;
use crate::postings::Posting;

/// What is known of a list before its postings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListHead<'a> {
    pub(crate) term: &'a [u8],
    pub(crate) documents: u64,
    /// Not, if it is the list of a stem and says what the list of a word says.
    pub(crate) is_needed: bool,
}

/// Receives lists.
pub(crate) trait ListSink {
    /// Whether it takes the list: otherwise its postings are passed over.
    fn start_list(&mut self, head: &ListHead<'_>) -> Result<bool, Error>;
    fn add(&mut self, posting: &Posting) -> Result<(), Error>;
    fn end_list(&mut self, term: &[u8]) -> Result<(), Error>;
}
