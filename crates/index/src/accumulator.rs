//! Inversion in memory: documents in, posting lists out.
//!
//! Every occurrence is a pair (term number, position), in the order of reading; a table says where each document
//! begins. When memory is full the pairs are sorted by term with a counting sort: the keys are numbers from 0, there
//! are far fewer of them than pairs, and it is stable, so the documents of a term stay in order. (Notes, chapter 2.)
//!
//! A word occurs once more as its own stem, and if the language of the document has a stemmer and it gives another one, as
//! that ([`crate::stems`]). What the stem of a word is, is asked once for each word.
//!
//! Cost: 8 bytes per occurrence and room to grow while reading, 8 more while sorting; time linear in the
//! occurrences, plus sorting the distinct terms.

use crate::field::{FIELD_COUNT, Field, Place, SPACES};
use crate::sorted_lists::{Sorted, SortedLists};
use crate::stem_numbers::StemNumbers;
use crate::stems::Language;
use crate::term_table::TermTable;
use crate::{Analysis, Analyzer, Piece, Token, TokenKind};

const BYTES_PER_OCCURRENCE: usize = std::mem::size_of::<Occurrence>();
const BYTES_PER_DOCUMENT: usize = std::mem::size_of::<DocumentStart>();

/// Collects occurrences until they are sorted by terms.
#[derive(Debug, Default)]
pub(crate) struct Accumulator {
    terms: TermTable,
    stems: StemNumbers,
    occurrences: Vec<Occurrence>,
    documents: Vec<DocumentStart>,
}

/// A word of a document, as it is read.
#[derive(Debug, Clone, Copy)]
struct Occurrence {
    term: u32,
    place: Place,
}

#[derive(Debug, Clone, Copy)]
struct DocumentStart {
    document: u32,
    first_occurrence: usize,
}

impl Accumulator {
    /// Adds a document, whose number is larger than those before. Returns the lengths of its fields in words.
    pub(crate) fn add(
        &mut self,
        document: u32,
        pieces: &[Piece<'_>],
        analyzer: Analyzer,
        language: Option<Language>,
    ) -> [u32; FIELD_COUNT] {
        let first_occurrence = self.occurrences.len();
        let (mut lengths, mut next_positions) = ([0; FIELD_COUNT], [0u32; SPACES]);
        for piece in pieces {
            let before = next_positions[piece.field.space().index()];
            let start = before.saturating_add(u32::from(before > 0 && piece.field.stands_apart()));
            let mut next = start;
            analyzer.tokens(piece.text, &mut |token| {
                let position = start.saturating_add(token.position);
                if token.kind == TokenKind::Word {
                    next = position.saturating_add(1);
                    lengths[piece.field.index()] += 1;
                }
                self.add_token(&token, piece.field, position);
                if analyzer.analysis() == Analysis::Full {
                    self.add_stems(&token, piece.text, piece.field, language);
                }
            });
            next_positions[piece.field.space().index()] = next;
        }
        self.documents.push(DocumentStart { document, first_occurrence });
        lengths
    }

    #[inline]
    fn add_token(&mut self, token: &Token<'_>, field: Field, position: u32) {
        if token.kind != TokenKind::Letter {
            let term = self.terms.number(token.term.as_bytes());
            self.occurrences.push(Occurrence { term, place: Place::new(field, position) });
        }
    }

    /// What a token is found by beside itself. Where a stem stands is not kept, only in which field.
    #[inline]
    fn add_stems(&mut self, token: &Token<'_>, text: &str, field: Field, language: Option<Language>) {
        let place = Place::new(field, 0);
        if token.kind == TokenKind::Letter {
            let term = self.stems.of_letter(token.term, &mut self.terms);
            return self.occurrences.push(Occurrence { term, place });
        }
        let term = self.terms.number(token.term.as_bytes());
        let own = self.stems.of_itself(term, token.term, &mut self.terms);
        self.occurrences.push(Occurrence { term: own, place });
        if let Some(language) = language {
            let written = &text[token.start..token.end];
            let stem = self.stems.of_word(token, term, written, language, &mut self.terms);
            if stem != own {
                self.occurrences.push(Occurrence { term: stem, place });
            }
        }
    }

    /// What it holds and will need to sort it.
    pub(crate) fn bytes(&self) -> usize {
        // Occurrences are there twice while they are sorted, the second time without room to grow; every term also has
        // an entry in the order of terms and one in the table of the counting sort.
        self.terms.bytes()
            + self.stems.bytes()
            + 8 * self.terms.len()
            + BYTES_PER_OCCURRENCE * (self.occurrences.capacity() + self.occurrences.len())
            + BYTES_PER_DOCUMENT * self.documents.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// The lists of all documents that were added, which it forgets.
    pub(crate) fn sort(&mut self) -> SortedLists {
        // All is given away rather than cleared, or room left over would count against what comes next.
        let Self { terms, stems, occurrences, documents } = std::mem::take(self);
        let (ends, places) = counting_sort(terms.len(), &occurrences, &documents);
        drop(occurrences);
        SortedLists::new(terms, stems, ends, places)
    }
}

/// The occurrences by term, and where those of each term end.
fn counting_sort(
    terms: usize,
    occurrences: &[Occurrence],
    documents: &[DocumentStart],
) -> (Vec<u32>, Vec<Sorted>) {
    let mut starts = vec![0u32; terms + 1];
    for occurrence in occurrences {
        starts[occurrence.term as usize + 1] += 1;
    }
    for term in 1..starts.len() {
        starts[term] += starts[term - 1];
    }
    let mut sorted = vec![Sorted::default(); occurrences.len()];
    for (index, &DocumentStart { document, first_occurrence }) in documents.iter().enumerate() {
        let end = documents.get(index + 1).map_or(occurrences.len(), |next| next.first_occurrence);
        for &Occurrence { term, place } in &occurrences[first_occurrence..end] {
            let start = &mut starts[term as usize];
            sorted[*start as usize] = Sorted { document, place };
            *start += 1;
        }
    }
    // Each start has moved to the start of the next term, which is the end of this one.
    starts.pop();
    (starts, sorted)
}
