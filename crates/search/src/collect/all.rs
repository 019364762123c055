//! The best documents that satisfy all parts: an intersection that looks ahead.
//!
//! The rarest part leads. Before the others are moved to its document, the bounds of all are added up for the stretch that
//! it begins; if that is too little, the whole stretch is passed over, and no list is decoded in it. Then the others jump
//! to the document, and the first that lands further on sends the leader there (notes, section 5.1: aligning, rarest first).
//! Where plain words are welcome beside them, and as many documents as are wanted have all of these, the others have to be there, too.

use page::DocId;

use super::Collector;
use crate::Error;
use crate::operators::{Bound, DocIterator, Phrase, Words, are_side_by_side};
use crate::points::Points;
use crate::top::Scored;

/// What is asked of a document on which all parts agree.
pub(crate) trait Beside {
    /// What it adds to no document from `doc` on, as far as that holds.
    fn bound_at(&mut self, doc: DocId) -> Bound;

    /// Whether any document may have all words.
    fn may_have_all(&self) -> bool;

    /// Whether documents may be asked about in any order.
    fn can_go_back(&self) -> bool;

    /// The first document from `doc` on that may have all words. Whoever asks it does not go back.
    fn next_with_all(&mut self, doc: DocId) -> DocId {
        doc
    }

    /// Whether a document has all words, and what is added to its score; `None`: it does not answer the query.
    fn look_at(&mut self, doc: DocId) -> Result<Option<(bool, Points)>, Error>;
}

/// The parts are plain words: those that were taken apart have to stand somewhere, and the formula has to hold.
pub(crate) struct Veto<'i> {
    pub(crate) phrases: Vec<Phrase<'i>>,
    pub(crate) must: Option<Box<dyn DocIterator + 'i>>,
}

impl Beside for Veto<'_> {
    fn bound_at(&mut self, _doc: DocId) -> Bound {
        Bound::NOTHING
    }

    fn may_have_all(&self) -> bool {
        true
    }

    fn can_go_back(&self) -> bool {
        self.phrases.is_empty() && self.must.is_none()
    }

    fn look_at(&mut self, doc: DocId) -> Result<Option<(bool, Points)>, Error> {
        let holds = holds(&mut self.must, doc)? && are_side_by_side(&mut self.phrases, doc)?;
        Ok(holds.then_some((true, Points::ZERO)))
    }
}

/// Whether a formula that only vetoes admits a document.
pub(crate) fn holds(must: &mut Option<Box<dyn DocIterator + '_>>, doc: DocId) -> Result<bool, Error> {
    match must {
        Some(must) => Ok(must.advance(doc) == doc && must.matches()?),
        None => Ok(true),
    }
}

/// The parts are what must hold: plain words are welcome.
pub(crate) struct Wishes<'i> {
    pub(crate) words: Option<Words<'i>>,
    /// Whether those with all of them come first.
    pub(crate) all_words_first: bool,
}

impl Beside for Wishes<'_> {
    fn bound_at(&mut self, doc: DocId) -> Bound {
        self.words.as_mut().map_or(Bound::NOTHING, |words| words.bound_at(doc))
    }

    fn may_have_all(&self) -> bool {
        self.words.as_ref().is_none_or(|words| self.all_words_first && !words.is_hopeless)
    }

    fn can_go_back(&self) -> bool {
        self.words.is_none()
    }

    fn next_with_all(&mut self, doc: DocId) -> DocId {
        self.words.as_mut().map_or(doc, |words| words.next_with_all(doc))
    }

    fn look_at(&mut self, doc: DocId) -> Result<Option<(bool, Points)>, Error> {
        let Some(words) = &mut self.words else { return Ok(Some((true, Points::ZERO))) };
        words.seek(doc);
        Ok(Some((self.all_words_first && words.has_all(doc)?, words.score(doc))))
    }
}

/// Offers every document that satisfies all parts and may come among the best. Gives the documents that it offered.
pub(crate) fn walk<'i>(
    mut parts: Vec<Box<dyn DocIterator + 'i>>,
    beside: &mut dyn Beside,
    collector: &mut Collector<'_>,
) -> Result<Vec<DocId>, Error> {
    parts.sort_by_key(|part| part.cost());
    let mut offered = Vec::new();
    let mut doc = parts.first().map_or(DocId::END, |part| part.doc());
    let mut stretch = Stretch::before_all(parts.len());
    while doc != DocId::END && !collector.must_stop() {
        let Some(least) = collector.least(beside.may_have_all(), doc) else { break };
        if collector.least(false, doc).is_none() {
            // What has not all words is not wanted any more.
            let with_all = beside.next_with_all(doc);
            if with_all > doc {
                doc = parts[0].advance(with_all);
                continue;
            }
        }
        if stretch.last.is_none_or(|last| doc > last) {
            stretch.begin(doc, &mut parts, beside, collector);
        }
        doc = match stretch.look_at(doc, &mut parts, least) {
            Looked::Hopeless => stretch.end().map_or(DocId::END, |end| parts[0].advance(end)),
            Looked::TooLittle => parts[0].next(),
            Looked::Further(further) => parts[0].advance(further),
            Looked::Promising => {
                // Positions are compared last.
                if let Some((has_all, beside)) = beside.look_at(doc)?
                    && let more = beside + collector.rank(doc)
                    && may_be_kept(Scored { has_all, points: more, doc }, &mut parts, collector)
                    && all_match(&mut parts)?
                {
                    let points = parts.iter_mut().map(|part| part.score()).sum::<Result<Points, _>>()?;
                    offered.push(doc);
                    collector.offer(Scored { has_all, points: points + more, doc })?;
                }
                parts[0].next()
            }
        };
    }
    Ok(offered)
}

/// What a look at a document tells.
enum Looked {
    /// Neither it nor any other of the stretch is worth enough.
    Hopeless,
    /// It is not worth enough.
    TooLittle,
    /// A part has nothing before this document.
    Further(DocId),
    /// All parts stand on it, and may be worth enough.
    Promising,
}

/// What a stretch of documents is worth at most.
struct Stretch {
    /// What each part adds.
    parts: Vec<Points>,
    /// What all parts, the words beside them and links add.
    points: Points,
    /// Its last document; none before the first stretch.
    last: Option<DocId>,
}

impl Stretch {
    fn before_all(parts: usize) -> Self {
        Self { parts: vec![Points::ZERO; parts], points: Points::ZERO, last: None }
    }

    fn begin<P: DocIterator>(
        &mut self,
        doc: DocId,
        parts: &mut [P],
        beside: &mut dyn Beside,
        collector: &Collector<'_>,
    ) {
        let mut all = beside.bound_at(doc);
        for (part, points) in parts.iter_mut().zip(&mut self.parts) {
            let bound = part.bound_at(doc);
            *points = bound.points;
            all = all.and(bound);
        }
        self.points = all.points + collector.rank_bound(doc, all.last);
        self.last = Some(all.last);
    }

    /// Moves one part after the other to a document of the stretch, as long as it may be worth enough.
    #[inline]
    fn look_at<P: DocIterator>(&self, doc: DocId, parts: &mut [P], least: Points) -> Looked {
        let mut points = self.points;
        if points < least {
            return Looked::Hopeless;
        }
        for (part, bound) in parts.iter_mut().zip(&self.parts) {
            let found = part.advance(doc);
            if found > doc {
                return Looked::Further(found);
            }
            points = Points(points.0 - bound.0) + part.ceiling();
            if points < least {
                return Looked::TooLittle;
            }
        }
        Looked::Promising
    }

    /// The document behind it, if there can be any.
    fn end(&self) -> Option<DocId> {
        self.last.filter(|last| *last != DocId::END).map(DocId::next)
    }
}

/// Whether a document may come among the best that has so many points beside what the parts add.
fn may_be_kept<P: DocIterator>(scored: Scored, parts: &mut [P], collector: &Collector<'_>) -> bool {
    let Some(least) = collector.least_of(scored.has_all, scored.doc) else { return false };
    let points = parts.iter_mut().map(|part| part.ceiling()).sum::<Points>() + scored.points;
    points + collector.pairs().most(points, Points::ZERO) >= least
}

fn all_match<P: DocIterator>(parts: &mut [P]) -> Result<bool, Error> {
    for part in parts {
        if !part.matches()? {
            return Ok(false);
        }
    }
    Ok(true)
}
