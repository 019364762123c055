//! Files that are not ours: said so, and with what they seem to be.

use std::path::Path;

use crate::Error;

/// First bytes of files that people have. What is longer stands before what it begins with.
const KNOWN: [(&[u8], &str); 13] = [
    (b"%PDF", "a PDF file"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"PK\x03\x04", "a ZIP file"),
    (b"PAR1", "a Parquet file; `crivello dedup` reads those"),
    (b"\x28\xb5\x2f\xfd", "a file compressed by zstd"),
    (b"\x1f\x8b", "a gzipped file of something else than WARC records"),
    (b"SQLite f", "an SQLite database"),
    (b"\x7fELF", "a program"),
    (b"WARC/", "a WARC file that is not compressed"),
    (b"<", "HTML or XML"),
    (b"{", "JSON"),
];

/// Makes the error for a file with these first bytes.
pub(crate) fn not_ours(path: &Path, start: &[u8]) -> Error {
    Error::NotOurs { path: path.to_owned(), seems: seems(start) }
}

fn seems(start: &[u8]) -> String {
    let lower = start.to_ascii_lowercase();
    let known = KNOWN.iter().find(|(bytes, _)| lower.starts_with(&bytes.to_ascii_lowercase()));
    match known {
        Some((_, name)) => format!("it seems to be {name}"),
        // A letter may be cut in two at the end.
        None if start
            .utf8_chunks()
            .next()
            .is_some_and(|chunk| chunk.invalid().len() <= 3 && is_text(chunk.valid())) =>
        {
            "it seems to be text".into()
        }
        None => format!("it begins with the bytes `{}`", start.escape_ascii()),
    }
}

fn is_text(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| !c.is_control() || c.is_ascii_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_ours_is_named() {
        let rows: [(&[u8], &str); 6] = [
            (b"%PDF-1.7", "PDF"),
            (b"<!DOCTYP", "HTML"),
            (b"{\"a\": 1}", "JSON"),
            (b"precious", "text"),
            ("caffè il ".as_bytes(), "text"),
            (b"\x00\x01\x02", r"`\x00\x01\x02`"),
        ];
        for (start, expected) in rows {
            assert!(seems(start).contains(expected), "{}", seems(start));
        }
    }
}
