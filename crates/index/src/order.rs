//! In which order the documents of an index are numbered.
//!
//! Lists of postings are short where documents that have words in common have numbers that are near. Whoever builds says
//! which order is wanted; an index remembers it, and what is added to it later is brought into the same order among itself.
//! Answers and scores do not depend on it; of documents with the same score the one with the smaller number is first.

use serde::{Deserialize, Serialize};

/// How documents are numbered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// As they were added.
    #[default]
    Arrival,
    /// By their addresses, those of a site together.
    Address,
    /// The best ranked first.
    Rank,
    /// Such that documents with common words are together: recursive graph bisection.
    Bisection,
}

impl Order {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Arrival, Self::Address, Self::Rank, Self::Bisection];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Arrival => "arrival",
            Self::Address => "address",
            Self::Rank => "rank",
            Self::Bisection => "bisection",
        }
    }

    /// Reads a name, or says which there are.
    pub fn parse(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|order| order.name() == text);
        let all = Self::ALL.map(Self::name).join(", ");
        found.ok_or_else(|| format!("there is no order `{text}`; there are {all}"))
    }

    pub(crate) fn is_arrival(&self) -> bool {
        *self == Self::Arrival
    }
}

/// Where each number stands among all from 0 on, of which each is there once.
pub(crate) fn inverse(numbers: &[u32]) -> Vec<u32> {
    let mut places = vec![0; numbers.len()];
    for (place, &number) in (0..).zip(numbers) {
        places[number as usize] = place;
    }
    places
}
