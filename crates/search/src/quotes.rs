//! Which quotes ask for a phrase.
//!
//! Straight quotes do: whoever types them searches. Typographic ones („…“, “…”, «…») are what telephones make of straight ones,
//! and also what a sentence has around a name: nobody who asks „Was ist eine „Model C“-Schule?“ wants pages without these two
//! words side by side to be left out. So in prose they are no signs: the words between them are words like the others, which
//! count more where they stand together. Prose is a text with [`PROSE_WORDS`] words or more outside of all quotes, none of which
//! is a sign of a search.

/// Keyboards and telephones turn straight quotes into these.
pub(crate) fn is_quote(c: char) -> bool {
    c == '"' || is_typographic(c)
}

fn is_typographic(c: char) -> bool {
    matches!(c, '“' | '”' | '„' | '«' | '»')
}

/// So many plain words around quotes are a sentence.
const PROSE_WORDS: usize = 3;

/// Whether the typographic quotes of a text belong to its sentences.
pub(crate) fn are_of_prose(text: &str) -> bool {
    if !text.contains(is_typographic) || text.contains('"') {
        return false;
    }
    let (mut words, mut is_signed) = (0, false);
    // Every other piece stands between quotes.
    for (place, outside) in text.split(is_typographic).enumerate().step_by(2) {
        // What is written in one with quotes belongs to them: the sign of a „Model C“-school is none.
        let belongs = usize::from(place > 0 && !outside.starts_with(char::is_whitespace));
        words += outside.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
        is_signed |= outside.split_whitespace().skip(belongs).any(is_sign);
        is_signed |= outside.ends_with(['+', '-', ':']);
    }
    words >= PROSE_WORDS && !is_signed
}

/// Whether a word tells that a search is meant, and no sentence.
fn is_sign(word: &str) -> bool {
    let begins =
        |sign: char| word.strip_prefix(sign).is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
    matches!(word, "OR" | "AND" | "NOT" | "|" | "<")
        || word.starts_with("NEAR/")
        || begins('+')
        || begins('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_told_from_searches() {
        let prose = [
            "Was ist eine „Model C“-Schule?",
            "who said “to be or not to be”, and when",
            "Que signifie « coup de foudre » en français ?",
            "Wer schrieb im Jahr 1808 »Faust«?",
        ];
        let searches = [
            "“to be”",
            "“to be” hamlet",
            "„Model C“-Schulen",
            "“the quick brown fox jumps” lazy dog",
            "install linux today +“quick start”",
            "install linux today -“quick start”",
            "install linux today title:“quick start”",
            "“quick start” install linux today -windows",
            "“quick start” install linux OR bsd",
            "who said \"to be\" and “not to be”",
            "who said that",
        ];
        for text in prose {
            assert!(are_of_prose(text), "{text}");
        }
        for text in searches {
            assert!(!are_of_prose(text), "{text}");
        }
    }
}
