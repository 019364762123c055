//! From the paths that the user gives to the files that are read, in an order that does not depend on the disk.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::output::hinted;

/// What a file holds, told by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// One document.
    Text,
    /// One document, compressed.
    GzipText,
    /// A document on each line.
    JsonLines,
    /// The same, compressed.
    GzipJsonLines,
    /// A document in each row.
    Parquet,
}

impl FileKind {
    fn of(path: &Path) -> Self {
        let name =
            path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        let (plain, is_gzip) = match name.strip_suffix(".gz") {
            Some(plain) => (plain, true),
            None => (name.as_str(), false),
        };
        let is_lines = [".jsonl", ".ndjson", ".json"].iter().any(|ending| plain.ends_with(ending));
        match (is_lines, is_gzip) {
            (true, true) => Self::GzipJsonLines,
            (true, false) => Self::JsonLines,
            (false, true) => Self::GzipText,
            (false, false) if plain.ends_with(".parquet") => Self::Parquet,
            (false, false) => Self::Text,
        }
    }
}

/// All files that the paths mean: folders are gone through with everything below them, in the order of their paths;
/// what is hidden (its name begins with a dot) is passed over there, and so is `work`, the folder that we write to. A file
/// that is met again is not taken again.
pub fn find_files(paths: &[PathBuf], work: &Path) -> anyhow::Result<Vec<(PathBuf, FileKind)>> {
    let mut files = Vec::new();
    let work = work.canonicalize().with_context(|| work.display().to_string())?;
    for path in paths {
        let metadata = path.metadata().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => hinted(
                format!("there is no `{}`", path.display()),
                "give folders, text files, JSON lines (.jsonl, .jsonl.gz), Parquet files, or a collection",
            ),
            _ => anyhow::Error::from(error).context(path.display().to_string()),
        })?;
        if metadata.is_dir() {
            walk(path, &work, &mut files)?;
        } else if metadata.is_file() {
            files.push(path.clone());
        } else {
            return Err(hinted(
                format!("`{}` is no file that can be read again", path.display()),
                "documents are read more than once: save a stream to a file first",
            ));
        }
    }
    if paths.len() > 1 {
        let mut seen = HashSet::new();
        files.retain(|path| seen.insert(path.clone()));
    }
    let with_kind = |path: PathBuf| {
        let kind = FileKind::of(&path);
        (path, kind)
    };
    Ok(files.into_iter().map(with_kind).collect())
}

fn walk(folder: &Path, work: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let name = || folder.display().to_string();
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(name)? {
        let entry = entry.with_context(name)?;
        if !entry.file_name().as_encoded_bytes().starts_with(b".") {
            entries.push((entry.path(), entry.file_type().with_context(name)?));
        }
    }
    entries.sort_by(|left, right| left.0.cmp(&right.0));
    for (path, kind) in entries {
        if kind.is_dir() {
            let is_work =
                path.file_name() == work.file_name() && path.canonicalize().is_ok_and(|path| path == work);
            if !is_work {
                walk(&path, work, files)?;
            }
        } else if kind.is_file() || (kind.is_symlink() && path.is_file()) {
            // A link to a folder could lead in a circle; one to a file is as good as the file.
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_files_hold() {
        let rows = [
            ("a.txt", FileKind::Text),
            ("README", FileKind::Text),
            ("a.html.gz", FileKind::GzipText),
            ("A.JSONL", FileKind::JsonLines),
            ("a.ndjson", FileKind::JsonLines),
            ("a.json.gz", FileKind::GzipJsonLines),
            ("part-0.parquet", FileKind::Parquet),
        ];
        for (name, kind) in rows {
            assert_eq!(FileKind::of(Path::new(name)), kind, "{name}");
        }
    }

    #[test]
    fn folders_are_walked_in_order_without_what_is_hidden() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["b.txt", "a/z", "a/b/c.jsonl", ".git/config", "a/.hidden", "work/blocks.log", "b/work/x"]
        {
            std::fs::create_dir_all(dir.path().join(name).parent().unwrap()).unwrap();
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        std::os::unix::fs::symlink(dir.path(), dir.path().join("a/circle")).unwrap();
        std::os::unix::fs::symlink(dir.path().join("b.txt"), dir.path().join("link.txt")).unwrap();
        let given = [dir.path().to_owned(), dir.path().join("b.txt"), dir.path().join("a/.hidden")];
        let found = find_files(&given, &dir.path().join("work")).unwrap();
        let names: Vec<_> =
            found.iter().map(|(path, _)| path.strip_prefix(dir.path()).unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["a/b/c.jsonl", "a/z", "b/work/x", "b.txt", "link.txt", "a/.hidden"]);
    }
}
