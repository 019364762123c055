//! How much of the stored pages something was made from.

use std::fmt;

use page::PageKey;
use store::{Collection, StoreReader};

use crate::Error;

/// The part of the page table that something was made from: everything before a place in it.
///
/// The table only grows, so what lies behind that place is new. As text, in which form the parts keep it: `pages.tbl 4711`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Covered {
    /// Bytes of the table.
    pub table_bytes: u64,
}

const PREFIX: &str = "pages.tbl ";

impl Covered {
    /// All that is there now. A record that its writer did not finish lies behind it.
    pub fn now(collection: &Collection) -> Result<Self, Error> {
        let mut pages = StoreReader::open(collection)?.pages()?;
        while pages.next()?.is_some() {}
        Ok(Self { table_bytes: pages.position() })
    }

    /// The place behind all that is covered: of the first page that is not, if there is one.
    pub fn end(self) -> PageKey {
        PageKey::new(self.table_bytes)
    }

    /// What [`fmt::Display`] wrote; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        Some(Self { table_bytes: text.strip_prefix(PREFIX)?.parse().ok()? })
    }
}

impl fmt::Display for Covered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.table_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let covered = Covered { table_bytes: 17 };
        assert_eq!(covered.to_string(), "pages.tbl 17");
        assert_eq!(Covered::parse("pages.tbl 17"), Some(covered));
        assert_eq!(Covered::parse("something else"), None);
    }
}
