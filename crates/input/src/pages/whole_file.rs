//! Files that are one page each, byte for byte.

use std::path::Path;

use super::{Address, FilePage, Found, PAGE_BYTES_MAX, PageFormat, Refused, ending_of};
use crate::{FileContent, SNIFFED_BYTES};

/// Reads HTML, plain text and Markdown.
pub(super) struct WholeFile;

impl PageFormat for WholeFile {
    fn endings(&self) -> &'static [&'static str] {
        &["html", "htm", "xhtml", "txt", "md"]
    }

    fn about(&self) -> &'static str {
        "a page each, whose address is --base, the name of the folder, and the path within"
    }

    fn read(&self, path: &Path, each: &mut dyn FnMut(Found<'_>)) -> Result<(), Refused> {
        if path.metadata()?.len() > PAGE_BYTES_MAX {
            return Err(Refused::FileTooLarge);
        }
        let body = std::fs::read(path)?;
        if FileContent::of(path, &body[..body.len().min(SNIFFED_BYTES)]) == FileContent::NoText {
            each(Found::NoText);
            return Ok(());
        }
        let content_type = content_type_of(path);
        each(Found::Page(FilePage {
            line: None,
            address: Address::OfFile,
            content_type,
            body: &body,
            noindex: false,
        }));
        Ok(())
    }
}

fn content_type_of(path: &Path) -> &'static str {
    match ending_of(path).as_deref() {
        Some("xhtml") => "application/xhtml+xml",
        Some("txt") => "text/plain",
        Some("md") => "text/markdown",
        _ => "text/html",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_a_page_unless_it_holds_no_text() {
        let dir = tempfile::tempdir().unwrap();
        let rows: [(&str, &[u8], Option<&str>); 5] = [
            ("a.HTML", b"<p>one", Some("text/html")),
            ("b.xhtml", b"<html/>", Some("application/xhtml+xml")),
            ("c.txt", b"two", Some("text/plain")),
            ("d.md", b"# three", Some("text/markdown")),
            ("e.txt", b"\x89PNG\r\n", None),
        ];
        for (name, bytes, expected) in rows {
            let path = dir.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            let mut found = Vec::new();
            let taken = WholeFile.read(&path, &mut |thing| match thing {
                Found::Page(page) => {
                    assert_eq!((page.line, &page.address, page.body), (None, &Address::OfFile, bytes));
                    found.push(Some(page.content_type));
                }
                Found::NoText => found.push(None),
                Found::Refused { why, .. } => panic!("{why}"),
            });
            taken.unwrap();
            assert_eq!(found, [expected], "{name}");
        }
    }

    #[test]
    fn a_file_that_is_too_large_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        std::fs::File::create(&path).unwrap().set_len(PAGE_BYTES_MAX + 1).unwrap();
        let refused = WholeFile.read(&path, &mut |found| panic!("{found:?}"));
        assert!(matches!(refused, Err(Refused::FileTooLarge)));
    }
}
