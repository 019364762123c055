//! Which other page stands for a stored one: in results that of which it is a copy, and for those who count links the one that
//! it names as canonical or sends its readers to.
//!
//! What cannot be read says nothing here: `stats` tells of it.

use page::{PageKey, PageUrl};
use store::{Collection, StoreReader};

use crate::Error;
use crate::copies::read_groups;
use crate::graphs::open_graph;

/// Sentences for people, each with the address that stands for this one; none if it stands for itself or is not stored.
pub fn stand_ins(collection: &Collection, url: &PageUrl) -> Result<Vec<String>, Error> {
    let store = StoreReader::open(collection)?;
    let Some(key) = newest_of(&store, url)? else { return Ok(Vec::new()) };
    let mut told = Vec::new();
    if let Some(original) = original_of(collection, key) {
        let original = store.page_at(original)?.url;
        told.push(format!("in results {original} stands for it and all of its copies (--copies shows them)"));
    }
    if let Some(end) = end_of(collection, url) {
        told.push(format!(
            "links to it count for {end}, which it names as its address, sends to, or is a copy of"
        ));
    }
    Ok(told)
}

/// The last page that was stored under an address.
fn newest_of(store: &StoreReader, url: &PageUrl) -> Result<Option<PageKey>, Error> {
    let (mut pages, mut newest) = (store.pages()?, None);
    while let Some((key, record)) = pages.next()? {
        if record.is_page() && record.url == *url {
            newest = Some(key);
        }
    }
    Ok(newest)
}

/// The page that stands for the copies among which this one is.
fn original_of(collection: &Collection, key: PageKey) -> Option<PageKey> {
    let groups = read_groups(collection.dir()).ok().flatten()?;
    let original = *groups.get(groups.group_of(key)?).first()?;
    (original != key).then_some(original)
}

/// The address that an address is folded into in the graph.
fn end_of(collection: &Collection, url: &PageUrl) -> Option<String> {
    let graph = open_graph(collection).ok()?;
    let is_own = graph.addresses().node(url).is_some();
    graph.node(url).filter(|_| !is_own).map(|node| graph.address(node))
}
