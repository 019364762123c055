//! Where the groups of copies of a collection are kept.

use std::path::{Path, PathBuf};

use dedup::GroupsFile;

use crate::Error;

/// The file of groups of a collection.
pub fn groups_path(dir: &Path) -> PathBuf {
    dir.join("dedup/groups")
}

/// Reads the groups of a collection; `None` if nobody has looked for copies yet.
pub fn read_groups(dir: &Path) -> Result<Option<GroupsFile>, Error> {
    GroupsFile::read(&groups_path(dir)).map_err(|error| match error {
        dedup::Error::Io(_) => error.into(),
        damaged => Error::Groups(damaged),
    })
}
