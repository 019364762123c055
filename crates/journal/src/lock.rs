//! The right to be the only one who changes something.

use std::fs::TryLockError;
use std::io;

use fs_err as fs;

/// A file that nobody else can lock meanwhile. The system lets go of it when the process ends, whatever way.
///
/// It is unlocked when it goes, not only closed: a child process that another thread begins in this moment has the same
/// file open until it runs its own program, and would keep the lock for that long.
#[derive(Debug)]
pub struct FileLock(fs::File);

impl FileLock {
    /// Locks a file, or says that somebody else has.
    pub fn take(file: fs::File) -> io::Result<Option<Self>> {
        match file.file().try_lock() {
            Ok(()) => Ok(Some(Self(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // If this fails, the lock goes when the last one closes the file.
        let _ = self.0.file().unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_let_go_of_is_free_even_if_a_child_process_has_the_file_open() {
        let dir = tempfile::tempdir().unwrap();
        let open = || fs::File::create(dir.path().join("lock")).unwrap();
        let file = open();
        // What a child has between its beginning and its own program.
        let inherited = file.file().try_clone().unwrap();
        let lock = FileLock::take(file).unwrap().expect("nobody has it");
        assert!(FileLock::take(open()).unwrap().is_none());
        drop(lock);
        assert!(FileLock::take(open()).unwrap().is_some());
        drop(inherited);
    }
}
