//! What is indexed.

use page::PageKey;

/// A document to be indexed.
#[derive(Debug, Clone, Copy)]
pub struct IndexDocument<'a> {
    /// Where the page is kept. The index does not look into it; it gives it back with the document.
    pub key: PageKey,
    /// The title: its words are found like those of the text, and marked.
    pub title: &'a str,
    /// The text.
    pub text: &'a str,
}
