//! The documents of a comparison: words that every engine takes for the same.
//!
//! From a collection, or from a file with a document on each line: plain text, or a JSON object with a `text` and perhaps a
//! `title`. Of each, the words of letters a to z and digits are kept, in lower case, one space between them, so that no engine
//! has its own opinion of where a word ends.

use std::io::BufRead as _;
use std::path::Path;

use build::documents::DocumentStore;
use page::{PageKey, PageUrl};
use serde::Deserialize;
use xxhash_rust::xxh3::xxh3_64;

use crate::Error;

/// Longer words are left out: engines cut them in different places.
const WORD_BYTES_MAX: usize = 40;

/// Documents, each a line of words.
#[derive(Debug)]
pub struct Corpus {
    /// What people call it.
    pub name: String,
    /// The words of each, one space between them.
    pub documents: Vec<String>,
}

/// A line of a file.
#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    title: String,
    text: String,
}

impl Corpus {
    /// Takes texts.
    pub fn of_texts(name: &str, texts: impl Iterator<Item = String>) -> Self {
        let documents = texts.map(|text| words_of(["", &text])).filter(|text| !text.is_empty()).collect();
        Self { name: name.into(), documents }
    }

    /// The same documents in an order that has nothing to do with what they are.
    pub fn shuffled(&self) -> Self {
        let mut documents = self.documents.clone();
        // By a hash of the place: the same order in every run.
        let mut places: Vec<u64> = (0..documents.len() as u64).collect();
        places.sort_by_key(|place| xxh3_64(&place.to_le_bytes()));
        for (document, place) in documents.iter_mut().zip(places) {
            document.clone_from(&self.documents[place as usize]);
        }
        Self { name: self.name.clone(), documents }
    }

    /// Reads a collection or a file.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let documents = if path.is_dir() { of_collection(path)? } else { of_lines(path)? };
        if documents.is_empty() {
            return Err(Error::NoWords { path: path.to_owned() });
        }
        Ok(Self { name, documents })
    }

    /// The documents of a collection in the order of their addresses, hosts first, by their places here; none of a file.
    pub fn address_order(path: &Path) -> Result<Option<Vec<u32>>, Error> {
        if !path.is_dir() {
            return Ok(None);
        }
        let mut keys = Vec::new();
        for document in DocumentStore::open(&path.join("documents"))?.read_from(PageKey::START) {
            let document = document?;
            if !words_of([&*document.title, &*document.text]).is_empty() {
                keys.push(PageUrl::parse(&document.url).map_or(String::new(), |url| graph::key_of(&url)));
            }
        }
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        order.sort_by_key(|&document| &keys[document as usize]);
        Ok(Some(order))
    }
}

fn of_collection(path: &Path) -> Result<Vec<String>, Error> {
    let store = DocumentStore::open(&path.join("documents"))?;
    let mut documents = Vec::new();
    for document in store.read_from(PageKey::START) {
        let document = document?;
        documents.push(words_of([&*document.title, &*document.text]));
    }
    documents.retain(|text| !text.is_empty());
    Ok(documents)
}

fn of_lines(path: &Path) -> Result<Vec<String>, Error> {
    let mut documents = Vec::new();
    for line in std::io::BufReader::new(fs_err::File::open(path)?).lines() {
        let line = line?;
        documents.push(match serde_json::from_str::<Line>(&line) {
            Ok(Line { title, text }) => words_of([&title, &text]),
            Err(_) => words_of(["", &line]),
        });
    }
    documents.retain(|text| !text.is_empty());
    Ok(documents)
}

fn words_of(parts: [&str; 2]) -> String {
    let mut words = String::with_capacity(parts[0].len() + parts[1].len() + 1);
    for part in parts {
        for word in part.split(|c: char| !c.is_ascii_alphanumeric()) {
            if word.is_empty() || word.len() > WORD_BYTES_MAX {
                continue;
            }
            if !words.is_empty() {
                words.push(' ');
            }
            words.extend(word.chars().map(|c| c.to_ascii_lowercase()));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_lower_case_with_one_space_between_them() {
        assert_eq!(words_of(["A Title", "std::vec -- naïve, 3.11!"]), "a title std vec na ve 3 11");
        assert_eq!(words_of(["", &"x".repeat(41)]), "");
    }

    #[test]
    fn a_line_is_a_document_whether_it_is_json_or_not() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "{\"title\":\"One\",\"text\":\"Two\"}\nThree four\n\n").unwrap();
        assert_eq!(Corpus::read(file.path()).unwrap().documents, ["one two", "three four"]);
    }
}
