//! Finding the best without looking at all.
//!
//! A document that cannot come among the best need not be looked at, and the index knows for every stretch of a list what
//! no document in it exceeds. [`all::walk`] intersects, [`any::walk`] unites, [`phrase::walk`] reads positions; all pass
//! over whatever a bound rules out, and find exactly what looking at everything would find: the same documents with the same
//! scores in the same order.
//!
//! What they find they offer to a [`Collector`], which keeps the best, adds what links say, and shows one of each group of
//! copies.

pub(crate) mod all;
pub(crate) mod all_words;
pub(crate) mod any;
pub(crate) mod by_rank;
pub(crate) mod phrase;
mod spans;
mod sum;
mod windows;

use std::ops::Range;
use std::rc::Rc;

use page::DocId;

use crate::Error;
use crate::bonus::PairBound;
use crate::copies::{Copies, Folder};
use crate::limits::Stopper;
use crate::lists::Lists;
use crate::points::Points;
use crate::sites::Sites;
use crate::spread::SharedTop;
use crate::standing::Standing;
use crate::top::{Keeper, Scored, TopDocuments};

/// What is added to a document by pairs of words, where so much is needed; if that cannot be reached, it may be any less.
pub(crate) type Added<'a> = dyn Fn(DocId, Points) -> Result<Points, Error> + 'a;

/// Keeps the best of what is offered to it.
pub(crate) struct Collector<'s> {
    kept: Kept<'s>,
    folder: Folder<'s>,
    standing: Standing<'s>,
    pairs: PairBound,
    added: &'s Added<'s>,
    /// Documents that have been offered by their titles, in order, as far as they are looked at.
    titles: &'s [DocId],
    /// The documents that are looked at, and how many there are in all.
    range: Range<DocId>,
    documents: usize,
    /// By how much what is left out may be better.
    slack: f32,
    stopper: Rc<Stopper>,
    /// How well any document answers, with all that is added.
    probe: &'s dyn Fn(DocId) -> Result<Option<Scored>, Error>,
}

/// The best, and the best of which hosts share the first places.
struct Kept<'s> {
    top: TopDocuments,
    shared: Option<SharedTop<'s>>,
}

impl Keeper for Kept<'_> {
    fn offer(&mut self, scored: Scored) {
        self.top.offer(scored);
        self.shared.iter_mut().for_each(|shared| shared.offer(scored));
    }

    fn remove(&mut self, doc: DocId) {
        self.top.remove(doc);
        self.shared.iter_mut().for_each(|shared| shared.remove(doc));
    }
}

/// What is found.
pub(crate) struct Found {
    /// The best first.
    pub(crate) best: Vec<Scored>,
    /// Those of which hosts share the first places, if that was wanted, best first.
    pub(crate) shared: Option<Vec<Scored>>,
    /// Whether nothing was found that has not been kept.
    pub(crate) is_all: bool,
}

impl Found {
    /// Where nothing was looked for.
    pub(crate) fn nothing() -> Self {
        Self { best: Vec::new(), shared: None, is_all: false }
    }

    /// Each document that was found, in their order.
    pub(crate) fn into_all(self) -> Vec<Scored> {
        let mut all: Vec<Scored> = self.best.into_iter().chain(self.shared.into_iter().flatten()).collect();
        all.sort_unstable_by_key(|scored| scored.doc);
        all.dedup_by_key(|scored| scored.doc);
        all
    }
}

impl<'s> Collector<'s> {
    pub(crate) fn new(
        capacity: usize,
        copies: Option<&'s Copies>,
        lists: &Lists<'s>,
        (pairs, added): (PairBound, &'s Added<'s>),
        probe: &'s dyn Fn(DocId) -> Result<Option<Scored>, Error>,
    ) -> Self {
        Self {
            kept: Kept { top: TopDocuments::new(capacity), shared: None },
            folder: Folder::new(copies, lists.reader),
            standing: lists.standing(),
            pairs,
            added,
            titles: &[],
            range: DocId::new(0)..DocId::new(lists.searcher.index.documents()),
            documents: lists.searcher.index.documents() as usize,
            slack: lists.slack,
            stopper: Rc::clone(&lists.stopper),
            probe,
        }
    }

    /// The same, where hosts share the first places too.
    pub(crate) fn sharing(mut self, sites: Option<&'s Sites>) -> Self {
        self.kept.shared = sites.map(SharedTop::new);
        self
    }

    /// The same, where plain words are looked for in these documents alone.
    pub(crate) fn within(self, range: Range<DocId>) -> Self {
        Self { range, ..self }
    }

    /// Offers documents that are called what was typed, for which `bonus` is added; nobody need offer them again. Others that
    /// are called so may be beyond the documents that are looked at.
    pub(crate) fn offer_titles(
        &mut self,
        titles: &'s [DocId],
        bonus: Points,
        mut asked: impl FnMut(DocId) -> Result<Option<Scored>, Error>,
    ) -> Result<(), Error> {
        self.folder.call(titles);
        let range = self.range.clone();
        for doc in titles.iter().filter(|doc| range.contains(doc)) {
            if let Some(scored) = asked(*doc)? {
                let points = scored.points + self.rank(*doc) + bonus;
                self.offer(Scored { points, ..scored })?;
            }
        }
        self.titles = titles;
        Ok(())
    }

    /// The points of words and ranks with which a document that is not before `first` may be kept; `None`: with none at all.
    #[inline]
    pub(crate) fn least(&self, has_all: bool, first: DocId) -> Option<Points> {
        self.least_in_all(has_all, first).map(|least| self.pairs.lowered(least))
    }

    /// The same, with what pairs of words add.
    #[inline]
    pub(crate) fn least_in_all(&self, has_all: bool, first: DocId) -> Option<Points> {
        let least = self.kept.top.least(has_all, first);
        let least = match &self.kept.shared {
            Some(shared) => least.into_iter().chain(shared.least(has_all, first)).min(),
            None => least,
        };
        least.map(|least| least.and_share(self.slack))
    }

    /// The same for this document alone.
    #[inline]
    pub(crate) fn least_of(&self, has_all: bool, doc: DocId) -> Option<Points> {
        let least = self.kept.top.least(has_all, doc);
        let least = match &self.kept.shared {
            Some(shared) => least.into_iter().chain(shared.least_of(has_all, doc)).min(),
            None => least,
        };
        least.map(|least| least.and_share(self.slack))
    }

    /// What pairs of words add at most.
    pub(crate) fn pairs(&self) -> PairBound {
        self.pairs
    }

    /// What links and language add to no document from `first` to `last`.
    #[inline]
    pub(crate) fn rank_bound(&self, first: DocId, last: DocId) -> Points {
        self.standing.bound(first, last)
    }

    /// Whether links or language add anything.
    pub(crate) fn has_ranks(&self) -> bool {
        self.standing.adds_anything()
    }

    /// What links and language add to a document.
    #[inline]
    pub(crate) fn rank(&self, doc: DocId) -> Points {
        self.standing.points(doc)
    }

    /// The first document that is looked at.
    pub(crate) fn begin(&self) -> DocId {
        self.range.start
    }

    /// The number behind that of the last one.
    pub(crate) fn end(&self) -> DocId {
        self.range.end
    }

    /// How many documents there are in all.
    pub(crate) fn documents(&self) -> usize {
        self.documents
    }

    /// Whether time is over.
    #[inline]
    pub(crate) fn must_stop(&self) -> bool {
        self.stopper.must_stop()
    }

    /// The same after something that took as long as so many steps.
    #[inline]
    pub(crate) fn must_stop_after(&self, steps: u32) -> bool {
        self.stopper.must_stop_after(steps)
    }

    /// Offers a document with what words and links make of it; what pairs add is added here.
    pub(crate) fn offer(&mut self, scored: Scored) -> Result<(), Error> {
        self.offer_with(scored, self.pairs.most(scored.points, Points::ZERO))
    }

    /// The same, where pairs add no more than this.
    pub(crate) fn offer_with(&mut self, scored: Scored, of_pairs: Points) -> Result<(), Error> {
        let Some(least) = self.least_of(scored.has_all, scored.doc) else { return Ok(()) };
        let at_most = Scored { points: scored.points + of_pairs, ..scored };
        let is_known = || self.titles.binary_search(&scored.doc).is_ok() || self.folder.is_settled(at_most);
        if at_most.points < least || is_known() {
            return Ok(());
        }
        let points = scored.points + (self.added)(scored.doc, scored.points.missing_to(least))?;
        if points < least {
            return Ok(());
        }
        self.folder.offer(Scored { points, ..scored }, &mut self.kept, self.probe)
    }

    /// Takes what was found among other documents, with all that is added to it, or whoever stands for it.
    pub(crate) fn take(&mut self, found: impl IntoIterator<Item = Scored>) -> Result<(), Error> {
        for scored in found {
            self.folder.offer(scored, &mut self.kept, self.probe)?;
        }
        Ok(())
    }

    /// Whether all that was found has been kept.
    pub(crate) fn has_room(&self) -> bool {
        self.kept.top.has_room()
    }

    pub(crate) fn into_found(self) -> Found {
        let is_all = self.has_room() && !self.stopper.has_stopped();
        Found { best: self.kept.top.into_sorted(), shared: self.kept.shared.map(SharedTop::into_all), is_all }
    }
}
