//! Scripts that are written without spaces: Han, kana, Thai, Lao, Khmer, Burmese.
//!
//! Where words begin and end is not written, and a dictionary that guesses differently in a page and in a query finds
//! nothing. So the letters that stand side by side become overlapping pairs: 東京都 is 東京 and 京都. A phrase of pairs is
//! exact; a sentence in a query is as many words as it has pairs. A letter is here what UAX #29 keeps together: a consonant
//! with the signs above and below it.
//!
//! A single Han letter is a word as well (水, water). Its occurrences are told apart from the words, as
//! [`TokenKind::Letter`]; a letter that stands alone is a word like any other.

use super::{Emitter, Token, TokenKind};
use crate::fold::fold_into;

/// Whether a word, as UAX #29 cuts it, belongs to such a script.
pub(super) fn is_written_without_spaces(word: &str) -> bool {
    word.chars().next().is_some_and(|c| is_han(c) || is_other(c))
}

/// Whether a term is one Han letter.
pub(super) fn is_letter(term: &str) -> bool {
    let mut chars = term.chars();
    chars.next().is_some_and(is_han) && chars.next().is_none()
}

fn is_han(c: char) -> bool {
    matches!(c, '々' | '〇' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn is_other(c: char) -> bool {
    matches!(c,
        '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}' // Kana
        | '\u{e01}'..='\u{e3a}' | '\u{e40}'..='\u{e4e}' // Thai
        | '\u{e81}'..='\u{ecf}' | '\u{edc}'..='\u{edf}' // Lao
        | '\u{1000}'..='\u{103f}' | '\u{1050}'..='\u{108f}' | '\u{a9e0}'..='\u{a9fe}' | '\u{aa60}'..='\u{aa7f}' // Burmese
        | '\u{1780}'..='\u{17dd}') // Khmer
}

/// Letters that stand side by side, of which those before the last have been emitted with their neighbours.
#[derive(Default)]
pub(super) struct Pairs {
    /// Where the last letter begins and ends.
    last: Option<(usize, usize)>,
    is_alone: bool,
}

impl Pairs {
    /// Adds a word of UAX #29, which is a letter, or several of Katakana.
    pub(super) fn add<F: FnMut(Token<'_>)>(
        &mut self,
        start: usize,
        word: &str,
        emitter: &mut Emitter<'_, '_, F>,
    ) {
        let mut letter_start = start;
        for (index, c) in word.char_indices().skip(1) {
            // Signs and voicing marks stay with their letter.
            if matches!(c, '\u{30a1}'..='\u{30ff}' | '\u{ff66}'..='\u{ff9d}') {
                self.letter(letter_start, start + index, emitter);
                letter_start = start + index;
            }
        }
        self.letter(letter_start, start + word.len(), emitter);
    }

    /// Adds a letter.
    pub(super) fn letter<F: FnMut(Token<'_>)>(
        &mut self,
        start: usize,
        end: usize,
        emitter: &mut Emitter<'_, '_, F>,
    ) {
        match self.last {
            Some((last_start, last_end)) if last_end == start => {
                emitter.unicode_word(last_start..end);
                emitter.letter(last_start..last_end);
                self.is_alone = false;
            }
            _ => {
                self.end(emitter);
                self.is_alone = true;
            }
        }
        self.last = Some((start, end));
    }

    /// What comes next does not stand beside the last letter.
    pub(super) fn end<F: FnMut(Token<'_>)>(&mut self, emitter: &mut Emitter<'_, '_, F>) {
        let Some((start, end)) = self.last.take() else { return };
        if self.is_alone {
            emitter.unicode_word(start..end);
        }
        emitter.letter(start..end);
    }
}

impl<F: FnMut(Token<'_>)> Emitter<'_, '_, F> {
    /// A letter of the word that was emitted just now.
    fn letter(&mut self, range: std::ops::Range<usize>) {
        fold_into(&self.text[range.clone()], &mut self.term);
        if is_letter(&self.term) {
            self.emit(TokenKind::Letter, self.position.saturating_sub(1), range);
        }
    }
}
