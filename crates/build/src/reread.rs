//! A stored page becomes a document again: for the index, for snippets, for exports. The archive is the truth, so
//! nothing else needs to be kept.

use fetch::{FetchLimits, decode_stored};
use page::{ContentType, Document, PageUrl};
use store::{PageRecord, StoreReader, StoredPage};

use crate::Error;

/// Reads a page back and understands it anew. A record without content gives an empty document.
pub fn read_document(store: &StoreReader, record: &PageRecord) -> Result<Document, Error> {
    let Some(stored) = store.read(record)? else { return Ok(Document::default()) };
    Ok(document_of(&record.url, &stored))
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
