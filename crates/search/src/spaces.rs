//! The latent spaces of the indexes that are searched as one.

use std::ops::Range;

use latent::LatentSpace;
use page::DocId;

/// A space for each index that has one, with the documents of that index.
#[derive(Debug, Clone, Default)]
pub struct Spaces(Vec<(Range<DocId>, LatentSpace)>);

impl Spaces {
    /// No space yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the space of the documents of one index, behind those that are there.
    pub fn add(&mut self, documents: Range<DocId>, space: LatentSpace) {
        self.0.push((documents, space));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All spaces, each with its documents, in their order.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&Range<DocId>, &LatentSpace)> {
        self.0.iter().map(|(documents, space)| (documents, space))
    }

    /// The space of a document and the first document that it has.
    pub(crate) fn with_start(&self, doc: DocId) -> Option<(&LatentSpace, DocId)> {
        let (documents, space) = self.0.iter().find(|(documents, _)| documents.contains(&doc))?;
        Some((space, documents.start))
    }
}
