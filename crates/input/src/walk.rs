//! From the paths that a user gives to the files that are read, in an order that does not depend on the disk.
//!
//! A folder means all files below it, in the order of their paths, except hidden ones (the name begins with a dot). Symbolic
//! links in it are counted and not followed: one to a folder could lead in a circle, and one to a file names a document
//! that is there under its own name, or that lies outside of what the user gave. What the user names is followed. A file
//! counts once, however often it is met and under however many names: the number that the system gives it tells.

use std::collections::HashSet;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::Error;

/// The files that some paths mean.
#[derive(Debug, Default)]
pub struct InputFiles {
    /// They, in order.
    pub files: Vec<InputFile>,
    /// Symbolic links in folders.
    pub links: u64,
    /// Files that were met again, under the same name or another one.
    pub repeated: u64,
    /// Folders that could not be read.
    pub unreadable: u64,
    /// Which files were met.
    seen: HashSet<FileNumber>,
}

/// What the system calls a file, whatever its names are.
#[derive(Debug, PartialEq, Eq, Hash)]
struct FileNumber {
    device: u64,
    number: u64,
}

/// A file that is read.
#[derive(Debug)]
pub struct InputFile {
    /// Where it lies.
    pub path: PathBuf,
    /// Which of the given paths led to it.
    pub root: usize,
    /// The user named it, not a folder that it is in.
    pub is_named: bool,
}

impl InputFiles {
    /// Finds the files. What `is_ours` says of is passed over in folders; a folder that cannot be read is given to
    /// `left_out`, unless the user named it.
    pub fn find(
        paths: &[PathBuf],
        is_ours: impl Fn(&Path) -> bool,
        mut left_out: impl FnMut(Error),
    ) -> Result<Self, Error> {
        let mut found = Self::default();
        for (root, path) in paths.iter().enumerate() {
            let metadata = path.metadata().map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => Error::NoInput(path.clone()),
                _ => Error::unreadable(path, error),
            })?;
            if metadata.is_dir() {
                let entries = entries_of(path).map_err(|error| Error::unreadable(path, error))?;
                found.walk(entries, root, &is_ours, &mut left_out);
            } else if metadata.is_file() {
                found.add(path.clone(), root, true, &metadata);
            } else {
                return Err(Error::NoFile(path.clone()));
            }
        }
        Ok(found)
    }

    fn add(&mut self, path: PathBuf, root: usize, is_named: bool, metadata: &Metadata) {
        if self.seen.insert(FileNumber { device: metadata.dev(), number: metadata.ino() }) {
            self.files.push(InputFile { path, root, is_named });
        } else {
            self.repeated += 1;
        }
    }

    fn walk(
        &mut self,
        entries: Vec<(PathBuf, Metadata)>,
        root: usize,
        is_ours: &dyn Fn(&Path) -> bool,
        left_out: &mut dyn FnMut(Error),
    ) {
        for (path, metadata) in entries.into_iter().filter(|(path, _)| !is_ours(path)) {
            if metadata.is_symlink() {
                self.links += 1;
            } else if metadata.is_file() {
                self.add(path, root, false, &metadata);
            } else if metadata.is_dir() {
                match entries_of(&path) {
                    Ok(entries) => self.walk(entries, root, is_ours, left_out),
                    Err(error) => {
                        self.unreadable += 1;
                        left_out(Error::unreadable(&path, error));
                    }
                }
            }
        }
    }
}

/// What is in a folder and not hidden, in order.
fn entries_of(folder: &Path) -> io::Result<Vec<(PathBuf, Metadata)>> {
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_name().as_encoded_bytes().starts_with(b".") {
            entries.push((entry.path(), entry.metadata()?));
        }
    }
    entries.sort_by(|left, right| left.0.cmp(&right.0));
    Ok(entries)
}

/// Is this the file or folder that the system calls `canonical`?
pub fn is_same(path: &Path, canonical: &Path) -> bool {
    // Names are compared first: to follow links is a question to the system.
    path.file_name() == canonical.file_name() && path.canonicalize().is_ok_and(|path| path == canonical)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Writes empty files, with their folders.
    fn folder_of(names: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for name in names {
            std::fs::create_dir_all(dir.path().join(name).parent().unwrap()).unwrap();
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        dir
    }

    fn names<'f>(found: &'f InputFiles, dir: &Path) -> Vec<&'f str> {
        found.files.iter().map(|file| file.path.strip_prefix(dir).unwrap().to_str().unwrap()).collect()
    }

    #[test]
    fn folders_are_walked_in_order_without_what_is_hidden_or_ours() {
        let dir =
            folder_of(&["b.txt", "a/z", "a/b/c", ".git/config", "a/.hidden", "a/out", "work/x", "b/work/x"]);
        let given = [dir.path().to_owned(), dir.path().join("b.txt"), dir.path().join("a/.hidden")];
        let ours = [dir.path().join("work"), dir.path().join("a/out")];
        let found =
            InputFiles::find(&given, |path| ours.contains(&path.to_owned()), |error| panic!("{error}"));
        let found = found.unwrap();
        assert_eq!(names(&found, dir.path()), ["a/b/c", "a/z", "b/work/x", "b.txt", "a/.hidden"]);
        let roots: Vec<_> = found.files.iter().map(|file| (file.root, file.is_named)).collect();
        assert_eq!(roots, [(0, false), (0, false), (0, false), (0, false), (2, true)]);
        assert_eq!((found.links, found.repeated), (0, 1));
    }

    #[test]
    fn links_in_folders_are_counted_and_those_that_the_user_names_are_followed() {
        let (dir, outside) = (folder_of(&["in/a.txt"]), folder_of(&["b.txt", "more/c.txt"]));
        let path = |name: &str| dir.path().join(name);
        symlink(path("in/a.txt"), path("in/same.txt")).unwrap();
        symlink(outside.path().join("b.txt"), path("in/other.txt")).unwrap();
        symlink(dir.path(), path("in/circle")).unwrap();
        symlink("nowhere", path("in/broken")).unwrap();
        let find = |given: &[PathBuf]| InputFiles::find(given, |_| false, |error| panic!("{error}")).unwrap();
        let found = find(&[path("in")]);
        assert_eq!((names(&found, dir.path()), found.links), (vec!["in/a.txt"], 4));
        symlink(path("in"), path("to folder")).unwrap();
        let found = find(&[path("to folder"), path("in/other.txt"), path("in/same.txt")]);
        assert_eq!(names(&found, dir.path()), ["to folder/a.txt", "in/other.txt"]);
        assert_eq!(
            (found.links, found.repeated),
            (4, 1),
            "one that leads to a file that was met is that file"
        );
    }

    #[test]
    fn a_file_counts_once_whatever_it_is_called() {
        let dir = folder_of(&["a", "b"]);
        let path = |name: &str| dir.path().join(name);
        std::fs::hard_link(path("a"), path("c")).unwrap();
        let given = [path("b"), dir.path().to_owned(), dir.path().join("."), path("c")];
        let found = InputFiles::find(&given, |_| false, |error| panic!("{error}")).unwrap();
        assert_eq!((names(&found, dir.path()), found.repeated), (vec!["b", "a"], 6));
    }
}
