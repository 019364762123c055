//! Which ten, and why? Queries over an index, ranked.
//!
//! A [`Query`] is parsed from what a person typed; a [`Searcher`] turns it into lazy operators over the cursors of an
//! [`index::Index`], scores what matches by BM25F, and by [`LinkRanks`] if there are any, and keeps the best without looking
//! at what cannot be among them; a [`Snippet`] shows the words where they stand.
//!
//! ```
//! # use std::sync::Arc;
//! # use page::PageKey;
//! # use index::{Index, IndexBuilder, IndexDocument, Piece};
//! use search::{Query, Searcher};
//! # let folder = tempfile::tempdir().unwrap();
//! # let mut builder = IndexBuilder::create(folder.path(), 1 << 20)?;
//! # builder.add(&IndexDocument { key: PageKey::new(7), language: None, pieces: &Piece::title_and_text("", "Romeo and Juliet") })?;
//! # builder.add(&IndexDocument { key: PageKey::new(8), language: None, pieces: &Piece::title_and_text("", "Romeo and the others") })?;
//! # builder.finish("")?;
//! let index = Arc::new(Index::open(folder.path())?);
//! let searcher = Searcher::new(index);
//! let hits = searcher.search(&Query::parse("romeo -juliet")?, 0, 10)?;
//! assert_eq!((hits.total, hits.hits[0].key), (1, PageKey::new(8)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod answer;
mod asked;
mod beginnings;
mod best;
mod bonus;
mod breadcrumb;
mod collect;
mod columns;
mod complete;
mod copies;
mod correct;
mod count;
mod cut;
mod edits;
mod error;
mod explain;
mod facts;
mod feedback;
mod formula;
mod function_words;
mod fusion;
mod halves;
mod known;
mod lexer;
mod limits;
mod link_rank;
mod lists;
mod meanings;
mod more;
mod note;
mod operators;
mod parser;
mod points;
mod query;
mod quotes;
mod reader;
mod reading;
mod related;
mod scheme;
mod scoring;
mod searcher;
mod searching;
mod semantic;
mod sightings;
mod signal;
mod site_names;
mod sites;
mod snippet;
mod spaces;
mod spellings;
mod spread;
mod standing;
mod switch;
mod synonyms;
mod textbook;
mod titles;
mod top;
mod vocabulary;
mod wanted;
mod weights;
mod widen;
mod word;

pub use answer::{Answer, AnswerRequest, PageReader, PageText, SearchResult};
pub use bonus::PairExplanation;
pub use breadcrumb::percent_decoded;
pub use copies::{Copies, CopiesView};
pub use count::TotalIs;
pub use error::{Error, QueryError, SearchError};
pub use explain::{
    Explanation, FieldExplanation, RankExplanation, SignalExplanation, TermExplanation, WordsExplanation,
};
pub use facts::Facts;
pub use fusion::MeaningExplanation;
pub use known::{AddressLengths, KNOWN_FORMAT, Known};
pub use limits::{Limits, NOTES_MAX, QUERY_BYTES_MAX, QUERY_DEPTH_MAX, QUERY_TERMS_MAX, TotalWish};
pub use link_rank::LinkRanks;
pub use more::MoreWord;
pub use note::Note;
pub use query::Query;
pub use reader::ReaderLanguages;
pub use related::RELATED_LEAST;
pub use scheme::Scheme;
pub use searcher::Searcher;
pub use searching::{Hit, Hits, RESULTS_MAX};
pub use semantic::{SpaceSettings, fold_into_space, is_due, make_space};
pub use signal::Signal;
pub use site_names::SiteNames;
pub use sites::Sites;
pub use snippet::{Fragment, SNIPPET_CHARS, Snippet};
pub use spaces::Spaces;
pub use spellings::Spellings;
pub use switch::{Feedback, Meanings};
pub use synonyms::{Synonyms, SynonymsError};
pub use titles::Titles;
pub use vocabulary::Vocabulary;
pub use wanted::Wanted;
pub use weights::{KNOBS, Knob, Weights, WeightsError};
pub use word::Word;
