//! A stored page becomes a document again. The archive is the truth, so nothing else needs to be kept.

use fetch::{FetchLimits, decode_stored};
use page::{ContentType, Document, PageKey, PageUrl};
use store::{PageRecord, StoreReader, StoredPage};

use crate::Error;
use crate::documents::StoredDocument;

/// Reads a page back and understands it anew. A record without content gives an empty document.
pub fn read_document(
    store: &StoreReader,
    key: PageKey,
    record: &PageRecord,
) -> Result<StoredDocument, Error> {
    let stored = store.read(record)?;
    let document = stored.map_or_else(Document::default, |stored| document_of(&record.url, &stored));
    let mut document = StoredDocument::new(key, &record.url, document);
    // What the head of the answer wished was understood when it was stored.
    document.noindex |= record.flags.noindex;
    Ok(document)
}

/// Understands a stored answer or file.
pub fn document_of(url: &PageUrl, stored: &StoredPage) -> Document {
    let block = stored.block();
    if !stored.is_http() {
        let content_type = stored.head.header("content-type").unwrap_or("");
        return parse::parse_page(url, ContentType(content_type), block);
    }
    let head_end = block.windows(4).position(|window| window == b"\r\n\r\n").map_or(block.len(), |at| at + 4);
    let limits =
        FetchLimits { decoded_bytes_max: 64 << 20, body_bytes_max: 64 << 20, ..FetchLimits::default() };
    let (raw_head, raw_body) = block.split_at(head_end);
    match decode_stored(raw_head, raw_body, &limits) {
        Some(response) => parse::parse_page(url, response.content_type(), response.body()),
        None => Document::default(),
    }
}
