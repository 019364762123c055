//! A text without its markup: tags, comments, and what stands in scripts and styles.
//!
//! This is no parser: pages that were fetched come through the crate `parse`. It is for files that may or may not be
//! HTML, where a rough cut is enough for both copies to lose the same. It never fails. As in a browser, what a comment,
//! a tag or a script leaves open at the end is left out; a `<` that no name follows is text. Each piece of markup
//! becomes a space. Entities stay.
//!
//! Cost: one pass, at the speed of memory where there is no `<`.

use memchr::{memchr, memchr2, memmem};

/// Elements whose content is no text.
const NO_TEXT: [&[u8]; 4] = [b"script", b"style", b"noscript", b"template"];

/// Replaces `plain` by the text without markup.
pub fn without_markup(text: &[u8], plain: &mut Vec<u8>) {
    plain.clear();
    let mut rest = text;
    while let Some(start) = memchr(b'<', rest) {
        plain.extend_from_slice(&rest[..start]);
        let markup = &rest[start..];
        match markup_length(markup) {
            Some(length) => {
                plain.push(b' ');
                rest = &markup[length..];
            }
            None => {
                plain.push(b'<');
                rest = &markup[1..];
            }
        }
    }
    plain.extend_from_slice(rest);
}

/// The bytes of the markup that starts with this `<`, or [`None`] if it is text.
fn markup_length(markup: &[u8]) -> Option<usize> {
    if markup.starts_with(b"<!--") {
        return Some(memmem::find(&markup[4..], b"-->").map_or(markup.len(), |end| 4 + end + 3));
    }
    match markup.get(1)? {
        b'!' | b'?' => Some(memchr(b'>', markup).map_or(markup.len(), |end| end + 1)),
        b'/' => Some(tag_length(markup)),
        byte if byte.is_ascii_alphabetic() => {
            let length = tag_length(markup);
            let name = &markup[1..length];
            let name_end = name.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(name.len());
            let content = &markup[length..];
            match NO_TEXT.into_iter().find(|no_text| no_text.eq_ignore_ascii_case(&name[..name_end])) {
                Some(name) => Some(length + end_of_content(content, name)),
                None => Some(length),
            }
        }
        _ => None,
    }
}

/// To the `>` that ends a tag, past those in quoted values.
fn tag_length(tag: &[u8]) -> usize {
    let mut place = 1;
    while let Some(next) = memchr2(b'>', b'=', &tag[place..]) {
        place += next + 1;
        if tag[place - 1] == b'>' {
            return place;
        }
        place += tag[place..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if let Some(quote @ (b'"' | b'\'')) = tag.get(place) {
            place += 1;
            // A quote that is never closed runs to the end, as in a browser.
            place += memchr(*quote, &tag[place..]).map_or(tag.len() - place, |end| end + 1);
        }
    }
    tag.len()
}

/// Where `</name` starts, or the end.
fn end_of_content(content: &[u8], name: &[u8]) -> usize {
    let mut place = 0;
    while let Some(next) = memmem::find(&content[place..], b"</") {
        place += next;
        let after = &content[place + 2..];
        if after.len() >= name.len() && after[..name.len()].eq_ignore_ascii_case(name) {
            return place;
        }
        place += 2;
    }
    content.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn markup_becomes_a_space_and_text_stays() {
        let cases = [
            ("plain text", "plain text"),
            ("<p>One<br/>two</p>", " One two "),
            ("<a title='x > y' href=\"a>b\">link</a>", " link "),
            ("a < b and c <3 d <", "a < b and c <3 d <"),
            ("x<!-- hidden <b> -- > -->y", "x y"),
            ("x<!-- never closed", "x "),
            ("<!DOCTYPE html><?xml version='1'?>t", "  t"),
            ("a<SCRIPT>if (a<b) '</p>'</Script >b", "a  b"),
            ("a<style>p{}</style>b<scripted>c", "a  b c"),
            ("a<script>never closed", "a "),
            ("a<p class=\"never closed>b", "a "),
            ("caffè <b>è</b> buono", "caffè  è  buono"),
        ];
        for (text, expected) in cases {
            let mut plain = Vec::new();
            without_markup(text.as_bytes(), &mut plain);
            assert_eq!(String::from_utf8_lossy(&plain), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_is_added_and_no_bytes_make_it_fail(text in "[<>/!a-c\"'= -]{0,80}|(<|</|<!--|-->|script|>|=\"|\\PC){0,30}") {
            let mut plain = Vec::new();
            without_markup(text.as_bytes(), &mut plain);
            prop_assert!(plain.len() <= text.len());
        }
    }
}
