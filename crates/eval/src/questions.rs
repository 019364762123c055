//! What is asked: lines of `id<TAB>text`, the text as people type it.

use std::path::Path;

use crate::error::QUESTION;
use crate::{Error, lines};

/// Questions in the order of their file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Questions(pub Vec<(String, String)>);

impl Questions {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, Error> {
        lines::read(path, Self::parse)
    }

    /// Reads lines.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut questions = Vec::new();
        lines::each(text, QUESTION, |_, line| {
            let (id, question) = line.split_once('\t')?;
            questions.push((id.trim().to_owned(), question.trim().to_owned()));
            Some(())
        })?;
        Ok(Self(questions))
    }
}
