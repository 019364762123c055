//! Manifests, and the files of an inverted index.

use std::path::Path;

use serde_json::Value;

use crate::filters::facts_of;
use crate::{Error, Inspection, foreign, graphs};

/// Checks a file of an index.
pub(crate) fn inspect_sealed(path: &Path) -> Result<Inspection, Error> {
    let file = index::check_file(path)?;
    let part = file.kind();
    let mut facts = vec![
        ("part", part.escape_ascii().to_string().into()),
        ("payload_bytes", file.payload_bytes().into()),
    ];
    if part == *b"filt" {
        // The filter of a segment's terms, in the same bytes as a filter that is kept alone.
        facts.extend(facts_of(file.all_bytes()?).map_err(|error| Error::damaged(path, 0, error))?.1);
    }
    let version = Some(index::FORMAT_VERSION);
    Ok(Inspection { kind: "part of an inverted index", version, facts, records: None })
}

/// Reads the manifest of a collection, of a graph or of an index.
pub(crate) fn inspect_manifest(path: &Path) -> Result<Inspection, Error> {
    let bytes = std::fs::read(path).map_err(|error| Error::io(path, error))?;
    if let Ok(manifest) = serde_json::from_slice::<store::Manifest>(&bytes) {
        return of_collection(path, &manifest);
    }
    if serde_json::from_slice::<graph::Manifest>(&bytes).is_ok() {
        return graphs::inspect_manifest(path);
    }
    let is_ours = path.file_name().is_some_and(|name| name == "manifest.json")
        || memchr::memmem::find(&bytes, b"crivello").is_some();
    if !is_ours {
        return Err(foreign::not_ours(path, &bytes[..bytes.len().min(8)]));
    }
    let what = "it is not the manifest of a collection, a graph or an index";
    let json: Value = serde_json::from_slice(&bytes).map_err(|error| {
        Error::damaged(path, byte_of(&bytes, error.line(), error.column()), format!("{what} ({error})"))
    })?;
    if json["format"].as_str().is_none() || json["version"].as_u64().is_none() {
        return Err(Error::damaged(path, 0, what));
    }
    let facts = vec![("index", index::check_manifest(path)?)];
    let version = Some(index::FORMAT_VERSION);
    Ok(Inspection { kind: "manifest of an inverted index", version, facts, records: None })
}

fn of_collection(path: &Path, manifest: &store::Manifest) -> Result<Inspection, Error> {
    if manifest.kind != "crivello collection" {
        return Err(Error::damaged(path, 0, "it is the manifest of something else"));
    }
    let (found, readable) = (manifest.version, store::COLLECTION_VERSION);
    if found != readable {
        return Err(Error::Version { path: path.to_owned(), found, expected: readable });
    }
    let facts = vec![("created_at", manifest.created_at.clone().into())];
    Ok(Inspection { kind: "manifest of a collection", version: Some(found), facts, records: None })
}

/// Finds where a line and a column, both counted from 1, are in a text.
fn byte_of(text: &[u8], line: usize, column: usize) -> u64 {
    let before: usize =
        text.split_inclusive(|&byte| byte == b'\n').take(line.saturating_sub(1)).map(<[u8]>::len).sum();
    (before + column.saturating_sub(1)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_are_bytes() {
        assert_eq!(byte_of(b"{\n  x", 2, 3), 4);
    }
}
