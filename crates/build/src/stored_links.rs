//! Links and copies as the pages and the crawl have left them, before anything is folded.

use std::collections::{HashMap, HashSet};

use page::{Fingerprint, PageUrl, RecordNumber};
use store::{Collection, StoreReader};

use crate::Error;
use crate::gone::Gone;

/// Shows every distinct link between stored pages, page by page. Returns how many there are.
///
/// Stored pages are known by their fingerprints: eight bytes each.
pub fn for_each_arc<E: From<Error>>(
    collection: &Collection,
    with_nofollow: bool,
    mut see: impl FnMut(&PageUrl, &str) -> Result<(), E>,
) -> Result<u64, E> {
    let store = StoreReader::open(collection).map_err(Error::from)?;
    let gone = Gone::now(collection)?;
    let stored = stored_pages(&store, &gone).map_err(Error::from)?;
    let (mut pages, mut links, mut count) =
        (store.pages().map_err(Error::from)?, store.links().map_err(Error::from)?, 0);
    while let Some((key, record)) = pages.next().map_err(Error::from)? {
        if !record.is_page() || gone.has(key) {
            continue;
        }
        let mut shown = HashSet::new();
        for link in links.of(&record).map_err(Error::from)? {
            let wanted = link.kind.is_arc() && (with_nofollow || !link.nofollow);
            let fingerprint = link.target.fingerprint();
            if wanted && stored.contains(&fingerprint) && shown.insert(fingerprint) {
                see(&record.url, link.target.as_str())?;
                count += 1;
            }
        }
    }
    Ok(count)
}

/// The fingerprints of all stored pages.
fn stored_pages(store: &StoreReader, gone: &Gone) -> Result<HashSet<Fingerprint>, store::Error> {
    let (mut pages, mut stored) = (store.pages()?, HashSet::new());
    while let Some((key, record)) = pages.next()? {
        if record.is_page() && !gone.has(key) {
            stored.insert(record.url.fingerprint());
        }
    }
    Ok(stored)
}

/// Finds the addresses of all pages that others are copies of, by the number of their record.
pub fn originals(collection: &Collection) -> Result<HashMap<RecordNumber, PageUrl>, Error> {
    let store = StoreReader::open(collection)?;
    let (mut pages, mut wanted) = (store.pages()?, HashSet::new());
    while let Some((_, record)) = pages.next()? {
        wanted.extend(record.copy_of.map(|copy| copy.original));
    }
    let (mut pages, mut originals) = (store.pages()?, HashMap::new());
    let mut number = RecordNumber::new(0);
    while let Some((_, record)) = pages.next()? {
        if wanted.contains(&number) {
            originals.insert(number, record.url);
        }
        number = number.next();
    }
    Ok(originals)
}
