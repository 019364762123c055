//! From a query to ranked documents.
//!
//! The best are found ([`crate::best`]), by two threads where that is worth it ([`crate::halves`]); how many documents match is
//! counted apart, where that is quick or asked for ([`crate::count`]). Then the best are looked at once more: words in their
//! titles count, and what they mean may. Last, hosts share the first places.

use std::borrow::Cow;
use std::ops::Range;

use page::{DocId, PageKey};

use crate::asked::{Asked, Probe};
use crate::best::Wish;
use crate::bonus::{Bonus, LOOKED_AT, TitleWords};
use crate::collect::Found;
use crate::copies::{Copies, CopiesView};
use crate::count::{Counted, TotalIs, count};
use crate::fusion::{Fusion, MeaningExplanation};
use crate::halves;
use crate::limits::{Limits, TotalWish};
use crate::lists::Lists;
use crate::points::Points;
use crate::query::Query;
use crate::scheme::Scheme;
use crate::sites::Sites;
use crate::spread;
use crate::switch::Meanings;
use crate::textbook;
use crate::top::{Keeper as _, Scored, TopDocuments};
use crate::{Error, Searcher};

/// How far down the list of results one can go.
pub const RESULTS_MAX: usize = 1000;

/// The documents that answer a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Hits {
    /// How many documents match, those that are folded into others not counted.
    pub total: u64,
    /// What the total says, and `with_all_words` too.
    pub total_is: TotalIs,
    /// How many of them have all plain words of the query; they come first.
    pub with_all_words: u64,
    /// Those asked for, those with all words first, then by score; equal scores in
    /// the order of the documents.
    pub hits: Vec<Hit>,
    /// The deadline came before the end: there may be more and better ones.
    pub partial: bool,
}

/// A document that answers a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Its number in the index.
    pub doc: DocId,
    /// The key under which it was indexed.
    pub key: PageKey,
    /// How well it answers.
    pub score: f64,
    /// How many copies of it match too and are folded into it.
    pub similar: u64,
    /// Whether further pages of its host are held back, so that others have a place among the first ten.
    pub site_has_more: bool,
    /// What words of the query in its title add to the score, where the best were looked at once more.
    pub title_words: Option<f64>,
    /// What its meaning adds to the score, if meanings count.
    pub meaning: Option<MeaningExplanation>,
}

impl Searcher {
    /// The results from number `from` (the best is 0), at most `count` of them, however long it takes.
    pub fn search(&self, query: &Query, from: usize, count: usize) -> Result<Hits, Error> {
        self.search_within(query, from, count, CopiesView::default(), Limits::default())
    }

    /// Like [`Searcher::search`], with a choice of what is done with copies; stops at the deadline with what it has.
    pub fn search_within(
        &self,
        query: &Query,
        from: usize,
        count: usize,
        view: CopiesView,
        limits: Limits,
    ) -> Result<Hits, Error> {
        self.search_by_meaning(query, from, count, view, limits, Meanings::Off)
    }

    /// Like [`Searcher::search_within`], where what pages mean may count beside their words.
    pub fn search_by_meaning(
        &self,
        query: &Query,
        from: usize,
        count: usize,
        view: CopiesView,
        limits: Limits,
        meanings: Meanings,
    ) -> Result<Hits, Error> {
        check_range(from, count)?;
        let query = self.widened(query);
        let lists = Lists::new(self, query.spellings(), limits);
        let query = lists.fit(&query)?.query;
        self.search_lists(&lists, &query, from..from + count, view, limits, meanings)
    }

    /// The results of a query that fits.
    pub(crate) fn search_lists(
        &self,
        lists: &Lists<'_>,
        query: &Query,
        Range { start: from, end: to }: Range<usize>,
        view: CopiesView,
        limits: Limits,
        meanings: Meanings,
    ) -> Result<Hits, Error> {
        if let CopiesView::Only(key) = view {
            return self.search_group(lists, query, key, from, to);
        }
        let copies = Some(&*self.copies).filter(|_| view == CopiesView::Folded);
        if self.scheme != Scheme::Bm25f {
            return self.search_textbook(lists, query, from..to, copies);
        }
        let bonus = Bonus::new(lists, query)?;
        let candidates = meanings.candidates(lists, query, &bonus)?;
        let mut title_words = match meanings {
            Meanings::Off => None,
            Meanings::Auto | Meanings::On => TitleWords::new(lists, query)?,
        };
        let looked_at = candidates.or(title_words.as_ref().map(|_| LOOKED_AT)).unwrap_or(0);
        let is_spread = to > 0 && copies.is_some() && self.sites.hosts() > 1 && !query.names_a_site();
        let capacity = match candidates {
            None if is_spread => to.max(looked_at).max(spread::SHARED_PLACES),
            _ => to.max(looked_at),
        };
        let wish = Wish { copies, capacity, by_meaning: candidates.is_some(), is_spread };
        let in_halves = limits.in_halves && halves::can_be(query);
        let Found { best, shared, is_all } = match in_halves {
            // Whoever only counts looks for none of them.
            _ if to == 0 => Found::nothing(),
            true => halves::best(lists, query, &bonus, &wish, limits)?,
            false => wish.best(lists, query, &bonus, lists.all(), || Ok(Vec::new()))?,
        };
        let counted = match is_all {
            true => count_all(lists, query, copies, limits, &best)?,
            false => count_within(lists, query, copies, limits, &best)?,
        };
        let limit = spread::limit(&best, &self.sites);
        let mut chosen = limit.zip(shared).map_or(Vec::new(), |(limit, shared)| limit.among(shared));
        let (mut list, mut fusion) = (List { held_back: Vec::new(), shown: best }, None);
        if candidates.is_some() {
            add_pairs(&mut list.shown, &bonus)?;
            add_pairs(&mut chosen, &bonus)?;
        }
        if let Some(words) = &mut title_words {
            chosen.retain(|scored| !list.shown.iter().any(|other| other.doc == scored.doc));
            words.reorder(&mut list.shown, looked_at);
            words.reorder(&mut chosen, looked_at);
        }
        if looked_at > 0 {
            fusion = candidates.and_then(|candidates| meanings.fusion(lists, &list.shown, candidates));
            chosen = list.reorder(fusion.as_ref(), chosen, Some(&*self.sites).filter(|_| is_spread));
        }
        list.spread(chosen, lists);
        let shown: Vec<DocId> = list.shown.iter().take(to).skip(from).map(|scored| scored.doc).collect();
        let similar = self.similar(lists, query, copies, &shown)?;
        let hit = |(scored, similar): (&Scored, u64)| Hit {
            site_has_more: list.held_back.contains(&scored.doc),
            title_words: title_words.as_ref().and_then(|words| words.added_to(scored.doc)),
            meaning: fusion.as_ref().map(|fusion| fusion.explain(scored.doc)),
            ..scored.hit(self.index.doc_key(scored.doc), similar)
        };
        let hits = list.shown.iter().take(to).skip(from).zip(similar).map(hit).collect();
        let Counted { total, with_all_words, total_is } = counted;
        Ok(Hits { total, total_is, with_all_words, hits, partial: lists.stopper.has_stopped() })
    }

    /// The results by a formula that gives no bounds.
    fn search_textbook(
        &self,
        lists: &Lists<'_>,
        query: &Query,
        places: Range<usize>,
        copies: Option<&Copies>,
    ) -> Result<Hits, Error> {
        let all = textbook::rank(lists, query, copies)?;
        let shown = &all[places.start.min(all.len())..places.end.min(all.len())];
        let docs: Vec<DocId> = shown.iter().map(|found| found.doc).collect();
        let similar = self.similar(lists, query, copies, &docs)?;
        let hit = |(&textbook::Found { doc, score, .. }, similar): (&textbook::Found, u64)| Hit {
            doc,
            key: self.index.doc_key(doc),
            score,
            similar,
            site_has_more: false,
            title_words: None,
            meaning: None,
        };
        let hits = shown.iter().zip(similar).map(hit).collect();
        let partial = lists.stopper.has_stopped();
        Ok(Hits {
            total: all.len() as u64,
            total_is: if partial { TotalIs::AtLeast } else { TotalIs::Exact },
            with_all_words: all.iter().filter(|found| found.has_all_words).count() as u64,
            hits,
            partial,
        })
    }

    /// The members of the group of a document that match, or the document alone.
    fn search_group(
        &self,
        lists: &Lists<'_>,
        query: &Query,
        key: PageKey,
        from: usize,
        to: usize,
    ) -> Result<Hits, Error> {
        let doc = self.index.find_key(key);
        let group = doc.and_then(|doc| self.copies.group_of(doc));
        let members: Cow<'_, [DocId]> = match group {
            Some(group) => Cow::Borrowed(self.copies.members(group)),
            None => Cow::Owned(doc.into_iter().collect()),
        };
        let bonus = Bonus::new(lists, query)?;
        let of_title = |doc: DocId| bonus.of_whole_title(doc);
        let probe = Probe::new(lists, query, bonus.pair_bound(), &of_title);
        let mut top = TopDocuments::new(members.len());
        for doc in members.iter().copied() {
            probe.at(doc)?.into_iter().for_each(|scored| top.offer(scored));
        }
        let all = top.into_sorted();
        let Counted { total, with_all_words, total_is } = Counted::all(&all);
        let shown = all.into_iter().take(to).skip(from);
        let hits = shown.map(|scored| scored.hit(self.index.doc_key(scored.doc), 0)).collect();
        Ok(Hits { total, total_is, with_all_words, hits, partial: false })
    }

    /// How many copies of each of some documents match beside it, as far as [`SIMILAR_MAX`] of them tell.
    fn similar(
        &self,
        lists: &Lists<'_>,
        query: &Query,
        copies: Option<&Copies>,
        docs: &[DocId],
    ) -> Result<Vec<u64>, Error> {
        let mut similar = vec![0; docs.len()];
        let mut members: Vec<(DocId, usize)> = Vec::new();
        for (place, doc) in docs.iter().enumerate() {
            let group = copies.and_then(|copies| Some(copies.members(copies.group_of(*doc)?)));
            let others = group.unwrap_or_default().iter().filter(|member| *member != doc);
            members.extend(others.take(SIMILAR_MAX).map(|member| (*member, place)));
        }
        if !members.is_empty() {
            // One walk for all of them, as lists go forward only.
            members.sort_unstable();
            let mut asked = Asked::new(lists, query)?;
            for (member, place) in members {
                similar[place] += u64::from(asked.at(member)?.is_some());
            }
        }
        Ok(similar)
    }
}

/// The results from the first on.
struct List {
    shown: Vec<Scored>,
    /// Those behind which further ones of their hosts are held back.
    held_back: Vec<DocId>,
}

impl List {
    /// Puts the list into its order by meaning, if there is one; gives what its top is then, if hosts share it and one is
    /// crowded. What a walk with a limit for each site has chosen by words may be there too.
    fn reorder(
        &mut self,
        fusion: Option<&Fusion<'_>>,
        mut chosen: Vec<Scored>,
        sites: Option<&Sites>,
    ) -> Vec<Scored> {
        chosen.retain(|scored| !self.shown.iter().any(|other| other.doc == scored.doc));
        if let Some(fusion) = fusion {
            fusion.reorder(&mut self.shown);
            fusion.reorder(&mut chosen);
        }
        match sites.and_then(|sites| Some((spread::limit(&self.shown, sites)?, sites))) {
            Some((limit, sites)) => spread::choose(self.shown.iter().chain(&chosen), limit, sites),
            None => Vec::new(),
        }
    }

    /// Puts at its top what was chosen with a limit for each site, if there is any and time was not over before.
    fn spread(&mut self, chosen: Vec<Scored>, lists: &Lists<'_>) {
        if chosen.is_empty() || lists.stopper.has_stopped() {
            return;
        }
        let spread = spread::spread(chosen, self.shown.clone());
        self.held_back = spread::with_more(&spread, &self.shown, &lists.searcher.sites);
        self.shown = spread;
    }
}

/// Whether results so far down may be asked for.
pub(crate) fn check_range(from: usize, count: usize) -> Result<(), Error> {
    match from.saturating_add(count) {
        to if to > RESULTS_MAX => Err(Error::TooFar { from, to, limit: RESULTS_MAX }),
        _ => Ok(()),
    }
}

/// Adds to some documents what pairs of words do, and puts them into their order.
fn add_pairs(documents: &mut [Scored], bonus: &Bonus<'_>) -> Result<(), Error> {
    // Lists go forward more quickly.
    documents.sort_unstable_by_key(|scored| scored.doc);
    for scored in documents.iter_mut() {
        scored.points += bonus.of_pairs(scored.doc, Points::ZERO)?;
    }
    documents.sort_unstable_by(|one, other| other.cmp(one));
    Ok(())
}

/// Of a larger group so many copies are asked whether they match.
const SIMILAR_MAX: usize = 256;

/// Counts where all are known; how many have all words of a question is still to be looked at.
fn count_all(
    lists: &Lists<'_>,
    query: &Query,
    copies: Option<&Copies>,
    limits: Limits,
    all: &[Scored],
) -> Result<Counted, Error> {
    let all = Counted::all(all);
    if query.wants_all_words_first() || limits.total == TotalWish::Free {
        return Ok(all);
    }
    // Where little was found the lists are short, unless a formula holds most of them back.
    let with_all_words = count(lists, query, copies, u64::MAX)?.with_all_words;
    Ok(Counted { with_all_words, ..all })
}

/// Counts as far as is wished; at least those that are known.
fn count_within(
    lists: &Lists<'_>,
    query: &Query,
    copies: Option<&Copies>,
    limits: Limits,
    known: &[Scored],
) -> Result<Counted, Error> {
    let known = Counted { total_is: TotalIs::AtLeast, ..Counted::all(known) };
    match limits.total.postings() {
        _ if lists.stopper.has_stopped() => Ok(known),
        0 => Ok(known),
        postings => Ok(count(lists, query, copies, postings)?.at_least(&known)),
    }
}

impl Scored {
    /// As people see it.
    fn hit(self, key: PageKey, similar: u64) -> Hit {
        let score = self.points.score();
        Hit { doc: self.doc, key, score, similar, site_has_more: false, title_words: None, meaning: None }
    }
}
