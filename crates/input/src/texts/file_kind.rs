//! What a file holds, told by its name: one document, or many.

use std::path::Path;

/// How documents stand in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// One document.
    Whole,
    /// One document, compressed.
    WholeGzip,
    /// A document on each line.
    JsonLines,
    /// The same, compressed.
    GzipJsonLines,
    /// A document in each row.
    Parquet,
}

impl FileKind {
    /// That of a file with this name.
    pub fn of(path: &Path) -> Self {
        let name =
            path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        let (plain, is_gzip) = match name.strip_suffix(".gz") {
            Some(plain) => (plain, true),
            None => (name.as_str(), false),
        };
        let is_lines = [".jsonl", ".ndjson", ".json"].iter().any(|ending| plain.ends_with(ending));
        match (is_lines, is_gzip) {
            (true, true) => Self::GzipJsonLines,
            (true, false) => Self::JsonLines,
            (false, true) => Self::WholeGzip,
            (false, false) if plain.ends_with(".parquet") => Self::Parquet,
            (false, false) => Self::Whole,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_files_hold() {
        let rows = [
            ("a.txt", FileKind::Whole),
            ("README", FileKind::Whole),
            ("a.html.gz", FileKind::WholeGzip),
            ("A.JSONL", FileKind::JsonLines),
            ("a.ndjson", FileKind::JsonLines),
            ("a.json.gz", FileKind::GzipJsonLines),
            ("part-0.parquet", FileKind::Parquet),
        ];
        for (name, kind) in rows {
            assert_eq!(FileKind::of(Path::new(name)), kind, "{name}");
        }
    }
}
