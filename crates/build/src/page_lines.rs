//! What is stored of each page, as other programs read it.

use page::PageUrl;
use serde::Serialize;
use store::{Collection, PageRecord, StoreReader};

use crate::archived::ReadPage;
use crate::documents::StoredDocument;
use crate::pages::for_each_page;
use crate::stored_links::originals;
use crate::{Error, Notice, Watcher};

/// A page in a line of JSON.
#[derive(Debug, Serialize)]
pub struct PageLine<'a> {
    url: &'a str,
    status: u16,
    content_type: &'a str,
    fetched_at: String,
    depth: u16,
    title: &'a str,
    text: &'a str,
    language: Option<&'a str>,
    digest: String,
    warc_file: Option<String>,
    warc_offset: Option<u64>,
    noindex: bool,
    text_digest: Option<String>,
    simhash: Option<String>,
    copy_of: Option<&'a str>,
}

impl<'a> PageLine<'a> {
    fn new(record: &'a PageRecord, document: &'a StoredDocument, copy_of: Option<&'a str>) -> Self {
        Self {
            url: record.url.as_str(),
            status: record.status,
            content_type: &record.content_type,
            fetched_at: record.at.to_string(),
            depth: record.depth,
            title: &document.title,
            text: &document.text,
            language: document.language.as_deref(),
            digest: record.digest.to_string(),
            warc_file: record.warc.map(StoreReader::warc_file_name),
            warc_offset: record.warc.map(|place| place.offset),
            noindex: record.flags.noindex,
            text_digest: record.print.map(|print| format!("{:032x}", print.digest)),
            simhash: record.print.and_then(|print| print.near).map(|near| format!("{:016x}", near.simhash)),
            copy_of,
        }
    }
}

/// How many lines there were.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct LineCounts {
    /// Pages that were shown.
    pub written: u64,
    /// Pages whose text could not be read.
    pub failed: u64,
}

/// Shows each page; one that cannot be read is told, and shown without its text.
pub fn for_each_page_line<E: From<Error>>(
    collection: &Collection,
    watcher: &dyn Watcher,
    mut see: impl FnMut(&PageLine<'_>) -> Result<(), E>,
) -> Result<LineCounts, E> {
    let (mut counts, originals) = (LineCounts::default(), originals(collection)?);
    for_each_page(collection, |ReadPage { record, document, .. }| {
        let document = document.unwrap_or_else(|error| {
            watcher.tell(Notice::Unreadable { what: record.url.as_str(), why: &error });
            counts.failed += 1;
            StoredDocument::default()
        });
        let original = record.copy_of.and_then(|copy| originals.get(&copy.original));
        see(&PageLine::new(&record, &document, original.map(PageUrl::as_str)))?;
        counts.written += 1;
        Ok::<_, E>(())
    })?;
    Ok(counts)
}

/// Shows title and text of each page; one that cannot be read is told, and left out.
pub fn for_each_text<E: From<Error>>(
    collection: &Collection,
    watcher: &dyn Watcher,
    mut see: impl FnMut(&str, &StoredDocument) -> Result<(), E>,
) -> Result<LineCounts, E> {
    let mut counts = LineCounts::default();
    for_each_page(collection, |ReadPage { record, document, .. }| {
        match document {
            Ok(document) => {
                see(record.url.as_str(), &document)?;
                counts.written += 1;
            }
            Err(error) => {
                watcher.tell(Notice::Unreadable { what: record.url.as_str(), why: &error });
                counts.failed += 1;
            }
        }
        Ok::<_, E>(())
    })?;
    Ok(counts)
}
