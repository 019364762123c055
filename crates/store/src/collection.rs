//! A collection: one folder that holds everything about one crawl. One process at a time may write to it.

use std::path::{Path, PathBuf};

use fs_err as fs;
use journal::FileLock;
use page::{SetId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::safe::Safe;

const MANIFEST: &str = "manifest.json";
/// Whoever makes what follows from the pages locks this file.
const BUILD_LOCK: &str = "build.lock";
/// The layout of the folder that this build writes, and the only one that it reads.
pub const VERSION: u32 = 1;

const KIND: &str = "crivello collection";

/// What `manifest.json` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Always `crivello collection`.
    pub kind: String,
    /// The layout of the folder.
    pub version: u32,
    /// When it was made.
    pub created_at: String,
}

/// A folder that is known to be a collection.
#[derive(Debug)]
pub struct Collection {
    dir: PathBuf,
    manifest: Manifest,
    /// Held for as long as this process may write pages, or what follows from them; the system lets go of it when the
    /// process ends.
    lock: Option<FileLock>,
}

impl Collection {
    /// Opens a collection to read it. A crawl may go on meanwhile. One that has lost pages is refused.
    pub fn open(dir: &Path) -> Result<Self, Error> {
        if !dir.exists() {
            return Err(Error::Missing(dir.to_owned()));
        }
        let path = dir.join(MANIFEST);
        if !path.is_file() {
            return Err(Error::NotACollection(dir.to_owned()));
        }
        let unreadable = |reason: String| Error::Manifest { path: path.clone(), reason };
        let manifest: Manifest =
            serde_json::from_slice(&fs::read(&path)?).map_err(|error| unreadable(error.to_string()))?;
        if manifest.version != VERSION {
            return Err(unreadable(format!(
                "written by layout {}, this build reads {VERSION}",
                manifest.version
            )));
        }
        Safe::check_length(&dir.join("store"))?;
        Ok(Self { dir: dir.to_owned(), manifest, lock: None })
    }

    /// Whether a folder says of itself that it is a collection, or would if its manifest were not damaged.
    pub fn is_at(dir: &Path) -> bool {
        let path = dir.join(MANIFEST);
        if !path.is_file() {
            return false;
        }
        let manifest = std::fs::read(path).ok();
        match manifest.and_then(|json| serde_json::from_slice::<serde_json::Value>(&json).ok()) {
            Some(manifest) => manifest["kind"] == KIND,
            // Other programs have manifests, too, and not all of theirs are strict JSON.
            None => dir.join("store").is_dir() || dir.extension().is_some_and(|ending| ending == "crivello"),
        }
    }

    /// Opens a collection to write to it. It is made if there is none and the folder is new or empty.
    pub fn open_or_create(dir: &Path, now: Timestamp) -> Result<Self, Error> {
        let is_new = !dir.exists() || (dir.is_dir() && fs::read_dir(dir)?.next().is_none());
        if is_new {
            fs::create_dir_all(dir)?;
            let manifest = Manifest { kind: KIND.into(), version: VERSION, created_at: now.to_string() };
            let json =
                serde_json::to_vec_pretty(&manifest).expect("a manifest can always be written as JSON");
            journal::replace_file(&dir.join(MANIFEST), &json)?;
        }
        Self::open(dir)?.locked()
    }

    /// Opens an existing collection to write to it.
    pub fn open_to_write(dir: &Path) -> Result<Self, Error> {
        Self::open(dir)?.locked()
    }

    /// Opens an existing collection to make what follows from its pages. They may be written by another process meanwhile.
    pub fn open_to_build(dir: &Path) -> Result<Self, Error> {
        let collection = Self::open(dir)?;
        let file = fs::OpenOptions::new().create(true).append(true).open(dir.join(BUILD_LOCK))?;
        collection.lock(file)
    }

    fn locked(self) -> Result<Self, Error> {
        let file = fs::File::open(self.dir.join(MANIFEST))?;
        self.lock(file)
    }

    fn lock(mut self, file: fs::File) -> Result<Self, Error> {
        self.lock = Some(FileLock::take(file)?.ok_or_else(|| Error::InUse(self.dir.clone()))?);
        Ok(self)
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// What its manifest says.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Which table gives the keys of this collection's pages: another collection in the same folder has another one.
    pub fn table(&self) -> SetId {
        SetId::of(self.manifest.created_at.as_bytes())
    }

    /// True if this process may write to it.
    pub fn is_writable(&self) -> bool {
        self.lock.is_some()
    }

    /// How long the page table is. A record that is being written may lie at its end.
    pub fn table_bytes(&self) -> Result<u64, Error> {
        match fs::metadata(self.dir.join("store/pages.tbl")) {
            Ok(metadata) => Ok(metadata.len()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(0),
            Err(error) => Err(error.into()),
        }
    }

    /// The folder of one part, made if it does not exist and we may write.
    pub fn part(&self, name: &str) -> Result<PathBuf, Error> {
        let part = self.dir.join(name);
        if self.is_writable() {
            fs::create_dir_all(&part)?;
        }
        Ok(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collection_has_one_writer_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new.crivello");
        let first = Collection::open_or_create(&path, Timestamp(0)).unwrap();
        assert!(matches!(Collection::open_or_create(&path, Timestamp(0)), Err(Error::InUse(_))));
        assert!(Collection::open(&path).is_ok(), "readers are welcome meanwhile");
        let building = Collection::open_to_build(&path).unwrap();
        assert!(matches!(Collection::open_to_build(&path), Err(Error::InUse(_))), "and one who builds");
        drop(building);
        drop(first);
        assert!(Collection::open_to_write(&path).is_ok());
    }

    #[test]
    fn a_folder_of_another_layout_is_refused_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.crivello");
        Collection::open_or_create(&path, Timestamp(0)).unwrap();
        let manifest = std::fs::read_to_string(path.join(MANIFEST)).unwrap();
        for version in [VERSION - 1, VERSION + 1] {
            let other =
                manifest.replace(&format!("\"version\": {VERSION}"), &format!("\"version\": {version}"));
            std::fs::write(path.join(MANIFEST), other).unwrap();
            let error = Collection::open(&path).unwrap_err().to_string();
            assert!(error.contains(&format!("layout {version}")), "{error}");
        }
    }

    #[test]
    fn other_folders_are_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("thesis.txt"), "precious").unwrap();
        assert!(matches!(
            Collection::open_or_create(dir.path(), Timestamp(0)),
            Err(Error::NotACollection(_))
        ));
        assert!(matches!(Collection::open(&dir.path().join("nowhere")), Err(Error::Missing(_))));
        std::fs::write(dir.path().join(MANIFEST), "{").unwrap();
        assert!(matches!(Collection::open(dir.path()), Err(Error::Manifest { .. })));
    }
}
