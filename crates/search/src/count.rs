//! How many documents match: a walk of its own, since those that find the best pass over most.
//!
//! Documents are counted, not scored. Plain words are counted in windows: how many of the terms each document has. A formula
//! of words that must all be there, or any of them, is a set of bits for each word in a window; other formulas are asked
//! document by document.
//!
//! Cost: about two nanoseconds a posting, of a word that is in the window of one that leads; whoever asks says how many
//! postings may be looked at. A document whose positions are compared, or of which a formula and plain words are asked,
//! takes as long as many of them, and counts for as many.

use index::{AnyMarks, Marks};
use page::DocId;
use serde::Serialize;

use crate::Error;
use crate::asked::Asked;
use crate::collect::all::holds;
use crate::copies::Copies;
use crate::formula::Node;
use crate::lists::Lists;
use crate::operators::{DocIterator, Term, Words, are_side_by_side};
use crate::query::Query;
use crate::top::Scored;

/// What a total says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TotalIs {
    /// So many there are.
    #[default]
    Exact,
    /// There are so many or more.
    AtLeast,
}

/// How many documents match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) total: u64,
    pub(crate) with_all_words: u64,
    pub(crate) total_is: TotalIs,
}

impl Counted {
    /// These and no others.
    pub(crate) fn all(found: &[Scored]) -> Self {
        let with_all_words = found.iter().filter(|scored| scored.has_all).count() as u64;
        Self { total: found.len() as u64, with_all_words, total_is: TotalIs::Exact }
    }

    /// The same, or what is known anyway, where counting came to an end before.
    pub(crate) fn at_least(self, known: &Self) -> Self {
        match self.total_is {
            TotalIs::Exact => self,
            TotalIs::AtLeast => Self {
                total: self.total.max(known.total),
                with_all_words: self.with_all_words.max(known.with_all_words),
                ..self
            },
        }
    }
}

/// Counts the answers to a query, looking at about so many postings at most.
pub(crate) fn count(
    lists: &Lists<'_>,
    query: &Query,
    copies: Option<&Copies>,
    postings: u64,
) -> Result<Counted, Error> {
    let mut tally = Tally::new(copies, postings);
    let is_complete = if let Some((all, terms)) = terms_alone(lists, query)? {
        count_terms(terms, all, lists, &mut tally)
    } else if query.words_lead() {
        let must = query.must().map(|node| node.operator().documents(lists)).transpose()?;
        count_words(lists.words(query.words(), query.more())?, must, lists, &mut tally)?
    } else {
        count_formula(lists, query, &mut tally)?
    };
    Ok(Counted {
        total: tally.total,
        with_all_words: tally.with_all_words,
        total_is: if is_complete { TotalIs::Exact } else { TotalIs::AtLeast },
    })
}

/// What has been counted so far.
struct Tally<'c> {
    copies: Option<&'c Copies>,
    /// A bit for each group that was met, and for each of which a member has all words.
    groups: Vec<u64>,
    groups_with_all: Vec<u64>,
    total: u64,
    with_all_words: u64,
    /// How many postings may still be looked at.
    left: u64,
}

impl<'c> Tally<'c> {
    fn new(copies: Option<&'c Copies>, postings: u64) -> Self {
        let groups = vec![0; copies.map_or(0, Copies::groups).div_ceil(64)];
        let groups_with_all = groups.clone();
        Self { copies, groups, groups_with_all, total: 0, with_all_words: 0, left: postings }
    }

    fn add(&mut self, doc: DocId, has_all: bool) {
        let group = self.copies.and_then(|copies| copies.group_of(doc));
        let is_first = |groups: &mut [u64]| {
            group.is_none_or(|group| {
                let (word, bit) = (&mut groups[group as usize / 64], 1 << (group % 64));
                std::mem::replace(word, *word | bit) & bit == 0
            })
        };
        self.total += u64::from(is_first(&mut self.groups));
        if has_all {
            self.with_all_words += u64::from(is_first(&mut self.groups_with_all));
        }
    }

    /// Adds those documents of a window that have all that was asked for.
    fn add_bits(&mut self, found: &Bits, first: DocId) {
        if self.copies.is_some() {
            ones(found).for_each(|place| self.add(DocId::new(first.get() + place as u32), true));
        } else {
            let count: u64 = found.iter().map(|word| u64::from(word.count_ones())).sum();
            self.total += count;
            self.with_all_words += count;
        }
    }

    /// Pays for so many postings; false if that is too much.
    fn pay(&mut self, postings: u64) -> bool {
        self.left.checked_sub(postings).map(|left| self.left = left).is_some()
    }
}

const WINDOW: usize = 4096;

/// The words of a formula that has no others and no plain words beside it, and whether all of them must be there.
fn terms_alone<'s>(lists: &Lists<'s>, query: &Query) -> Result<Option<(bool, Vec<Term<'s>>)>, Error> {
    let (all, nodes) = match query.must() {
        Some(Node::And(and)) if query.words().is_empty() => (true, &and.parts),
        Some(Node::Or(or)) if query.words().is_empty() => (false, &or.parts),
        _ => return Ok(None),
    };
    let mut terms = Vec::with_capacity(nodes.len());
    for node in nodes {
        let Node::Term(term) = node else { return Ok(None) };
        match lists.term(&term.0, 1)? {
            Some(term) => terms.push(term),
            // Nothing has all of them.
            None if all => return Ok(Some((true, Vec::new()))),
            None => {}
        }
    }
    Ok(Some((all, terms)))
}

/// A bit for each document of a window.
type Bits = [u64; WINDOW / 64];

/// Counts what has all of some words, or any; false if that is too much.
fn count_terms(mut terms: Vec<Term<'_>>, all: bool, lists: &Lists<'_>, tally: &mut Tally<'_>) -> bool {
    terms.sort_by_key(|term| term.cost());
    loop {
        let docs = terms.iter().map(|term| term.doc());
        let first = if all { docs.max() } else { docs.min() }.unwrap_or(DocId::END);
        if first == DocId::END {
            return true;
        }
        let window = Window::at(first);
        let mut looked_at = 0;
        let found = match all {
            true => window.all_of(&mut terms, &mut looked_at),
            false => window.any_of(&mut terms, &mut looked_at),
        };
        tally.add_bits(&found, first);
        if lists.stopper.must_stop_after(WINDOW as u32 / 128 * terms.len() as u32) || !tally.pay(looked_at) {
            return false;
        }
    }
}

/// Documents that are looked at together, from one to another.
struct Window {
    first: DocId,
    last: DocId,
}

impl Window {
    fn at(first: DocId) -> Self {
        let last = first.get().saturating_add(WINDOW as u32 - 1).min(DocId::END.get() - 1);
        Self { first, last: DocId::new(last) }
    }

    /// Marks the documents that a word has; then it stands behind.
    fn mark(&self, term: &mut Term<'_>, marks: &mut (impl Marks + ?Sized), looked_at: &mut u64) {
        term.advance(self.first);
        *looked_at += term.mark_to(self.first, self.last, marks);
    }

    /// The documents that a word has.
    fn bits_of(&self, term: &mut Term<'_>, looked_at: &mut u64) -> Bits {
        let mut bits = [0; WINDOW / 64];
        self.mark(term, &mut bits[..], looked_at);
        bits
    }

    /// The documents that all words have, the rarest of which is the first.
    fn all_of(&self, terms: &mut [Term<'_>], looked_at: &mut u64) -> Bits {
        let Some((rarest, others)) = terms.split_first_mut() else { return [0; WINDOW / 64] };
        let mut found = self.bits_of(rarest, looked_at);
        for term in others {
            // Where the rarest word is hardly ever, the others are asked for what it has.
            let is_few = found.iter().map(|word| word.count_ones()).sum::<u32>() < 64;
            let bits = if is_few { common(&found, self.first, term) } else { self.bits_of(term, looked_at) };
            found.iter_mut().zip(bits).for_each(|(found, bits)| *found &= bits);
        }
        found
    }

    /// The documents that some word has.
    fn any_of(&self, terms: &mut [Term<'_>], looked_at: &mut u64) -> Bits {
        let mut any = AnyMarks::default();
        terms.iter_mut().for_each(|term| self.mark(term, &mut any, looked_at));
        any.bits()
    }
}

/// Those of some documents that a word has.
fn common(found: &Bits, first: DocId, term: &mut Term<'_>) -> Bits {
    let mut bits = *found;
    for place in ones(found) {
        let doc = DocId::new(first.get() + place as u32);
        if term.advance(doc) != doc {
            bits[place / 64] &= !(1 << (place % 64));
        }
    }
    bits
}

/// The places of bits that are set.
fn ones(bits: &Bits) -> impl Iterator<Item = usize> {
    bits.iter().enumerate().flat_map(|(number, &word)| {
        let next = |word: &u64| Some(word & (word - 1)).filter(|word| *word != 0);
        let rests = std::iter::successors(Some(word).filter(|word| *word != 0), next);
        rests.map(move |word| 64 * number + word.trailing_zeros() as usize)
    })
}

/// Counts what has any of some words, and all; false if that is too much.
fn count_words(
    mut words: Words<'_>,
    mut must: Option<Box<dyn DocIterator + '_>>,
    lists: &Lists<'_>,
    tally: &mut Tally<'_>,
) -> Result<bool, Error> {
    loop {
        let first = words.terms.iter().chain(&words.more).map(|term| term.doc()).min().unwrap_or(DocId::END);
        if first == DocId::END {
            return Ok(true);
        }
        let window = Window::at(first);
        let no_word = words.is_hopeless || words.terms.is_empty();
        let (mut any, mut all, mut looked_at) =
            ([0; WINDOW / 64], [if no_word { 0 } else { !0 }; WINDOW / 64], 0);
        for term in &mut words.terms {
            let bits = window.bits_of(term, &mut looked_at);
            any.iter_mut().zip(&bits).for_each(|(any, bits)| *any |= bits);
            all.iter_mut().zip(&bits).for_each(|(all, bits)| *all &= bits);
        }
        for term in &mut words.more {
            window.mark(term, &mut any[..], &mut looked_at);
        }
        for place in ones(&any) {
            let doc = DocId::new(first.get() + place as u32);
            let has_terms = all[place / 64] >> (place % 64) & 1 != 0;
            if holds(&mut must, doc)? {
                tally.add(doc, has_terms && are_side_by_side(&mut words.phrases, doc)?);
            }
        }
        if lists.stopper.must_stop_after(WINDOW as u32 / 128 * words.terms.len() as u32)
            || !tally.pay(looked_at)
        {
            return Ok(false);
        }
    }
}

/// So many postings take as long as a document that is asked for plain words too, or whose positions are compared.
const POSTINGS_OF_LOOK: u64 = 16;

fn count_formula(lists: &Lists<'_>, query: &Query, tally: &mut Tally<'_>) -> Result<bool, Error> {
    let Some(must) = query.must() else { return Ok(true) };
    let is_dear = !query.words().is_empty() || must.compares_positions();
    let postings = if is_dear { POSTINGS_OF_LOOK } else { 1 };
    let (mut candidates, mut asked) = (must.operator().documents(lists)?, Asked::new(lists, query)?);
    let mut doc = candidates.doc();
    while doc != DocId::END {
        if lists.stopper.must_stop() || !tally.pay(postings) {
            return Ok(false);
        }
        if query.words().is_empty() {
            if candidates.matches()? {
                tally.add(doc, true);
            }
        } else if asked.at(doc)?.is_some() {
            tally.add(doc, asked.has_all_words(doc)?);
        }
        doc = candidates.next();
    }
    Ok(true)
}
