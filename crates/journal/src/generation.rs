//! A folder of files that are made together and take the place of those before in one moment.
//!
//! ```text
//! FOLDER/
//!   manifest.json   which generations count; replaced by a rename, which is the moment of commitment
//!   PREFIX-N/       the files of one generation, never changed
//!   building/       a generation that is being made; whoever builds next removes what a crash left here
//!   lock            held by whoever builds; the system lets go of it when the process ends, whatever way
//! ```
//!
//! A build writes into `building/`. When its files are on the disk they become `PREFIX-N/` by a rename
//! ([`Generation::settle`]), which nobody notices before the manifest names it ([`Generation::commit`]); then the
//! generations that it does not name are removed. Whoever has their files mapped keeps them. So a build that ends early,
//! at any moment, leaves what was there before. What a manifest says is its owner's business.

use std::path::{Path, PathBuf};

use fs_err as fs;

use crate::{Error, FileLock, replace_file, sync_folder};

const BUILDING: &str = "building";
const MANIFEST: &str = "manifest.json";

/// A generation that is being made, and the right to do so. What was not committed goes when it goes.
#[derive(Debug)]
pub struct Generation {
    folder: PathBuf,
    prefix: &'static str,
    building: PathBuf,
    _lock: FileLock,
}

impl Generation {
    /// Takes the right to build in a folder, which is made if it is not there, and empties what an earlier build left.
    /// Generations will be named `PREFIX-N`.
    pub fn begin(folder: &Path, prefix: &'static str) -> Result<Self, Error> {
        let lock = lock(folder)?;
        let building = folder.join(BUILDING);
        if building.exists() {
            fs::remove_dir_all(&building)?;
        }
        fs::create_dir(&building)?;
        Ok(Self { folder: folder.to_owned(), prefix, building, _lock: lock })
    }

    /// The folder to build in.
    pub fn building(&self) -> &Path {
        &self.building
    }

    /// Gives what was built a name that no generation has, not even one that a crash left uncommitted. It still does not
    /// count. The files have to be on the disk already.
    pub fn settle(&self) -> Result<String, Error> {
        let mut last = 0;
        for name in names_in(&self.folder)? {
            last = last.max(number_of(&name, self.prefix).unwrap_or(0));
        }
        let name = format!("{}-{}", self.prefix, last.saturating_add(1));
        sync_folder(&self.building)?;
        fs::rename(&self.building, self.folder.join(&name))?;
        sync_folder(&self.folder)?;
        Ok(name)
    }

    /// Makes the folder to build in once more, when what was in it has its name: a build may make several generations, which
    /// count when one manifest names them.
    pub fn begin_another(&mut self) -> Result<(), Error> {
        Ok(fs::create_dir(&self.building)?)
    }

    /// Puts a manifest in force that uses these generations, and removes the others.
    pub fn commit(self, manifest: &[u8], used: &[&str]) -> Result<(), Error> {
        replace_file(&self.folder.join(MANIFEST), manifest)?;
        // What cannot be removed now takes space but is never read, and goes with the next build.
        let _ = remove_unused(&self.folder, self.prefix, used);
        Ok(())
    }
}

impl Drop for Generation {
    fn drop(&mut self) {
        // If this fails, the next build tries again.
        let _ = fs::remove_dir_all(&self.building);
    }
}

/// Removes what builds that were killed left in a folder, unless somebody builds there now. `used` reads which generation
/// counts, while nobody can change that; if it cannot tell, all stay. Tells whether it could do its work.
pub fn remove_leftovers(
    folder: &Path,
    prefix: &'static str,
    used: impl FnOnce() -> Option<String>,
) -> Result<bool, Error> {
    let _lock = match lock(folder) {
        Err(Error::Busy { .. }) => return Ok(false),
        lock => lock?,
    };
    let building = folder.join(BUILDING);
    if building.exists() {
        fs::remove_dir_all(&building)?;
    }
    if let Some(used) = used() {
        remove_unused(folder, prefix, &[&used])?;
    }
    Ok(true)
}

fn lock(folder: &Path) -> Result<FileLock, Error> {
    fs::create_dir_all(folder)?;
    let lock = FileLock::take(fs::File::create(folder.join("lock"))?)?;
    lock.ok_or_else(|| Error::Busy { path: folder.to_owned() })
}

fn remove_unused(folder: &Path, prefix: &str, used: &[&str]) -> Result<(), Error> {
    for name in names_in(folder)? {
        if number_of(&name, prefix).is_some() && !used.contains(&&*name) {
            fs::remove_dir_all(folder.join(name))?;
        }
    }
    Ok(())
}

fn names_in(folder: &Path) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.extend(entry?.file_name().into_string());
    }
    Ok(names)
}

/// Tells whether a folder is named like a generation of this prefix: a manifest that names something else is damaged.
pub fn is_generation(name: &str, prefix: &str) -> bool {
    number_of(name, prefix).is_some()
}

/// The number of a folder that is named like a generation.
fn number_of(name: &str, prefix: &str) -> Option<u64> {
    name.strip_prefix(prefix)?.strip_prefix('-')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds a generation with one file.
    fn build(folder: &Path, content: &str) -> Generation {
        let generation = Generation::begin(folder, "build").unwrap();
        std::fs::write(generation.building().join("file"), content).unwrap();
        generation
    }

    fn commit(generation: Generation) -> String {
        let name = generation.settle().unwrap();
        generation.commit(name.as_bytes(), &[&name]).unwrap();
        name
    }

    /// What counts now.
    fn read(folder: &Path) -> String {
        let name = std::fs::read_to_string(folder.join("manifest.json")).unwrap();
        std::fs::read_to_string(folder.join(name).join("file")).unwrap()
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names = names_in(folder).unwrap();
        names.sort();
        names
    }

    #[test]
    fn a_build_that_ends_at_any_moment_leaves_the_one_before() {
        let dir = tempfile::tempdir().unwrap();
        let folder = &dir.path().join("made/by/need");
        assert_eq!(commit(build(folder, "old")), "build-1");
        drop(build(folder, "abandoned"));
        assert_eq!(
            (read(folder).as_str(), names(folder)),
            ("old", ["build-1", "lock", "manifest.json"].map(str::to_owned).to_vec())
        );
        // Killed while it built: nobody ran the code that cleans up.
        std::fs::create_dir_all(folder.join("building")).unwrap();
        std::fs::write(folder.join("building/torn"), "x").unwrap();
        // Killed when it had its name and no manifest yet.
        let settled = build(folder, "settled");
        assert!(!settled.building().join("torn").exists());
        assert_eq!(settled.settle().unwrap(), "build-2");
        drop(settled);
        assert_eq!(read(folder), "old");
        assert_eq!(commit(build(folder, "new")), "build-3");
        assert_eq!(
            (read(folder).as_str(), names(folder)),
            ("new", ["build-3", "lock", "manifest.json"].map(str::to_owned).to_vec())
        );
    }

    #[test]
    fn one_builds_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let first = build(dir.path(), "first");
        assert!(matches!(Generation::begin(dir.path(), "build"), Err(Error::Busy { .. })));
        assert!(!remove_leftovers(dir.path(), "build", || Some("build-1".into())).unwrap());
        assert!(first.building().join("file").exists());
        commit(first);
        assert!(Generation::begin(dir.path(), "build").is_ok());
    }

    #[test]
    fn leftovers_go_and_what_is_used_or_somebody_elses_stays() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["build-1", "build-2", "building", "build-x", "builds", "report"] {
            std::fs::create_dir(dir.path().join(name)).unwrap();
        }
        assert!(remove_leftovers(dir.path(), "build", || None).unwrap());
        assert_eq!(names(dir.path()), ["build-1", "build-2", "build-x", "builds", "lock", "report"]);
        assert!(remove_leftovers(dir.path(), "build", || Some("build-2".into())).unwrap());
        assert_eq!(names(dir.path()), ["build-2", "build-x", "builds", "lock", "report"]);
    }

    #[test]
    fn several_generations_can_be_in_use() {
        let dir = tempfile::tempdir().unwrap();
        let first = commit(build(dir.path(), "first"));
        let mut generation = build(dir.path(), "second");
        let second = generation.settle().unwrap();
        generation.begin_another().unwrap();
        std::fs::write(generation.building().join("file"), "third").unwrap();
        let third = generation.settle().unwrap();
        generation.commit(b"all", &[&first, &second, &third]).unwrap();
        assert_eq!(names(dir.path()), ["build-1", "build-2", "build-3", "lock", "manifest.json"]);
    }
}
