//! Titles of pages, found by the beginning of any of their words: for completions.
//!
//! The titles lie in one text, folded to small letters; a table has the place of each word in them, in the order of what
//! follows there. So the titles in which a word and what comes behind it begin as somebody types are a range of the table,
//! found by a binary search.
//!
//! Cost: a few hundred bytes a title; a search in about a microsecond, and a nanosecond or two for each place in its range.

use std::collections::HashSet;

/// Longer titles are not completions.
const TITLE_CHARS_MAX: usize = 80;

/// Of a title so many words can be the first of what is typed.
const WORDS_MAX: usize = 8;

/// Titles, each with a weight.
#[derive(Debug, Default)]
pub struct Titles {
    titles: Vec<String>,
    folded: Vec<String>,
    weights: Vec<f32>,
    /// Titles and bytes in their folded forms at which words begin, in the order of what stands there.
    places: Vec<(u32, u16)>,
}

impl Titles {
    /// Titles with what each counts; of equal ones the first is kept, and those that are long or empty are not.
    pub fn new(titles: impl IntoIterator<Item = (String, f32)>) -> Self {
        let (mut new, mut seen) = (Self::default(), HashSet::new());
        for (title, weight) in titles {
            let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
            let folded = title.to_lowercase();
            if !title.is_empty() && title.chars().count() <= TITLE_CHARS_MAX && seen.insert(folded.clone()) {
                let number = new.titles.len() as u32;
                new.places.extend(word_starts(&folded).map(|start| (number, start as u16)));
                new.titles.push(title);
                new.folded.push(folded);
                new.weights.push(weight);
            }
        }
        let folded = &new.folded;
        new.places.sort_by_key(|&(title, start)| &folded[title as usize][start as usize..]);
        new
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.titles.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.titles.is_empty()
    }

    /// The weightiest titles in which what was typed begins a word.
    pub fn complete(&self, typed: &str, count: usize) -> Vec<&str> {
        let typed = typed.to_lowercase();
        let behind = |&(title, start): &(u32, u16)| &self.folded[title as usize][start as usize..];
        let from = self.places.partition_point(|place| behind(place) < typed.as_str());
        let range = self.places[from..].iter().take_while(|place| behind(place).starts_with(&typed));
        let mut best: Vec<u32> = range.map(|(title, _)| *title).collect();
        // A title may have the word twice.
        best.sort_unstable();
        best.dedup();
        let weight = |title: &u32| self.weights[*title as usize];
        let by_weight = |one: &u32, other: &u32| weight(other).total_cmp(&weight(one)).then(one.cmp(other));
        if best.len() > count && count > 0 {
            best.select_nth_unstable_by(count - 1, by_weight);
        }
        best.truncate(count);
        best.sort_by(by_weight);
        best.into_iter().map(|title| self.titles[title as usize].as_str()).collect()
    }
}

/// Where the words of a title begin.
fn word_starts(title: &str) -> impl Iterator<Item = usize> {
    let mut before = ' ';
    let starts = title.char_indices().filter(move |(_, c)| {
        let is_start = c.is_alphanumeric() && !before.is_alphanumeric();
        before = *c;
        is_start
    });
    starts.map(|(start, _)| start).take(WORDS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_completed_from_any_word_the_weightiest_first() {
        let rows = [
            ("The Rust Book", 5.0),
            ("Rust by  Example", 9.0),
            ("the rust book", 99.0),
            ("Rusty rust", 1.0),
            ("Über Rost", 2.0),
            ("", 7.0),
        ];
        let titles = Titles::new(rows.map(|(title, weight)| (title.to_owned(), weight)));
        assert_eq!(titles.len(), 4);
        assert_eq!(titles.complete("rus", 9), ["Rust by Example", "The Rust Book", "Rusty rust"]);
        assert_eq!(titles.complete("rus", 2), ["Rust by Example", "The Rust Book"]);
        assert_eq!(titles.complete("RUST B", 9), ["Rust by Example", "The Rust Book"]);
        assert_eq!(titles.complete("über", 9), ["Über Rost"]);
        assert!(titles.complete("ust", 9).is_empty() && titles.complete("rus", 0).is_empty());
        assert!(Titles::new([("x".repeat(TITLE_CHARS_MAX + 1), 1.0)]).is_empty());
    }
}
