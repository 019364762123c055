//! A text without numbers and dates: every word in which a digit stands becomes a space.
//!
//! Counters, dates and prices differ between copies of one page that are otherwise equal.
//!
//! Cost: one pass, a copy where there is no digit.

/// Replaces `plain` by the text without the words that have a digit ([`char::is_numeric`]) in them.
pub fn without_numbers(text: &[u8], plain: &mut Vec<u8>) {
    plain.clear();
    for chunk in text.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(digit) = rest.find(is_digit) {
            let (before, from_digit) = rest.split_at(digit);
            plain.extend_from_slice(before.trim_end_matches(char::is_alphanumeric).as_bytes());
            plain.push(b' ');
            rest = from_digit.trim_start_matches(char::is_alphanumeric);
        }
        plain.extend_from_slice(rest.as_bytes());
        plain.extend_from_slice(chunk.invalid());
    }
}

fn is_digit(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_digit() } else { c.is_numeric() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::plain_words;
    use super::*;

    fn without(text: &[u8]) -> Vec<u8> {
        let mut plain = Vec::new();
        without_numbers(text, &mut plain);
        plain
    }

    #[test]
    fn words_with_a_digit_are_left_out() {
        let cases = [
            ("no digits", "no digits"),
            ("on 2024-11-03 at 10:05", "on  - -  at  : "),
            ("a1b c", "  c"),
            ("x² ½ Ⅷ ٣", "       "),
            ("12345", " "),
        ];
        for (text, expected) in cases {
            assert_eq!(String::from_utf8_lossy(&without(text.as_bytes())), expected, "{text}");
        }
        assert_eq!(without(b"a\xff1\xff"), b"a\xff \xff");
    }

    proptest! {
        #[test]
        fn all_other_words_stay(text in "([a-zà-ü]{1,4}|[0-9]{1,3}|[ .,-]){0,40}") {
            let expected: Vec<String> = plain_words(text.as_bytes())
                .into_iter()
                .filter(|word| !word.contains(char::is_numeric))
                .collect();
            prop_assert_eq!(plain_words(&without(text.as_bytes())), expected);
        }
    }
}
