//! Path patterns: `*` stands for any bytes, `$` at the end for the end; without it a pattern matches a prefix.
//!
//! No backtracking is needed. If the pieces between the stars can be found in order at all, then they can be found
//! each at its leftmost place; only the piece before a `$` has a fixed place, at the end. So a match costs one pass
//! over the path and one over the pattern, whatever a hostile file writes.

use std::borrow::Cow;

use memchr::memmem;

/// Does the path match the pattern?
pub(super) fn matches(pattern: &[u8], path: &[u8]) -> bool {
    let (pattern, is_anchored) = match pattern.strip_suffix(b"$") {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let Some(first_star) = memchr::memchr(b'*', pattern) else {
        return if is_anchored { path == pattern } else { path.starts_with(pattern) };
    };
    let Some(mut rest) = path.strip_prefix(&pattern[..first_star]) else { return false };
    let last_star = memchr::memrchr(b'*', pattern).expect("there is a first star");
    let last_piece = &pattern[last_star + 1..];
    for piece in pattern[first_star..last_star].split(|byte| *byte == b'*') {
        match find(rest, piece) {
            Some(place) => rest = &rest[place + piece.len()..],
            None => return false,
        }
    }
    if is_anchored { rest.ends_with(last_piece) } else { find(rest, last_piece).is_some() }
}

fn find(text: &[u8], piece: &[u8]) -> Option<usize> {
    // To set up a search costs more than the search itself when the piece is a single byte.
    match piece {
        [byte] => memchr::memchr(*byte, text),
        _ => memmem::find(text, piece),
    }
}

/// A pattern as it is compared when spelling counts: bytes beyond ASCII escaped, escapes in upper case.
pub(super) fn escaped(pattern: &[u8]) -> Cow<'_, [u8]> {
    rewrite(pattern, true, false)
}

/// A pattern or path with every unreserved character as itself (RFC 9309, section 2.2.2).
pub(super) fn decoded(text: &[u8]) -> Cow<'_, [u8]> {
    rewrite(text, true, true)
}

/// A path as it is compared when spelling counts.
pub(super) fn upper_case_escapes(path: &str) -> Cow<'_, [u8]> {
    rewrite(path.as_bytes(), false, false)
}

fn rewrite(text: &[u8], escape_beyond_ascii: bool, decode_unreserved: bool) -> Cow<'_, [u8]> {
    if !text.iter().any(|byte| *byte == b'%' || !byte.is_ascii()) {
        return Cow::Borrowed(text);
    }
    let mut rewritten = Vec::with_capacity(text.len());
    let mut position = 0;
    while position < text.len() {
        let byte = text[position];
        if let Some(escaped_byte) = escape_at(&text[position..]) {
            if decode_unreserved && is_unreserved(escaped_byte) {
                rewritten.push(escaped_byte);
            } else {
                push_escape(&mut rewritten, escaped_byte);
            }
            position += 3;
            continue;
        }
        if !byte.is_ascii() && escape_beyond_ascii {
            push_escape(&mut rewritten, byte);
        } else {
            rewritten.push(byte);
        }
        position += 1;
    }
    Cow::Owned(rewritten)
}

/// The byte that `%xx` stands for.
fn escape_at(text: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = *text else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    Some((digit(high)? * 16 + digit(low)?) as u8)
}

fn push_escape(text: &mut Vec<u8>, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    text.extend_from_slice(&[b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}
