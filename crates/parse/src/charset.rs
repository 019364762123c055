//! In which encoding is this page written?
//!
//! In the order of the WHATWG standard: a byte order mark; the `charset` of the HTTP header; what the first
//! 1024 bytes of the page say of themselves (`prescan`). When nobody says anything, bytes that are valid UTF-8 are
//! UTF-8, and others are guessed by their statistics (chardetng, the detector of Firefox) and by the country of
//! the host.
//!
//! Cost: for a valid UTF-8 page one pass of validation and no copy; the text is borrowed. A declaration is
//! believed even when it is wrong, as browsers do, with U+FFFD for what cannot be read.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};
use memchr::memchr;
use page::PageUrl;

use crate::prescan::declared_in_markup;

/// More bytes than this do not make a guess better, only slower.
const GUESS_BYTES_MAX: usize = 256 << 10;

/// A body as text, with the encoding that it was read in.
#[derive(Debug)]
pub struct Decoded<'a> {
    /// The text, without byte order mark.
    pub text: Cow<'a, str>,
    /// The encoding.
    pub encoding: &'static Encoding,
}

/// Reads the body of a page from `url` as text; `http_charset` is the parameter of its `Content-Type`.
pub fn decode<'a>(url: &PageUrl, http_charset: Option<&str>, body: &'a [u8]) -> Decoded<'a> {
    let encoding = encoding_of(url, http_charset, body);
    let (text, _) = encoding.decode_with_bom_removal(body);
    Decoded { text, encoding }
}

fn encoding_of(url: &PageUrl, http_charset: Option<&str>, body: &[u8]) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(body) {
        return encoding;
    }
    http_charset
        .and_then(|label| Encoding::for_label(label.as_bytes()))
        .or_else(|| declared_in_markup(body))
        .unwrap_or_else(|| guess(url, body))
}

fn guess(url: &PageUrl, body: &[u8]) -> &'static Encoding {
    // ISO-2022-JP is made of ASCII bytes, so a text of it is also valid UTF-8: its escapes decide.
    let is_escaped = memchr(0x1b, body).is_some();
    if !is_escaped && Encoding::utf8_valid_up_to(body) == body.len() {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    // Markup in front of the first word says nothing; a long head should not use up the limit.
    let start = body.iter().position(|byte| !byte.is_ascii() || *byte == 0x1b).unwrap_or(0);
    let tail = &body[start..];
    detector.feed(&tail[..tail.len().min(GUESS_BYTES_MAX)], tail.len() <= GUESS_BYTES_MAX);
    detector.guess(country_label(url), Utf8Detection::Allow)
}

/// The last label of the host, if it is one that the detector takes.
fn country_label(url: &PageUrl) -> Option<&[u8]> {
    let label = url.host().trim_end_matches('.').rsplit('.').next()?;
    let is_name = label.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    (is_name && !label.is_empty()).then_some(label.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_on_the_encoding_wins() {
        let cases: [(&[u8], Option<&str>, &str); 9] = [
            (b"\xef\xbb\xbf<meta charset=latin1>x", Some("koi8-r"), "UTF-8"),
            (b"\xff\xfeh\0i\0", None, "UTF-16LE"),
            (b"<meta charset=utf-8>\xe9", Some("koi8-r"), "KOI8-R"),
            (b"<meta charset=koi8-r>\xe9", Some("no-such-charset"), "KOI8-R"),
            (b"plain", None, "UTF-8"),
            ("caff\u{e8}".as_bytes(), None, "UTF-8"),
            (b"il caff\xe8 \xe8 pronto", None, "windows-1252"),
            (b"\x1b$B$3$s$K$A$O\x1b(B", None, "ISO-2022-JP"),
            (b"", None, "UTF-8"),
        ];
        let url = PageUrl::parse("http://example.org/").unwrap();
        for (body, http, expected) in cases {
            assert_eq!(decode(&url, http, body).encoding.name(), expected, "for {}", body.escape_ascii());
        }
    }

    #[test]
    fn utf8_is_borrowed_and_loses_its_mark() {
        let url = PageUrl::parse("http://127.0.0.1/").unwrap();
        let decoded = decode(&url, None, "\u{feff}più".as_bytes());
        assert!(matches!(decoded.text, Cow::Borrowed("più")));
    }
}
