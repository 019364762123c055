//! What can be wrong with the files that a user gives.

use std::io;
use std::path::{Path, PathBuf};

/// Everything that keeps files from being read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such file or folder to take in.
    #[error("there is no `{0}`")]
    NoInput(PathBuf),
    /// It is a pipe or a device, which cannot be read twice.
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
    /// It is called `.gz` and is not compressed so, or is damaged.
    #[error("`{path}` cannot be decompressed: {source}")]
    NotGzip {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: io::Error,
    },
    /// It is called `.parquet` and is none that we read, or is damaged.
    #[error("`{path}` cannot be read as a Parquet file: {reason}")]
    NotParquet {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A table has other columns than the one that is asked for.
    #[error("`{path}` has no column `{column}` of texts; there are: {}", there.join(", "))]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// What the user asked for.
        column: String,
        /// The columns of texts that it has.
        there: Vec<String>,
    },
    /// The work folder cannot be written: nothing to do with the files.
    #[error("`{path}` cannot be written: {source}")]
    NotWritten {
        /// What was to be written.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Documents have numbers of 32 bits.
    #[error("there are more than 4,294,967,295 documents")]
    TooMany,
}

impl Error {
    /// Gives the next step, where there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoInput(_) => {
                Some("give folders, text files, HTML, JSON lines (.jsonl), or what else `--help` names")
            }
            Self::NoFile(_) => Some("files are read more than once: save a stream to a file first"),
            Self::Unreadable { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                Some("you need the right to read it, and to enter the folders above it")
            }
            Self::Unreadable { .. } => Some("check the file and the disk that it is on"),
            Self::NotGzip { .. } => {
                Some("check it with `gzip -t`; a file that is not compressed must not end in .gz")
            }
            Self::NotParquet { .. } => Some(
                "files whose name ends in .parquet must be Parquet files, compressed by snappy, zstd, gzip or lz4",
            ),
            Self::NoColumn { .. } => Some("choose a column with --text-field"),
            Self::NotWritten { source, .. } => journal::hint_for_io(source),
            Self::TooMany => Some("divide them into several runs, by their source"),
        }
    }

    pub(crate) fn unreadable(path: &Path, source: io::Error) -> Self {
        Self::Unreadable { path: path.to_owned(), source }
    }

    pub(crate) fn not_written(path: &Path, source: io::Error) -> Self {
        Self::NotWritten { path: path.to_owned(), source }
    }

    pub(crate) fn not_parquet(path: &Path, reason: impl ToString) -> Self {
        Self::NotParquet { path: path.to_owned(), reason: reason.to_string() }
    }
}
