//! Inversion in memory: documents in, posting lists out.
//!
//! Every occurrence is a pair (term number, position), in the order of reading; a table says where each document
//! begins. When memory is full the pairs are sorted by term with a counting sort: the keys are numbers from 0, there
//! are far fewer of them than pairs, and it is stable, so the documents of a term stay in order. (Notes, chapter 2.)
//!
//! Cost: 8 bytes per occurrence and room to grow while reading, 8 more while sorting; time linear in the
//! occurrences, plus sorting the distinct terms.

use crate::field::{FIELD_COUNT, Place, SPACES};
use crate::term_table::TermTable;
use crate::{Analyzer, Error, IndexDocument, postings::Posting};

const BYTES_PER_OCCURRENCE: usize = std::mem::size_of::<Occurrence>();
const BYTES_PER_DOCUMENT: usize = std::mem::size_of::<DocumentStart>();

/// Collects occurrences until they are drained, term by term.
#[derive(Debug, Default)]
pub(crate) struct Accumulator {
    terms: TermTable,
    occurrences: Vec<Occurrence>,
    documents: Vec<DocumentStart>,
}

/// A word of a document, as it is read.
#[derive(Debug, Clone, Copy)]
struct Occurrence {
    term: u32,
    place: Place,
}

/// A place of a term, once occurrences are sorted by terms.
#[derive(Debug, Clone, Copy)]
struct Sorted {
    /// Which of the documents.
    document: u32,
    place: Place,
}

#[derive(Debug, Clone, Copy)]
struct DocumentStart {
    document: u32,
    first_occurrence: usize,
}

impl Accumulator {
    /// Adds a document, whose number is larger than those before. Returns the lengths of its fields in tokens.
    pub(crate) fn add(&mut self, document: u32, text: &IndexDocument<'_>) -> [u32; FIELD_COUNT] {
        let first_occurrence = self.occurrences.len();
        let (terms, occurrences) = (&mut self.terms, &mut self.occurrences);
        let (mut lengths, mut next_positions) = ([0; FIELD_COUNT], [0u32; SPACES]);
        for piece in text.pieces {
            let start = next_positions[piece.field.space().index()];
            let mut next = start;
            Analyzer.tokens(piece.text, &mut |token| {
                let term = terms.number(token.term.as_bytes());
                let position = start.saturating_add(token.position);
                occurrences.push(Occurrence { term, place: Place::new(piece.field, position) });
                next = position.saturating_add(1);
                lengths[piece.field.index()] += 1;
            });
            next_positions[piece.field.space().index()] = next;
        }
        self.documents.push(DocumentStart { document, first_occurrence });
        lengths
    }

    /// What it holds and will need to be drained.
    pub(crate) fn bytes(&self) -> usize {
        // Occurrences are there twice while they are sorted, the second time without room to grow; every term also has
        // an entry in the order of terms and one in the table of the counting sort.
        self.terms.bytes()
            + 12 * self.terms.len()
            + BYTES_PER_OCCURRENCE * (self.occurrences.capacity() + self.occurrences.len())
            + BYTES_PER_DOCUMENT * self.documents.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Gives every list to `list`, in the order of terms, and forgets them.
    pub(crate) fn drain(
        &mut self,
        mut list: impl FnMut(&[u8], &mut PostingsOfTerm<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (ends, sorted) = self.counting_sort();
        for number in self.terms.sorted() {
            let start = if number == 0 { 0 } else { ends[number as usize - 1] };
            let occurrences = &sorted[start..ends[number as usize]];
            let mut postings = PostingsOfTerm { occurrences, documents: &self.documents };
            list(self.terms.term(number), &mut postings)?;
        }
        self.terms.clear();
        // Given back rather than cleared, or room left over would count against the next run.
        self.occurrences = Vec::new();
        self.documents = Vec::new();
        Ok(())
    }

    /// The occurrences by term, and where those of each term end.
    fn counting_sort(&self) -> (Vec<usize>, Vec<Sorted>) {
        let mut starts = vec![0; self.terms.len() + 1];
        for occurrence in &self.occurrences {
            starts[occurrence.term as usize + 1] += 1;
        }
        for term in 1..starts.len() {
            starts[term] += starts[term - 1];
        }
        let mut sorted = vec![Sorted { document: 0, place: Place(0) }; self.occurrences.len()];
        for (index, start) in self.documents.iter().enumerate() {
            let end =
                self.documents.get(index + 1).map_or(self.occurrences.len(), |next| next.first_occurrence);
            for &Occurrence { term, place } in &self.occurrences[start.first_occurrence..end] {
                sorted[starts[term as usize]] = Sorted { document: index as u32, place };
                starts[term as usize] += 1;
            }
        }
        // Each start has moved to the start of the next term, which is the end of this one.
        starts.pop();
        (starts, sorted)
    }
}

/// The postings of one term, document by document.
pub(crate) struct PostingsOfTerm<'a> {
    occurrences: &'a [Sorted],
    documents: &'a [DocumentStart],
}

impl PostingsOfTerm<'_> {
    pub(crate) fn document_count(&self) -> u64 {
        self.occurrences.chunk_by(|a, b| a.document == b.document).count() as u64
    }

    /// Replaces `posting` by the next one; false when there is none.
    pub(crate) fn next(&mut self, posting: &mut Posting) -> bool {
        let Some(&Sorted { document, .. }) = self.occurrences.first() else { return false };
        let length = self.occurrences.iter().take_while(|occurrence| occurrence.document == document).count();
        let (these, rest) = self.occurrences.split_at(length);
        posting.document = self.documents[document as usize].document;
        posting.places.clear();
        posting.places.extend(these.iter().map(|occurrence| occurrence.place));
        // Fields take turns in a page.
        if !posting.places.is_sorted() {
            posting.places.sort_unstable();
        }
        self.occurrences = rest;
        true
    }
}
