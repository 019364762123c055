//! Near copies at a known distance.
//!
//! The sets of 5-word shingles of two texts shall have Jaccard similarity J. If a part s of the shingles survives,
//! J = s / (2 − s), so s = 2J / (1 + J). A replaced word kills the five shingles that hold it; words replaced at an
//! even pace, at least five apart, kill disjoint ones, so of n words n(1 − s) / 5 have to be replaced. An even pace
//! instead of a coin per word makes the result right up to half a word, where a short page thrown with coins would
//! be far off. At least one word is replaced, or the copy would be exact.
//!
//! The words are replaced in finished HTML, wherever a reader sees them: outside of tags, comments and scripts.

use crate::rng::Rng;
use crate::words::{ADJECTIVES, NOUNS, PLANTED_PREFIX, VERBS};

/// Length of the shingles that `near_copy_jaccard` speaks of.
const SHINGLE_WORDS: f64 = 5.0;

/// Rewrites the words of `body`, appending to `out`, so that both have about this similarity.
pub(crate) fn write_near_copy(body: &str, jaccard: f64, rng: &mut Rng, out: &mut String) {
    let surviving = 2.0 * jaccard / (1.0 + jaccard);
    let word_count = pieces(body).filter(|(_, word)| !word.is_empty()).count() as f64;
    let replaced_count = (word_count * (1.0 - surviving) / SHINGLE_WORDS).round().max(1.0);
    let pace = replaced_count / word_count;
    let mut due = rng.unit() * (1.0 - pace);
    for (markup, word) in pieces(body) {
        out.push_str(markup);
        due += if word.is_empty() { 0.0 } else { pace };
        if due >= 1.0 && !word.is_empty() && !word.starts_with(PLANTED_PREFIX) {
            due -= 1.0;
            out.push_str(other_word(word, rng));
        } else {
            out.push_str(word);
        }
    }
}

/// Cuts HTML into pairs of something that is no word (perhaps empty) and a word (perhaps empty).
fn pieces(html: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = html;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (markup, after) = rest.split_at(markup_length(rest));
        let word_length = after.find(|c: char| !c.is_alphanumeric()).unwrap_or(after.len());
        let (word, after) = after.split_at(word_length);
        rest = after;
        Some((markup, word))
    })
}

/// Bytes at the start of `html` that are no word: tags, comments, scripts, entities, spaces, punctuation.
fn markup_length(html: &str) -> usize {
    let end_of = |mark: &str| html.find(mark).map_or(html.len(), |at| at + mark.len());
    match html.as_bytes()[0] {
        b'<' if html.starts_with("<!--") => end_of("-->"),
        b'<' if html.starts_with("<script") => end_of("</script>"),
        b'<' => tag_length(html),
        b'&' => end_of(";"),
        _ => html.find(|c: char| c.is_alphanumeric() || c == '<' || c == '&').unwrap_or(html.len()),
    }
}

/// Bytes of the tag at the start of `html`; a `>` between quotes does not end it.
fn tag_length(html: &str) -> usize {
    let mut quote = None;
    for (at, byte) in html.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return at + 1,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    html.len()
}

fn other_word(word: &str, rng: &mut Rng) -> &'static str {
    loop {
        let table = rng.pick(&[NOUNS, ADJECTIVES, VERBS]);
        let other = rng.pick(table);
        if other != word {
            return other;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Purpose;

    #[test]
    fn words_are_replaced_at_an_even_pace_and_markup_never() {
        let body = "<p title='a > b'>one two &copy; three</p><!-- no --><script>'no'</script> four quorlimb";
        let words = |html| pieces(html).map(|(_, word)| word).filter(|word| !word.is_empty()).count();
        assert_eq!(words(body), 5);
        let long = body.repeat(200);
        let mut out = String::new();
        write_near_copy(&long, 0.8, &mut Rng::keyed(1, Purpose::NearCopy, 1), &mut out);
        let changed = pieces(&long).zip(pieces(&out)).filter(|(before, after)| before.1 != after.1).count();
        // Of the shingles 8/9 survive, so 1/45 of the words go.
        assert_eq!(changed, 1000 / 45);
        assert!(pieces(&long).zip(pieces(&out)).all(|(before, after)| before.0 == after.0));
        assert_eq!(out.matches("quorlimb").count(), 200);
    }
}
