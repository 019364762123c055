//! The words of a topic, and how many of them a text has.

/// More words than this make no topic narrower.
const WORDS_MAX: usize = 32;

/// What pages should speak of: different words in small letters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Topic {
    words: Vec<String>,
}

impl Topic {
    /// Takes the words of a text.
    pub fn new(text: &str) -> Self {
        let lower = text.to_lowercase();
        let mut words = Vec::new();
        for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            if words.len() < WORDS_MAX && !words.iter().any(|other| other == word) {
                words.push(word.to_owned());
            }
        }
        Self { words }
    }

    /// How many words it has.
    pub fn len(&self) -> u32 {
        self.words.len() as u32
    }

    /// True if nothing was named.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How many of them are in a text, also within longer words: addresses write them together.
    pub(super) fn found_in(&self, text: &str) -> u32 {
        self.found_in_either(text, "")
    }

    /// How many of them are in one text or in another.
    pub(super) fn found_in_either(&self, one: &str, other: &str) -> u32 {
        if self.words.is_empty() || (one.is_empty() && other.is_empty()) {
            return 0;
        }
        let (one, other) = (one.to_lowercase(), other.to_lowercase());
        self.words.iter().filter(|word| one.contains(&**word) || other.contains(&**word)).count() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_any_letters_and_counted_once() {
        let topic = Topic::new("Più acqua, acqua!");
        assert_eq!((topic.len(), topic.is_empty()), (2, false));
        assert_eq!(topic.found_in("ACQUA e acquario"), 1);
        assert_eq!(topic.found_in_either("PIÙ", "/acqua.html"), 2);
        assert!(Topic::new(" ,- ").is_empty() && Topic::default().found_in("x") == 0);
    }
}
