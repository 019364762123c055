//! The latent space of a collection: what its pages speak of, whatever words they use.
//!
//! ```text
//! latent/space    where the words and documents of the index are; says of which index, by identity; replaced by a rename
//! ```
//!
//! It is made from the index alone ([`search::make_space`]). When the index has changed, its new documents are put among the words
//! as they were, and the others too if their numbers have changed; a new decomposition is made when that is due
//! ([`search::is_due`]), and when the file is damaged or of another version. A search uses it only with the index that it was
//! made for.

use std::path::{Path, PathBuf};
use std::time::Instant;

use index::{Index, IndexMember};
use latent::LatentSpace;
use search::{SpaceSettings, fold_into_space, is_due, make_space};
use serde::Serialize;
use store::Collection;

use crate::{Error, Notice, Progress, Watcher, Work};

/// What making a space came to.
#[derive(Debug, Serialize)]
pub struct SpaceSummary {
    /// Documents that have a place.
    pub documents: u64,
    /// Words that have one.
    pub terms: u64,
    /// How many dimensions there are.
    pub dimensions: u64,
    /// How much of the documents they hold, from 0 to 1.
    pub kept: f32,
    /// Bytes on disk.
    pub bytes: u64,
    /// Nothing had to be done.
    pub up_to_date: bool,
    /// The words kept their places, and documents were put among them.
    pub folded_in: bool,
    /// How long it took.
    pub elapsed_seconds: f64,
}

/// Where the space of the collection in a folder is kept.
pub fn space_path(dir: &Path) -> PathBuf {
    dir.join("latent").join("space")
}

/// Makes the space of the present index, if it is not there.
pub fn bring_up_to_date(
    collection: &Collection,
    memory_bytes: u64,
    watcher: &dyn Watcher,
) -> Result<SpaceSummary, Error> {
    let started = Instant::now();
    let index = Index::open(&collection.part("index")?)?;
    let path = space_path(collection.dir());
    let before = match path.exists().then(|| LatentSpace::open(&path)) {
        Some(Err(error)) => {
            watcher.tell(Notice::MadeAnew { what: "the latent space is", why: &error });
            None
        }
        opened => opened.transpose().expect("an error was met above"),
    };
    if let Some(space) = before.as_ref().filter(|space| space.of() == index.set_id()) {
        return summary(&path, space, true, false, started);
    }
    let documents = u64::from(index.documents());
    watcher.progress(Progress { work: Work::Space, done: 0, total: None, counted: documents, detail: "" });
    let before = before.filter(|space| !is_due(space, index.documents()));
    let settings = SpaceSettings { memory_bytes, ..SpaceSettings::default() };
    fs_err::create_dir_all(collection.dir().join("latent"))?;
    match &before {
        Some(space) => fold_into_space(&index, space, &path, settings)?,
        None => make_space(&index, &path, settings)?,
    }
    summary(&path, &LatentSpace::open(&path)?, false, before.is_some(), started)
}

fn summary(
    path: &Path,
    space: &LatentSpace,
    up_to_date: bool,
    folded_in: bool,
    started: Instant,
) -> Result<SpaceSummary, Error> {
    Ok(SpaceSummary {
        documents: space.documents().into(),
        terms: space.terms() as u64,
        dimensions: space.dimensions() as u64,
        kept: space.kept(),
        bytes: path.metadata()?.len(),
        up_to_date,
        folded_in,
        elapsed_seconds: started.elapsed().as_secs_f64(),
    })
}

/// The space of the index that `member` is of a collection. If it cannot be read there is none, which is said once: a search
/// by words is better than no search. One of another index is none either.
pub fn for_search(
    collection: &Collection,
    member: &IndexMember,
    watcher: &dyn Watcher,
) -> Option<LatentSpace> {
    let path = Some(space_path(collection.dir())).filter(|path| path.exists())?;
    match LatentSpace::open(&path) {
        Ok(space) => Some(space).filter(|space| space.of() == member.set_id()),
        Err(error) => {
            watcher.tell(Notice::Failed(&error.into()));
            None
        }
    }
}
