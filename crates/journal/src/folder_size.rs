//! What a folder takes on the disk.

use std::io::{self, ErrorKind};
use std::path::Path;

use fs_err as fs;

/// Counts the bytes of all files in a folder and in those below it. What goes away meanwhile counts as nothing.
pub fn folder_bytes(folder: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let found = match entry.metadata() {
            Ok(about) if about.is_dir() => folder_bytes(&entry.path()),
            other => other.map(|about| about.len()),
        };
        bytes += match found {
            Err(error) if error.kind() == ErrorKind::NotFound => 0,
            found => found?,
        };
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_all_folders_below_are_counted() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("a/b")).unwrap();
        for (name, bytes) in [("one", 1), ("a/two", 20), ("a/b/three", 300)] {
            std::fs::write(dir.path().join(name), vec![0; bytes]).unwrap();
        }
        assert_eq!(folder_bytes(dir.path()).unwrap(), 321);
        assert!(folder_bytes(&dir.path().join("missing")).is_err());
    }
}
