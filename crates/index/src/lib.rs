//! Which words are where? The inverted index of a collection.
//!
//! An [`IndexBuilder`] takes documents, cuts them into terms with the [`Analyzer`] and writes, for each term, the
//! documents in which it occurs, how often, whether in the title, and where. An [`Index`] finds a term and gives a
//! [`PostingsCursor`] over them. Only this crate knows the bytes: whoever searches sees cursors.
//!
//! Words are found by their stems too, in the language of the document ([`Index::stem`]).
//!
//! An index has one or more segments, each with the documents of one build. [`IndexBuilder::append`] adds one without
//! touching the others; whoever reads sees one index, whose numbers do not depend on how it is divided. A filter of each
//! segment's terms tells which dictionaries are worth a search. [`merge_tiers`] makes few segments of many, without the
//! texts of their documents; [`bury`] declares documents dead, which are then not found, and dropped by merges.
//!
//! [`Index::keep_hot`] keeps in memory what is asked for most often, the rest is read when it is needed.
//!
//! [`Index::open_all`] opens any number of indexes as one: whoever searches sees one index of all.
//!
//! ```
//! use index::{Index, IndexBuilder, IndexDocument, Piece};
//! use page::PageKey;
//! # let folder = tempfile::tempdir().unwrap();
//! # let dir = folder.path();
//! let mut builder = IndexBuilder::create(dir, 64 << 20)?;
//! let pieces = Piece::title_and_text("Verona", "Romeo and Juliet");
//! builder.add(&IndexDocument { key: PageKey::new(7), language: Some("en"), pieces: &pieces })?;
//! builder.finish("one play")?;
//!
//! let index = Index::open(dir)?;
//! let juliet = index.term("juliet")?.expect("she occurs");
//! assert_eq!(index.doc_key(index.cursor(&juliet).doc()), PageKey::new(7));
//! # Ok::<(), index::Error>(())
//! ```
//!
//! After the notes on indexing (chapter 2: inversion, counting sort, multiway merge) and on instantaneous codes
//! (chapter 3: gaps and skips; each code of the notes can be chosen for each component, [`CodecName`]).
#![forbid(unsafe_code)]

mod accumulator;
mod alone;
mod analyzer;
mod bisection;
mod builder;
mod bury;
mod check;
mod ciff;
mod codec;
mod cursor;
mod dead;
mod dictionary;
mod document;
mod error;
mod field;
mod file;
mod fold;
mod hot;
mod impact;
mod inspect;
mod inverter;
mod keys;
mod lengths;
mod list_cursor;
mod list_entry;
mod list_parts;
mod list_ranges;
mod list_sink;
mod lists;
mod manifest;
mod marks;
mod member;
mod merge;
mod merge_documents;
mod merge_postings;
mod order;
mod partition;
mod peaks;
mod places;
mod postings;
mod precision;
mod prints;
mod reader;
mod reorder;
mod router;
mod run;
mod segment;
mod segment_merge;
mod segment_writer;
mod skips;
mod sorted_lists;
mod split;
mod stem_numbers;
mod stems;
mod term_blocks;
mod term_filter;
mod term_list;
mod term_numbers;
mod term_table;
mod tiers;

pub use analyzer::{Analysis, Analyzer, Token, TokenKind};
pub use builder::IndexBuilder;
pub use bury::bury;
pub use check::IndexCheck;
pub use codec::{CodecName, CodedList};
pub use cursor::{Bound, PostingsCursor, TermEntry};
pub use document::{IndexDocument, Piece};
pub use error::Error;
pub use field::{FIELD_COUNT, Field, FieldCounts};
pub use file::{FORMAT_VERSION, INDEX_FORMAT, check_file};
pub use fold::TERM_BYTES_MAX;
pub use hot::HotReport;
pub use impact::{ImpactModel, ImpactTable};
pub use inspect::{BlockFacts, ListFacts, PostingFacts, SegmentFacts, SegmentView};
pub use lengths::{decode_length, encode_length};
pub use manifest::{Codecs, IndexReport, check_manifest};
pub use marks::{AnyMarks, Marks};
pub use member::IndexMember;
pub use order::Order;
pub use partition::{Split, SplitBy};
pub use peaks::PeakFacts;
pub use precision::Precision;
pub use reader::Index;
pub use router::{RoutingFilters, RoutingReport};
pub use term_list::TermList;
pub use term_numbers::TermFunction;
pub use tiers::{MergeReport, merge_all, merge_tiers};
