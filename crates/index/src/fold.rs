//! Which spellings are the same word.
//!
//! A term is the word in NFKD, lower case, without accents, in NFC again: full-width letters, ligatures and circled digits
//! are those that they show. Only accents are dropped (combining classes 10 to 36, the points of Hebrew and Arabic, and 200
//! upwards): the vowel signs of Indic scripts and the voicing marks of kana are marks too, and so are the tones of Thai, but
//! dropping them would merge unrelated words. So is the breve of й, which is a letter, not an accent. Going back to NFC
//! keeps Hangul short. Letters with a stroke and ligatures that have no decomposition (ø, ł, æ) are folded by a table.
//!
//! Of most letters all this is remembered ([`crate::alone`]).

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, is_combining_mark};

use crate::alone::Alone;

/// Longer terms are cut here, at a character border: nobody types them, and a page of base64 would fill the dictionary.
pub const TERM_BYTES_MAX: usize = 64;

/// Replaces `term` by the folded `word`, cut to [`TERM_BYTES_MAX`].
pub(crate) fn fold_into(word: &str, term: &mut String) {
    term.clear();
    for c in word.chars() {
        let is_pushed = match alone(c) {
            Alone::Letter(folded) => folded.as_str().chars().all(|c| push(c, term)),
            Alone::Unspaced => push(c, term),
            Alone::Separator | Alone::Unknown => return fold_by_the_rules(word, term),
        };
        if !is_pushed {
            return;
        }
    }
}

/// What a character is in whatever word it stands.
#[inline]
pub(crate) fn alone(c: char) -> Alone {
    Alone::of(c, fold_by_the_rules)
}

/// Whether there was room for a character.
#[inline]
fn push(c: char, term: &mut String) -> bool {
    let has_room = term.len() + c.len_utf8() <= TERM_BYTES_MAX;
    if has_room {
        term.push(c);
    }
    has_room
}

/// The same for a word of any characters.
fn fold_by_the_rules(word: &str, term: &mut String) {
    term.clear();
    let mut base = ' ';
    let is_spelled = |c: &char| {
        let is_spelled = is_spelled(base, *c);
        if !is_combining_mark(*c) {
            base = *c;
        }
        is_spelled
    };
    let folded = word.nfkd().flat_map(char::to_lowercase).flat_map(fold);
    // As far as there is room.
    let _ = folded.filter(is_spelled).nfc().all(|c| push(c, term));
}

/// The word as a stemmer takes it: in lower case, with its accents, which tell endings apart.
pub(crate) fn form_of(word: &str) -> String {
    word.nfkc().flat_map(char::to_lowercase).filter(|&c| !is_invisible(c)).nfc().collect()
}

/// Letters that are another one, or two.
fn fold(c: char) -> impl Iterator<Item = char> {
    let (first, second) = match c {
        'ß' => ('s', Some('s')),
        'æ' => ('a', Some('e')),
        'œ' => ('o', Some('e')),
        'þ' => ('t', Some('h')),
        'ø' => ('o', None),
        'ł' => ('l', None),
        'đ' | 'ð' => ('d', None),
        'ħ' => ('h', None),
        'ı' => ('i', None),
        // The one letter whose lower case depends on where it stands.
        'ς' => ('σ', None),
        c => (c, None),
    };
    std::iter::once(first).chain(second)
}

/// Whether a character of a word is none of its spelling and parts it.
pub(crate) fn is_separator(c: char) -> bool {
    !(c.is_alphanumeric() || is_combining_mark(c) || is_invisible(c))
}

/// Characters that sit inside a word without being part of its spelling: soft hyphen, tatweel, joiners, direction marks.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{640}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Whether a character of a decomposed word is part of the term. Some accents are alphabetic, so marks come first.
fn is_spelled(base: char, c: char) -> bool {
    if !is_combining_mark(c) {
        return c.is_alphanumeric() && !is_invisible(c);
    }
    // й, ї and ў are letters; ё is an е that says how it is read.
    if matches!(c, '\u{306}' | '\u{308}') && matches!(base, '\u{400}'..='\u{52f}') {
        return base != 'е';
    }
    let accent = matches!(canonical_combining_class(c), 10..=36 | 200..);
    let decoration = matches!(c, '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}');
    !accent && !decoration
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn both(word: &str) -> [String; 2] {
        [fold_into, fold_by_the_rules].map(|fold: fn(&str, &mut String)| {
            let mut term = String::new();
            fold(word, &mut term);
            term
        })
    }

    #[test]
    fn each_letter_that_is_known_alone_is_folded_as_by_the_rules_beside_others() {
        let mut known = 0;
        for c in '\u{80}'..='\u{ffff}' {
            if matches!(alone(c), Alone::Letter(_) | Alone::Unspaced) {
                known += 1;
                for word in [format!("{c}"), format!("aß{c}{c}й"), format!("{c}ж{c}Ａ"), format!("が{c}")]
                {
                    let [quick, thorough] = both(&word);
                    assert_eq!(quick, thorough, "{word:?}");
                }
            }
        }
        assert!(known > 21_000, "{known}");
    }

    proptest! {
        #[test]
        fn words_are_folded_as_by_the_rules(word in "[a-zA-ZÀ-ɏͰ-ԯ\u{300}-\u{308}ぁ-ヿ一-三！-ﾟ\u{ad}]{1,40}") {
            let [quick, thorough] = both(&word);
            prop_assert_eq!(quick, thorough);
        }
    }
}
