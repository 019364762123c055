//! Words of the first pages, looked for beside those that were typed: feedback, as the relevance model RM3 has it.
//!
//! ```text
//! weight of a word in the first pages   Σ (how much of the page it is) / (place of the page)
//! ```
//!
//! Of the words of the first [`PAGES`] pages those [`WORDS`] are taken for which this weight, times how telling the word is, is
//! greatest. Together they count [`SHARE`] times as much as the typed words do, each in proportion to its weight; then the
//! query is asked once more, with them ([`crate::more`]), by the same exact walk.
//!
//! It is off by default: beside what pages mean it gains little, and not everywhere (`crivello eval --feedback on`, in
//! multiples of `--semantic auto` alone, nDCG@10 and MAP): Cranfield 1.010 and 1.014, CISI 1.011 and 1.007, CACM 1.004 and
//! 0.986, ADI 1.003 and 1.037, XQuAD in three languages 0.999 and 0.998 to 0.999. Without meanings it gains more, beside words
//! alone 1.048 and 1.065 on Cranfield, 1.001 and 1.028 on CISI, 0.997 and 1.023 on CACM. `auto` asks for it where a question is
//! short enough that the first pages know more than it says, and they have something in common: that loses less, and gains less.
//!
//! Cost: ten texts are read and taken apart, up to [`TEXT_BYTES_MAX`] of each, and the query is asked twice.

use std::collections::HashMap;

use index::{Analyzer, TermEntry};
use page::PageKey;

use crate::copies::CopiesView;
use crate::fusion;
use crate::limits::{Limits, TotalWish};
use crate::lists::Lists;
use crate::more::MoreWord;
use crate::query::Query;
use crate::scheme::Scheme;
use crate::searching::Hit;
use crate::spellings::Analysed;
use crate::switch::{Feedback, Meanings};
use crate::{Error, Searcher};

/// So many pages are believed to say what was meant.
const PAGES: usize = 10;

/// So many of their words are looked for.
const WORDS: usize = 40;

/// What they count together, where the typed words count 1 together.
const SHARE: f64 = 0.25;

/// No more of a page is read.
const TEXT_BYTES_MAX: usize = 16 << 10;

/// A longer question says enough by itself.
const QUESTION_WORDS_MAX: usize = 12;

/// The mean cosine of the first pages, below which they have too little in common.
const AGREEMENT_LEAST: f32 = 0.1;

impl Feedback {
    /// Whether a query may want words of the first pages, as far as the query alone tells.
    fn may_count_for(self, query: &Query) -> bool {
        let are_words = query.must().is_none() && !query.words().is_empty();
        match self {
            Self::Auto => {
                are_words && Meanings::Auto.may_count_for(query) && query.words().len() < QUESTION_WORDS_MAX
            }
            Self::On => are_words,
            Self::Off => false,
        }
    }
}

impl Searcher {
    /// A query with words of its first pages, if they are wanted and there are any; `read` gives the text of a page, no more
    /// than so many bytes.
    pub(crate) fn fed_back(
        &self,
        query: &Query,
        read: &dyn Fn(PageKey, usize) -> Option<String>,
        limits: Limits,
        feedback: Feedback,
    ) -> Result<Option<Query>, Error> {
        if !feedback.may_count_for(query) || self.scheme != Scheme::Bm25f {
            return Ok(None);
        }
        let limits = Limits { total: TotalWish::Free, ..limits };
        let hits = self.search_within(query, 0, PAGES, CopiesView::default(), limits)?.hits;
        let docs: Vec<_> = hits.iter().map(|hit| hit.doc).collect();
        if feedback == Feedback::Auto && fusion::agreement(&self.spaces, &docs) < AGREEMENT_LEAST {
            return Ok(None);
        }
        let lists = Lists::new(self, query.spellings(), limits);
        let words = telling_words(&lists, words_of(&hits, read, self.index.analyzer()))?;
        let typed = query.words().iter().map(|word| f64::from(word.times)).sum::<f64>();
        let all: f64 = words.iter().map(|word| word.weight).sum();
        let more = words.into_iter().map(|word| {
            let weight = word.weight / all * typed * SHARE;
            (MoreWord { term: word.term, weight, of: None }, word.stems)
        });
        Ok(Some(query.clone().with_more(more.collect())).filter(|query| !query.more().is_empty()))
    }
}

/// A word of the first pages.
#[derive(Debug, Clone, Default)]
struct FirstWord {
    /// The form of it that came first.
    term: String,
    stems: Vec<String>,
    weight: f64,
}

/// The words of some pages, forms of one word together.
fn words_of(
    hits: &[Hit],
    read: &dyn Fn(PageKey, usize) -> Option<String>,
    analyzer: Analyzer,
) -> Vec<FirstWord> {
    let (mut words, mut places) = (Vec::<FirstWord>::new(), HashMap::<String, usize>::new());
    for (place, hit) in (1u32..).zip(hits) {
        let Some(text) = read(hit.key, TEXT_BYTES_MAX) else { continue };
        let analysed = Analysed::new(&text, analyzer);
        let weight = 1.0 / f64::from(place) / analysed.terms.len().max(1) as f64;
        for (term, stems) in analysed.spelled() {
            let key = stems.first().unwrap_or(term);
            let place = *places.entry(key.clone()).or_insert_with(|| {
                words.push(FirstWord { term: term.clone(), stems: stems.to_vec(), weight: 0.0 });
                words.len() - 1
            });
            words[place].weight += weight;
        }
    }
    words
}

/// Those that tell most, the best first.
fn telling_words(lists: &Lists<'_>, words: Vec<FirstWord>) -> Result<Vec<FirstWord>, Error> {
    // What only one page says is no word for others, and what every fourth says tells nothing.
    let frequent = (lists.searcher.index.documents() / 4).max(2);
    let mut telling = Vec::with_capacity(words.len());
    for word in words {
        let list = lists.list_of(&word.term, &word.stems)?;
        let tells = |list: &TermEntry| (2..=frequent).contains(&list.document_frequency());
        if let Some(list) = list.filter(tells) {
            telling.push((word.weight * lists.idf(std::slice::from_ref(&list)), word));
        }
    }
    telling.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.term.cmp(&other.1.term)));
    telling.truncate(WORDS);
    Ok(telling.into_iter().map(|(_, word)| word).collect())
}
