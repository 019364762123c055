//! Collections that are searched together.
//!
//! Whoever searches names folders: collections, and *shelves*, which are folders that are no collection and hold some. A
//! shelf stands for all of them, in the order of their names; what was named twice counts once.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use store::Collection;

use crate::Error;

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
