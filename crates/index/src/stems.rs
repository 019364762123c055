//! Stems: what the forms of a word have in common, by the language of the page.
//!
//! `connection`, `connected` and `connect` have one list beside their own, under the key [`STEM_MARK`] and their stem. It
//! says in which documents they are, how often and in which fields, and not where: an exact phrase is found by the words
//! themselves. The word that is the stem is found by it in every language: in a page whose language makes something else of
//! it, and in one of no language. So a list of which all words are the stem itself says what the word's own list says; it is
//! left out, and whoever asks for the stem is given the word's list ([`crate::Index::stem`]). Were it otherwise, what is found
//! would depend on which segments have another form of the word.
//!
//! Stemmers are Snowball's (snowballstem.org). They see a word with its accents, which tell endings apart; the stem is
//! folded as words are.

use snowball_stemmers_rs::{Algorithm, Stemmer};

use crate::fold::{TERM_BYTES_MAX, fold_into};

/// What the key of a stem begins with; no term has it.
pub(crate) const STEM_MARK: char = '\u{1}';

/// Whether this is the key of a stem.
pub(crate) fn is_stem_key(key: &[u8]) -> bool {
    key.first() == Some(&(STEM_MARK as u8))
}

/// Languages that have a stemmer, by the code of two letters. Which number a language has is written nowhere.
const STEMMERS: [(&str, Algorithm); 36] = [
    ("ar", Algorithm::Arabic),
    ("ca", Algorithm::Catalan),
    ("cs", Algorithm::Czech),
    ("da", Algorithm::Danish),
    ("de", Algorithm::German),
    ("el", Algorithm::Greek),
    ("en", Algorithm::English),
    ("eo", Algorithm::Esperanto),
    ("es", Algorithm::Spanish),
    ("et", Algorithm::Estonian),
    ("eu", Algorithm::Basque),
    ("fa", Algorithm::Persian),
    ("fi", Algorithm::Finnish),
    ("fr", Algorithm::French),
    ("ga", Algorithm::Irish),
    ("hi", Algorithm::Hindi),
    ("hu", Algorithm::Hungarian),
    ("hy", Algorithm::Armenian),
    ("id", Algorithm::Indonesian),
    ("it", Algorithm::Italian),
    ("lt", Algorithm::Lithuanian),
    ("nb", Algorithm::Norwegian),
    ("ne", Algorithm::Nepali),
    ("nl", Algorithm::Dutch),
    ("nn", Algorithm::Norwegian),
    ("no", Algorithm::Norwegian),
    ("pl", Algorithm::Polish),
    ("pt", Algorithm::Portuguese),
    ("ro", Algorithm::Romanian),
    ("ru", Algorithm::Russian),
    ("sr", Algorithm::Serbian),
    ("sv", Algorithm::Swedish),
    ("ta", Algorithm::Tamil),
    ("tr", Algorithm::Turkish),
    ("uk", Algorithm::Ukrainian),
    ("yi", Algorithm::Yiddish),
];

/// A language that has a stemmer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Language(u8);

impl Language {
    /// How many there are.
    pub(crate) const COUNT: usize = STEMMERS.len();

    /// The language of a tag such as `en` or `en-US`, if it has a stemmer.
    pub(crate) fn of_tag(tag: &str) -> Option<Self> {
        let code = tag.split(['-', '_']).next()?.trim().to_ascii_lowercase();
        let place = STEMMERS.iter().position(|(known, _)| *known == code)?;
        Some(Self(place as u8))
    }

    pub(crate) fn code(self) -> &'static str {
        STEMMERS[self.index()].0
    }

    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The folded stem of a word in lower case. Of a word that has other signs than letters, `term`, which is what it is
    /// folded to.
    pub(crate) fn stem(self, form: &str, term: &str) -> String {
        if !form.chars().all(is_letter) {
            return term.to_owned();
        }
        let stem = Stemmer::create(STEMMERS[self.index()].1).stem(form);
        let mut folded = String::new();
        if stem.is_ascii() && stem.len() <= TERM_BYTES_MAX {
            folded.push_str(&stem);
        } else {
            fold_into(&stem, &mut folded);
        }
        if folded.is_empty() { term.to_owned() } else { folded }
    }
}

/// Marks are parts of words in Hindi.
fn is_letter(c: char) -> bool {
    c.is_alphabetic() || unicode_normalization::char::is_combining_mark(c)
}

/// A set of languages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Languages(u64);

impl Languages {
    pub(crate) const NONE: Self = Self(0);

    pub(crate) fn insert(&mut self, language: Language) {
        self.0 |= 1 << language.0;
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = Language> {
        (0..Language::COUNT as u8).filter(move |number| self.0 >> number & 1 == 1).map(Language)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stem(tag: &str, word: &str) -> String {
        Language::of_tag(tag).unwrap().stem(word, word)
    }

    #[test]
    fn forms_of_a_word_meet_in_their_stem() {
        let rows: &[(&str, &[&str])] = &[
            ("en", &["connection", "connected", "connect", "connecting"]),
            ("en-US", &["index", "index"]),
            ("de", &["häuser", "haus", "hauses"]),
            ("fr", &["mangé", "mangées", "manger"]),
            ("es", &["canciones", "canción"]),
            ("ru", &["книги", "книга", "книгу"]),
            ("tr", &["kitaplar", "kitap"]),
        ];
        for (tag, words) in rows {
            assert!(words.iter().all(|word| stem(tag, word) == stem(tag, words[0])), "{tag} {words:?}");
        }
    }

    #[test]
    fn numbers_are_their_own_stems_and_not_all_languages_have_any() {
        assert_eq!(["as", "3rd", "utf8s"].map(|word| stem("en", word)), ["as", "3rd", "utf8s"]);
        assert!(["zh", "th", "", "english", "xx-en"].iter().all(|tag| Language::of_tag(tag).is_none()));
    }

    proptest! {
        #[test]
        fn no_word_hurts_a_stemmer(word in "\\PC{0,12}|[a-zäéçışğ]{0,20}|[а-яё]{0,20}|[α-ωάέ]{0,20}|[ء-ي]{0,15}|[ऀ-ॿ]{0,15}|[א-ת]{0,15}") {
            let form = crate::fold::form_of(&word);
            for number in 0..Language::COUNT {
                let stem = Language(number as u8).stem(&form, "term");
                prop_assert!(!stem.is_empty() && stem.len() <= crate::TERM_BYTES_MAX.max(form.len()));
            }
        }
    }
}
