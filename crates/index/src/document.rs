//! What is indexed.

use page::PageKey;

use crate::field::Field;

/// A document to be indexed.
#[derive(Debug, Clone, Copy)]
pub struct IndexDocument<'a> {
    /// Where the page is kept. The index does not look into it; it gives it back with the document.
    pub key: PageKey,
    /// Its language, as a tag such as `en` or `pt-BR`, if it is known: its words are found by their stems.
    pub language: Option<&'a str>,
    /// What is written in it, in the order in which it is read.
    pub pieces: &'a [Piece<'a>],
}

/// A piece of a document that belongs to one field.
#[derive(Debug, Clone, Copy)]
pub struct Piece<'a> {
    /// The field.
    pub field: Field,
    /// Its words.
    pub text: &'a str,
}

impl<'a> Piece<'a> {
    /// The pieces of a document of which no more is known than a title and a text.
    pub fn title_and_text(title: &'a str, text: &'a str) -> [Self; 2] {
        [Self { field: Field::Title, text: title }, Self { field: Field::Main, text }]
    }
}
