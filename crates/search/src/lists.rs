//! The lists of a query's terms: each is looked up once, and may be walked as often as is needed.
//!
//! A plain word is found by the list of its stem, in which all its forms are, and by its own: where a document is in both,
//! a share of the score is the stem's ([`crate::Weights::forms`]). Where the stem's list has fewer documents than the word's, as when most of them
//! are in other languages, the word is found by its own list alone. Quoted words are, too. A compound that was typed alone is found as a whole or by its parts.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::ops::Range;
use std::rc::Rc;

use index::{Field, PostingsCursor, TermEntry};
use page::DocId;

use crate::limits::{PREFIX_TERMS_MAX, PREFIX_TERMS_READ, Stopper};
use crate::more::MoreWord;
use crate::operators::{DocIterator, Nothing, Phrase, PhraseLead, Term, Within, Words};
use crate::reader::ReaderLanguages;
use crate::scoring::Weight;
use crate::spellings::Spellings;
use crate::standing::Standing;
use crate::word::{Word, terms_of};
use crate::{Error, Limits, Searcher};

/// The lists by which a word is found.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// That of the stem, if it is another one than the word's own.
    pub(crate) stem: Option<TermEntry>,
    /// That of the word itself, if it occurs.
    pub(crate) exact: Option<TermEntry>,
}

impl Found {
    /// The list that has all documents in which the word is found.
    pub(crate) fn main(&self) -> Option<&TermEntry> {
        self.stem.as_ref().or(self.exact.as_ref())
    }
}

/// Makes operators over the lists of an index.
pub(crate) struct Lists<'s> {
    pub(crate) searcher: &'s Searcher,
    pub(crate) stopper: Rc<Stopper>,
    /// By how much what is left out may be better ([`Limits::slack`]).
    pub(crate) slack: f32,
    /// What documents are worth to whoever asks, before any word is looked for.
    standing: Standing<'s>,
    /// The languages of whoever asks.
    pub(crate) reader: ReaderLanguages,
    spellings: Spellings,
    /// So few that they are looked through.
    entries: RefCell<Vec<(String, Found)>>,
    expansions: RefCell<HashMap<String, Rc<Expansion>>>,
    /// Which folders are below one, by the address of that.
    folders: RefCell<HashMap<String, Rc<[bool]>>>,
}

/// The words that begin alike.
#[derive(Debug, Default)]
pub(crate) struct Expansion {
    /// Where the postings of the most frequent ones lie.
    pub(crate) entries: Vec<TermEntry>,
    /// How many words there are, as far as they were read.
    pub(crate) words: usize,
    /// Whether all were read.
    pub(crate) is_all: bool,
    /// In how many documents they are, taken together: no more than that, and no more than there are.
    pub(crate) documents: u64,
}

impl<'s> Lists<'s> {
    /// The lists of queries whose words have these other spellings.
    pub(crate) fn new(searcher: &'s Searcher, spellings: &Spellings, limits: Limits) -> Self {
        let stopper = Rc::new(Stopper::new(limits));
        Self {
            searcher,
            stopper,
            slack: limits.slack,
            standing: Standing::new(searcher, &ReaderLanguages::default()),
            reader: ReaderLanguages::default(),
            spellings: spellings.clone(),
            entries: RefCell::default(),
            expansions: RefCell::default(),
            folders: RefCell::default(),
        }
    }

    /// The same lists, for a reader of these languages.
    pub(crate) fn for_reader(self, reader: ReaderLanguages) -> Self {
        Self { standing: Standing::new(self.searcher, &reader), reader, ..self }
    }

    /// The other spellings of words of its queries.
    pub(crate) fn spellings(&self) -> &Spellings {
        &self.spellings
    }

    /// All documents.
    pub(crate) fn all(&self) -> Range<DocId> {
        DocId::new(0)..DocId::new(self.searcher.index.documents())
    }

    /// What documents are worth to whoever asks, before any word is looked for.
    #[inline]
    pub(crate) fn standing(&self) -> Standing<'s> {
        self.standing
    }

    /// Whether the index knows where words stand; otherwise phrases are taken for their words.
    pub(crate) fn has_positions(&self) -> bool {
        self.searcher.index.precision().has_positions()
    }

    /// Whether the index knows in which fields words are; otherwise any field is as good.
    pub(crate) fn has_fields(&self) -> bool {
        self.searcher.index.precision().has_counts()
    }

    /// Where the postings of a term and of its stem lie.
    pub(crate) fn found(&self, term: &str) -> Result<Found, Error> {
        if let Some((_, found)) = self.entries.borrow().iter().find(|(known, _)| known == term) {
            return Ok(found.clone());
        }
        let exact = self.searcher.index.term(term)?;
        let stem = self.longest(self.spellings.stems(term))?;
        let is_of_use = |stem: &TermEntry| {
            exact
                .as_ref()
                .is_none_or(|exact| stem != exact && stem.document_frequency() >= exact.document_frequency())
        };
        let found = Found { stem: stem.filter(is_of_use), exact };
        self.entries.borrow_mut().push((term.to_owned(), found.clone()));
        Ok(found)
    }

    /// The list of that of some stems which most documents have.
    fn longest(&self, stems: &[String]) -> Result<Option<TermEntry>, Error> {
        let mut longest: Option<TermEntry> = None;
        for key in stems {
            let entry = self.searcher.index.stem(key)?;
            let documents =
                |entry: &Option<TermEntry>| entry.as_ref().map_or(0, TermEntry::document_frequency);
            if documents(&entry) > documents(&longest) {
                longest = entry;
            }
        }
        Ok(longest)
    }

    /// The list that has most documents of a word with these stems, which need not be one of the query.
    pub(crate) fn list_of(&self, term: &str, stems: &[String]) -> Result<Option<TermEntry>, Error> {
        Ok(self.longest(stems)?.or(self.searcher.index.term(term)?))
    }

    /// The lists by which a word is found, or those of all terms of a phrase; `None` when one of them occurs nowhere.
    pub(crate) fn entries(&self, terms: &[String]) -> Result<Option<Vec<TermEntry>>, Error> {
        match terms {
            [term] => Ok(self.found(term)?.main().map(|entry| vec![entry.clone()])),
            terms => self.exact_entries(terms),
        }
    }

    /// The lists of terms as they are; `None` when one of them occurs nowhere.
    pub(crate) fn exact_entries(&self, terms: &[String]) -> Result<Option<Vec<TermEntry>>, Error> {
        terms.iter().map(|term| Ok(self.found(term)?.exact)).collect()
    }

    /// The most frequent words that begin like this.
    pub(crate) fn expansion(&self, beginning: &str) -> Result<Rc<Expansion>, Error> {
        if let Some(expansion) = self.expansions.borrow().get(beginning) {
            return Ok(Rc::clone(expansion));
        }
        let index = &self.searcher.index;
        let mut expansion = Expansion { is_all: true, ..Expansion::default() };
        // The most frequent so far, the rarest on top; of equally frequent ones the first stays.
        let mut frequent: BinaryHeap<Reverse<(u64, Reverse<String>)>> = BinaryHeap::new();
        let mut terms = index.terms_from(beginning)?;
        while let Some((term, documents)) = terms.next_term()?.filter(|(term, _)| term.starts_with(beginning))
        {
            if expansion.words == PREFIX_TERMS_READ || self.stopper.must_stop() {
                expansion.is_all = false;
                break;
            }
            expansion.words += 1;
            frequent.push(Reverse((documents, Reverse(term.to_owned()))));
            if frequent.len() > PREFIX_TERMS_MAX {
                frequent.pop();
            }
        }
        for Reverse((_, Reverse(term))) in frequent.into_sorted_vec() {
            expansion.entries.extend(index.term(&term)?);
        }
        let together =
            expansion.entries.iter().map(|entry| u64::from(entry.document_frequency())).sum::<u64>();
        expansion.documents = together.min(index.documents().into());
        let expansion = Rc::new(expansion);
        self.expansions.borrow_mut().insert(beginning.to_owned(), Rc::clone(&expansion));
        Ok(expansion)
    }

    /// Which hosts and folders are below a host, or below a folder of it.
    pub(crate) fn folders(&self, host: &str, path: &str) -> Rc<[bool]> {
        let mut folders = self.folders.borrow_mut();
        let below = folders.entry(format!("{host}{path}"));
        Rc::clone(below.or_insert_with(|| self.searcher.sites.below(host, path).into()))
    }

    /// The weight of what is in so many documents.
    pub(crate) fn weight_of_frequency(&self, documents: u64) -> Weight {
        let scoring = &self.searcher.scoring;
        scoring.weight(scoring.idf(self.searcher.index.documents().into(), documents), 1)
    }

    pub(crate) fn cursor(&self, entry: &TermEntry) -> PostingsCursor<'s> {
        self.searcher.index.cursor(entry)
    }

    /// How telling a word is, or a phrase, which tells as much as its words together.
    pub(crate) fn idf(&self, entries: &[TermEntry]) -> f64 {
        let documents = u64::from(self.searcher.index.documents());
        let scoring = &self.searcher.scoring;
        entries.iter().map(|entry| scoring.idf(documents, entry.document_frequency().into())).sum()
    }

    pub(crate) fn weight(&self, entries: &[TermEntry], times: u32) -> Weight {
        self.searcher.scoring.weight(self.idf(entries), times)
    }

    /// The documents of a term that was typed so many times; `None`: there are none.
    pub(crate) fn term(&self, term: &str, times: u32) -> Result<Option<Term<'s>>, Error> {
        self.term_of_weight(term, times, 1.0)
    }

    /// The same, where it counts so many times as much.
    fn term_of_weight(&self, term: &str, times: u32, of_it: f64) -> Result<Option<Term<'s>>, Error> {
        let found = self.found(term)?;
        let list = |entry: &TermEntry, share: f64| {
            let weight = self.weight(std::slice::from_ref(entry), times).share(share * of_it);
            (self.searcher.index.cursor(entry), weight)
        };
        let (scoring, share) = (&self.searcher.scoring, self.stem_share());
        Ok(match (&found.stem, &found.exact) {
            (Some(stem), Some(exact)) => {
                let term = Term::new(list(stem, share), scoring);
                Some(term.with_exact(list(exact, 1.0 - share), list(exact, self.share_alone(stem, exact)).1))
            }
            (Some(stem), None) => Some(Term::new(list(stem, share), scoring)),
            (None, Some(exact)) => Some(Term::new(list(exact, 1.0), scoring)),
            (None, None) => None,
        })
    }

    /// How much of the score of a word is that of its stem.
    pub(crate) fn stem_share(&self) -> f64 {
        self.searcher.scoring.weights.forms
    }

    /// How much the list of the very word counts in documents that the list of its stem does not have: as much as both together
    /// in others. A page of which nobody knows the language, or in another one, is found by a word as well as any, and not better
    /// because fewer pages have the very word.
    pub(crate) fn share_alone(&self, stem: &TermEntry, exact: &TermEntry) -> f64 {
        let [stem, exact] = [stem, exact].map(|entry| self.idf(std::slice::from_ref(entry)));
        let share = self.stem_share();
        1.0 - share + share * stem / exact
    }

    /// The term of a compound, if it was typed and is on some page.
    pub(crate) fn whole(&self, terms: &[String]) -> Result<Option<String>, Error> {
        let Some(whole) = self.spellings.whole(terms) else { return Ok(None) };
        Ok(self.found(whole)?.exact.map(|_| whole.to_owned()))
    }

    /// The documents in which terms follow each other, so many words before each; `None`: one of them occurs nowhere.
    pub(crate) fn phrase(
        &self,
        terms: &[String],
        offsets: impl Iterator<Item = u32>,
    ) -> Result<Option<Phrase<'s>>, Error> {
        Ok(self.entries(terms)?.map(|entries| self.phrase_of(&entries, offsets).aligned()))
    }

    fn phrase_of(&self, entries: &[TermEntry], offsets: impl Iterator<Item = u32>) -> Phrase<'s> {
        let words = entries.iter().map(|entry| self.cursor(entry)).zip(offsets).collect();
        let weight = self.weight(entries, 1);
        let phrase = Phrase::new(words, weight, &self.searcher.scoring, Rc::clone(&self.stopper));
        if self.has_positions() { phrase } else { phrase.without_positions() }
    }

    /// The same, with the documents of its rarest word apart, for whoever looks for nothing else.
    pub(crate) fn lone_phrase(
        &self,
        terms: &[String],
        offsets: impl Iterator<Item = u32>,
    ) -> Result<Option<(PhraseLead<'s>, Phrase<'s>)>, Error> {
        let Some(entries) = self.entries(terms)? else { return Ok(None) };
        let phrase = self.phrase_of(&entries, offsets);
        let rarest = entries.iter().min_by_key(|entry| entry.document_frequency());
        Ok(rarest.map(|entry| (phrase.lead(self.cursor(entry)), phrase)))
    }

    /// The documents that have a word in a field.
    pub(crate) fn word_within(&self, field: Field, term: &str) -> Result<Within<'s>, Error> {
        let lists = self.lists_within(term)?.into_iter();
        let lists = lists.map(|(_, entry, weight)| (self.searcher.index.cursor(&entry), weight)).collect();
        Ok(Within::new(lists, field, &self.searcher.scoring))
    }

    /// The lists by which a word is found in a field, each with what to call it and its weight.
    pub(crate) fn lists_within(&self, term: &str) -> Result<Vec<(&'static str, TermEntry, Weight)>, Error> {
        let Found { stem, exact } = self.found(term)?;
        let with_share = |what, entry: Option<TermEntry>, share| {
            entry.map(|entry| {
                let weight = self.weight(std::slice::from_ref(&entry), 1).share(share);
                (what, entry, weight)
            })
        };
        let stem = with_share(" and its forms", stem, self.stem_share());
        Ok(stem.into_iter().chain(with_share("", exact, 1.0)).collect())
    }

    /// The plain words of a query, and those that are welcome beside them.
    pub(crate) fn words(&self, words: &[Word], more: &[MoreWord]) -> Result<Words<'s>, Error> {
        let (mut phrases, mut is_hopeless) = (Vec::new(), false);
        for word in words {
            is_hopeless |= self.entries(&word.terms)?.is_none();
            if word.terms.len() > 1 {
                phrases.extend(self.phrase(&word.terms, 0..)?);
            }
        }
        let (terms, more) = (self.word_terms(words)?, self.more_terms(more)?);
        Ok(Words { terms, phrases, is_hopeless, more })
    }

    /// Their terms that occur anywhere, each once.
    pub(crate) fn word_terms(&self, words: &[Word]) -> Result<Vec<Term<'s>>, Error> {
        let mut terms = Vec::new();
        for (term, times) in terms_of(words) {
            terms.extend(self.term(term, times)?);
        }
        Ok(terms)
    }
}

impl<'s> Lists<'s> {
    /// The words that are welcome beside those that were typed, as far as they occur anywhere.
    pub(crate) fn more_terms(&self, more: &[MoreWord]) -> Result<Vec<Term<'s>>, Error> {
        let mut terms = Vec::new();
        for word in more {
            terms.extend(self.term_of_weight(&word.term, 1, self.weight_of(word)?)?);
        }
        Ok(terms)
    }

    /// What a word counts that was not typed. A synonym is no more telling than what it stands for, however rare it is.
    pub(crate) fn weight_of(&self, word: &MoreWord) -> Result<f64, Error> {
        let telling = |term: &str| -> Result<f64, Error> {
            Ok(self.found(term)?.main().map_or(0.0, |list| self.idf(std::slice::from_ref(list))))
        };
        let mut of_typed = 0.0;
        for term in word.of.iter().flat_map(|of| of.split(' ')) {
            of_typed += telling(term)?;
        }
        let of_itself = telling(&word.term)?;
        let is_rarer = of_typed > 0.0 && of_itself > of_typed;
        Ok(if is_rarer { word.weight * of_typed / of_itself } else { word.weight })
    }
}

/// The documents of a word or a phrase, if there are any.
pub(crate) fn boxed<'s>(documents: Option<impl DocIterator + 's>) -> Box<dyn DocIterator + 's> {
    match documents {
        Some(documents) => Box::new(documents),
        None => Box::new(Nothing),
    }
}
