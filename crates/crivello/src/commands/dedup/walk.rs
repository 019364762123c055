//! From the paths that the user gives to the files that are read, in an order that does not depend on the disk.

use std::collections::HashSet;
use std::fs::FileType;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::left_out::{LeftOut, cannot_read};
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

/// A file that is read.
#[derive(Debug)]
pub struct FoundFile {
    pub path: PathBuf,
    pub kind: FileKind,
    /// The user named it, not a folder that it is in.
    pub is_named: bool,
}

/// What we write ourselves, and therefore do not read.
#[derive(Debug)]
pub struct Ours {
    work: PathBuf,
    output: Option<PathBuf>,
}

impl Ours {
    /// The work folder, and the file of `--output` if it is there already.
    pub fn new(work: &Path, output: Option<&Path>) -> anyhow::Result<Self> {
        let work = work.canonicalize().with_context(|| work.display().to_string())?;
        let output = output.filter(|path| path.is_file()).and_then(|path| path.canonicalize().ok());
        Ok(Self { work, output })
    }

    fn has(&self, path: &Path) -> bool {
        // Names are compared first: to follow links is a question to the system.
        [Some(&self.work), self.output.as_ref()].into_iter().flatten().any(|ours| {
            path.file_name() == ours.file_name() && path.canonicalize().is_ok_and(|path| path == *ours)
        })
    }
}

/// All files that the paths mean: folders are gone through with everything below them, in the order of their paths;
/// what is hidden (its name begins with a dot) is passed over there, and so is what we write. A file that is met again is
/// not taken again.
pub fn find_files(paths: &[PathBuf], ours: &Ours, left_out: &mut LeftOut) -> anyhow::Result<Vec<FoundFile>> {
    let mut files = Vec::new();
    for path in paths {
        let metadata = path.metadata().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => hinted(
                format!("there is no `{}`", path.display()),
                "give folders, text files, JSON lines (.jsonl, .jsonl.gz), Parquet files, or a collection",
            ),
            _ => cannot_read(path, &error),
        })?;
        if metadata.is_dir() {
            let entries = entries_of(path).map_err(|error| cannot_read(path, &error))?;
            walk(entries, ours, &mut files, left_out);
        } else if metadata.is_file() {
            if path.canonicalize().ok().is_some_and(|path| ours.output.as_ref() == Some(&path)) {
                return Err(hinted(
                    format!("`{}` cannot be read and be replaced by --output at once", path.display()),
                    "write to another file, then rename it",
                ));
            }
            files.push((path.clone(), true));
        } else {
            return Err(hinted(
                format!("`{}` is no file that can be read again", path.display()),
                "documents are read more than once: save a stream to a file first",
            ));
        }
    }
    if paths.len() > 1 {
        let mut seen = HashSet::new();
        files.retain(|(path, _)| seen.insert(path.clone()));
    }
    let with_kind =
        |(path, is_named): (PathBuf, bool)| FoundFile { kind: FileKind::of(&path), path, is_named };
    Ok(files.into_iter().map(with_kind).collect())
}

/// What is in a folder and not hidden, in order.
fn entries_of(folder: &Path) -> io::Result<Vec<(PathBuf, FileType)>> {
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_name().as_encoded_bytes().starts_with(b".") {
            entries.push((entry.path(), entry.file_type()?));
        }
    }
    entries.sort_by(|left, right| left.0.cmp(&right.0));
    Ok(entries)
}

fn walk(
    entries: Vec<(PathBuf, FileType)>,
    ours: &Ours,
    files: &mut Vec<(PathBuf, bool)>,
    left_out: &mut LeftOut,
) {
    for (path, kind) in entries {
        // A link to a folder could lead in a circle; one to a file is as good as the file.
        let is_file = kind.is_file() || (kind.is_symlink() && path.is_file());
        if !(kind.is_dir() || is_file) || ours.has(&path) {
            continue;
        }
        if is_file {
            files.push((path, false));
            continue;
        }
        match entries_of(&path) {
            Ok(entries) => walk(entries, ours, files, left_out),
            Err(error) => left_out.add(cannot_read(&path, &error)),
        }
    }
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
        for name in [
            "b.txt",
            "a/z",
            "a/b/c.jsonl",
            ".git/config",
            "a/.hidden",
            "a/out.jsonl",
            "work/blocks.log",
            "b/work/x",
        ] {
            std::fs::create_dir_all(dir.path().join(name).parent().unwrap()).unwrap();
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        std::os::unix::fs::symlink(dir.path(), dir.path().join("a/circle")).unwrap();
        std::os::unix::fs::symlink(dir.path().join("b.txt"), dir.path().join("link.txt")).unwrap();
        let given = [dir.path().to_owned(), dir.path().join("b.txt"), dir.path().join("a/.hidden")];
        let ours = Ours::new(&dir.path().join("work"), Some(&dir.path().join("a/out.jsonl"))).unwrap();
        let found = find_files(&given, &ours, &mut LeftOut::default()).unwrap();
        let names: Vec<_> =
            found.iter().map(|file| file.path.strip_prefix(dir.path()).unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["a/b/c.jsonl", "a/z", "b/work/x", "b.txt", "link.txt", "a/.hidden"]);
    }
}
