//! Some documents in a row, before they are squeezed.

use journal::FieldWriter;
use page::PageKey;

use super::document::StoredDocument;

/// Texts and all else of a block have about so many bytes. A document that is larger has a block of its own.
const BLOCK_BYTES: usize = 64 << 10;

/// Documents without text are many to a block, but not without end.
const BLOCK_DOCUMENTS_MAX: usize = 512;

/// Documents that wait to be squeezed together.
#[derive(Debug, Default)]
pub(super) struct RawBlock {
    pub(super) keys: Vec<PageKey>,
    texts: Vec<u8>,
    /// Where each text ends.
    text_ends: Vec<usize>,
    abouts: FieldWriter,
    spans: FieldWriter,
}

impl RawBlock {
    pub(super) fn push(&mut self, document: &StoredDocument) {
        self.keys.push(document.key);
        self.texts.extend_from_slice(document.text.as_bytes());
        self.text_ends.push(self.texts.len());
        document.encode_about(&mut self.abouts);
        document.encode_spans(&mut self.spans);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// How much memory it takes, about.
    pub(super) fn bytes(&self) -> usize {
        self.texts.len() + self.abouts().len() + self.spans().len()
    }

    pub(super) fn text_bytes(&self) -> usize {
        self.texts.len()
    }

    /// The texts, one after the other.
    pub(super) fn texts(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.text_ends.iter().copied());
        starts.zip(&self.text_ends).map(|(start, end)| &self.texts[start..*end])
    }

    /// What documents say of themselves.
    pub(super) fn abouts(&self) -> &[u8] {
        self.abouts.as_bytes()
    }

    /// What parts of the texts are.
    pub(super) fn spans(&self) -> &[u8] {
        self.spans.as_bytes()
    }

    /// Is there room for one more?
    pub(super) fn has_room_for(&self, document: &StoredDocument) -> bool {
        self.keys.len() < BLOCK_DOCUMENTS_MAX && self.bytes() + document.text.len() <= BLOCK_BYTES
    }
}
