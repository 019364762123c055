//! Files of copies: the groups, and columns of sketches.

use std::path::Path;

use dedup::{ColumnKind, GROUPS_VERSION, GroupsFile};
use page::counted;

use crate::ends::Ends;
use crate::{Error, Inspection, ShownRecord};

/// Reads the groups of a collection.
pub(crate) fn inspect_groups(path: &Path, count: usize) -> Result<Inspection, Error> {
    let file = GroupsFile::read(path)?.ok_or_else(|| Error::io(path, std::io::ErrorKind::NotFound.into()))?;
    let source = &file.source;
    let facts = vec![
        ("covers", source.stamp.as_str().into()),
        ("settings", source.settings.as_str().into()),
        ("threshold", source.threshold.into()),
        ("documents", source.documents.into()),
        ("exact_copies", source.exact_copies.into()),
        ("copies", file.copies().into()),
    ];
    let mut records = Ends::new(count);
    for (number, group) in file.iter().enumerate() {
        let keys: Vec<String> = group.iter().take(KEYS_SHOWN).map(ToString::to_string).collect();
        let more = if group.len() > KEYS_SHOWN { " …" } else { "" };
        records.push(|| ShownRecord {
            byte: number as u64,
            text: format!("{}, at {}{more}", counted(group.len() as u64, "page"), keys.join(" ")),
        });
    }
    Ok(Inspection { kind: "groups of copies", version: Some(GROUPS_VERSION), facts, records: Some(records) })
}

/// Keys of a group that are shown.
const KEYS_SHOWN: usize = 5;

/// Checks a column of sketches; `None` if the file is none.
pub(crate) fn inspect_column(path: &Path) -> Result<Option<Inspection>, Error> {
    let checked = dedup::check_column(path).map_err(|error| match error {
        dedup::Error::Io(_) => error.into(),
        damaged => Error::Sketches(damaged),
    })?;
    Ok(checked.map(|(kind, documents)| Inspection {
        kind: match kind {
            ColumnKind::Digests => "a column of digests of documents",
            ColumnKind::Keys => "a column of keys of documents, by which candidates are found",
            ColumnKind::Slots => "sketches of documents",
        },
        version: None,
        facts: vec![("documents", documents.into())],
        records: None,
    }))
}
