//! How much of the stored pages something was made from.

use std::fmt;

use page::{PageKey, SetId};
use store::{Collection, StoreReader};

use crate::Error;

/// The part of a page table that something was made from: everything before a place in it.
///
/// The table only grows, so what lies behind that place is new. As text, in which form the parts keep it:
/// `pages.tbl 4711 of 00c0ffee00c0ffee`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Covered {
    /// Which table: that of another collection may be as long.
    pub table: SetId,
    /// Bytes of the table.
    pub table_bytes: u64,
}

const PREFIX: &str = "pages.tbl ";
const OF: &str = " of ";

impl Covered {
    /// So much of the table of a collection.
    pub fn of(collection: &Collection, table_bytes: u64) -> Self {
        Self { table: collection.table(), table_bytes }
    }

    /// All that is there now. A record that its writer did not finish lies behind it.
    pub fn now(collection: &Collection) -> Result<Self, Error> {
        let mut pages = StoreReader::open(collection)?.pages()?;
        while pages.next()?.is_some() {}
        Ok(Self::of(collection, pages.position()))
    }

    /// The place behind all that is covered: of the first page that is not, if there is one.
    pub fn end(self) -> PageKey {
        PageKey::new(self.table_bytes)
    }

    /// What [`fmt::Display`] wrote; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let (table_bytes, table) = text.strip_prefix(PREFIX)?.split_once(OF)?;
        Some(Self { table: SetId::from_digits(table)?, table_bytes: table_bytes.parse().ok()? })
    }

    /// Whether a part says that its keys are those of another table. Earlier versions did not say whose they are.
    pub fn is_of_another(stamp: &str, collection: &Collection) -> bool {
        Self::parse(stamp).is_some_and(|covered| covered.table != collection.table())
    }
}

impl fmt::Display for Covered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}{OF}{}", self.table_bytes, self.table.to_digits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let covered = Covered { table: SetId::new(0xc0ffee), table_bytes: 17 };
        assert_eq!(covered.to_string(), "pages.tbl 17 of 0000000000c0ffee");
        assert_eq!(Covered::parse("pages.tbl 17 of 0000000000c0ffee"), Some(covered));
        for other in
            ["something else", "pages.tbl 17", "pages.tbl 17 of c0ffee", "pages.tbl x of 0000000000c0ffee"]
        {
            assert_eq!(Covered::parse(other), None, "{other}");
        }
    }
}
