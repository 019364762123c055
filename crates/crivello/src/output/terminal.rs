//! The door to the terminal: what pages, servers and file names say is shown, and steers nothing.
//!
//! Everything that is printed as text goes through here, whole lines at a time, so that no place that prints has to think
//! of it. Line feeds and tabs are our own and pass. Other control characters (C0, DEL, C1) become `�`; what turns the
//! direction of writing around (bidi embeddings, overrides, isolates) is left out; separators of lines and paragraphs
//! become spaces. In JSON nothing is lost: there such characters are written as `\uNNNN`.

use std::borrow::Cow;
use std::fmt::Write;

/// Says whether a character could steer a terminal, or break or turn around the line that it is in.
pub fn is_steering(c: char) -> bool {
    c.is_control() || is_bidi(c) || is_separator(c)
}

fn is_bidi(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn is_separator(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}')
}

/// Makes text fit for a terminal. Line feeds and tabs stay.
pub fn for_terminal(text: &str) -> Cow<'_, str> {
    replaced(text, |c| matches!(c, '\n' | '\t'))
}

/// Makes text that somebody else wrote a field of one of our lines: it has neither line feeds nor tabs.
pub fn one_line(text: &str) -> Cow<'_, str> {
    replaced(text, |_| false)
}

fn replaced(text: &str, passes: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_wrong = |c: char| is_steering(c) && !passes(c);
    if !text.chars().any(is_wrong) {
        return Cow::Borrowed(text);
    }
    let shown = text.chars().filter_map(|c| match c {
        c if !is_wrong(c) => Some(c),
        c if is_bidi(c) => None,
        c if is_separator(c) || c.is_whitespace() => Some(' '),
        _ => Some('\u{fffd}'),
    });
    Cow::Owned(shown.collect())
}

/// JSON that a terminal can be shown. Outside of strings it has no such characters but its line feeds, so that whatever
/// is found is within one, where an escape means the same.
pub fn json_for_terminal(json: &str) -> Cow<'_, str> {
    let is_wrong = |c: char| is_steering(c) && c != '\n';
    if !json.chars().any(is_wrong) {
        return Cow::Borrowed(json);
    }
    let mut text = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if is_wrong(c) {
            write!(text, "\\u{:04x}", c as u32).expect("a string takes everything");
        } else {
            text.push(c);
        }
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_shown_and_does_nothing() {
        let rows = [
            ("plain, più, 日本語, \u{1f980}", "plain, più, 日本語, \u{1f980}"),
            ("two\nlines\tand a tab", "two lines and a tab"),
            ("\x1b[2J\x1b]0;title\x07", "�[2J�]0;title�"),
            ("a\x00b\x08c\x7f", "a�b�c�"),
            ("\u{9b}31m", "�31m"),
            ("abc\u{202e}fdp.exe\u{202c}\u{2066}x\u{2069}", "abcfdp.exex"),
            ("a\u{2028}b\u{2029}c\u{85}d\re", "a b c d e"),
        ];
        for (text, expected) in rows {
            assert_eq!(one_line(text), expected, "{text:?}");
        }
        assert_eq!(for_terminal("a\n\tb\r\x1b"), "a\n\tb �");
    }

    #[test]
    fn json_keeps_every_character() {
        let text = "\x1b\x7f\u{80}\u{9f}\u{202e}\u{2069}\u{2028}é\n\t";
        let json = serde_json::to_string_pretty(&[text]).unwrap();
        let shown = json_for_terminal(&json);
        assert!(shown.chars().all(|c| c == '\n' || !is_steering(c)), "{shown:?}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&shown).unwrap(), [text]);
    }
}
