//! Manifests, and the envelope in which the files of an inverted index lie.
//!
//! The layout of the envelope is drawn in `index/src/file.rs`; here it is read without the manifest, so that a file can
//! be checked alone.

use std::path::Path;

use anyhow::Context as _;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use xxhash_rust::xxh3::xxh3_64;

use super::filters::facts_of;
use super::{Inspection, damaged};

/// What every file of an index begins with.
pub const MAGIC: [u8; 8] = *b"CRIVIDX\n";

const HEADER_BYTES: usize = 64;
const BLOCK_BYTES: usize = 64 << 10;

/// Reads a file of an index and compares all its checksums.
pub fn inspect_envelope(path: &Path) -> anyhow::Result<Inspection> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    if bytes.len() < HEADER_BYTES {
        return Err(damaged(path, bytes.len() as u64, "it is cut off"));
    }
    if xxh3_64(&bytes[..56]) != number(56) {
        return Err(damaged(path, 0, "the header does not have its checksum"));
    }
    let version = (number(8) >> 32) as u32;
    if version != index::FORMAT_VERSION {
        return Err(other_version(path, version, index::FORMAT_VERSION));
    }
    let payload_bytes = number(16);
    let table_bytes = payload_bytes.div_ceil(BLOCK_BYTES as u64).saturating_mul(8);
    let expected = payload_bytes.saturating_add(table_bytes).saturating_add(HEADER_BYTES as u64);
    if expected != bytes.len() as u64 {
        return Err(damaged(path, bytes.len() as u64, format!("it should have {expected} bytes")));
    }
    let (payload, table) = bytes[HEADER_BYTES..].split_at(payload_bytes as usize);
    if xxh3_64(table) != number(24) {
        let start = HEADER_BYTES as u64 + payload_bytes;
        return Err(damaged(path, start, "the table of checksums does not have its own"));
    }
    for (place, (block, checksum)) in payload.chunks(BLOCK_BYTES).zip(table.chunks(8)).enumerate() {
        if xxh3_64(block).to_le_bytes() != checksum {
            let byte = (HEADER_BYTES + place * BLOCK_BYTES) as u64;
            return Err(damaged(path, byte, "a block does not have its checksum"));
        }
    }
    let part = bytes[8..12].escape_ascii().to_string();
    let mut facts = vec![("part", part.as_str().into()), ("payload_bytes", payload_bytes.into())];
    if part == "filt" {
        // The filter of a segment's terms, in the same bytes as a filter that is kept alone.
        facts.extend(facts_of(payload).map_err(|error| damaged(path, HEADER_BYTES as u64, error))?.1);
    }
    Ok(Inspection { kind: "part of an inverted index", version: Some(version), facts, records: None })
}

/// The manifest of an index, as far as it stays the same from version to version.
#[derive(Deserialize)]
struct Sealed<'a> {
    format: String,
    version: u32,
    #[serde(borrow)]
    index: &'a RawValue,
    xxh3: String,
}

/// Reads the manifest of a collection or of an index.
pub fn inspect_manifest(path: &Path) -> anyhow::Result<Inspection> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    if let Ok(manifest) = serde_json::from_slice::<store::Manifest>(&bytes) {
        return of_collection(path, &manifest);
    }
    if let Ok(manifest) = serde_json::from_slice::<graph::Manifest>(&bytes) {
        return super::graphs::of_graph(path, &manifest);
    }
    let is_ours = path.file_name().is_some_and(|name| name == "manifest.json")
        || memchr::memmem::find(&bytes, b"crivello").is_some();
    let unreadable = |error: serde_json::Error| {
        if !is_ours {
            return super::foreign::not_ours(path, &bytes[..bytes.len().min(8)]);
        }
        let byte = byte_of(&bytes, error.line(), error.column());
        damaged(path, byte, format!("it is not the manifest of a collection, a graph or an index ({error})"))
    };
    let sealed: Sealed<'_> = serde_json::from_slice(&bytes).map_err(unreadable)?;
    let start = bytes.windows(7).position(|window| window == b"\"index\"").unwrap_or(0) as u64;
    if sealed.format != "crivello-index" {
        return Err(damaged(path, 0, "it is the manifest of something else"));
    }
    if sealed.version != index::FORMAT_VERSION {
        return Err(other_version(path, sealed.version, index::FORMAT_VERSION));
    }
    if format!("{:016x}", xxh3_64(without_spaces(sealed.index.get()).as_bytes())) != sealed.xxh3 {
        return Err(damaged(path, start, "a value is not the one that was written"));
    }
    let mut index: Value = serde_json::from_str(sealed.index.get()).map_err(unreadable)?;
    drop_checksums(&mut index);
    let facts = vec![("index", index)];
    Ok(Inspection {
        kind: "manifest of an inverted index",
        version: Some(sealed.version),
        facts,
        records: None,
    })
}

/// Long numbers that say nothing to people.
fn drop_checksums(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("header_checksums");
            fields.values_mut().for_each(drop_checksums);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_checksums),
        _ => {}
    }
}

fn of_collection(path: &Path, manifest: &store::Manifest) -> anyhow::Result<Inspection> {
    if manifest.kind != "crivello collection" {
        return Err(damaged(path, 0, "it is the manifest of something else"));
    }
    if manifest.version != store::COLLECTION_VERSION {
        return Err(other_version(path, manifest.version, store::COLLECTION_VERSION));
    }
    let facts = vec![("created_at", manifest.created_at.clone().into())];
    Ok(Inspection { kind: "manifest of a collection", version: Some(manifest.version), facts, records: None })
}

pub fn other_version(path: &Path, found: u32, readable: u32) -> anyhow::Error {
    anyhow::anyhow!("`{}` was written by format {found}, this build reads {readable}", path.display())
}

/// Where a line and a column, both counted from 1, are in a text.
fn byte_of(text: &[u8], line: usize, column: usize) -> u64 {
    let before: usize =
        text.split_inclusive(|&byte| byte == b'\n').take(line.saturating_sub(1)).map(<[u8]>::len).sum();
    (before + column.saturating_sub(1)) as u64
}

/// JSON as it is written without spaces: the form that has the checksum.
fn without_spaces(json: &str) -> String {
    let (mut quoted, mut escaped) = (false, false);
    json.chars()
        .filter(|&letter| {
            let keep = quoted || !letter.is_ascii_whitespace();
            if letter == '"' && !escaped {
                quoted = !quoted;
            }
            escaped = quoted && letter == '\\' && !escaped;
            keep
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_within_quotes_stay() {
        let cases = [
            (r#"{ "a b" : [ 1 , 2 ] }"#, r#"{"a b":[1,2]}"#),
            (r#"{ "a\" b" : "c \\" }"#, r#"{"a\" b":"c \\"}"#),
        ];
        for (json, plain) in cases {
            assert_eq!(without_spaces(json), plain);
        }
        assert_eq!(byte_of(b"{\n  x", 2, 3), 4);
    }
}
