//! The terms of all segments in their order, from any one on: for prefixes, completions, corrections and ranges.
//!
//! Cost: a binary search in each segment to begin with; then each step compares the terms of all segments.

use crate::list_entry::ListEntry;
use crate::segment::Segment;
use crate::stems::{STEM_MARK, is_stem_key};
use crate::term_blocks::TermScan;
use crate::{Error, Index};

/// Gives term after term; [`Index::terms_from`] makes it.
pub struct TermList<'i> {
    /// The scans of the segments, each with the entry on which it stands.
    scans: Vec<(TermScan<'i>, ListEntry)>,
    /// Gives stems, and not words.
    of_stems: bool,
    term: String,
}

impl Index {
    /// Gives the terms from this one on, whether it is there or not, in the order of their bytes, each once.
    pub fn terms_from(&self, first: &str) -> Result<TermList<'_>, Error> {
        self.list_from(first, false)
    }

    /// Gives the stems that have lists of their own, as [`Index::stem`] takes them, in the order of their bytes.
    pub fn stems(&self) -> Result<TermList<'_>, Error> {
        self.list_from(STEM_MARK.encode_utf8(&mut [0; 4]), true)
    }

    fn list_from(&self, first: &str, of_stems: bool) -> Result<TermList<'_>, Error> {
        let mut scans = Vec::new();
        for lists in self.segments().iter().flat_map(Segment::lists) {
            let mut scan = lists.dictionary().blocks().terms_from(first.as_bytes())?;
            if let Some(entry) = next_of_kind(&mut scan, of_stems)? {
                scans.push((scan, entry));
            }
        }
        Ok(TermList { scans, of_stems, term: String::new() })
    }
}

impl TermList<'_> {
    /// Gives the next term and in how many documents it is, dead ones too.
    pub fn next_term(&mut self) -> Result<Option<(&str, u64)>, Error> {
        let Some(least) = self.scans.iter().map(|(scan, _)| scan.term()).min() else { return Ok(None) };
        self.term = String::from_utf8_lossy(least).into_owned();
        let (mut documents, mut ended) = (0, Vec::new());
        for (number, (scan, entry)) in self.scans.iter_mut().enumerate() {
            if scan.term() == self.term.as_bytes() {
                documents += u64::from(entry.documents);
                match next_of_kind(scan, self.of_stems)? {
                    Some(next) => *entry = next,
                    None => ended.push(number),
                }
            }
        }
        for number in ended.into_iter().rev() {
            self.scans.swap_remove(number);
        }
        Ok(Some((self.term.trim_start_matches(STEM_MARK), documents)))
    }
}

/// The next entry that is that of a stem, or of a word. Stems come before all words.
fn next_of_kind(scan: &mut TermScan<'_>, of_stems: bool) -> Result<Option<ListEntry>, Error> {
    loop {
        let entry = scan.next()?;
        match is_stem_key(scan.term()) {
            is_stem if entry.is_none() || is_stem == of_stems => return Ok(entry),
            true => {}
            false => return Ok(None),
        }
    }
}
