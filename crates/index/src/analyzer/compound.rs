//! Words with signs in them, as people type them in code and manuals.
//!
//! Runs that are joined by `.`, `_`, `-` or `::` are a compound. Its parts are words; the whole is an extra with all its
//! signs but hyphens, so that `e-mail` and `email` meet. Numbers that are joined by hyphens (dates, ranges) have no whole.
//!
//! `C++` and `C#` are words by themselves, with the word before the signs as an extra. A version may follow at once: `C++11`
//! is `C++` and `11`, and the whole an extra, as of any compound. Words with capitals inside (`getElementById`) have their
//! humps as extras; plurals of abbreviations (`URLs`) have none.

use std::ops::Range;

use super::{Emitter, Run, Token, TokenKind, is_word_byte};
use crate::fold::{TERM_BYTES_MAX, fold_into, is_separator};

/// A compound of more parts has no whole, and a word of more humps no parts.
const PARTS_MAX: usize = 8;

/// What is longer is no version.
const VERSION_BYTES_MAX: usize = 4;

impl<F: FnMut(Token<'_>)> Emitter<'_, '_, F> {
    /// Emits the word of a run behind which there is a sign, with all that belongs to it. Returns where that ends.
    #[inline(never)]
    pub(super) fn compound(&mut self, first: Run) -> usize {
        let bytes = self.text.as_bytes();
        if let Some(end) = self.word_with_signs(&first) {
            return end;
        }
        let (start, first_position) = (first.start, self.position);
        let (mut end, mut runs, mut has_hyphen) = (first.end, 1, false);
        self.run(&first, true);
        // Runs that are not ASCII may be several words or none, or have quotes around them.
        let mut is_one_each = self.position == first_position + 1;
        while let Some(signs) = joint(bytes, end) {
            let Some(next) = Run::next(bytes, end + signs) else { break };
            has_hyphen |= bytes[end] == b'-';
            end = next.end;
            runs += 1;
            self.run(&next, true);
            is_one_each &= self.position == first_position + runs;
        }
        if (2..=PARTS_MAX as u32).contains(&runs) && is_one_each && end - start <= TERM_BYTES_MAX {
            self.whole(start..end, first_position, has_hyphen);
        }
        end + possessive(bytes, end)
    }

    fn whole(&mut self, range: Range<usize>, position: u32, has_hyphen: bool) {
        let text = &self.text[range.clone()];
        let is_number = || text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_alphabetic());
        let is_sign = |c: char| matches!(c, '.' | '_' | '-' | ':');
        if has_hyphen && is_number() || text.chars().any(|c| is_separator(c) && !is_sign(c)) {
            return;
        }
        if text.is_ascii() {
            self.term.clear();
            self.term.extend(text.chars().filter(|&c| c != '-').map(|c| c.to_ascii_lowercase()));
        } else {
            let mut whole = String::with_capacity(text.len());
            for part in text.split_inclusive(is_sign) {
                fold_into(part, &mut self.term);
                whole.push_str(&self.term);
                whole.extend(part.chars().next_back().filter(|&c| is_sign(c) && c != '-'));
            }
            self.term = whole;
        }
        if self.term.len() <= TERM_BYTES_MAX {
            self.emit(TokenKind::Extra, position, range);
        }
    }

    /// `C++`, with its version if there is one, and `C#`: returns where they end.
    fn word_with_signs(&mut self, run: &Run) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let behind = &bytes[run.end..];
        let signs = match behind {
            [b'+', b'+', ..] => 2,
            [b'#', ..] => 1,
            _ => return None,
        };
        let end = run.end + signs;
        let version = version(bytes, end).filter(|_| signs == 2);
        let goes_on = behind.get(signs).is_some_and(|&byte| is_word_byte(byte) || byte == behind[0]);
        let is_name = run.is_ascii() && self.text[run.range()].bytes().all(|byte| byte.is_ascii_alphabetic());
        if goes_on && version.is_none() || !is_name || end - run.start > TERM_BYTES_MAX {
            return None;
        }
        let (position, range) = (self.position, run.start..end);
        self.lower_ascii(range.clone());
        self.word(range.clone());
        self.lower_ascii(run.range());
        self.emit(TokenKind::Extra, position, range);
        let Some(version) = version else { return Some(end) };
        self.run(&version, true);
        if version.end - run.start <= TERM_BYTES_MAX {
            self.lower_ascii(run.start..version.end);
            self.emit(TokenKind::Extra, position, run.start..version.end);
        }
        Some(version.end)
    }

    /// The parts of a word with capitals inside, which was emitted just now.
    #[inline(never)]
    pub(super) fn humps(&mut self, word: Range<usize>) {
        let (position, bytes) = (self.position - 1, &self.text.as_bytes()[word.clone()]);
        let abbreviation = bytes.strip_suffix(b"s").unwrap_or(bytes);
        if abbreviation.iter().all(|byte| !byte.is_ascii_lowercase()) {
            return;
        }
        let is_border = |at: usize| {
            let next_is_lower = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
            bytes[at].is_ascii_uppercase() && (!bytes[at - 1].is_ascii_uppercase() || next_is_lower)
        };
        let borders = || (1..bytes.len()).filter(|&at| is_border(at));
        if !(1..PARTS_MAX).contains(&borders().count()) {
            return;
        }
        let (mut start, mut before) = (0, Vec::<&[u8]>::new());
        for end in borders().chain([bytes.len()]) {
            let part = &bytes[start..end];
            // The i of iPhone is no word. A term is at a position once.
            let is_new = !before.iter().any(|other| other.eq_ignore_ascii_case(part));
            before.push(part);
            if part.len() > 1 && is_new {
                self.lower_ascii(word.start + start..word.start + end);
                self.emit(TokenKind::Extra, position, word.clone());
            }
            start = end;
        }
    }
}

/// The number of a version that begins here, such as `11` or `2a`.
fn version(bytes: &[u8], start: usize) -> Option<Run> {
    let run =
        Run::next(bytes, start).filter(|run| run.start == start && run.end - start <= VERSION_BYTES_MAX)?;
    (bytes[start].is_ascii_digit() && run.is_ascii()).then_some(run)
}

/// How many bytes join what ends here to the word that follows at once.
fn joint(bytes: &[u8], end: usize) -> Option<usize> {
    let signs = match &bytes[end..] {
        [b'.' | b'_' | b'-', ..] => 1,
        [b':', b':', ..] => 2,
        _ => return None,
    };
    bytes.get(end + signs).is_some_and(|&byte| is_word_byte(byte)).then_some(signs)
}

/// How many bytes the `'s` of a possessive takes.
fn possessive(bytes: &[u8], end: usize) -> usize {
    match &bytes[end..] {
        [b'\'', b's' | b'S', rest @ ..] if !rest.first().is_some_and(|&byte| is_word_byte(byte)) => 2,
        _ => 0,
    }
}
