//! What documents are called, in forms that other programs can take apart again.
//!
//! In lines of text, names are separated by tabs, so a tab, a line feed, a carriage return and a backslash in a name are
//! written `\t`, `\n`, `\r` and `\\`, and a byte that is not UTF-8 as `\xNN`. JSON has its own way to write the first four;
//! there a byte that is not UTF-8 becomes the replacement character.

use std::fmt::Write;

/// The name for a line of text.
pub fn for_line(name: &[u8]) -> String {
    let mut text = String::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\t' => text.push_str("\\t"),
                '\n' => text.push_str("\\n"),
                '\r' => text.push_str("\\r"),
                '\\' => text.push_str("\\\\"),
                other => text.push(other),
            }
        }
        for byte in chunk.invalid() {
            write!(text, "\\x{byte:02x}").expect("a string takes everything");
        }
    }
    text
}

/// The name for JSON.
pub fn for_json(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

/// The name for people: it must not steer the terminal.
pub fn for_people(name: &[u8]) -> String {
    for_line(name).chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_never_break_their_line() {
        let rows: [(&[u8], &str); 5] = [
            (b"a/b c.txt", "a/b c.txt"),
            (b"a\tb\nc\rd", "a\\tb\\nc\\rd"),
            (b"C:\\t", "C:\\\\t"),
            (b"caf\xe9\xff", "caf\\xe9\\xff"),
            ("più".as_bytes(), "più"),
        ];
        for (name, expected) in rows {
            assert_eq!(for_line(name), expected);
        }
        assert_eq!(for_people(b"\x1b[2J"), "\u{fffd}[2J");
    }
}
