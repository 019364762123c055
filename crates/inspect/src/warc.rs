//! WARC files: a gzip member for each record, so that one can be read alone.

use std::collections::BTreeMap;
use std::path::Path;

use page::counted;
use serde_json::json;
use store::WarcHead;

use crate::ends::Ends;
use crate::foreign::not_ours;
use crate::{Error, Inspection, ShownRecord};

/// Reads all records.
pub(crate) fn inspect(path: &Path, count: usize) -> Result<Inspection, Error> {
    let mut records = Ends::new(count);
    let mut types: BTreeMap<String, u64> = BTreeMap::new();
    let mut plain_bytes = 0u64;
    let is_warc = store::scan_warc(path, |record| {
        plain_bytes += record.plain_bytes;
        *types.entry(record.head.header("warc-type").unwrap_or("unknown").to_owned()).or_default() += 1;
        records.push(|| ShownRecord { byte: record.offset, text: describe(&record.head) });
    })?;
    if !is_warc {
        return Err(not_ours(path, &[0x1f, 0x8b]));
    }
    let facts = vec![("types", json!(types)), ("plain_bytes", plain_bytes.into())];
    Ok(Inspection { kind: "WARC file, compressed by record", version: None, facts, records: Some(records) })
}

fn describe(head: &WarcHead) -> String {
    let of = |name| head.header(name).unwrap_or("");
    let target = head.header("warc-target-uri").or(head.header("warc-filename")).unwrap_or("");
    let bytes = counted(head.block_bytes as u64, "byte");
    format!("{} {} {target} ({bytes})", of("warc-date"), of("warc-type"))
}
