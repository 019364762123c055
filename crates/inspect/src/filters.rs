//! Stored filters, and stored indexes of many filters.

use std::path::Path;

use filter::index::{SLICED_VERSION, SlicedView};
use filter::{BlockedBloomFilter, BloomFilter, CountingBloomFilter, FilterKind, FilterShape, FuseFilter};
use serde_json::{Value, json};

use crate::ends::Ends;
use crate::{Error, Facts, Inspection};

/// Reads a filter of any kind.
pub(crate) fn inspect_filter(path: &Path) -> Result<Inspection, Error> {
    let bytes = std::fs::read(path).map_err(|error| Error::io(path, error))?;
    let (kind, facts) = facts_of(&bytes).map_err(|error| Error::damaged(path, 0, error))?;
    Ok(Inspection { kind, version: Some(filter::bytes::FORMAT_VERSION), facts, records: None })
}

/// Tells the kind of a filter, its shape, and how full it is.
pub(crate) fn facts_of(bytes: &[u8]) -> Result<(&'static str, Facts), filter::DecodeError> {
    Ok(match FilterKind::peek(bytes)? {
        FilterKind::Classic => ("Bloom filter", of_bloom(&BloomFilter::from_bytes(bytes)?)),
        FilterKind::Blocked => ("blocked Bloom filter", of_blocked(&BlockedBloomFilter::from_bytes(bytes)?)),
        FilterKind::Counting => {
            ("counting Bloom filter", of_bloom(&CountingBloomFilter::from_bytes(bytes)?.to_bloom()))
        }
        FilterKind::Fuse => {
            let filter = FuseFilter::from_bytes(bytes)?;
            // Eight bits of fingerprint.
            let facts = vec![
                ("bits", filter.bits().into()),
                ("keys", filter.key_count().into()),
                ("rate", json!(1.0 / 256.0)),
            ];
            ("binary fuse filter", facts)
        }
        kind => return Err(filter::DecodeError::Kind { found: kind as u32, expected: FilterKind::Classic }),
    })
}

fn of_shape(shape: &FilterShape) -> Facts {
    vec![("bits", shape.bits().into()), ("probes", shape.probes().into()), ("seed", shape.seed().into())]
}

fn of_bloom(filter: &BloomFilter) -> Facts {
    let mut facts = of_shape(filter.shape());
    facts.push(("keys_estimated", estimate(filter.estimated_count())));
    facts.push(("fill", json!(filter.fill())));
    facts.push(("rate", json!(filter.estimated_rate())));
    facts
}

fn of_blocked(filter: &BlockedBloomFilter) -> Facts {
    let shape = filter.shape();
    vec![
        ("bits", shape.bits().into()),
        ("blocks", shape.block_count().into()),
        ("seed", shape.seed().into()),
        ("keys_estimated", estimate(filter.estimated_count())),
        ("fill", json!(filter.fill())),
        ("rate", json!(filter.estimated_rate())),
    ]
}

/// Rounds an estimate; a full filter may hold any number of keys: null.
fn estimate(keys: f64) -> Value {
    if keys.is_finite() { json!(keys.round() as u64) } else { Value::Null }
}

/// Reads an index of many filters.
pub(crate) fn inspect_sliced(path: &Path, count: usize) -> Result<Inspection, Error> {
    let bytes = std::fs::read(path).map_err(|error| Error::io(path, error))?;
    let view = SlicedView::open(&bytes).map_err(|error| Error::damaged(path, 0, error))?;
    let mut facts = of_shape(view.shape());
    facts.push(("filters", view.len().into()));
    let mut all = Vec::new();
    // No keys are in every filter.
    view.search_all(&[], &mut all);
    let mut ends = Ends::new(count);
    all.iter().for_each(|id| ends.push(|| id.to_string()));
    let list = |ids: &mut dyn Iterator<Item = &String>| ids.map(String::as_str).collect::<Vec<_>>().join(" ");
    facts.push(("first_ids", list(&mut ends.first().iter()).into()));
    facts.push(("last_ids", list(&mut ends.last()).into()));
    Ok(Inspection { kind: "sliced index of filters", version: Some(SLICED_VERSION), facts, records: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use filter::index::{FilterIndex, SlicedBloofi};
    use filter::{BlockedShape, KeyHash};

    fn names(facts: &Facts) -> Vec<&'static str> {
        facts.iter().map(|(name, _)| *name).collect()
    }

    #[test]
    fn filters_of_every_kind_tell_their_shape_and_their_keys() {
        let shape = FilterShape::for_rate(1_000, 0.01);
        let keys: Vec<KeyHash> = (0..1_000).map(|key| shape.hash(&u64::to_le_bytes(key))).collect();
        let (mut classic, mut counting) = (BloomFilter::new(shape), CountingBloomFilter::new(shape));
        let mut blocked = BlockedBloomFilter::new(BlockedShape::for_rate(1_000, 0.01));
        for key in &keys {
            classic.insert(key);
            counting.insert(key);
            blocked.insert(key.as_u64());
        }
        let fuse = FuseFilter::build(keys.iter().map(|key| key.as_u64()).collect()).unwrap();
        let all = [
            ("Bloom filter", classic.to_bytes()),
            ("counting Bloom filter", counting.to_bytes()),
            ("blocked Bloom filter", blocked.to_bytes()),
            ("binary fuse filter", fuse.to_bytes()),
        ];
        for (name, bytes) in all {
            let (kind, facts) = facts_of(&bytes).unwrap();
            assert_eq!(kind, name);
            let count = facts.iter().find(|(name, _)| name.starts_with("keys")).unwrap().1.as_u64().unwrap();
            assert!((950..1_050).contains(&count), "{name}: {count}");
            assert!(names(&facts).contains(&"bits") && names(&facts).contains(&"rate"));
            for position in 0..bytes.len() {
                let mut flipped = bytes.clone();
                flipped[position] ^= 4;
                assert!(facts_of(&flipped).is_err(), "{name}, byte {position}");
            }
        }
    }

    #[test]
    fn an_index_of_filters_tells_its_ids() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("index");
        let mut index = SlicedBloofi::new(FilterShape::for_rate(10, 0.01));
        for id in [7, 8, 9] {
            index.insert(id, &BloomFilter::new(FilterShape::for_rate(10, 0.01))).unwrap();
        }
        std::fs::write(&path, index.to_bytes()).unwrap();
        let found = inspect_sliced(&path, 1).unwrap();
        let fact = |name| found.facts.iter().find(|fact| fact.0 == name).unwrap().1.clone();
        assert_eq!(
            (fact("filters"), fact("first_ids"), fact("last_ids")),
            (json!(3), json!("7"), json!("9"))
        );
    }
}
