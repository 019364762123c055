//! Compares the groups of copies with what the fake web knows.
//!
//! The web says which pages were made from which. How near a near copy came out is computed here, exactly, from the texts
//! of both: only what reaches the threshold is expected.

use std::collections::{BTreeMap, HashMap};

use ::lab::{Classes, Differences, Truth};
use build::copies::read_groups;
use build::read_document;
use dedup::{DedupConfig, GroupsFile, Shingler, jaccard, make_set};
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
    let mut expected = Classes::default();
    for family in truth.copy_families() {
        let keys: Vec<PageKey> = family.iter().filter_map(|url| key_of.get(*url).copied()).collect();
        join_copies(&store, &keys, &groups, &mut expected)?;
    }
    let mut found = Classes::default();
    for group in groups.iter() {
        group.iter().for_each(|key| found.join(group[0], *key));
    }
    let all: Vec<PageKey> = key_of.into_values().collect();
    Ok(expected.compare(&found, &all))
}

/// Joins the pages of a family whose texts are near enough, by the sets of their shingles.
fn join_copies(
    store: &StoreReader,
    keys: &[PageKey],
    groups: &GroupsFile,
    classes: &mut Classes<PageKey>,
) -> anyhow::Result<()> {
    let config = DedupConfig::default();
    let mut shingler = Shingler::new(config.shingling, config.text);
    let mut sets: BTreeMap<Vec<u64>, PageKey> = BTreeMap::new();
    for &key in keys {
        let document = read_document(store, key, &store.page_at(key)?)?;
        let mut set = Vec::new();
        shingler.shingle(document.text.as_bytes(), &mut set);
        make_set(&mut set);
        if !set.is_empty() {
            classes.join(*sets.entry(set).or_insert(key), key);
        }
    }
    let sets: Vec<_> = sets.iter().collect();
    for (place, (left, left_key)) in sets.iter().enumerate() {
        for (right, right_key) in &sets[..place] {
            if jaccard(left, right) >= groups.source.threshold {
                classes.join(**left_key, **right_key);
            }
        }
    }
    Ok(())
}
