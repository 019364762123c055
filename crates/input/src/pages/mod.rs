//! Pages in files: a reader for each kind of file.
//!
//! To take in another kind, write a file beside this one with a reader that implements [`PageFormat`] and with its tests,
//! and name it in [`FORMATS`]; what is a text becomes a page by [`as_html`]. From there `crivello import` has it, and so have its `--help` and the message for files that
//! nobody can read.

mod ciff;
mod json_lines;
mod whole_file;

use std::path::{Path, PathBuf};

use self::ciff::Ciff;
use self::json_lines::JsonLines;
use self::whole_file::WholeFile;

/// A page larger than this is not taken in.
pub const PAGE_BYTES_MAX: u64 = 64 << 20;

/// Every kind of file that pages are read from.
pub static FORMATS: [&dyn PageFormat; 3] = [&WholeFile, &Ciff, &JsonLines];

/// Reads one kind of file, which is known by the end of its name.
pub trait PageFormat: Sync {
    /// Says how the names of such files end: in small letters, without the dot.
    fn endings(&self) -> &'static [&'static str];

    /// Tells users what is expected in such a file and becomes of it, in a few words for `--help`.
    fn about(&self) -> &'static str;

    /// Gives everything that a file holds to `each`, in order. An error is about the file as a whole.
    fn read(&self, path: &Path, each: &mut dyn FnMut(Found<'_>)) -> Result<(), Refused>;
}

/// What is found in a file.
#[derive(Debug)]
pub enum Found<'a> {
    /// A page is there.
    Page(FilePage<'a>),
    /// One of many things in a file cannot be taken; the others can.
    Refused {
        /// Which line it is, counted from 1.
        line: u64,
        /// What is wrong with it.
        why: Refused,
    },
    /// The file is called a page and holds no text.
    NoText,
}

/// A page as a file has it.
#[derive(Debug)]
pub struct FilePage<'a> {
    /// Which line it stands on, counted from 1, if there are several in the file.
    pub line: Option<u64>,
    /// What its address is made of.
    pub address: Address,
    /// What a server would say of it.
    pub content_type: &'static str,
    /// The page itself.
    pub body: &'a [u8],
    /// Whether the file says that it is not to be found, whatever the page says.
    pub noindex: bool,
}

/// What the address of a page is made of.
#[derive(Debug, PartialEq, Eq)]
pub enum Address {
    /// The file says it.
    Url(String),
    /// The file gives the page a name of its own, which is a path.
    Named(PathBuf),
    /// The page has the name of its file.
    OfFile,
}

/// Why a file, or a line of one, is not taken in. The others are.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// No reader is there for files of this name.
    #[error("nobody knows how to read it: {} is expected", endings_text("or"))]
    UnknownKind,
    /// The file is larger than any page may be.
    #[error("larger than {}", page::format_bytes(PAGE_BYTES_MAX))]
    FileTooLarge,
    /// The line is longer than any page may be.
    #[error("longer than {}", page::format_bytes(PAGE_BYTES_MAX))]
    LineTooLong,
    /// It is not what it should be.
    #[error("not {expected}: {reason}")]
    Malformed {
        /// What it should be.
        expected: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// It has everything but a page.
    #[error("neither {0}")]
    Empty(&'static str),
    /// The system does not let us read it.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// For readers of files that have texts: makes a page of a title and a text, so that what was imported can be read like everything else.
fn as_html(title: Option<&str>, text: &str) -> String {
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
    let paragraphs: String = text.lines().map(|line| format!("<p>{}</p>\n", escape(line))).collect();
    format!("<!DOCTYPE html><title>{}</title>\n{paragraphs}", escape(title.unwrap_or("")))
}

/// Finds the reader for a file of this name.
pub fn format_of(path: &Path) -> Option<&'static dyn PageFormat> {
    let ending = ending_of(path)?;
    FORMATS.into_iter().find(|format| format.endings().contains(&ending.as_str()))
}

fn ending_of(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

/// Lists all endings as people write them: `.html, .txt or .jsonl`.
pub fn endings_text(last_word: &str) -> String {
    let endings: Vec<String> = FORMATS.iter().flat_map(|format| format.endings()).map(dotted).collect();
    match endings.as_slice() {
        [others @ .., last] if !others.is_empty() => format!("{} {last_word} {last}", others.join(", ")),
        _ => endings.concat(),
    }
}

/// Tells users which files are read and what becomes of each, a line for each format.
pub fn help_text() -> String {
    let line = |format: &&dyn PageFormat| {
        let endings: Vec<String> = format.endings().iter().map(dotted).collect();
        format!("  {}: {}", endings.join(", "), format.about())
    };
    FORMATS.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn dotted(ending: &&str) -> String {
    format!(".{ending}")
}

#[cfg(test)]
mod tests {
    use page::{ContentType, PageUrl};

    use super::*;

    #[test]
    fn texts_survive_as_html() {
        let html = as_html(Some("a < b & c"), "one <b>\ntwo &amp;");
        let url = PageUrl::parse("http://a.test/").unwrap();
        let document = parse::parse_page(&url, ContentType("text/html; charset=utf-8"), html.as_bytes());
        assert_eq!((document.title.as_str(), document.text.as_str()), ("a < b & c", "one <b>\ntwo &amp;"));
    }

    #[test]
    fn names_tell_who_reads_a_file_and_no_two_readers_want_the_same() {
        let rows =
            [("a.HTM", true), ("b/c.jsonl", true), ("a.txt.gz", false), ("README", false), ("", false)];
        for (name, is_read) in rows {
            assert_eq!(format_of(Path::new(name)).is_some(), is_read, "{name}");
        }
        let mut endings: Vec<_> = FORMATS.iter().flat_map(|format| format.endings()).collect();
        let count = endings.len();
        endings.sort();
        endings.dedup();
        assert_eq!(endings.len(), count);
    }

    #[test]
    fn every_ending_is_in_the_help_and_in_the_message() {
        let (help, message) = (help_text(), Refused::UnknownKind.to_string());
        for ending in FORMATS.iter().flat_map(|format| format.endings()).map(dotted) {
            assert!(help.contains(&ending) && message.contains(&ending), "{ending}: {help}\n{message}");
        }
        assert!(message.ends_with(".jsonl or .ndjson is expected"), "{message}");
    }
}
