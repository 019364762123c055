//! What can go wrong while answers are judged.

use std::io;
use std::path::PathBuf;

/// Everything that judging can meet.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused; the message names the path.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A line is not what it should be.
    #[error("line {line} is no {expected}: `{text}`")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// What should stand there.
        expected: &'static str,
        /// What does, as far as it fits on a line.
        text: String,
    },
    /// A file cannot be used.
    #[error("`{path}`: {error}")]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: Box<Error>,
    },
    /// There is nothing to measure by.
    #[error("none of the questions is judged")]
    NothingJudged,
    /// There is nothing in it.
    #[error("it is empty")]
    Empty,
}

impl Error {
    /// The next step, where there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Io(error) => journal::hint_for_io(error),
            Self::File { error, .. } => error.hint(),
            Self::Line { expected: QUESTION, .. } => Some("questions are lines of `id<TAB>text`"),
            Self::Line { expected: JUDGEMENT, .. } => Some(
                "judgements are lines of `question document gain`, or of TREC's `question 0 document gain`",
            ),
            Self::Line { .. } => {
                Some("runs are lines of `question Q0 document rank score tag`, as trec_eval reads them")
            }
            Self::NothingJudged => {
                Some("the ids of questions, in the first column of both files, have to be the same")
            }
            Self::Empty => None,
        }
    }
}

pub(crate) const QUESTION: &str = "question";
pub(crate) const JUDGEMENT: &str = "judgement";
pub(crate) const RESULT: &str = "result of a run";
