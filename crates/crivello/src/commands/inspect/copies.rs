//! Files of copies: the groups, and columns of sketches.

use std::path::Path;

use dedup::{ColumnKind, GROUPS_VERSION, GroupsFile};

use super::ends::Ends;
use super::{Inspection, ShownRecord};
use crate::output::{counted, hinted};

/// Reads the groups of a collection.
pub fn inspect_groups(path: &Path, count: usize) -> anyhow::Result<Inspection> {
    let file = GroupsFile::read(path)?.ok_or_else(|| anyhow::anyhow!("`{}` is gone", path.display()))?;
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
pub fn inspect_column(path: &Path) -> anyhow::Result<Option<Inspection>> {
    let checked = dedup::check_column(path).map_err(|error| match error {
        dedup::Error::Io(_) => error.into(),
        damaged => {
            hinted(damaged.to_string(), "sketches can be made again: delete the folder that they are in")
        }
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
