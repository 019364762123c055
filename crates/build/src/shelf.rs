//! Collections that are searched together.
//!
//! Whoever searches names folders: collections, and *shelves*, which are folders that are no collection and hold some. A
//! shelf stands for all of them, in the order of their names; what was named twice counts once.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use store::Collection;

use crate::{Error, Notice, Watcher};

/// Some collections, in the order in which they were named.
#[derive(Debug)]
pub struct Shelf {
    entries: Vec<ShelfEntry>,
}

/// A collection of a shelf.
#[derive(Debug)]
pub struct ShelfEntry {
    /// The collection.
    pub collection: Collection,
    /// What results call it: the name of its folder, or its path where two folders have that name.
    pub name: String,
    /// It was not named, but found on a shelf: without an index it is left out.
    pub may_lack_index: bool,
}

impl Shelf {
    /// Opens what is named.
    pub fn open(dirs: &[PathBuf]) -> Result<Self, Error> {
        let (mut entries, mut seen) = (Vec::new(), HashSet::new());
        for dir in dirs {
            let held = collections_in(dir);
            let may_lack_index = !held.is_empty();
            for dir in if may_lack_index { held } else { vec![dir.clone()] } {
                let collection = Collection::open(&dir)?;
                if seen.insert(dir.canonicalize()?) {
                    entries.push(ShelfEntry { collection, name: folder_name(&dir), may_lack_index });
                }
            }
        }
        name_apart(&mut entries);
        Ok(Self { entries })
    }

    /// The collections.
    pub fn entries(&self) -> &[ShelfEntry] {
        &self.entries
    }

    /// Whether a folder is a collection or a shelf, and so can be searched.
    pub fn is_searchable(dir: &Path) -> bool {
        Collection::is_at(dir) || !collections_in(dir).is_empty()
    }

    /// Whether a folder is a shelf.
    pub fn is_shelf(dir: &Path) -> bool {
        !collections_in(dir).is_empty()
    }

    pub(crate) fn into_entries(self) -> Vec<ShelfEntry> {
        self.entries
    }
}

/// Folders that are opened again and again. What is wrong with one is told once, until they can be opened again.
#[derive(Debug)]
pub struct ShelfWatch {
    dirs: Vec<PathBuf>,
    told: String,
}

impl ShelfWatch {
    /// Of what is named.
    pub fn new(dirs: &[PathBuf]) -> Self {
        Self { dirs: dirs.to_vec(), told: String::new() }
    }

    /// Opens what is there now. A folder that is not there may be about to be replaced, which is not told.
    pub fn look(&mut self, watcher: &dyn Watcher) -> Option<Shelf> {
        let error = match Shelf::open(&self.dirs) {
            Ok(shelf) => {
                self.told.clear();
                return Some(shelf);
            }
            Err(error) if is_of_absence(&error) => return None,
            Err(error) => error,
        };
        let text = error.to_string();
        if self.told != text {
            watcher.tell(Notice::Failed(&error));
            self.told = text;
        }
        None
    }
}

fn is_of_absence(error: &Error) -> bool {
    match error {
        Error::Store(store::Error::Missing(_) | store::Error::NotACollection(_)) => true,
        Error::Store(store::Error::Io(error)) | Error::Io(error) => error.kind() == ErrorKind::NotFound,
        _ => false,
    }
}

/// The collections that a folder holds, in the order of their names; none if it is a collection itself.
fn collections_in(dir: &Path) -> Vec<PathBuf> {
    if Collection::is_at(dir) {
        return Vec::new();
    }
    let folders = std::fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut held: Vec<PathBuf> = folders.filter(|folder| Collection::is_at(folder)).collect();
    held.sort_unstable();
    held
}

fn folder_name(dir: &Path) -> String {
    dir.file_name().unwrap_or(dir.as_os_str()).to_string_lossy().into_owned()
}

/// Gives those of one name their paths.
fn name_apart(entries: &mut [ShelfEntry]) {
    let (mut once, mut twice) = (HashSet::new(), HashSet::new());
    for entry in &*entries {
        if !once.insert(entry.name.clone()) {
            twice.insert(entry.name.clone());
        }
    }
    for entry in entries.iter_mut().filter(|entry| twice.contains(&entry.name)) {
        entry.name = entry.collection.dir().display().to_string();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use page::Timestamp;

    use super::*;

    #[test]
    fn a_collection_with_a_damaged_manifest_is_not_left_out_and_other_folders_are() {
        let rows = [
            ("b.crivello", "{", true),
            ("b.crivello", "", true),
            ("b.crivello", r#"{"kind": "crivello collection"}"#, true),
            ("stored", "{", true),
            ("app", r#"{"name": "an app"}"#, false),
            ("app", "// of an extension", false),
        ];
        for (name, manifest, is_told) in rows {
            let dir = tempfile::tempdir().unwrap();
            Collection::open_or_create(&dir.path().join("a.crivello"), Timestamp(0)).unwrap();
            let folder = dir.path().join(name);
            std::fs::create_dir_all(folder.join(if name == "app" { "src" } else { "store" })).unwrap();
            std::fs::write(folder.join("manifest.json"), manifest).unwrap();
            let told = Shelf::open(&[dir.path().to_owned()]).map_err(|error| error.to_string());
            match told {
                Ok(shelf) => assert!(!is_told && shelf.entries().len() == 1, "{name} {manifest}"),
                Err(error) => assert!(is_told && error.contains(name), "{error}"),
            }
        }
    }

    #[derive(Default)]
    struct Told(Mutex<Vec<String>>);

    impl Watcher for Told {
        fn tell(&self, notice: Notice<'_>) {
            let Notice::Failed(error) = notice else { return };
            self.0.lock().unwrap().push(error.to_string());
        }
    }

    #[test]
    fn what_is_damaged_on_a_shelf_is_told_once_and_what_is_away_is_not() {
        let (dir, told) = (tempfile::tempdir().unwrap(), Told::default());
        let one = dir.path().join("a.crivello");
        Collection::open_or_create(&one, Timestamp(0)).unwrap();
        let mut shelf = ShelfWatch::new(&[dir.path().to_owned()]);
        assert!(shelf.look(&told).is_some());
        let (manifest, aside) = (one.join("manifest.json"), dir.path().join("aside"));
        std::fs::rename(&manifest, &aside).unwrap();
        assert!(shelf.look(&told).is_none() && told.0.lock().unwrap().is_empty());
        for times in 1..3 {
            std::fs::write(&manifest, "{").unwrap();
            assert!(shelf.look(&told).is_none() && shelf.look(&told).is_none());
            assert_eq!(told.0.lock().unwrap().len(), times);
            std::fs::copy(&aside, &manifest).unwrap();
            assert!(shelf.look(&told).is_some());
        }
    }
}
