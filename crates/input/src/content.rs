//! What is in a file: a page, a text, or no text at all. Told by its first bytes, and by its name where they leave it open.
//!
//! No text is what begins as an image, a font, a printed page, a sound, an archive or a program does, and whatever has a
//! NUL within its first [`SNIFFED_BYTES`] (git calls files binary by the same sign) unless a byte order mark says that it is
//! UTF-16. All other bytes are text: they need not be UTF-8. HTML is what says so (`<!DOCTYPE html>`, `<html>`, `<head>`
//! or `<body>` first), or what is called so and does not say otherwise.
//!
//! After the WHATWG standard "MIME Sniffing", sections 5 and 7; we add what it leaves to servers (SVG, PostScript, archives
//! of other kinds), and look for NUL only: a form feed or a backspace is common in old texts.

use std::borrow::Cow;
use std::path::Path;

use page::{ContentType, PageUrl};

/// So many bytes tell what a file is.
pub const SNIFFED_BYTES: usize = 8000;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileContent {
    /// A page: what is between its tags is the text.
    Html,
    /// The same, called `.xhtml`.
    Xhtml,
    /// The bytes are the text.
    Text,
    /// Text in UTF-16.
    WideText,
    /// Nothing to read.
    NoText,
}

/// How files begin that hold no text, but may do without a NUL for a while.
const NO_TEXT_BEGINNINGS: [&[u8]; 24] = [
    b"\x89PNG",
    b"GIF87a",
    b"GIF89a",
    b"\xff\xd8\xff",
    b"RIFF",
    b"%PDF-",
    b"%!PS",
    b"AT&TFORM",
    b"wOFF",
    b"wOF2",
    b"OTTO",
    b"OggS",
    b"fLaC",
    b"ID3\x03",
    b"ID3\x04",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"BZh91AY&SY",
    b"\xfd7zXZ",
    b"\x28\xb5\x2f\xfd",
    b"7z\xbc\xaf",
    b"Rar!\x1a",
    b"\x7fELF",
    b"\xd0\xcf\x11\xe0",
];

impl FileContent {
    /// Looks at the name of a file and its first [`SNIFFED_BYTES`].
    pub fn of(name: &Path, start: &[u8]) -> Self {
        let is_wide = start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff");
        let text = if is_wide { as_utf8(start) } else { Cow::Borrowed(start) };
        if NO_TEXT_BEGINNINGS.iter().any(|beginning| start.starts_with(beginning)) || text.contains(&0) {
            return Self::NoText;
        }
        let root = root_name(&text).map(<[u8]>::to_ascii_lowercase);
        let says_html = matches!(root.as_deref(), Some(b"html" | b"head" | b"body"));
        let ending = name.extension().map(|ending| ending.to_ascii_lowercase());
        match ending.as_ref().and_then(|ending| ending.to_str()) {
            // A drawing, though it is written down in letters.
            _ if root.as_deref() == Some(b"svg") => Self::NoText,
            Some("xhtml") => Self::Xhtml,
            Some("html" | "htm") => Self::Html,
            _ if says_html => Self::Html,
            _ if is_wide => Self::WideText,
            _ => Self::Text,
        }
    }

    /// Replaces the bytes of a file by its text. That of a page is what a crawl would find in it.
    pub fn make_text(self, bytes: &mut Vec<u8>) {
        match self {
            Self::Html => *bytes = page_text("text/html", bytes),
            Self::Xhtml => *bytes = page_text("application/xhtml+xml", bytes),
            Self::WideText => *bytes = as_utf8(bytes).into_owned(),
            Self::Text | Self::NoText => {}
        }
    }
}

/// Within so many bytes of the limit a text may have been cut.
const CUT_BYTES: usize = 1 << 10;

fn page_text(content_type: &str, bytes: &[u8]) -> Vec<u8> {
    let document = parse::parse_page(&nowhere(), ContentType(content_type), bytes);
    if document.text.len() + CUT_BYTES < parse::TEXT_BYTES_MAX {
        return document.text.into_bytes();
    }
    // A whole book on one page: two that begin alike are no copies, so that a rough cut of all beats a good one of a part.
    let mut text = Vec::new();
    dedup::without_markup(&as_utf8(bytes), &mut text);
    text
}

fn as_utf8(bytes: &[u8]) -> Cow<'_, [u8]> {
    match parse::decode(&nowhere(), None, bytes).text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// A file has no address, and its links are not asked for.
fn nowhere() -> PageUrl {
    PageUrl::parse("http://file.invalid/").expect("it is an address")
}

/// What the document type or the first element is called, behind comments and instructions.
fn root_name(text: &[u8]) -> Option<&[u8]> {
    let mut rest = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    loop {
        rest = rest.trim_ascii_start();
        let skipped = [(&b"<!--"[..], &b"-->"[..]), (b"<?", b"?>")];
        if let Some((_, end)) = skipped.iter().find(|(start, _)| rest.starts_with(start)) {
            rest = &rest[memchr::memmem::find(rest, end)? + end.len()..];
            continue;
        }
        let rest = rest.strip_prefix(b"<")?;
        let doctype = rest.get(..9).filter(|start| start.eq_ignore_ascii_case(b"!doctype "));
        let name = if doctype.is_some() { rest[9..].trim_ascii_start() } else { rest };
        let end = name.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(name.len());
        return Some(&name[..end]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_tell_what_a_file_is_and_its_name_where_they_do_not() {
        use FileContent::{Html, NoText, Text, WideText, Xhtml};
        let rows: [(&str, &[u8], FileContent); 26] = [
            ("a.txt", b"words", Text),
            ("a", b"", Text),
            ("a.html", b"", Html),
            ("a.HTM", b"words", Html),
            ("a.xhtml", b"<?xml version='1.0'?><html xmlns='x'>", Xhtml),
            ("a", b"\n<!-- made --><?x?>\n<!doctype  HTML PUBLIC \"x\">", Html),
            ("a.php", b"\xef\xbb\xbf<HTML lang=en>", Html),
            ("a.txt", b"<head><title>", Html),
            ("a.xml", b"<?xml version='1.0'?><book>", Text),
            ("a.xml", b"<?xml never closed", Text),
            ("a.md", b"<header>", Text),
            ("a.md", b"<", Text),
            ("a.txt", b"caf\xe9 \xff\xfe \x0c \x08", Text),
            ("a.txt", b"BMW, IDs and RIFs", Text),
            ("a.txt", b"one\0two", NoText),
            ("a.html", b"\x89PNG\r\n\x1a\n", NoText),
            ("a.txt", b"%PDF-1.7 words", NoText),
            ("a", b"PK\x03\x04", NoText),
            ("a.woff2", b"wOF2", NoText),
            ("a.svg", b"<svg>", NoText),
            (
                "a.html",
                b"<?xml version='1.0'?><!-- x -->\n<!DOCTYPE svg PUBLIC 'x' [ <!ENTITY a 'b'> ]>",
                NoText,
            ),
            ("a.txt", b"\xff\xfew\0o\0", WideText),
            ("a.txt", b"\xfe\xff\0w\0o", WideText),
            ("a.html", b"\xff\xfew\0o\0", Html),
            ("a", b"\xff\xfe<\0h\0t\0m\0l\0>\0", Html),
            ("a", b"\xff\xfe\0\0w\0\0\0", NoText),
        ];
        for (name, start, expected) in rows {
            assert_eq!(FileContent::of(Path::new(name), start), expected, "{name}: {}", start.escape_ascii());
        }
    }

    #[test]
    fn the_text_of_a_page_is_what_a_reader_sees_to_its_last_word() {
        let text = |content: FileContent, bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            content.make_text(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let html = b"<title>t</title><p class='x'>One &amp; two<script>three</script>";
        assert_eq!(text(FileContent::Html, html), "One & two");
        assert_eq!(text(FileContent::Text, html), String::from_utf8_lossy(html));
        assert_eq!(text(FileContent::WideText, b"\xff\xfew\0o\0"), "wo");
        let long = format!("<p>{}</p><p>last</p>", "word ".repeat(600_000));
        assert!(text(FileContent::Html, long.as_bytes()).trim_end().ends_with("last"));
    }
}
