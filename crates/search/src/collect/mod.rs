//! Finding the best without looking at all.
//!
//! A document that cannot come among the best need not be looked at, and the index knows for every stretch of a list what
//! no document in it exceeds. [`all::walk`] intersects, [`any::walk`] unites, [`phrase::walk`] reads positions; all pass over whatever a bound rules out, and
//! find exactly what looking at everything would find: the same documents with the same scores in the same order.
//!
//! What they find they offer to a [`Collector`], which keeps the best, adds what links say, and shows one of each group of
//! copies.

pub(crate) mod all;
pub(crate) mod all_words;
pub(crate) mod any;
pub(crate) mod by_rank;
pub(crate) mod phrase;
mod spans;
mod windows;

use std::rc::Rc;

use page::DocId;

use crate::Error;
use crate::bonus::Lowering;
use crate::copies::{Copies, Folder};
use crate::limits::Stopper;
use crate::link_rank::LinkRanks;
use crate::lists::Lists;
use crate::points::Points;
use crate::top::{Scored, SiteLimit, TopDocuments};

/// What is added to a document, by how its words stand, that has so many points without; if it cannot reach the least, which
/// comes last, it may be any less.
pub(crate) type Added<'a> = dyn Fn(DocId, Points, Points) -> Result<Points, Error> + 'a;

/// Keeps the best of what is offered to it.
pub(crate) struct Collector<'s> {
    top: TopDocuments<'s>,
    folder: Folder<'s>,
    ranks: &'s LinkRanks,
    lowering: Lowering,
    added: &'s Added<'s>,
    /// Behind the last document.
    end: DocId,
    stopper: Rc<Stopper>,
    /// How well any document answers, with all that is added.
    probe: &'s dyn Fn(DocId) -> Result<Option<Scored>, Error>,
}

impl<'s> Collector<'s> {
    pub(crate) fn new(
        capacity: usize,
        copies: Option<&'s Copies>,
        lists: &Lists<'s>,
        lowering: Lowering,
        added: &'s Added<'s>,
        probe: &'s dyn Fn(DocId) -> Result<Option<Scored>, Error>,
    ) -> Self {
        Self {
            top: TopDocuments::new(capacity),
            folder: Folder::new(copies, lists.reader),
            ranks: &lists.searcher.ranks,
            lowering,
            added,
            end: DocId::new(lists.searcher.index.documents()),
            stopper: Rc::clone(&lists.stopper),
            probe,
        }
    }

    /// The same, with a limit for each site.
    pub(crate) fn with_limit(self, limit: SiteLimit<'s>) -> Self {
        Self { top: self.top.with_limit(limit), ..self }
    }

    /// The points of words and ranks with which a document that is not before `first` may be kept; `None`: with none at all.
    #[inline]
    pub(crate) fn least(&self, has_all: bool, first: DocId) -> Option<Points> {
        self.top.least(has_all, first).map(|least| self.lowering.lowered(least))
    }

    /// What links add to no document from `first` to `last`.
    #[inline]
    pub(crate) fn rank_bound(&self, first: DocId, last: DocId) -> Points {
        self.ranks.bound(first, last)
    }

    /// Whether links add anything.
    pub(crate) fn has_ranks(&self) -> bool {
        self.ranks.add_anything()
    }

    /// What links add to a document.
    #[inline]
    pub(crate) fn rank(&self, doc: DocId) -> Points {
        self.ranks.points(doc)
    }

    /// The number behind that of the last document.
    pub(crate) fn end(&self) -> DocId {
        self.end
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

    /// Offers a document with what words and links make of it; what else it has is added here.
    pub(crate) fn offer(&mut self, scored: Scored) -> Result<(), Error> {
        let Some(least) = self.top.least(scored.has_all, scored.doc) else { return Ok(()) };
        let points = scored.points + (self.added)(scored.doc, scored.points, least)?;
        if points < least {
            return Ok(());
        }
        self.folder.offer(Scored { points, ..scored }, &mut self.top, self.probe)
    }

    /// Whether all that was found has been kept.
    pub(crate) fn has_room(&self) -> bool {
        self.top.has_room()
    }

    /// Best first.
    pub(crate) fn into_sorted(self) -> Vec<Scored> {
        self.top.into_sorted()
    }
}
