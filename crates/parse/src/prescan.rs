//! What does a page say of its own encoding, before it can be read?
//!
//! The WHATWG algorithm "prescan a byte stream to determine its encoding": the first 1024 bytes are searched for
//! `<meta charset=…>`, `<meta http-equiv=content-type content="…charset=…">` or `<?xml encoding="…"?>`. Comments
//! and the attributes of other tags are stepped over, so that what looks like a declaration inside of them does not
//! count. One pass, no allocation but the few short values of a `meta`.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use memchr::{memchr, memmem};

/// Declarations further down are not looked at.
const PRESCAN_BYTES_MAX: usize = 1024;

/// The encoding that the markup declares, if it declares one that exists.
pub(crate) fn declared_in_markup(body: &[u8]) -> Option<&'static Encoding> {
    let mut scan = Scan { bytes: &body[..body.len().min(PRESCAN_BYTES_MAX)], at: 0 };
    while let Some(step) = memchr(b'<', scan.rest()) {
        scan.at += step;
        if let Some(encoding) = scan.markup() {
            return Some(encoding);
        }
        scan.at += 1;
    }
    xml_encoding(body)
}

/// A place in the bytes. Methods stop at the end without complaint.
struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Scan<'_> {
    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_while(&mut self, predicate: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&predicate) {
            self.at += 1;
        }
    }

    /// Steps over the markup at a `<`, onto its last byte, and tells the encoding if it is a `meta` with one.
    fn markup(&mut self) -> Option<&'static Encoding> {
        let rest = self.rest();
        let is_meta = rest.len() > 5 && rest[1..5].eq_ignore_ascii_case(b"meta") && ends_name(rest[5]);
        let letter = |index: usize| rest.get(index).is_some_and(u8::is_ascii_alphabetic);
        if rest.starts_with(b"<!--") {
            // The two dashes may be those that opened it: `<!-->` is a whole comment.
            self.at += memmem::find(&rest[2..], b"-->").map_or(rest.len(), |end| end + 4);
        } else if is_meta {
            self.at += 5;
            return self.meta();
        } else if letter(1) || (rest.get(1) == Some(&b'/') && letter(2)) {
            self.skip_while(|byte| !is_space(byte) && byte != b'>');
            while self.attribute().is_some() {}
        } else if matches!(rest.get(1), Some(b'!' | b'/' | b'?')) {
            self.at += memchr(b'>', rest).unwrap_or(rest.len());
        }
        None
    }

    fn meta(&mut self) -> Option<&'static Encoding> {
        let (mut is_pragma, mut needs_pragma, mut label) = (false, false, None);
        let mut seen: Vec<Vec<u8>> = Vec::new();
        while let Some((name, value)) = self.attribute() {
            if seen.contains(&name) {
                continue;
            }
            match name.as_slice() {
                b"http-equiv" => is_pragma = value == b"content-type",
                b"charset" => (label, needs_pragma) = (Some(value), false),
                b"content" if label.is_none() => {
                    label = charset_in_content(&value).map(<[u8]>::to_vec);
                    needs_pragma = label.is_some();
                }
                _ => {}
            }
            seen.push(name);
        }
        let label = label.filter(|_| is_pragma || !needs_pragma)?;
        Encoding::for_label(&label).map(as_declared)
    }

    /// The next attribute of a tag in lower case; `None` at the end of the tag.
    fn attribute(&mut self) -> Option<(Vec<u8>, Vec<u8>)> {
        self.skip_while(|byte| is_space(byte) || byte == b'/');
        if self.peek()? == b'>' {
            return None;
        }
        let name_start = self.at;
        // An equals sign in front is part of the name.
        self.at += 1;
        self.skip_while(|byte| byte != b'=' && !ends_name(byte) && byte != b'>');
        let name = self.bytes[name_start..self.at].to_ascii_lowercase();
        self.skip_while(is_space);
        if self.peek() != Some(b'=') {
            return Some((name, Vec::new()));
        }
        self.at += 1;
        self.skip_while(is_space);
        Some((name, self.value()?))
    }

    fn value(&mut self) -> Option<Vec<u8>> {
        let quote = self.peek().filter(|byte| matches!(byte, b'"' | b'\''));
        self.at += usize::from(quote.is_some());
        let start = self.at;
        match quote {
            Some(quote) => self.skip_while(|byte| byte != quote),
            None => self.skip_while(|byte| !is_space(byte) && byte != b'>'),
        }
        // A value that the end of the bytes cuts off is not believed.
        self.peek()?;
        let value = self.bytes[start..self.at].to_ascii_lowercase();
        self.at += usize::from(quote.is_some());
        Some(value)
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ')
}

fn ends_name(byte: u8) -> bool {
    is_space(byte) || byte == b'/'
}

/// The label after `charset=` in the `content` (lower case) of a pragma, quoted or not.
fn charset_in_content(content: &[u8]) -> Option<&[u8]> {
    let mut rest = content;
    loop {
        rest = &rest[memmem::find(rest, b"charset")? + b"charset".len()..];
        rest = rest.trim_ascii_start();
        if let Some(value) = rest.strip_prefix(b"=") {
            let value = value.trim_ascii_start();
            return match value.first()? {
                quote @ (b'"' | b'\'') => Some(&value[1..memchr(*quote, &value[1..])? + 1]),
                _ => value.split(|byte| is_space(*byte) || *byte == b';').next(),
            };
        }
    }
}

/// The encoding of an XML declaration at the very beginning.
fn xml_encoding(body: &[u8]) -> Option<&'static Encoding> {
    let declaration = body.strip_prefix(b"<?xml")?;
    let declaration = &declaration[..memchr(b'>', &declaration[..declaration.len().min(PRESCAN_BYTES_MAX)])?];
    let after = &declaration[memmem::find(declaration, b"encoding")? + b"encoding".len()..];
    let value = after.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let quote = *value.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
    let label = &value[1..memchr(quote, &value[1..])? + 1];
    Encoding::for_label(label).map(as_declared)
}

/// A page that could be read so far is not UTF-16, whatever it says; x-user-defined is not meant for pages.
fn as_declared(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16BE || encoding == UTF_16LE {
        UTF_8
    } else if encoding.name() == "x-user-defined" {
        WINDOWS_1252
    } else {
        encoding
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_as_pages_write_them() {
        let far = format!("{}<meta charset=koi8-r>", " ".repeat(PRESCAN_BYTES_MAX));
        let cases = [
            ("<meta charset=koi8-r>", Some("KOI8-R")),
            ("<META\nCHARSET = 'KOI8-R' />", Some("KOI8-R")),
            ("<meta charset=\"koi8-r", None),
            ("<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>", Some("KOI8-R")),
            ("<meta content='text/html; charset=\"koi8-r\"' http-equiv=content-type>", Some("KOI8-R")),
            ("<meta content='text/html; charset=koi8-r'>", None),
            ("<!-- <meta charset=koi8-r> --><meta charset=big5>", Some("Big5")),
            ("<!-- > <meta charset=koi8-r> --><meta charset=big5>", Some("Big5")),
            ("<!--><meta charset=big5>", Some("Big5")),
            ("<p title='<meta charset=koi8-r>'><meta charset=big5>", Some("Big5")),
            ("<metacharset=koi8-r>", None),
            ("<meta charset=nonsense><meta charset=big5>", Some("Big5")),
            ("<meta charset=utf-16>", Some("UTF-8")),
            ("<meta charset=x-user-defined>", Some("windows-1252")),
            ("<meta charset=big5 charset=koi8-r>", Some("Big5")),
            ("<?xml version='1.0' encoding='koi8-r'?><html>", Some("KOI8-R")),
            ("<", None),
            ("<meta", None),
            ("", None),
            (far.as_str(), None),
        ];
        for (page, expected) in cases {
            let found = declared_in_markup(page.as_bytes()).map(Encoding::name);
            assert_eq!(found, expected, "for {page:?}");
        }
    }
}
