//! How much an index keeps of each word: in which documents it is, how often, where.
//!
//! Each degree has what the one before has. Without positions nobody knows whether words follow each other, so that whoever
//! searches has to say that a phrase was taken for its words; without counts neither how often a word occurs nor in which
//! fields is known, and every word counts as if it stood once in the main text.
//!
//! What is not kept is not written: there are no bits for it, and the dictionary does not say how many there would be.
//!
//! After the notes, section 2.2, which call them degrees of precision of an index.

use serde::{Deserialize, Serialize};

/// What an index keeps of each word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// In which documents it is.
    Documents,
    /// How often as well, and in which fields.
    Counts,
    /// Where as well.
    #[default]
    Positions,
}

impl Precision {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Documents, Self::Counts, Self::Positions];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Documents => "documents",
            Self::Counts => "counts",
            Self::Positions => "positions",
        }
    }

    /// Reads a name, or says which there are.
    pub fn parse(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|precision| precision.name() == text);
        let all = Self::ALL.map(Self::name).join(", ");
        found.ok_or_else(|| format!("there is no precision `{text}`; there are {all}"))
    }

    /// Whether it is known how often words occur, and in which fields.
    pub fn has_counts(&self) -> bool {
        *self >= Self::Counts
    }

    /// Whether it is known where words stand.
    pub fn has_positions(&self) -> bool {
        *self == Self::Positions
    }
}
