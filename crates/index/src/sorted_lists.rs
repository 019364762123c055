//! Posting lists in memory, in the order of their terms: what an [`crate::accumulator::Accumulator`] makes.
//!
//! They become a run on disk when memory is full ([`crate::run`]), or go into the merge as they are: what fits into memory is
//! never written twice.
//!
//! Cost: 8 bytes for each occurrence, 8 for each term beside the table of terms.

use std::ops::Range;

use crate::field::Place;
use crate::postings::Posting;
use crate::stem_numbers::StemNumbers;
use crate::term_table::TermTable;

/// A place of a term.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sorted {
    pub(crate) document: u32,
    pub(crate) place: Place,
}

impl Default for Sorted {
    fn default() -> Self {
        Self { document: 0, place: Place(0) }
    }
}

/// The lists of some documents.
#[derive(Debug)]
pub(crate) struct SortedLists {
    terms: TermTable,
    stems: StemNumbers,
    /// The numbers of the terms, in the order of the terms.
    order: Vec<u32>,
    /// Where the places of each term end, by its number.
    ends: Vec<u32>,
    places: Vec<Sorted>,
}

impl SortedLists {
    pub(crate) fn new(terms: TermTable, stems: StemNumbers, ends: Vec<u32>, places: Vec<Sorted>) -> Self {
        let order = terms.sorted();
        Self { terms, stems, order, ends, places }
    }

    fn list(&self, number: u32) -> &[Sorted] {
        let start = if number == 0 { 0 } else { self.ends[number as usize - 1] };
        &self.places[start as usize..self.ends[number as usize] as usize]
    }

    /// The lists of the terms from `from` on.
    pub(crate) fn from(&self, from: &[u8]) -> ListsInMemory<'_> {
        let next = self.order.partition_point(|&number| self.terms.term(number) < from);
        ListsInMemory { lists: self, next: next..self.order.len(), number: 0, places: &[] }
    }

    /// Some terms, such that there are about as many occurrences between each and the next.
    pub(crate) fn marks(&self, occurrences: usize) -> impl Iterator<Item = &[u8]> {
        let mut since = 0;
        self.order.iter().filter_map(move |&number| {
            since += self.list(number).len();
            let is_mark = since >= occurrences;
            since = if is_mark { 0 } else { since };
            is_mark.then(|| self.terms.term(number))
        })
    }
}

/// Walks through lists in memory.
pub(crate) struct ListsInMemory<'a> {
    lists: &'a SortedLists,
    next: Range<usize>,
    number: u32,
    /// What is left of the present list.
    places: &'a [Sorted],
}

impl<'a> ListsInMemory<'a> {
    /// Moves to the next list; false when there is none.
    pub(crate) fn next_list(&mut self) -> bool {
        let Some(place) = self.next.next() else { return false };
        self.number = self.lists.order[place];
        self.places = self.lists.list(self.number);
        true
    }

    pub(crate) fn term(&self) -> &'a [u8] {
        self.lists.terms.term(self.number)
    }

    /// Whether the list says what no other list of these documents says.
    pub(crate) fn is_needed(&self) -> bool {
        self.lists.stems.is_needed(self.term(), self.number)
    }

    /// How many documents are left of the present list.
    pub(crate) fn documents(&self) -> u64 {
        self.places.chunk_by(|a, b| a.document == b.document).count() as u64
    }

    /// The next document of the present list.
    #[inline]
    pub(crate) fn document(&self) -> Option<u32> {
        self.places.first().map(|first| first.document)
    }

    /// Takes the next posting of the present list, which has one.
    #[inline]
    pub(crate) fn take(&mut self, posting: &mut Posting) {
        let Some((&first, rest)) = self.places.split_first() else { return };
        posting.document = first.document;
        posting.places.clear();
        posting.places.push(first.place);
        let (mut taken, mut last, mut is_sorted) = (0, first.place, true);
        for next in rest {
            if next.document != first.document {
                break;
            }
            taken += 1;
            posting.places.push(next.place);
            is_sorted &= last <= next.place;
            last = next.place;
        }
        // Fields take turns in a page.
        if !is_sorted {
            posting.places.sort_unstable();
        }
        self.places = &rest[taken..];
    }
}
