//! The folder in which copies are looked for, kept from everybody else.
//!
//! Two processes that write the same columns would ruin each other's work without noticing. So the folder itself is
//! locked while it is in use; the system lets go of the lock when the process ends, whatever way.

use std::path::{Path, PathBuf};

use fs_err as fs;
use journal::FileLock;

use crate::Error;

/// A folder that nobody else uses meanwhile.
#[derive(Debug)]
pub struct WorkFolder {
    path: PathBuf,
    is_temporary: bool,
    _lock: FileLock,
}

impl WorkFolder {
    /// A folder in which the work can go on later, also after the machine went down. It is made if it is not there.
    pub fn lasting(path: &Path) -> Result<Self, Error> {
        Self::lock(path, false)
    }

    /// A folder that goes when the process does: nobody waits for the disk.
    pub fn temporary(path: &Path) -> Result<Self, Error> {
        Self::lock(path, true)
    }

    fn lock(path: &Path, is_temporary: bool) -> Result<Self, Error> {
        fs::create_dir_all(path)?;
        let lock = FileLock::take(fs::File::open(path)?)?.ok_or_else(|| Error::InUse(path.to_owned()))?;
        Ok(Self { path: path.to_owned(), is_temporary, _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// False if files are to be on the disk before a stage counts as done.
    pub(crate) fn is_temporary(&self) -> bool {
        self.is_temporary
    }
}
