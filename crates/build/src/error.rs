//! What can stop a build. A page that cannot be read cannot: it is told and counted.

use std::io;
use std::path::PathBuf;

/// Everything that ends a build early. The stored pages are never touched, and the parts that were there stay in use.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The stored pages cannot be read, or not be written by an import.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// What was read of the pages cannot be read back or kept.
    #[error(transparent)]
    Documents(#[from] crate::documents::DocumentsError),
    /// The graph cannot be read or made.
    #[error(transparent)]
    Graph(#[from] graph::Error),
    /// Copies cannot be looked for.
    #[error(transparent)]
    Copies(#[from] dedup::Error),
    /// What was seen of earlier pages cannot be kept while pages are imported.
    #[error(transparent)]
    Marks(#[from] dedup::hamming::Error),
    /// The groups of copies are damaged.
    #[error(transparent)]
    Groups(dedup::Error),
    /// The index cannot be read or made.
    #[error(transparent)]
    Index(#[from] index::Error),
    /// Nobody has made an index yet.
    #[error("`{0}` has no index yet")]
    NoIndex(PathBuf),
    /// There is no such file or folder to take in.
    #[error("there is no `{0}`")]
    NoInput(PathBuf),
    /// A pipe or a device, which cannot be read twice.
    #[error("`{0}` is no file that can be read again")]
    NoFile(PathBuf),
    /// The system does not let us read it.
    #[error("`{path}` cannot be read: {source}")]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Error {
    /// The next step, where there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Store(error) => error.hint(),
            Self::Documents(error) => error.hint(),
            Self::Graph(error) => error.hint(),
            Self::Copies(error) => error.hint(),
            Self::Marks(error) => error.hint(),
            Self::Index(error) => error.hint(),
            Self::Groups(_) => Some("make it anew with `crivello dedup DIR`; the stored pages are untouched"),
            Self::NoIndex(_) => Some("make it with `crivello build DIR`"),
            Self::NoInput(_) => {
                Some("give folders, text files, HTML, JSON lines (.jsonl), or what else `--help` names")
            }
            Self::NoFile(_) => Some("files are read more than once: save a stream to a file first"),
            Self::Unreadable { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                Some("you need the right to read it, and to enter the folders above it")
            }
            Self::Unreadable { .. } => Some("check the file and the disk that it is on"),
            Self::Io(error) => journal::hint_for_io(error),
        }
    }
}
