//! The files of `documents/`: together they are checked, for neither says anything without the other.

use std::path::Path;

use build::documents::{DocumentStore, VERSION, check_places};

use crate::{Error, Inspection};

/// Checks the documents that a file belongs to.
pub(crate) fn inspect(path: &Path, kind: &'static str) -> Result<Inspection, Error> {
    let found = DocumentStore::open(path.parent().unwrap_or(path))?.check()?;
    let facts = vec![
        ("documents", found.documents.into()),
        ("blocks", found.blocks.into()),
        ("text_bytes", found.text_bytes.into()),
        ("file_bytes", found.file_bytes.into()),
        ("dictionary_bytes", found.dictionary_bytes.into()),
        ("covered_bytes_of_the_page_table", found.covered.into()),
        ("parser_version", found.made_from.parser_version.into()),
    ];
    Ok(Inspection { kind, version: Some(VERSION), facts, records: None })
}

/// Checks the table by which documents are found, which is passed over if it is damaged, and then the documents.
pub(crate) fn inspect_places(path: &Path) -> Result<Inspection, Error> {
    check_places(path)?;
    inspect(path, "where the documents of pages are, as a table that is mapped")
}
