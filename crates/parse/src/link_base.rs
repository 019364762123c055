//! From the text of an `href` to an address.
//!
//! References are resolved against the page's `<base>`, or its own address. In a page that is not in UTF-8 the query
//! of a link is sent in the page's encoding (WHATWG URL, "percent-encode after encoding"): `?q=é` in a Latin-1 page
//! asks for `?q=%E9`. Paths are always UTF-8.

use std::borrow::Cow;
use std::fmt::Write;

use encoding_rs::{Encoding, UTF_8};
use page::{PageUrl, UrlBase};

/// Resolves the references of one page.
pub(crate) struct LinkBase {
    base: UrlBase,
    /// How long the base is.
    len: usize,
    encoding: &'static Encoding,
}

impl LinkBase {
    pub(crate) fn new(url: &PageUrl, encoding: &'static Encoding) -> Self {
        Self { base: UrlBase::new(url), len: url.as_str().len(), encoding: encoding.output_encoding() }
    }

    /// How long the address is that references are resolved against.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Takes the `href` of a `<base>`, unless it is no address.
    pub(crate) fn rebase(&mut self, reference: &str) {
        if let Ok(url) = self.base.join(reference) {
            (self.base, self.len) = (UrlBase::new(&url), url.as_str().len());
        }
    }

    /// The address that a reference stands for; `None` when it is not one of a page.
    pub(crate) fn resolve(&self, reference: &str) -> Option<PageUrl> {
        self.base.join(&self.with_encoded_query(reference)).ok()
    }

    fn with_encoded_query<'a>(&self, reference: &'a str) -> Cow<'a, str> {
        if self.encoding == UTF_8 || reference.is_ascii() {
            return Cow::Borrowed(reference);
        }
        let Some(start) = reference.find(['?', '#']).filter(|at| reference.as_bytes()[*at] == b'?') else {
            return Cow::Borrowed(reference);
        };
        let end = reference[start..].find('#').map_or(reference.len(), |length| start + length);
        let mut encoded = reference[..start].to_owned();
        for character in reference[start..end].chars() {
            push_encoded(&mut encoded, character, self.encoding);
        }
        encoded.push_str(&reference[end..]);
        Cow::Owned(encoded)
    }
}

fn push_encoded(out: &mut String, character: char, encoding: &'static Encoding) {
    if character.is_ascii() {
        return out.push(character);
    }
    let mut buffer = [0; 4];
    let (bytes, _, has_unmappable) = encoding.encode(character.encode_utf8(&mut buffer));
    if has_unmappable {
        // What the encoding lacks is sent as a numeric character reference.
        let _ = write!(out, "%26%23{}%3B", character as u32);
        return;
    }
    for &byte in bytes.iter() {
        // The bytes of one character may be ASCII; those that a query may hold stay as they are.
        if byte.is_ascii_graphic() && !matches!(byte, b'"' | b'#' | b'<' | b'>' | b'\'') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
}

impl std::fmt::Debug for LinkBase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LinkBase").field("encoding", &self.encoding.name()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_sent_in_the_encoding_of_the_page() {
        let url = PageUrl::parse("http://example.org/dir/").unwrap();
        let latin1 = encoding_rs::WINDOWS_1252;
        let cases = [
            (latin1, "é?q=é#é", "http://example.org/dir/%C3%A9?q=%E9"),
            (latin1, "?q=\u{4e2d}", "http://example.org/dir/?q=%26%2320013%3B"),
            (latin1, "#é?é", "http://example.org/dir/"),
            (UTF_8, "?q=é", "http://example.org/dir/?q=%C3%A9"),
            (encoding_rs::UTF_16LE, "?q=é", "http://example.org/dir/?q=%C3%A9"),
            (encoding_rs::SHIFT_JIS, "?q=ア", "http://example.org/dir/?q=%83A"),
        ];
        for (encoding, reference, expected) in cases {
            let resolved = LinkBase::new(&url, encoding).resolve(reference).unwrap();
            assert_eq!(resolved.as_str(), expected, "for {reference} in {}", encoding.name());
        }
    }
}
