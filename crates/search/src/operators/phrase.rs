//! Words that stand one after the other.
//!
//! A candidate has all words. Then the positions of the first word are intersected with those of the second minus one,
//! of the third minus two, and so on (notes, section 5.1); what is left are the places where the phrase begins. The
//! rarest word of the candidate goes first, so that the list that is carried along is short from the start.
//!
//! A phrase says as much as its words together where it stands, and no more than any one of them does: so what the index
//! knows of its words bounds it too, and most candidates are given up before positions are read. Whoever looks for the best
//! of one phrase alone walks through the rarest word apart ([`PhraseLead`]) and asks about few documents.

use std::rc::Rc;

use index::{Field, FieldCounts, PostingsCursor};
use page::DocId;

use super::{Bound, DocIterator};
use crate::limits::Stopper;
use crate::points::Points;
use crate::scoring::{Scoring, Weight};

/// Documents in which the words of a phrase follow each other.
pub(crate) struct Phrase<'i> {
    words: Vec<Word<'i>>,
    weight: Weight,
    scoring: &'i Scoring,
    stopper: Rc<Stopper>,
    /// The field in which it must stand, if not in any.
    field: Option<Field>,
    /// Whether it is known where words stand; if not, whatever has all words has the phrase.
    has_positions: bool,
    /// The present candidate. Lists may stand further on: whoever asks what they add at most moves them from segment to segment.
    doc: DocId,
    /// What was needed last, and what each word has to weigh for that.
    needed: (Points, f32),
    /// The candidate whose positions were compared last.
    checked: Option<DocId>,
    /// Where the phrase begins in it.
    places: Vec<u32>,
    positions: Vec<u32>,
    /// Its words by how often they are in the candidate.
    order: Vec<(u32, usize)>,
}

struct Word<'i> {
    cursor: PostingsCursor<'i>,
    /// How many words of the phrase come before it.
    offset: u32,
}

impl<'i> Phrase<'i> {
    /// `words` are their cursors, each with how many words of the phrase come before it; at least one. It is on no candidate
    /// yet.
    pub(crate) fn new(
        words: Vec<(PostingsCursor<'i>, u32)>,
        weight: Weight,
        scoring: &'i Scoring,
        stopper: Rc<Stopper>,
    ) -> Self {
        let mut words: Vec<Word<'i>> =
            words.into_iter().map(|(cursor, offset)| Word { cursor, offset }).collect();
        words.sort_by_key(|word| word.cursor.document_frequency());
        let (places, positions) = (Vec::new(), Vec::new());
        let (field, has_positions, checked, needed) = (None, true, None, (Points::ZERO, 0.0));
        let doc = DocId::new(0);
        Self {
            words,
            weight,
            scoring,
            stopper,
            field,
            has_positions,
            doc,
            needed,
            checked,
            places,
            positions,
            order: Vec::new(),
        }
    }

    /// The same phrase on its first candidate, as an operator begins.
    pub(crate) fn aligned(mut self) -> Self {
        self.doc = self.align();
        self
    }

    /// The same phrase in one field alone. It scores by what it has there.
    pub(crate) fn within(self, field: Field) -> Self {
        Self { field: Some(field), ..self }
    }

    /// The same phrase in an index that does not know where words stand.
    pub(crate) fn without_positions(self) -> Self {
        Self { has_positions: false, ..self }
    }

    /// The documents of the rarest word, the first of equally rare ones, to be walked through apart by one more cursor on it.
    pub(crate) fn lead(&self, cursor: PostingsCursor<'i>) -> PhraseLead<'i> {
        PhraseLead { cursor, weight: self.weight, scoring: self.scoring }
    }

    /// How many words it has.
    pub(crate) fn words(&self) -> usize {
        self.words.len()
    }

    /// Raises what windows of documents are worth to what it adds at most there, by one of its words.
    pub(crate) fn raise_windows(&self, word: usize, shift: u32, windows: &mut [u32]) {
        self.scoring.raise_windows(&self.words[word].cursor, &self.weight, shift, windows);
    }

    /// Begins again; it is on no candidate then.
    pub(crate) fn rewind(&mut self) {
        self.words.iter_mut().for_each(|word| word.cursor.rewind());
        (self.doc, self.checked) = (DocId::new(0), None);
    }

    /// What it adds to a document, if it stands there and that is not less than `least`. Documents do not decrease. Its
    /// words are not aligned by this: whoever asks it does not ask for candidates.
    pub(crate) fn look_at(&mut self, doc: DocId, least: Points) -> Result<Option<Points>, index::Error> {
        if self.needed.0 != least {
            self.needed = (least, self.scoring.table.least_weight(self.weight.impact_for(least)));
        }
        let (table, needed) = (&self.scoring.table, self.needed.1);
        // The leader has been asked already, and comes last.
        let (lead, others) = self.words.split_first_mut().expect("a phrase has words");
        for word in others.iter_mut().chain([lead]) {
            if word.cursor.advance(doc) != doc || !word.cursor.weighs(needed, table) {
                return Ok(None);
            }
        }
        let count = self.least_count(needed);
        self.doc = doc;
        self.locate_if(count)?;
        match self.places.is_empty() {
            true => Ok(None),
            false => Ok(Some(self.score()?).filter(|points| *points >= least)),
        }
    }

    /// How often it must stand at least in a document that has all its words, to weigh so much there.
    fn least_count(&mut self, weight: f32) -> usize {
        let table = &self.scoring.table;
        let mut of_one = None;
        for word in &mut self.words {
            // Where a word is in several fields too, it may stand in one that counts more.
            of_one = word.cursor.weight_in_main_text(table);
            if of_one.is_none() {
                break;
            }
        }
        of_one.map_or(1, |of_one| {
            let times = weight / of_one;
            let whole = times as usize;
            (whole + usize::from(times > whole as f32)).max(1)
        })
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

    /// Reads where the phrase begins in the present candidate.
    fn locate(&mut self) -> Result<(), index::Error> {
        self.locate_if(1)
    }

    /// The same if it begins in so many places; otherwise in none, and nobody asks where.
    fn locate_if(&mut self, count: usize) -> Result<(), index::Error> {
        let doc = self.doc;
        if self.checked == Some(doc) {
            return Ok(());
        }
        let is_there = |field: Field, word: &mut Word<'_>| word.cursor.counts().of(field) > 0;
        if let Some(field) = self.field
            && !self.words.iter_mut().all(|word| is_there(field, word))
        {
            self.places.clear();
            self.checked = Some(doc);
            return Ok(());
        }
        if !self.has_positions {
            self.places = vec![0];
            self.checked = Some(doc);
            return Ok(());
        }
        match self.field {
            Some(field) => self.compare_positions_in(field)?,
            None => self.compare_positions(count)?,
        }
        self.checked = Some(doc);
        Ok(())
    }

    /// Keeps the places from which all words follow each other, if there are so many: those of the word that is in the document
    /// least often, as far as the others agree, the rarest of these first.
    fn compare_positions(&mut self, count: usize) -> Result<(), index::Error> {
        self.order.clear();
        self.order.extend((0..).zip(&mut self.words).map(|(number, word)| (word.cursor.frequency(), number)));
        self.order.sort_unstable();
        let (&(_, rarest), others) = self.order.split_first().expect("a phrase has words");
        let Word { cursor, offset } = &mut self.words[rarest];
        cursor.positions(&mut self.places)?;
        let before = *offset;
        self.places.retain_mut(|place| {
            *place = place.wrapping_sub(before);
            place.checked_add(before).is_some()
        });
        for &(_, number) in others {
            let Word { cursor, offset } = &mut self.words[number];
            if self.places.len() < count {
                self.places.clear();
                break;
            }
            cursor.retain_before(*offset, count, &mut self.places, &mut self.positions)?;
        }
        Ok(())
    }

    fn compare_positions_in(&mut self, field: Field) -> Result<(), index::Error> {
        for (index, word) in self.words.iter_mut().enumerate() {
            word.cursor.positions_in(field, &mut self.positions)?;
            let starts = self.positions.iter().filter_map(|position| position.checked_sub(word.offset));
            if index == 0 {
                self.places.clear();
                self.places.extend(starts);
            } else {
                retain_common(&mut self.places, starts);
            }
        }
        Ok(())
    }

    /// How often the phrase occurs in each field of the present candidate. Where it goes from one into another, the field
    /// of the two that counts less has it.
    pub(crate) fn counts(&mut self) -> Result<FieldCounts, index::Error> {
        if !self.has_positions {
            return Ok(self.least_counts());
        }
        if let Some(field) = self.field {
            self.locate()?;
            let mut counts = FieldCounts::default();
            counts.0[field.index()] = self.places.len() as u32;
            return Ok(counts);
        }
        let of_words: Vec<FieldCounts> = self.words.iter_mut().map(|word| word.cursor.counts()).collect();
        if let [counts] = of_words.as_slice() {
            return Ok(*counts);
        }
        self.locate()?;
        let mut counts = FieldCounts::default();
        let mut on_the_page = 0;
        for place in &self.places {
            match Field::with_own_positions(*place) {
                Some(field) => counts.0[field.index()] += 1,
                None => on_the_page += 1,
            }
        }
        for field in [Field::Main, Field::Heading] {
            let most = of_words.iter().map(|counts| counts.of(field)).min().unwrap_or(0);
            counts.0[field.index()] = on_the_page.min(most);
            on_the_page -= on_the_page.min(most);
        }
        counts.0[Field::Rest.index()] = on_the_page;
        Ok(counts)
    }

    /// How often all words occur in each field of the present candidate; once in the main text if that is in none.
    fn least_counts(&mut self) -> FieldCounts {
        let of_words: Vec<FieldCounts> = self.words.iter_mut().map(|word| word.cursor.counts()).collect();
        let mut least = FieldCounts::default();
        for field in Field::ALL.into_iter().filter(|field| self.field.is_none_or(|only| only == *field)) {
            let counts = of_words.iter().map(|counts| counts.of(field));
            least.0[field.index()] = counts.min().unwrap_or(0);
        }
        if least.total() > 0 { least } else { FieldCounts::in_main(1) }
    }

    /// The impact of the phrase in the present candidate.
    pub(crate) fn impact(&mut self, length_codes: &[u8; index::FIELD_COUNT]) -> Result<f32, index::Error> {
        let of_its_places = self.scoring.table.impact(&self.counts()?, length_codes);
        Ok(of_its_places.min(self.least_impact()))
    }

    /// The impact of that word which has the least.
    fn least_impact(&mut self) -> f32 {
        let table = &self.scoring.table;
        self.words.iter_mut().map(|word| word.cursor.impact(table)).fold(f32::INFINITY, f32::min)
    }
}

/// The documents of the rarest word of a phrase.
pub(crate) struct PhraseLead<'i> {
    cursor: PostingsCursor<'i>,
    weight: Weight,
    scoring: &'i Scoring,
}

impl PhraseLead<'_> {
    /// The last document of the block in which it may have this one.
    pub(crate) fn block_end(&mut self, from: DocId) -> DocId {
        self.cursor.bound_at(from).last
    }

    /// Goes back to the first document.
    pub(crate) fn rewind(&mut self) {
        self.cursor.rewind();
    }

    /// Gives those from `from` to `last` in which the word says so much that the phrase may reach `least`, and stands
    /// behind.
    pub(crate) fn give_to(&mut self, from: DocId, last: DocId, least: Points, mut each: impl FnMut(DocId)) {
        let impact = if self.scoring.knows_bounds() { self.weight.impact_for(least) } else { 0.0 };
        self.cursor.advance(from);
        self.cursor.impacts_to(last, impact, &self.scoring.table, |doc, _| each(doc));
    }
}

/// Keeps in `places` what is also in `starts`; both increase.
pub(super) fn retain_common(places: &mut Vec<u32>, starts: impl Iterator<Item = u32>) {
    let mut starts = starts.peekable();
    places.retain(|&place| {
        while starts.next_if(|&start| start < place).is_some() {}
        starts.peek() == Some(&place)
    });
}

impl DocIterator for Phrase<'_> {
    fn doc(&self) -> DocId {
        self.doc
    }

    fn advance(&mut self, target: DocId) -> DocId {
        if self.doc < target {
            self.words[0].cursor.advance(target);
            self.doc = self.align();
        }
        self.doc
    }

    fn matches(&mut self) -> Result<bool, index::Error> {
        self.locate()?;
        Ok(!self.places.is_empty())
    }

    fn score(&mut self) -> Result<Points, index::Error> {
        let length_codes = self.words[0].cursor.length_codes();
        let impact = self.impact(&length_codes)?;
        Ok(self.weight.points(impact))
    }

    fn ceiling(&mut self) -> Points {
        let impact = self.least_impact();
        self.weight.points(impact)
    }

    fn bound_at(&mut self, target: DocId) -> Bound {
        let mut least = Bound { points: Points::MAX, last: DocId::END };
        for word in &mut self.words {
            let bound = word.cursor.bound_at(target);
            let points = self.weight.points(self.scoring.bound(&bound));
            least = Bound { points: least.points.min(points), last: least.last.min(bound.last) };
        }
        least
    }

    fn cost(&self) -> u64 {
        self.words[0].cursor.document_frequency().into()
    }
}
