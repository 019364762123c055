//! What do the user's files hold? Folders, pages, texts, lines of JSON and rows of tables, read as they lie on the disk.
//!
//! ```text
//!  paths ─► InputFiles: which files, each once, in order ─┬─► pages: each is stored as a page     (`import`)
//!           FileContent: HTML, text, or nothing to read ──┴─► texts: each is compared by number   (`dedup`)
//! ```
//!
//! - [`InputFiles`] is the one walk from what a user names to the files that are meant.
//! - [`FileContent`] tells by its first bytes what a file is.
//! - [`pages`] has a reader for each kind of file that pages come from.
//! - [`TextSources`] gives the texts of files by number, as [`dedup::Documents`] are wanted.
//!
//! What cannot be read is told and counted, and the others are read: whoever calls says what becomes of it.
//!
//! ```
//! use dedup::{DocumentReader, Documents};
//! use input::{InputFiles, Reading, TextSources};
//!
//! let dir = tempfile::tempdir()?;
//! std::fs::write(dir.path().join("a.txt"), "one")?;
//! std::fs::write(dir.path().join("b.jsonl"), "{\"id\": 7, \"text\": \"two\"}\n{\"text\": \"three\"}\n")?;
//! let found = InputFiles::find(&[dir.path().to_owned()], |_| false, |error| panic!("{error}"))?;
//! let work = tempfile::tempdir()?;
//! let texts = TextSources::open(found.files, &Reading::default(), work.path(), &mut |_| {}, &mut |_| {})?;
//! assert_eq!((texts.count(), texts.name(1)), (3, b"7".to_vec()));
//! let mut text = Vec::new();
//! texts.reader().read(2, &mut text).map_err(|why| why.to_string())?;
//! assert_eq!(text, b"three");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod content;
mod error;
pub mod pages;
mod texts;
mod walk;

pub use content::{FileContent, SNIFFED_BYTES};
pub use error::Error;
pub use texts::{FieldNames, FileCounts, Reading, TextSources};
pub use walk::{InputFile, InputFiles, is_same};
