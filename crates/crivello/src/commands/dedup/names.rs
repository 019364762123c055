//! What documents are called, in forms that other programs can take apart again.
//!
//! In lines of text, names are separated by tabs, so a tab, a line feed, a carriage return and a backslash in a name are
//! written `\t`, `\n`, `\r` and `\\`, and other characters that could steer a terminal, and bytes that are not
//! UTF-8 as `\xNN`, byte by byte. JSON has its own way to write the first; there a byte that is not UTF-8 becomes the replacement character.

use std::fmt::Write;

use crate::output::is_steering;

/// Writes a name for a line of text.
pub fn for_line(name: &[u8]) -> String {
    let mut text = String::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\t' => text.push_str("\\t"),
                '\n' => text.push_str("\\n"),
                '\r' => text.push_str("\\r"),
                '\\' => text.push_str("\\\\"),
                steering if is_steering(steering) => {
                    steering.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| push_hex(&mut text, byte));
                }
                other => text.push(other),
            }
        }
        chunk.invalid().iter().for_each(|byte| push_hex(&mut text, *byte));
    }
    text
}

fn push_hex(text: &mut String, byte: u8) {
    write!(text, "\\x{byte:02x}").expect("a string takes everything");
}

/// Writes a name for JSON.
pub fn for_json(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_never_break_their_line() {
        let rows: [(&[u8], &str); 8] = [
            (b"a/b c.txt", "a/b c.txt"),
            (b"a\tb\nc\rd", "a\\tb\\nc\\rd"),
            (b"C:\\t", "C:\\\\t"),
            (b"caf\xe9\xff", "caf\\xe9\\xff"),
            ("più".as_bytes(), "più"),
            (b"\x1b[2J\x7f", "\\x1b[2J\\x7f"),
            ("\u{9b}2J".as_bytes(), "\\xc2\\x9b2J"),
            ("a\u{202e}b".as_bytes(), "a\\xe2\\x80\\xaeb"),
        ];
        for (name, expected) in rows {
            assert_eq!(for_line(name), expected);
        }
    }
}
