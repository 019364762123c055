//! The numbers by which a page is known, each of its own type: what is swapped does not compile.
//!
//! | number | of what | who gives it |
//! |---|---|---|
//! | [`Ordinal`] | an address in the ready log | the sieve lets it pass |
//! | [`RecordNumber`] | a record of the page table, counted from 0 | the store |
//! | [`PageKey`] | the same record, as its place in the table | the store |
//! | [`DocId`] | a document of an index | whoever builds the index |
//! | [`NodeId`] | a node of the graph of links | whoever builds the graph |
//! | [`Fingerprint`] | an address, in 64 bits | the address itself |
//!
//! Numbers mean nothing without what they number: a [`SetId`] says which table, index or graph that is, so that an array
//! with an entry for each is known to be of it by identity, and not by its length.
//!
//! They are numbers in files and in JSON as well, and cost what a number costs.

use std::fmt;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

macro_rules! identity {
    ($(#[$documentation:meta])* $name:ident, $number:ty) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        #[repr(transparent)]
        pub struct $name($number);

        impl $name {
            /// Says that a number means this.
            #[inline]
            pub const fn new(number: $number) -> Self {
                Self(number)
            }

            /// Gives the number, to write or to show it.
            #[inline]
            pub const fn get(self) -> $number {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

/// Those that are counted from 0 without gaps, so that they number the places of an array and the next one is known.
macro_rules! counted_identity {
    ($(#[$documentation:meta])* $name:ident, $number:ty) => {
        identity!($(#[$documentation])* $name, $number);

        impl $name {
            /// Names what stands at a place of an array that has an entry for each.
            #[inline]
            pub const fn from_index(index: usize) -> Self {
                Self(index as $number)
            }

            /// Gives the place in an array that has an entry for each.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// Names the one behind it.
            #[inline]
            pub const fn next(self) -> Self {
                Self(self.0 + 1)
            }
        }
    };
}

counted_identity! {
    /// The place of an address in the ready log; a record of the page table names it, and then it is done.
    Ordinal, u64
}

counted_identity! {
    /// The number of a record in the page table.
    RecordNumber, u64
}

identity! {
    /// The place of a record in the page table, by which its page can be had at once. Keys grow with the table.
    PageKey, u64
}

counted_identity! {
    /// The number of a document in an index. It means nothing in another index.
    DocId, u32
}

counted_identity! {
    /// The number of a node in a graph. It means nothing in another graph.
    NodeId, u32
}

identity! {
    /// What the sieve knows an address by: 64 bits of it.
    Fingerprint, u64
}

identity! {
    /// What a set of numbered things is: the same for two that number the same things alike.
    SetId, u64
}

impl SetId {
    /// Makes the identity of what these bytes tell of.
    pub fn of(bytes: &[u8]) -> Self {
        Self(xxh3_64(bytes))
    }

    /// Reads what [`SetId::to_digits`] wrote.
    pub fn from_digits(digits: &str) -> Option<Self> {
        let are_digits = digits.len() == 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        u64::from_str_radix(digits, 16).ok().filter(|_| are_digits).map(Self)
    }

    /// Writes it in 16 digits, for texts.
    pub fn to_digits(self) -> String {
        format!("{:016x}", self.0)
    }
}

impl PageKey {
    /// Before all records.
    pub const START: Self = Self(0);
    /// Behind all records: no table is so long.
    pub const END: Self = Self(u64::MAX);
}

impl DocId {
    /// Behind all documents of any index: where a cursor stands that has come to its end.
    pub const END: Self = Self(u32::MAX);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities_are_as_large_as_numbers_and_in_their_order() {
        assert_eq!((size_of::<PageKey>(), size_of::<DocId>(), size_of::<NodeId>()), (8, 4, 4));
        assert!(PageKey::START < PageKey::new(7) && PageKey::new(7) < PageKey::END);
        assert_eq!(DocId::new(6).next(), DocId::from_index(7));
        assert_eq!(
            (NodeId::new(9).index(), Ordinal::new(9).get(), RecordNumber::new(9).to_string()),
            (9, 9, "9".into())
        );
        assert_eq!(SetId::new(255).to_digits(), "00000000000000ff");
        assert_eq!(SetId::from_digits("00000000000000ff"), Some(SetId::new(255)));
        assert_eq!(["ff", "+0000000000000ff", ""].map(SetId::from_digits), [None; 3]);
    }
}
