//! What each stretch of documents is worth at most, and where to look first.
//!
//! The documents are divided into windows of equal length. Before a walk begins, the peaks of frequent words are laid over
//! the windows, and of other words the maxima of blocks: each window then knows what every word adds at most to a document in
//! it, and what all of them do. A window that is worth too little is passed over by one comparison. And a walk can pass over
//! more the sooner it knows good documents, so it begins with the windows that are worth most, and then goes through what is
//! left, in order. What is found does not depend on it: every window is walked once, and ties are decided by the documents.
//!
//! Cost: about a nanosecond for each window and each block of each list.

use page::DocId;

use super::Collector;
use crate::Error;
use crate::points::Points;

/// So many documents are a window, or twice as many, and so on, where there would be too many windows. Where all words have to
/// be there, windows are as small as the stretches of which peaks are known: most lack some word.
const SHIFT_MIN: u32 = 8;
const SHIFT_MIN_ALL: u32 = 6;
const WINDOWS_MAX: usize = 1 << 13;

/// So many windows come first, and no more than one of four.
const FIRST: usize = 16;

/// What the words of a query add at most, window by window.
pub(crate) struct Windows {
    shift: u32,
    count: usize,
    /// The first document that is looked at, and the last.
    first: DocId,
    last: DocId,
    /// The windows of the first word, then those of the second, and so on; nothing where a word is in no document.
    of_words: Vec<u32>,
    /// What a document is worth at most, with what links add; nothing where none is an answer, or all have been seen.
    all: Vec<u32>,
}

/// How the words of a query are taken together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Together {
    /// One has to be there, and they add up.
    Any,
    /// All have to be there, and they add up.
    All,
    /// All have to be there, and the whole is worth no more than the least of them.
    Least,
}

impl Windows {
    /// Windows of so many words; `raise` raises those of one.
    pub(crate) fn new(
        words: usize,
        together: Together,
        collector: &Collector<'_>,
        mut raise: impl FnMut(usize, u32, &mut [u32]),
    ) -> Self {
        // Blocks reach beyond the documents that are looked at.
        let documents = collector.documents();
        let last = DocId::new(collector.end().get().saturating_sub(1));
        let mut shift = if together == Together::All { SHIFT_MIN_ALL } else { SHIFT_MIN };
        while documents >> shift >= WINDOWS_MAX {
            shift += 1;
        }
        let count = (documents >> shift) + 1;
        let mut of_words = vec![0; words * count];
        let mut all = vec![0; count];
        for (word, windows) in of_words.chunks_mut(count).enumerate() {
            raise(word, shift, windows);
            let joined = all.iter_mut().zip(&*windows);
            match together {
                _ if word == 0 => all.copy_from_slice(windows),
                // What all words add is small enough.
                Together::Any => joined.for_each(|(all, word)| *all += *word),
                Together::All => {
                    joined.for_each(|(all, word)| {
                        *all = if *all == 0 || *word == 0 { 0 } else { *all + *word }
                    });
                }
                Together::Least => joined.for_each(|(all, word)| *all = (*all).min(*word)),
            }
        }
        let mut windows = Self { shift, count, first: collector.begin(), last, of_words, all };
        if collector.has_ranks() {
            for window in 0..count {
                if windows.all[window] > 0 {
                    windows.all[window] =
                        (Points(windows.all[window]) + windows.rank_bound(window, collector)).0;
                }
            }
        }
        windows
    }

    /// What links add at most in a window.
    pub(crate) fn rank_bound(&self, window: usize, collector: &Collector<'_>) -> Points {
        let (first, last) = self.span(window);
        collector.rank_bound(first, last)
    }

    /// How many documents a window has.
    pub(crate) fn length(&self) -> usize {
        1 << self.shift
    }

    /// The first and the last document of a window.
    #[inline]
    pub(crate) fn span(&self, window: usize) -> (DocId, DocId) {
        let first = (window as u32) << self.shift;
        (DocId::new(first), DocId::new(first + ((1 << self.shift) - 1)))
    }

    /// The window of a document that there is.
    #[inline]
    pub(crate) fn window_of(&self, doc: DocId) -> usize {
        (doc.get() >> self.shift) as usize
    }

    /// What a word adds at most in a window.
    #[inline]
    pub(crate) fn of_word(&self, word: usize, window: usize) -> Points {
        Points(self.of_words[word * self.count + window])
    }

    /// What a document of a window is worth at most; nothing if none of it is an answer, or all have been seen.
    #[inline]
    pub(crate) fn worth(&self, window: usize) -> Points {
        Points(self.all[window])
    }

    /// Walks through all windows that may have something, those that are worth most first if it may go back.
    pub(crate) fn walk(mut self, walk: &mut impl Walk, can_go_back: bool) -> Result<(), Error> {
        let first = if can_go_back { self.strongest() } else { Vec::new() };
        for &window in &first {
            if walk.must_stop() || walk.least(self.span(window).0).is_none() {
                return Ok(());
            }
            let (first, last) = self.span(window);
            walk.look_into(&self, first.max(self.first), last.min(self.last))?;
            self.all[window] = 0;
        }
        if !first.is_empty() {
            walk.rewind();
        }
        let mut from = self.first;
        while from <= self.last
            && !walk.must_stop()
            && let Some(least) = walk.least(from)
            && let Some(window) = self.next(self.window_of(from), least)
            && self.span(window).0 <= self.last
        {
            let (first, last) = self.span(window);
            let first = first.max(from);
            let last = last.max(walk.reach(first)).min(self.last);
            walk.look_into(&self, first, last)?;
            from = last.next();
        }
        Ok(())
    }

    /// The windows that are worth most, in order.
    fn strongest(&self) -> Vec<usize> {
        let (begin, end) = (self.window_of(self.first), self.window_of(self.last) + 1);
        let all = self.all.get(begin..end).unwrap_or_default();
        let worth_something = all.iter().filter(|worth| **worth > 0).count();
        let mut first: Vec<(u32, usize)> = vec![(0, 0); FIRST.min(worth_something / 4)];
        let Some(last) = first.len().checked_sub(1) else { return Vec::new() };
        for (window, &worth) in (begin..).zip(all) {
            if worth > first[last].0 {
                let place = first.partition_point(|kept| kept.0 >= worth);
                first.copy_within(place..last, place + 1);
                first[place] = (worth, window);
            }
        }
        let mut first: Vec<usize> = first.into_iter().map(|(_, window)| window).collect();
        first.sort_unstable();
        first
    }

    /// The first window from this one on that is worth so much.
    fn next(&self, from: usize, least: Points) -> Option<usize> {
        let least = least.0.max(1);
        let found = self.all.get(from..)?.iter().position(|&worth| worth >= least)?;
        Some(from + found)
    }
}

/// Walks through windows.
pub(crate) trait Walk {
    /// Whether time is over.
    fn must_stop(&self) -> bool;

    /// What a document that is not before this one needs; `None`: nothing more is wanted.
    fn least(&self, from: DocId) -> Option<Points>;

    /// As far as this the documents behind `from` can be looked at as quickly as those of a window: they are in one block.
    fn reach(&mut self, from: DocId) -> DocId;

    /// Offers what is among the documents from one to another, which are of one window or within reach. They increase. What is
    /// in a window that is worth nothing must not be offered.
    fn look_into(&mut self, windows: &Windows, first: DocId, last: DocId) -> Result<(), Error>;

    /// Begins again with the first window.
    fn rewind(&mut self);
}
