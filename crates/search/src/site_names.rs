//! What sites are called that hosts do not tell apart, and their front pages.
//!
//! Whoever types the name of a manual wants its front page, which has that word less often than many others. Which folders
//! are sites, and how they are called, is known by whoever knows the graph; here a name is a few small words, and a front
//! page is a document. A query asks for a site if it is its name, or perhaps if it is a part of the names of very few.
//!
//! Cost: a look-up for each query.

use std::collections::HashMap;

use page::DocId;

use crate::columns::{Column, PartsReader, PartsWriter};

/// Words that so many names or fewer have may be names of their own.
const FEW: usize = 3;
/// No name is asked for by more words.
const WORDS_MAX: usize = 6;

/// The names of sites, each with its front page.
#[derive(Debug, Clone, Default)]
pub struct SiteNames {
    names: Vec<String>,
    documents: Column<4>,
    /// The names that have a word, by their places.
    by_word: HashMap<Box<str>, Vec<u32>>,
}

/// The front pages of sites.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Called {
    pub(crate) fronts: Vec<DocId>,
    /// Whether that is all of their names.
    pub(crate) is_whole: bool,
}

impl SiteNames {
    /// A site of this name, words with a space between them, has this front page.
    pub fn add(&mut self, name: &str, front: DocId) {
        self.documents.push(front.get());
        self.index(name.to_lowercase());
    }

    fn index(&mut self, name: String) {
        for word in name.split(' ') {
            self.by_word.entry(word.into()).or_default().push(self.names.len() as u32);
        }
        self.names.push(name);
    }

    /// The front pages of the sites that are called so; if there are none, of those few whose names have all of the words.
    pub(crate) fn called(&self, words: &[&str]) -> Called {
        let Some(first) = words.first().filter(|_| words.len() <= WORDS_MAX) else {
            return Called::default();
        };
        let has = |name: &str, word: &str| name.split(' ').any(|other| other == word);
        let with_first = self.by_word.get(*first).into_iter().flatten();
        let mut called: Vec<(usize, u32)> = with_first
            .map(|place| (self.names[*place as usize].as_str(), self.documents.number(*place as usize)))
            .filter(|(name, _)| words[1..].iter().all(|word| has(name, word)))
            .filter_map(|(name, document)| Some((name.split(' ').count(), document?)))
            .collect();
        let is_whole = called.iter().any(|(length, _)| *length == words.len());
        called.retain(|(length, _)| !is_whole || *length == words.len());
        if !is_whole && called.len() > FEW {
            called.clear();
        }
        Called { fronts: called.into_iter().map(|(_, document)| DocId::new(document)).collect(), is_whole }
    }

    pub(crate) fn write(&self, parts: &mut PartsWriter) {
        parts.names(&self.names);
        parts.column(&self.documents);
    }

    pub(crate) fn read(parts: &mut PartsReader, documents: u32) -> Option<Self> {
        let (names, fronts) = (parts.names()?, parts.any_column::<4>()?);
        let are_there = fronts.len() == names.len() && fronts.numbers().all(|front| front < documents);
        let mut read = Self { documents: fronts, ..Self::default() };
        names.into_iter().for_each(|name| read.index(name));
        are_there.then_some(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_asked_for_by_its_name_or_by_words_that_few_names_have() {
        let mut names = SiteNames::default();
        let all = ["python", "python django", "python pandas", "python scipy", "Gcc base", "python"];
        all.iter().zip(0..).for_each(|(name, front)| names.add(name, DocId::new(front)));
        let rows: [(&[&str], &[u32], bool); 9] = [
            (&["python"], &[0, 5], true),
            (&["django"], &[1], false),
            (&["python", "django"], &[1], true),
            (&["django", "python"], &[1], true),
            (&["gcc"], &[4], false),
            (&["gcc", "python"], &[], false),
            (&["django", "django", "python", "a", "b", "c", "d"], &[], false),
            (&["pyt"], &[], false),
            (&[], &[], false),
        ];
        for (words, expected, is_whole) in rows {
            let fronts = expected.iter().copied().map(DocId::new).collect();
            assert_eq!(names.called(words), Called { fronts, is_whole }, "{words:?}");
        }
        // A word of many names is the name of none.
        let mut names = SiteNames::default();
        ["a b", "a c", "a d", "a e"]
            .iter()
            .zip(0..)
            .for_each(|(name, front)| names.add(name, DocId::new(front)));
        assert!(names.called(&["a"]).fronts.is_empty());
    }
}
