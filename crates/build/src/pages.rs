//! All pages of a collection as documents, in the order of the table.

use page::PageKey;
use store::{Collection, StoreReader};

use crate::archived::{ReadPage, for_each_page_from};
use crate::documents::DocumentStore;
use crate::gone::Gone;
use crate::reading::open_documents;
use crate::{Covered, Error};

/// Shows all pages that are not gone: from `documents/` as far as it goes, the others from the archive.
pub fn for_each_page<E: From<Error>>(
    collection: &Collection,
    mut see: impl FnMut(ReadPage) -> Result<(), E>,
) -> Result<(), E> {
    let gone = Gone::now(collection)?;
    let mut see = |page: ReadPage| if gone.has(page.key) { Ok(()) } else { see(page) };
    let documents = open_documents(collection).ok().flatten();
    let covered = Covered::of(collection, documents.as_ref().map_or(0, DocumentStore::covered));
    if let Some(documents) = documents {
        let mut pages = StoreReader::open(collection).and_then(|store| store.pages()).map_err(Error::from)?;
        for document in documents.read_from(PageKey::START) {
            let document = document.map_err(Error::from)?;
            let record = loop {
                match pages.next().map_err(Error::from)? {
                    Some((key, record)) if key == document.key => break record,
                    Some(_) => {}
                    None => return Ok(()),
                }
            };
            see(ReadPage { key: document.key, record, document: Ok(document) })?;
        }
    }
    for_each_page_from(collection, covered, see).map(drop)
}
