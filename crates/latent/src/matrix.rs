//! A sparse matrix of weights: a row for each document, a column for each term.
//!
//! Counts come by term, as an index has them, and rows are wanted by document. So the builder is told first how many entries
//! each document will have, and makes room for them. Of a long document only the heaviest [`ENTRIES_MAX`] are kept: they tell
//! what it is about, and memory is bounded.
//!
//! Cost: eight bytes an entry; O(1) amortised to add one.

/// So many terms of a document count, those that weigh most.
pub const ENTRIES_MAX: usize = 128;

/// A weight that is not zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    /// The column.
    pub term: u32,
    /// What stands there.
    pub weight: f32,
}

/// A sparse matrix, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    terms: usize,
    starts: Vec<usize>,
    entries: Vec<Entry>,
}

impl Matrix {
    /// A small matrix from its rows.
    pub fn of_rows(terms: usize, rows: &[&[(u32, f32)]]) -> Self {
        let mut builder = MatrixBuilder::new(terms, rows.iter().map(|row| row.len() as u32));
        for (document, row) in rows.iter().enumerate() {
            row.iter().for_each(|&(term, weight)| builder.add(document, term, weight));
        }
        builder.finish()
    }

    /// How many columns there are.
    pub fn terms(&self) -> usize {
        self.terms
    }

    /// How many rows there are.
    pub fn documents(&self) -> usize {
        self.starts.len() - 1
    }

    /// The entries of a document.
    #[inline]
    pub fn row(&self, document: usize) -> &[Entry] {
        &self.entries[self.starts[document]..self.starts[document + 1]]
    }

    /// All rows in order.
    pub fn rows(&self) -> impl Iterator<Item = &[Entry]> {
        self.starts.windows(2).map(|ends| &self.entries[ends[0]..ends[1]])
    }

    /// The sum of the squares of all entries.
    pub fn energy(&self) -> f64 {
        self.entries.iter().map(|entry| f64::from(entry.weight).powi(2)).sum()
    }

    /// Gives every document that has any entry the length 1, so that long ones do not decide alone what there is to say.
    pub fn normalize(&mut self) {
        for ends in self.starts.windows(2) {
            let row = &mut self.entries[ends[0]..ends[1]];
            let length = row.iter().map(|entry| entry.weight * entry.weight).sum::<f32>().sqrt();
            if length > 0.0 {
                row.iter_mut().for_each(|entry| entry.weight /= length);
            }
        }
    }
}

/// Takes entries in any order of documents; those of one document in the order of its terms.
#[derive(Debug)]
pub struct MatrixBuilder {
    terms: usize,
    /// Where the room of each document begins.
    rooms: Vec<usize>,
    /// How much of it is used.
    used: Vec<u32>,
    entries: Vec<Entry>,
}

impl MatrixBuilder {
    /// Makes room for documents with so many entries each.
    pub fn new(terms: usize, counts: impl Iterator<Item = u32>) -> Self {
        let mut rooms = vec![0];
        let mut end = 0;
        for count in counts {
            end += (count as usize).min(2 * ENTRIES_MAX);
            rooms.push(end);
        }
        let nothing = Entry { term: 0, weight: 0.0 };
        Self { terms, used: vec![0; rooms.len() - 1], rooms, entries: vec![nothing; end] }
    }

    /// Adds an entry.
    ///
    /// # Panics
    /// If the document has more entries than were announced, or the term is no column.
    pub fn add(&mut self, document: usize, term: u32, weight: f32) {
        assert!((term as usize) < self.terms, "a term is a column");
        let room = &mut self.entries[self.rooms[document]..self.rooms[document + 1]];
        let used = &mut self.used[document];
        if *used as usize == 2 * ENTRIES_MAX {
            *used = keep_heaviest(room) as u32;
        }
        room[*used as usize] = Entry { term, weight };
        *used += 1;
    }

    /// The matrix, without the room that nobody used.
    pub fn finish(mut self) -> Matrix {
        let (mut starts, mut end) = (vec![0], 0);
        for document in 0..self.used.len() {
            let (room, mut used) = (self.rooms[document], self.used[document] as usize);
            if used > ENTRIES_MAX {
                used = keep_heaviest(&mut self.entries[room..room + used]);
            }
            self.entries[room..room + used].sort_unstable_by_key(|entry| entry.term);
            self.entries.copy_within(room..room + used, end);
            end += used;
            starts.push(end);
        }
        self.entries.truncate(end);
        self.entries.shrink_to_fit();
        Matrix { terms: self.terms, starts, entries: self.entries }
    }
}

/// Brings the heaviest [`ENTRIES_MAX`] entries to the front, of equal ones those of the first terms; says how many.
fn keep_heaviest(entries: &mut [Entry]) -> usize {
    entries.select_nth_unstable_by(ENTRIES_MAX - 1, |one, other| {
        other.weight.total_cmp(&one.weight).then(one.term.cmp(&other.term))
    });
    ENTRIES_MAX
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_long_document_keeps_what_weighs_most() {
        let mut builder = MatrixBuilder::new(2000, [1000, 1].into_iter());
        for term in 0..1000 {
            builder.add(0, term, ((term * 7919) % 1000) as f32);
        }
        builder.add(1, 1999, 1.0);
        let matrix = builder.finish();
        let least = matrix.row(0).iter().map(|entry| entry.weight).fold(f32::INFINITY, f32::min);
        assert_eq!((matrix.row(0).len(), least), (ENTRIES_MAX, (1000 - ENTRIES_MAX) as f32));
        assert_eq!(matrix.row(1), [Entry { term: 1999, weight: 1.0 }]);
    }

    proptest! {
        #[test]
        fn rows_are_what_was_added_by_terms(rows in prop::collection::vec(prop::collection::btree_map(0u32..40, 0.1f32..9.0, 0..20), 1..12)) {
            let mut builder = MatrixBuilder::new(40, rows.iter().map(|row| row.len() as u32));
            for term in 0..40 {
                for (document, row) in rows.iter().enumerate() {
                    if let Some(&weight) = row.get(&term) {
                        builder.add(document, term, weight);
                    }
                }
            }
            let matrix = builder.finish();
            for (document, row) in rows.iter().enumerate() {
                let found: Vec<(u32, f32)> = matrix.row(document).iter().map(|entry| (entry.term, entry.weight)).collect();
                prop_assert_eq!(found, row.iter().map(|(term, weight)| (*term, *weight)).collect::<Vec<_>>());
            }
        }
    }
}
