//! Compares the groups of copies with what the fake web knows.
//!
//! The web says which pages were made from which. How near a near copy came out is computed here, exactly, from the texts
//! of both: only what reaches the threshold is expected.

use std::collections::HashMap;

use ::lab::{Classes, Differences, Truth};
use build::copies::read_groups;
use build::read_document;
use dedup::{DedupConfig, exhaustive_pairs};
use page::PageKey;
use store::{Collection, StoreReader};

/// Compares the stored groups with the truth.
pub fn compare_copies(collection: &Collection, truth: &Truth) -> anyhow::Result<Differences> {
    let groups = read_groups(collection.dir())?.unwrap_or_default();
    let store = StoreReader::open(collection)?;
    let (mut pages, mut key_of) = (store.pages()?, HashMap::new());
    while let Some((key, record)) = pages.next()? {
        if record.is_page() {
            key_of.insert(record.url.as_str().to_owned(), key);
        }
    }
    let config = DedupConfig { threshold: groups.source.threshold, ..DedupConfig::default() };
    let mut expected = Classes::default();
    for family in truth.copy_families() {
        let keys: Vec<PageKey> = family.iter().filter_map(|url| key_of.get(*url).copied()).collect();
        let mut texts = Vec::with_capacity(keys.len());
        for &key in &keys {
            texts.push(read_document(&store, key, &store.page_at(key)?)?.text);
        }
        for (one, other) in exhaustive_pairs(&texts, &config) {
            expected.join(keys[one], keys[other]);
        }
    }
    let mut found = Classes::default();
    for group in groups.iter() {
        group.iter().for_each(|key| found.join(group[0], *key));
    }
    let all: Vec<PageKey> = key_of.into_values().collect();
    Ok(expected.compare(&found, &all))
}
