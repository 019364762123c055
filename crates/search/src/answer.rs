//! From what was typed to what is shown.

use std::borrow::Cow;
use std::ops::Range;
use std::time::Instant;

use index::RoutingReport;
use page::{DocId, PageKey, Timestamp, thousands};
use serde::Serialize;

use crate::breadcrumb::breadcrumb;
use crate::correct::corrected;
use crate::explain::Walk;
use crate::formula::Node;
use crate::halves;
use crate::limits::NOTES_MAX;
use crate::lists::Lists;
use crate::reading::{Busy, InText, are_long, read_all};
use crate::searching::check_range;
use crate::snippet::TEXT_BYTES_MAX;
use crate::{
    CopiesView, Error, Explanation, Feedback, Fragment, Hit, Hits, Limits, Meanings, MoreWord, Note, Query,
    ReaderLanguages, Scheme, SearchError, Searcher, Snippet, TotalIs, Wanted,
};

/// Gives the text of a page back, from the key under which it was indexed. Several threads may ask.
pub trait PageReader: Sync {
    /// The page; `None` when it is gone.
    fn read(&self, key: PageKey) -> Option<PageText>;

    /// The page with at least so many bytes of its text, and with some of its main text, or with all.
    fn read_beginning(&self, key: PageKey, _text_bytes: usize) -> Option<PageText> {
        self.read(key)
    }
}

/// A page as it is shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageText {
    /// Its address.
    pub url: String,
    /// What the collection is called that it is from, if that is known.
    pub collection: Option<String>,
    /// Its title, possibly empty.
    pub title: String,
    /// Its text.
    pub text: String,
    /// Where in the text the main text lies, in order; empty where that is not known, and all is main text.
    pub main: Vec<Range<usize>>,
    /// When it says that it was changed, or else published.
    pub date: Option<Timestamp>,
    /// Whether its text goes on behind what is here.
    pub is_cut: bool,
}

impl PageText {
    /// The parts of its text that are main text.
    pub fn main_parts(&self) -> impl Iterator<Item = &str> {
        let all = self.main.is_empty().then_some(0..self.text.len());
        let parts = self.main.iter().cloned().chain(all);
        parts.map(|part| self.text.get(part).unwrap_or_default())
    }

    /// The day on which it was changed, if it says so.
    pub fn day(&self) -> Option<String> {
        self.date.map(|date| date.to_string().chars().take("2026-11-17".len()).collect())
    }

    /// What it says first: its title, and its main text as far as there is room.
    fn beginning(&self, bytes_max: usize) -> String {
        let mut text = self.title.clone();
        for part in self.main_parts() {
            let room = bytes_max.saturating_sub(text.len());
            let end = part.floor_char_boundary(room);
            text.push('\n');
            text.push_str(&part[..end]);
        }
        text
    }
}

/// What is wanted of an answer.
#[derive(Debug, Clone, Copy, Default)]
pub struct AnswerRequest {
    /// How many results to pass over.
    pub from: usize,
    /// How many results to give.
    pub count: usize,
    /// Whether each result says why it is where it is.
    pub explain: bool,
    /// Whether what pages mean counts beside their words.
    pub meanings: Meanings,
    /// Whether words of the first pages are looked for too.
    pub feedback: Feedback,
    /// What is done with copies.
    pub copies: CopiesView,
    /// How long it may take.
    pub limits: Limits,
    /// Whether misspelled words are left as they are.
    pub as_typed: bool,
    /// What the person reads who asks: pages in these languages gain a little, and of editions in several languages that one
    /// is shown.
    pub reader: ReaderLanguages,
}

/// A page of results.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Answer {
    /// What was asked.
    pub query: String,
    /// How many pages match; copies that are folded into a result are not counted.
    pub total: u64,
    /// What the total says.
    pub total_is: TotalIs,
    /// How many of them have all plain words of the query; they come first.
    pub with_all_words: u64,
    /// Whether the deadline came first, so that there may be more and better ones.
    pub partial: bool,
    /// How many results were passed over.
    pub from: usize,
    /// How long it took, snippets included, in microseconds.
    pub took_us: u64,
    /// Results left out because their page could not be read.
    pub unreadable: u64,
    /// What of the query was left out, cut or not understood, in words.
    pub notes: Vec<Note>,
    /// Words of the query that are on no page at all.
    pub unknown_words: Vec<String>,
    /// The query as it was probably meant, if a word seems to be misspelled.
    pub did_you_mean: Option<String>,
    /// Whether nothing was found for what was typed, so that the results are those of what was probably meant.
    pub corrected: bool,
    /// Whether what pages mean has counted beside their words.
    pub by_meaning: bool,
    /// How the terms were looked for in the segments of the index, if why was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub routing: Option<RoutingReport>,
    /// The results, best first.
    pub results: Vec<SearchResult>,
}

impl Answer {
    /// How many results have all words, in words behind a comma, where not all have them; nothing where that is not known.
    pub fn with_all_words_told(&self) -> String {
        match (self.with_all_words, self.total_is) {
            (count, _) if count >= self.total => String::new(),
            (0, TotalIs::Exact) => ", none with all words".to_owned(),
            (0, TotalIs::AtLeast) => String::new(),
            (count, TotalIs::Exact) => format!(", {} with all words", thousands(count)),
            (count, TotalIs::AtLeast) => format!(", at least {} with all words", thousands(count)),
        }
    }
}

/// One result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchResult {
    /// Its place in the whole list, from 1.
    pub rank: usize,
    /// The address of the page.
    pub url: String,
    /// The collection that it is from, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<String>,
    /// The title of the page, possibly empty.
    pub title: String,
    /// The title with the words that were looked for marked.
    pub title_fragments: Vec<Fragment>,
    /// The address as a path that can be read, marked.
    #[serde(skip)]
    pub breadcrumb: Vec<Fragment>,
    /// The day on which the page says that it was changed, or else published: `2026-11-17`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// What the page says about it; in JSON `snippet` as plain text and `snippet_fragments` with marks.
    #[serde(flatten)]
    pub snippet: Snippet,
    /// Plain words of the query that the page does not have.
    pub missing_words: Vec<String>,
    /// How well it answers.
    pub score: f64,
    /// The key of the page, for [`CopiesView::Only`].
    pub key: PageKey,
    /// How many other pages match that are copies of this one and are not shown.
    pub similar: u64,
    /// The host of which further pages match that are not shown among the first ten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more_from_site: Option<String>,
    /// Why, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
}

/// What of a query is looked for, what its author should know about that, and the words that are on no page.
struct Understood<'q> {
    query: Cow<'q, Query>,
    notes: Vec<Note>,
    unknown_words: Vec<String>,
}

impl Searcher {
    /// Parses a query, searches, and reads what is shown of each result.
    pub fn answer(
        &self,
        query_text: &str,
        from: usize,
        count: usize,
        pages: &dyn PageReader,
    ) -> Result<Answer, SearchError> {
        self.answer_request(query_text, &AnswerRequest { from, count, ..Default::default() }, pages)
    }

    /// Like [`Searcher::answer`], with everything that can be chosen.
    pub fn answer_request(
        &self,
        query_text: &str,
        request: &AnswerRequest,
        pages: &dyn PageReader,
    ) -> Result<Answer, SearchError> {
        let started = Instant::now();
        let mut answer = self.answer_as_typed(query_text, request, pages)?;
        if let Some(meant) = answer.did_you_mean.take() {
            if answer.total == 0 && !answer.partial {
                let request = AnswerRequest { as_typed: true, ..*request };
                let found = self.answer_as_typed(&meant, &request, pages)?;
                if found.total > 0 {
                    answer = Answer { query: answer.query, corrected: true, ..found };
                }
            }
            answer.did_you_mean = Some(meant);
        }
        answer.took_us = started.elapsed().as_micros().try_into().unwrap_or(u64::MAX);
        Ok(answer)
    }

    /// The documents that [`Searcher::answer_request`] shows, without their texts.
    pub fn search_request(
        &self,
        query: &Query,
        request: &AnswerRequest,
        pages: &dyn PageReader,
    ) -> Result<Hits, Error> {
        let AnswerRequest { from, count, copies, limits, meanings, .. } = *request;
        let query = self.with_more(query, request, pages)?;
        self.search_by_meaning(&query, from, count, copies, limits, meanings)
    }

    /// A query with synonyms and words of the first pages, as far as they are wanted.
    fn with_more<'q>(
        &self,
        query: &'q Query,
        request: &AnswerRequest,
        pages: &dyn PageReader,
    ) -> Result<Cow<'q, Query>, Error> {
        let query = self.widened(query);
        let read = |key: PageKey, bytes_max: usize| {
            Some(pages.read_beginning(key, 2 * bytes_max)?.beginning(bytes_max))
        };
        let fed_back = self.fed_back(&query, &read, request.limits, request.feedback)?;
        Ok(fed_back.map_or(query, Cow::Owned))
    }

    /// The answer to what was typed, and what was probably meant.
    fn answer_as_typed(
        &self,
        query_text: &str,
        request: &AnswerRequest,
        pages: &dyn PageReader,
    ) -> Result<Answer, SearchError> {
        let busy = Busy::with(&self.busy);
        let typed = Query::parse_for(query_text, self.index.analyzer())?;
        let with_more = self.with_more(&typed, request, pages)?;
        let typed: &Query = &with_more;
        let AnswerRequest { from, count, copies, limits, meanings, .. } = *request;
        check_range(from, count)?;
        let routing_before = self.index.routing();
        let lists = Lists::new(self, typed.spellings(), limits).for_reader(request.reader);
        let Understood { query, mut notes, unknown_words } = understood(&lists, typed)?;
        let is_wanted = meanings == Meanings::On;
        if is_wanted && self.scheme != Scheme::Bm25f {
            notes.push(Note::MeaningsBesideTextbook);
        } else if is_wanted && !self.has_spaces() {
            notes.push(Note::NoMeanings);
        }
        let limits = Limits { in_halves: busy.is_alone() && halves::are_worth_it(&lists, &query)?, ..limits };
        let hits = self.search_lists(&lists, &query, from..from + count, copies, limits, meanings)?;
        if hits.total == 0 && !hits.partial && unknown_words.is_empty() {
            notes.extend(nowhere(&lists, &query)?);
        }
        let wanted = hits.hits.len();
        let marked = Wanted::new(&query, self.index.analyzer());
        let mut results = Vec::with_capacity(wanted);
        let are_long = || are_long(&self.index, hits.hits.iter().map(|hit| hit.doc));
        let in_text = hits.hits.iter().map(|hit| InText::of(&lists, &query, hit.doc));
        let in_text = in_text.collect::<Result<Vec<_>, _>>()?;
        let shown = read_all(wanted, &busy, are_long, |place| {
            SearchResult::read(pages, hits.hits[place].key, &marked, in_text[place], request.from + 1 + place)
        });
        for (place, shown) in shown {
            results.push(result(&lists, &query, &hits.hits[place], shown, request.explain)?);
        }
        let did_you_mean = match request.as_typed {
            true => None,
            false => corrected(&lists, typed, query_text)?,
        };
        Ok(Answer {
            query: query_text.to_owned(),
            total: hits.total,
            total_is: hits.total_is,
            with_all_words: hits.with_all_words,
            partial: hits.partial,
            from: request.from,
            took_us: 0,
            unreadable: (wanted - results.len()) as u64,
            notes,
            unknown_words,
            did_you_mean,
            corrected: false,
            by_meaning: hits.hits.iter().any(|hit| hit.meaning.is_some()),
            // With those of other searches at the same time, if there are any.
            routing: request.explain.then(|| self.index.routing().since(&routing_before)),
            results,
        })
    }
}

fn understood<'q>(lists: &Lists<'_>, typed: &'q Query) -> Result<Understood<'q>, Error> {
    let fitted = lists.fit(typed)?;
    let mut notes = typed.notes().to_vec();
    let mut operators = Vec::new();
    typed.must().iter().for_each(|node| node.for_each_operator(&mut |operator| operators.push(operator)));
    for operator in operators {
        notes.extend(operator.note(lists)?);
    }
    for word in typed.words().iter().filter(|word| word.terms.len() > 1 && !lists.has_positions()) {
        notes.push(Note::WithoutPositions { typed: word.typed.clone() });
    }
    let mut unknown_words = Vec::new();
    for term in typed.terms() {
        if lists.found(term)?.main().is_none() {
            unknown_words.push(term.clone());
        }
    }
    if !unknown_words.is_empty() {
        notes.push(Note::Unknown { words: unknown_words.clone() });
    }
    let first: Vec<&MoreWord> = typed.more().iter().filter(|word| word.of.is_none()).collect();
    if !first.is_empty() {
        notes.push(Note::FirstPages { words: first.iter().map(|word| word.term.clone()).collect() });
    }
    let left_out: Vec<String> =
        fitted.left_out.into_iter().filter(|word| !unknown_words.contains(word)).collect();
    if !left_out.is_empty() {
        notes.push(Note::WordsCut { left_out });
    }
    if !fitted.unasked.is_empty() {
        notes.push(Note::Unasked { words: fitted.unasked });
    }
    notes.dedup();
    notes.truncate(NOTES_MAX);
    Ok(Understood { query: fitted.query, notes, unknown_words })
}

/// The phrases of a query, and words in a field, that are on no page.
fn nowhere(lists: &Lists<'_>, query: &Query) -> Result<Vec<Note>, Error> {
    let mut phrases = Vec::new();
    let mut see = |leaf: &Node, is_wanted: bool| {
        if is_wanted && leaf.has_places() {
            phrases.push(leaf.clone());
        }
    };
    query.must().iter().for_each(|node| node.for_each_leaf(true, &mut see));
    let mut notes = Vec::new();
    for phrase in phrases {
        let mut documents = phrase.operator().documents(lists)?;
        while documents.doc() != DocId::END && !documents.matches()? && !lists.stopper.must_stop() {
            documents.next();
        }
        if documents.doc() == DocId::END && notes.len() < NOTES_MAX {
            let operator = phrase.operator();
            notes.push(Note::Nowhere { typed: operator.to_string(), is_word: operator.terms().len() == 1 });
        }
    }
    Ok(notes)
}

fn result(
    lists: &Lists<'_>,
    query: &Query,
    hit: &Hit,
    shown: SearchResult,
    explain: bool,
) -> Result<SearchResult, Error> {
    let mut explanation = if explain { Some(Explanation::new(lists, query, hit.doc)?) } else { None };
    if let Some(explanation) = &mut explanation {
        let meaning = hit.meaning.map_or(0.0, |meaning| meaning.contribution);
        explanation.score += hit.title_words.unwrap_or_default() + meaning;
        (explanation.title_words, explanation.meaning) = (hit.title_words, hit.meaning);
    }
    let missing_words = Walk { lists, doc: hit.doc }.found_words(query)?.missing;
    let more_from_site = lists.searcher.sites.host(hit.doc).filter(|_| hit.site_has_more).map(str::to_owned);
    let (score, similar) = (hit.score, hit.similar);
    Ok(SearchResult { missing_words, score, similar, more_from_site, explanation, ..shown })
}

impl SearchResult {
    /// Reads a page as it is shown, without what a query says of it. A long one is read as far as the terms that its main text
    /// has are seen.
    pub(crate) fn read(
        pages: &dyn PageReader,
        key: PageKey,
        wanted: &Wanted,
        in_text: InText,
        rank: usize,
    ) -> Option<Self> {
        let mut page = pages.read_beginning(key, in_text.bytes)?;
        let (mut snippet, seen) = Snippet::with_seen(&page.text, &page.main, wanted);
        if page.is_cut && in_text.bytes < TEXT_BYTES_MAX && !seen.have(in_text.terms) {
            page = pages.read_beginning(key, TEXT_BYTES_MAX)?;
            snippet = Snippet::of_page(&page.text, &page.main, wanted);
        }
        Some(Self::shown(page, snippet, wanted, rank, key))
    }

    fn shown(page: PageText, snippet: Snippet, wanted: &Wanted, rank: usize, key: PageKey) -> Self {
        let marked = |line: &str| Snippet::of_line(line, wanted).fragments;
        Self {
            rank,
            breadcrumb: marked(&breadcrumb(&page.url)),
            date: page.day(),
            url: page.url,
            collection: page.collection,
            title_fragments: marked(&page.title),
            title: page.title,
            snippet,
            missing_words: Vec::new(),
            score: 0.0,
            key,
            similar: 0,
            more_from_site: None,
            explanation: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_counted_to_the_end_is_not_told_as_if_it_were() {
        use TotalIs::{AtLeast, Exact};
        let rows = [
            (3, 3, Exact, ""),
            (3, 1, Exact, ", 1 with all words"),
            (3, 0, Exact, ", none with all words"),
            (30_000, 1_200, AtLeast, ", at least 1,200 with all words"),
            (30_000, 0, AtLeast, ""),
        ];
        for (total, with_all_words, total_is, told) in rows {
            let answer = Answer { total, with_all_words, total_is, ..Answer::default() };
            assert_eq!(answer.with_all_words_told(), told);
        }
    }
}
