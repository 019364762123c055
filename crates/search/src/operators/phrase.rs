//! Words that stand one after the other.
//!
//! A candidate has all words. Then the positions of the first word are intersected with those of the second minus one,
//! of the third minus two, and so on (notes, section 5.1); what is left are the places where the phrase begins. The
//! rarest word of the candidate goes first, so that the list that is carried along is short from the start.

use std::rc::Rc;

use index::{Field, PostingsCursor};
use page::DocId;

use super::DocIterator;
use crate::bm25::TermWeight;
use crate::limits::Stopper;

/// Documents in which the words of a phrase follow each other.
pub(crate) struct Phrase<'i> {
    words: Vec<Word<'i>>,
    weight: TermWeight<'i>,
    stopper: Rc<Stopper>,
    checked: Option<Checked>,
    places: Vec<u32>,
    positions: Vec<u32>,
}

/// The candidate whose positions were compared last.
#[derive(Clone, Copy)]
struct Checked {
    doc: DocId,
    /// How often the phrase occurs in it.
    frequency: u32,
}

struct Word<'i> {
    cursor: PostingsCursor<'i>,
    /// How many words of the phrase come before it.
    offset: u32,
}

impl<'i> Phrase<'i> {
    /// `cursors` are those of the words, in order; at least one.
    pub(crate) fn new(
        cursors: Vec<PostingsCursor<'i>>,
        weight: TermWeight<'i>,
        stopper: Rc<Stopper>,
    ) -> Self {
        let mut words: Vec<Word<'i>> =
            cursors.into_iter().zip(0..).map(|(cursor, offset)| Word { cursor, offset }).collect();
        words.sort_by_key(|word| word.cursor.document_frequency());
        let mut phrase =
            Self { words, weight, stopper, checked: None, places: Vec::new(), positions: Vec::new() };
        phrase.align();
        phrase
    }

    /// Whether all its words are in the title of the present candidate, which nearly always means the phrase is.
    pub(crate) fn in_title(&mut self) -> bool {
        self.words.iter_mut().all(|word| word.cursor.in_title())
    }

    /// How often the phrase occurs, as far as it counts: where one of its words stands beside the main text only, so
    /// does the phrase. A single word is counted as [`super::Term`] counts it.
    pub(crate) fn weighed_frequency(&mut self) -> Result<f64, index::Error> {
        if let [word] = self.words.as_mut_slice() {
            return Ok(self.weight.parameters.frequency(&word.cursor.counts()));
        }
        let is_beside = self.words.iter_mut().any(|word| {
            let counts = word.cursor.counts();
            counts.of(Field::Rest) == counts.total()
        });
        let weight = if is_beside { self.weight.parameters.rest_weight } else { 1.0 };
        Ok(weight * f64::from(self.frequency()?))
    }

    fn align(&mut self) -> DocId {
        let (leader, others) = self.words.split_first_mut().expect("a phrase has words");
        let mut doc = leader.cursor.doc();
        while let Some(further) =
            others.iter_mut().map(|word| word.cursor.advance(doc)).find(|&found| found > doc)
        {
            doc = leader.cursor.advance(if self.stopper.must_stop() { DocId::END } else { further });
        }
        doc
    }

    /// How often the phrase occurs in the present candidate.
    pub(crate) fn frequency(&mut self) -> Result<u32, index::Error> {
        let doc = self.doc();
        if let Some(checked) = self.checked.filter(|checked| checked.doc == doc) {
            return Ok(checked.frequency);
        }
        for (index, word) in self.words.iter_mut().enumerate() {
            word.cursor.positions(&mut self.positions)?;
            let starts = self.positions.iter().filter_map(|position| position.checked_sub(word.offset));
            if index == 0 {
                self.places.clear();
                self.places.extend(starts);
            } else {
                retain_common(&mut self.places, starts);
            }
            if self.places.is_empty() {
                break;
            }
        }
        let frequency = self.places.len() as u32;
        self.checked = Some(Checked { doc, frequency });
        Ok(frequency)
    }
}

/// Keeps in `places` what is also in `starts`; both increase.
fn retain_common(places: &mut Vec<u32>, starts: impl Iterator<Item = u32>) {
    let mut starts = starts.peekable();
    places.retain(|&place| {
        while starts.next_if(|&start| start < place).is_some() {}
        starts.peek() == Some(&place)
    });
}

impl DocIterator for Phrase<'_> {
    fn doc(&self) -> DocId {
        self.words[0].cursor.doc()
    }

    fn advance(&mut self, target: DocId) -> DocId {
        if self.doc() >= target {
            return self.doc();
        }
        self.words[0].cursor.advance(target);
        self.align()
    }

    fn matches(&mut self) -> Result<bool, index::Error> {
        Ok(self.frequency()? > 0)
    }

    fn score(&mut self) -> Result<f64, index::Error> {
        let (frequency, in_title) = (self.weighed_frequency()?, self.in_title());
        Ok(self.weight.score(self.doc(), frequency, in_title))
    }

    fn cost(&self) -> u64 {
        self.words[0].cursor.document_frequency().into()
    }
}
