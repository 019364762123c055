//! Read it, and never fail: whatever bytes a server sends, a page comes of them.
//!
//! [`parse_page`] finds the encoding, cuts the markup into tokens by the rules of browsers (html5gum, the WHATWG
//! tokenizer) and keeps what a search engine needs: title, text with what its parts are,
//! links with where they stand, dates, and the wishes of the author. There is no tree: the stack is constant and the time linear in the bytes, also for markup written to hurt.
//! [`parse_sitemap`] reads the lists of addresses that sites offer.
//!
//! ```
//! use page::{ContentType, PageUrl};
//!
//! let url = PageUrl::parse("http://example.org/dir/").unwrap();
//! let body = b"<title>Soups</title><p>Take <a href=salt.html rel=nofollow>some <b>salt</b></a>.";
//! let document = parse::parse_page(&url, ContentType("text/html"), body);
//! assert_eq!(document.title, "Soups");
//! assert_eq!(document.text, "Take some salt.");
//! assert_eq!(document.links[0].target.as_str(), "http://example.org/dir/salt.html");
//! assert_eq!(document.links[0].anchor, "some salt");
//! assert!(document.links[0].nofollow);
//! ```
#![forbid(unsafe_code)]

mod charset;
mod dates;
mod directives;
mod emitter;
mod fallback;
mod foreign;
mod landmarks;
mod link_base;
mod outline;
mod paced_reader;
mod page_builder;
mod page_links;
mod prescan;
mod sitemap;
mod tag;
mod text_writer;

use page::{ContentType, Document, PageUrl};

pub use charset::{Decoded, decode};
pub use page_builder::VERSION;
pub use sitemap::{SITEMAP_ENTRIES_MAX, Sitemap, parse_sitemap};

use emitter::read_markup;
use paced_reader::TokenBudget;
use page_builder::PageBuilder;
use text_writer::TextWriter;

/// A page has at most so many tokens (tags, attributes, comments, pieces of text); what comes behind them is not read.
/// The densest pages of real documentation have a token every eight bytes, so that 30 MB of them are read to the end.
pub const TOKENS_MAX: usize = 4_000_000;

/// Of a tag the first so many attributes are read; further ones are not looked at.
pub const ATTRIBUTES_MAX: usize = 256;

/// A page has at most so many links; further ones are not read. Indexes of real documentation have up to 28,000.
pub const LINKS_MAX: usize = 50_000;

/// The addresses of a page's links have at most so many bytes in all; further links are not read. A long `<base>` would
/// otherwise make much of little.
pub const LINK_BYTES_MAX: usize = 8 << 20;

/// A page has at most so many headings, so many pieces of its landmarks, and so many of its `<main>`; what comes behind
/// them is text like any other. Pages of real documentation have up to 3,105 headings.
pub const SPANS_MAX: usize = 10_000;

/// A longer heading is none: its end tag is missing.
pub const HEADING_BYTES_MAX: usize = 1000;

/// The text of a page is cut here.
pub const TEXT_BYTES_MAX: usize = 2 << 20;

/// A title is cut here.
pub const TITLE_BYTES_MAX: usize = 512;

/// The title of a plain text is looked for in so many lines.
const TITLE_LINES_MAX: usize = 16;

/// The words of a link are cut here.
pub const ANCHOR_BYTES_MAX: usize = 200;

/// Reads the content of the page at `url`.
///
/// HTML and XHTML are read as such, plain text as text with its first line of words as title. A body without declared type
/// is taken for HTML when it begins with `<`. Of other types nothing is read: the document is empty.
pub fn parse_page(url: &PageUrl, content_type: ContentType<'_>, body: &[u8]) -> Document {
    if content_type.is_html() || (content_type.essence().is_empty() && begins_with_markup(body)) {
        parse_html(url, content_type, body)
    } else if content_type.is_plain_text() {
        parse_plain_text(url, content_type, body)
    } else {
        Document::default()
    }
}

fn begins_with_markup(body: &[u8]) -> bool {
    body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start().starts_with(b"<")
}

fn parse_html(url: &PageUrl, content_type: ContentType<'_>, body: &[u8]) -> Document {
    let decoded = decode(url, content_type.charset(), body);
    let is_xml = content_type.essence().eq_ignore_ascii_case("application/xhtml+xml");
    let mut page = PageBuilder::new(url, decoded.encoding, is_xml, decoded.text.len());
    read_markup(decoded.text.as_bytes(), &TokenBudget::new(TOKENS_MAX), &mut page);
    page.finish()
}

fn parse_plain_text(url: &PageUrl, content_type: ContentType<'_>, body: &[u8]) -> Document {
    let decoded = decode(url, content_type.charset(), body);
    let mut writer = TextWriter::new(TEXT_BYTES_MAX);
    writer.push(decoded.text.as_bytes(), true);
    let text = writer.finish();
    let mut title = TextWriter::new(TITLE_BYTES_MAX);
    title.push(first_line_of_words(&text).as_bytes(), false);
    Document { title: title.finish(), text, ..Document::default() }
}

/// The first line that says something, without the signs that frame it or make it a comment; the very first if none does
/// soon.
fn first_line_of_words(text: &str) -> &str {
    let is_frame = |c: char| c.is_whitespace() || "/#*=-_;%|+~\\".contains(c);
    let says_something = |line: &&str| line.chars().filter(|c| c.is_alphabetic()).nth(1).is_some();
    let mut lines = text.lines().take(TITLE_LINES_MAX).map(|line| line.trim_matches(is_frame));
    lines.find(says_something).or(text.lines().next()).unwrap_or_default()
}
