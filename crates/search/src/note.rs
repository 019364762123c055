//! What the author of a query should know about how it was understood: nothing is left out in silence.

use std::fmt;

use page::counted;
use serde::{Serialize, Serializer};

use crate::limits::QUERY_TERMS_MAX;

/// A remark on a query, in words for the person who asked; so it is also in JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// An operator that is not understood was left out.
    LeftOut {
        /// What was typed.
        typed: String,
        /// What it asks for.
        about: &'static str,
    },
    /// An operator that is not understood was taken for the word that it holds.
    TakenForWord {
        /// What was typed.
        typed: String,
        /// What it asks for.
        about: &'static str,
    },
    /// A star stands for nothing.
    PlainStar {
        /// What was typed.
        typed: String,
    },
    /// What stands behind the name of an operator means nothing.
    NoSuchValue {
        /// What was typed.
        typed: String,
        /// What one looks like that means something.
        hint: &'static str,
    },
    /// No page is of this language or type.
    NoPageOf {
        /// What was asked for.
        what: String,
        /// What there is.
        there_are: Vec<String>,
    },
    /// Few pages say when they were written.
    FetchedDates {
        /// So many do.
        dated: u64,
        /// Of so many.
        documents: u64,
    },
    /// The text is too long and only its beginning was read.
    TextCut {
        /// So many bytes of it.
        limit: usize,
    },
    /// A phrase is too long and only its beginning was looked for.
    PhraseCut {
        /// So many words of it.
        limit: usize,
    },
    /// The query is a long text, in which quotes do not make phrases.
    QuotesInText,
    /// The query is a sentence, in which typographic quotes do not make phrases.
    QuotesInProse,
    /// There are too many words, and only the rarest were looked for.
    WordsCut {
        /// Those that were not.
        left_out: Vec<String>,
    },
    /// These words were not looked for, since they only make a question of the others.
    Unasked {
        /// As they were typed.
        words: Vec<String>,
    },
    /// These words are on no page at all.
    Unknown {
        /// As they were typed.
        words: Vec<String>,
    },
    /// Nothing was found, and this alone is on no page, though its words are.
    Nowhere {
        /// What was typed.
        typed: String,
        /// Whether it is a single word, in a field where it is not.
        is_word: bool,
    },
    /// No word begins like this.
    NoSuchBeginning {
        /// What was typed.
        typed: String,
    },
    /// Very many words begin like this, and the most frequent were looked for.
    BeginningCut {
        /// What was typed.
        typed: String,
        /// So many.
        looked_for: usize,
        /// Of so many.
        words: usize,
        /// Whether these are all; otherwise they are the first.
        is_all: bool,
    },
    /// An operator says where something stands that has no place in a text.
    WithoutPlace {
        /// The operator.
        typed: String,
    },
    /// The index does not know where words stand, so all of them were looked for, wherever they are.
    WithoutPositions {
        /// What was typed.
        typed: String,
    },
    /// The index does not know in which fields words are, so they were looked for in all.
    WithoutFields {
        /// What was typed.
        typed: String,
    },
    /// There are too many such operators in a row.
    TooManyJoints {
        /// The first that was too much.
        typed: String,
        /// How many there may be.
        limit: usize,
    },
    /// Words of the first pages were looked for too.
    FirstPages {
        /// The most telling first.
        words: Vec<String>,
    },
    /// Meanings were to count, and nobody has looked for them.
    NoMeanings,
    /// Meanings were to count beside a formula of textbooks.
    MeaningsBesideTextbook,
    /// Pages came after the index was made.
    NotIndexed {
        /// So many.
        pages: u64,
        /// Whether these are all; otherwise there are more.
        is_all: bool,
        /// In which collections, where several are searched.
        collections: Vec<String>,
    },
    /// No page is from this host.
    UnknownSite {
        /// The host.
        site: String,
    },
}

impl Note {
    pub(crate) fn is_about_an_operator(&self) -> bool {
        matches!(self, Self::LeftOut { .. } | Self::NoSuchValue { .. })
    }
}

/// So many words are named; more would fill the page.
const NAMED_MAX: usize = 12;

fn named(words: &[String]) -> String {
    let shown: Vec<&str> = words.iter().take(NAMED_MAX).map(String::as_str).collect();
    match words.len().saturating_sub(NAMED_MAX) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LeftOut { typed, about } => {
                write!(f, "“{typed}” was left out: one cannot ask for {about} yet")
            }
            Self::TakenForWord { typed, about } => {
                write!(f, "“{typed}” was taken for a plain word: one cannot ask for {about} yet")
            }
            Self::PlainStar { typed } => {
                write!(f, "the star of “{typed}” was left out: one cannot ask for parts of words yet")
            }
            Self::NoSuchValue { typed, hint } => write!(f, "“{typed}” was left out: {hint}"),
            Self::NoPageOf { what, there_are } => match there_are.as_slice() {
                [] => write!(f, "no page is known to be {what}"),
                there_are => write!(f, "no page is {what}; there are {}", named(there_are)),
            },
            Self::FetchedDates { dated, documents } => {
                write!(f, "{dated} of {documents} pages say when they were written")?;
                write!(f, "; the others are taken by the day on which they were fetched")
            }
            Self::Nowhere { typed, is_word: true } => {
                write!(f, "{typed} is on no page, though the word is elsewhere")
            }
            Self::Nowhere { typed, .. } => write!(f, "{typed} is on no page, though its words are"),
            Self::NoSuchBeginning { typed } => write!(f, "no word begins like “{typed}”"),
            Self::BeginningCut { typed, looked_for, words, is_all } => {
                let more = if *is_all { "" } else { "more than " };
                write!(f, "of {more}{words} words that begin like “{typed}” the {looked_for} most frequent")?;
                write!(f, "{} were looked for", if *is_all { "" } else { " of the first of them" })
            }
            Self::WithoutPlace { typed } => {
                write!(
                    f,
                    "“{typed}” was taken for AND: what is excluded, and what is no word, stands nowhere in a text"
                )
            }
            Self::WithoutPositions { typed } => {
                write!(
                    f,
                    "“{typed}” was taken for all of its words, wherever they stand: the index keeps no positions"
                )
            }
            Self::WithoutFields { typed } => {
                write!(f, "“{typed}” was looked for in all fields: the index keeps documents alone")
            }
            Self::TooManyJoints { typed, limit } => {
                write!(f, "“{typed}” was taken for AND: at most {limit} of its kind may stand in a row")
            }
            Self::TextCut { limit } => write!(f, "only the first {limit} bytes of the query were read"),
            Self::PhraseCut { limit } => {
                write!(f, "only the first {limit} words of a phrase were looked for")
            }
            Self::QuotesInText => {
                write!(f, "with more than {QUERY_TERMS_MAX} words, quotes were not taken for exact phrases")
            }
            Self::QuotesInProse => {
                write!(f, "quotes in a sentence were not taken for exact phrases; straight ones (\") are")
            }
            Self::WordsCut { left_out } => {
                write!(
                    f,
                    "only the {QUERY_TERMS_MAX} rarest words were looked for, without {}",
                    named(left_out)
                )
            }
            Self::Unasked { words } => {
                write!(f, "not looked for: {}; a + before a word makes it count", named(words))
            }
            Self::Unknown { words } => write!(f, "on no page: {}", named(words)),
            Self::FirstPages { words } => {
                write!(f, "words of the first pages were looked for too: {}", named(words))
            }
            Self::NoMeanings => {
                write!(f, "only words count: nothing here knows what pages mean until it is built anew")
            }
            Self::MeaningsBesideTextbook => {
                write!(
                    f,
                    "only words count: what pages mean is weighed together with the default formula alone"
                )
            }
            Self::NotIndexed { pages, is_all, collections } => {
                let at_least = if *is_all { "" } else { "at least " };
                let of = if collections.is_empty() {
                    String::new()
                } else {
                    format!(" of {}", named(collections))
                };
                write!(f, "not in the index yet: {at_least}{}{of}", counted(*pages, "page"))?;
                write!(f, "; `crivello build DIR` adds what is new")
            }
            Self::UnknownSite { site } => write!(f, "no page is from {site}"),
        }
    }
}

impl Serialize for Note {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
