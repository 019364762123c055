//! Compares the groups of copies with what the fake web knows.
//!
//! The web says which pages were made from which. How near a near copy came out is computed here, exactly, from the texts
//! of both: only what reaches the threshold is expected. Two ways to divide pages into groups are then compared by the
//! joins between pages that one has and the other has not; they are equal when there is none.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ::lab::Truth;
use build::copies::read_groups;
use build::read_document;
use dedup::{DedupConfig, GroupsFile, Shingler, jaccard, make_set};
use page::PageKey;
use store::{Collection, StoreReader};

/// Joins that are missing, and joins that are too many.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CopyDifferences {
    /// Joins between pages that there should be.
    pub expected: u64,
    pub missing: u64,
    pub extra: u64,
}

/// Compares the stored groups with the truth.
pub fn compare_copies(collection: &Collection, truth: &Truth) -> anyhow::Result<CopyDifferences> {
    let groups = read_groups(collection.dir())?.unwrap_or_default();
    let store = StoreReader::open(collection)?;
    let (mut pages, mut key_of) = (store.pages()?, HashMap::new());
    while let Some((key, record)) = pages.next()? {
        if record.is_page() {
            key_of.insert(record.url.as_str().to_owned(), key);
        }
    }
    let mut expected = Classes::default();
    for family in families(truth) {
        let keys: Vec<PageKey> = family.iter().filter_map(|url| key_of.get(*url).copied()).collect();
        join_copies(&store, &keys, &groups, &mut expected)?;
    }
    let mut found = Classes::default();
    for group in groups.iter() {
        group.iter().for_each(|key| found.join(group[0], *key));
    }
    let all: Vec<PageKey> = key_of.into_values().collect();
    Ok(CopyDifferences {
        expected: joins_missing(&all, &expected, &Classes::default()),
        missing: joins_missing(&all, &expected, &found),
        extra: joins_missing(&all, &found, &expected),
    })
}

/// The groups of the truth, united where they have a page in common.
fn families(truth: &Truth) -> Vec<BTreeSet<&str>> {
    let mut family_of: HashMap<&str, usize> = HashMap::new();
    let mut families: Vec<BTreeSet<&str>> = Vec::new();
    for group in &truth.copies {
        let mut united: BTreeSet<&str> = group.pages.iter().map(String::as_str).collect();
        let known: BTreeSet<usize> = united.iter().filter_map(|url| family_of.get(url).copied()).collect();
        for family in known {
            united.append(&mut families[family]);
        }
        family_of.extend(united.iter().map(|url| (*url, families.len())));
        families.push(united);
    }
    families.retain(|family| !family.is_empty());
    families
}

/// Joins the pages of a family whose texts are near enough, by the sets of their shingles.
fn join_copies(
    store: &StoreReader,
    keys: &[PageKey],
    groups: &GroupsFile,
    classes: &mut Classes,
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

/// Pages divided into classes.
#[derive(Debug, Default)]
struct Classes(HashMap<PageKey, PageKey>);

impl Classes {
    fn join(&mut self, left: PageKey, right: PageKey) {
        let (left, right) = (self.name(left), self.name(right));
        if left != right {
            self.0.insert(left.max(right), left.min(right));
        }
    }

    fn name(&self, mut key: PageKey) -> PageKey {
        while let Some(next) = self.0.get(&key) {
            key = *next;
        }
        key
    }
}

/// How many joins `other` lacks to have at least the classes of `classes`.
fn joins_missing(pages: &[PageKey], classes: &Classes, other: &Classes) -> u64 {
    let mut parts: HashMap<PageKey, BTreeSet<PageKey>> = HashMap::new();
    for &page in pages {
        parts.entry(classes.name(page)).or_default().insert(other.name(page));
    }
    parts.values().map(|parts| parts.len() as u64 - 1).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_counted_in_joins() {
        let classes = |joins: &[(u64, u64)]| {
            let mut classes = Classes::default();
            joins.iter().for_each(|(left, right)| classes.join(PageKey::new(*left), PageKey::new(*right)));
            classes
        };
        let pages: Vec<PageKey> = (0..8).map(PageKey::new).collect();
        // Expected joins, found joins, missing, too many.
        type Joins = &'static [(u64, u64)];
        let rows: [(Joins, Joins, u64, u64); 5] = [
            (&[], &[], 0, 0),
            (&[(3, 1), (1, 2)], &[(1, 2), (2, 3)], 0, 0),
            (&[(1, 2), (2, 3)], &[(1, 2)], 1, 0),
            (&[(1, 2)], &[(1, 2), (2, 3), (4, 5)], 0, 2),
            (&[(1, 2), (3, 4)], &[(1, 3), (2, 4)], 2, 2),
        ];
        for (expected, found, missing, extra) in rows {
            let (expected, found) = (classes(expected), classes(found));
            let counted =
                (joins_missing(&pages, &expected, &found), joins_missing(&pages, &found, &expected));
            assert_eq!(counted, (missing, extra));
        }
    }
}
