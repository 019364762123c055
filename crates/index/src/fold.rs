//! Which spellings are the same word.
//!
//! A term is the word in NFKD, lower case, without accents, in NFC again: full-width letters, ligatures and circled digits
//! are those that they show. Only accents are dropped (combining classes 10 to 36, the points of Hebrew and Arabic, and 200
//! upwards): the vowel signs of Indic scripts and the voicing marks of kana are marks too, and so are the tones of Thai, but
//! dropping them would merge unrelated words. So is the breve of й, which is a letter, not an accent. Going back to NFC
//! keeps Hangul short. Letters with a stroke and ligatures that have no decomposition (ø, ł, æ) are folded by a table.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, is_combining_mark};

/// Longer terms are cut here, at a character border: nobody types them, and a page of base64 would fill the dictionary.
pub const TERM_BYTES_MAX: usize = 64;

/// Replaces `term` by the folded `word`, cut to [`TERM_BYTES_MAX`].
pub(crate) fn fold_into(word: &str, term: &mut String) {
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
    for c in folded.filter(is_spelled).nfc() {
        if term.len() + c.len_utf8() > TERM_BYTES_MAX {
            break;
        }
        term.push(c);
    }
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
