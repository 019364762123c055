//! Addresses to nodes and back.
//!
//! A function gives the rank that an address would have, with a signature that tells most foreign ones; the list itself is
//! asked last, so the answer is exact.
//!
//! ```text
//! PageUrl ── key ──► RankFunction (two functions of the crate `filter`, one for the Prefix of a block) ──► KeyList ──► node, and back
//! ```

mod key;
mod list;
mod prefix;
mod rank_function;

use std::path::Path;

use page::PageUrl;

use crate::Error;
pub(crate) use key::reversed_host;
pub use key::{address_of, key_of, reversed};
use list::KeyList;
pub(crate) use list::{KeyIter, KeyListWriter};

/// The addresses of all nodes, in the order of their numbers.
#[derive(Debug)]
pub struct AddressList {
    list: KeyList,
}

impl AddressList {
    /// Writes a list of addresses in any order, with or without repeats. For lists that fit into memory.
    pub fn write<'a>(path: &Path, addresses: impl IntoIterator<Item = &'a PageUrl>) -> Result<(), Error> {
        let mut keys: Vec<String> = addresses.into_iter().map(key_of).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut writer = KeyListWriter::create(path)?;
        for key in &keys {
            writer.push(key.as_bytes())?;
        }
        writer.finish()
    }

    /// Opens a list.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Ok(Self { list: KeyList::open(path)? })
    }

    /// How many addresses there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The size of the list, and of the function that leads from addresses to nodes, with its signatures, in bytes.
    pub fn bytes(&self) -> (usize, usize) {
        self.list.bytes()
    }

    /// The address of a node.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn address(&self, node: u32) -> String {
        let mut key = Vec::new();
        self.key(node, &mut key);
        let key = String::from_utf8_lossy(&key);
        address_of(&key).unwrap_or_else(|| key.into_owned())
    }

    /// Replaces `key` by the key of a node.
    pub fn key(&self, node: u32, key: &mut Vec<u8>) {
        self.list.get(node as usize, key);
    }

    /// The node of an address; nothing for an address that is not in the list.
    pub fn node(&self, address: &PageUrl) -> Option<u32> {
        self.node_of_key(key_of(address).as_bytes())
    }

    /// The node of a key.
    pub fn node_of_key(&self, key: &[u8]) -> Option<u32> {
        self.list.find(key).map(|node| node as u32)
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        self.list.path()
    }

    /// All keys in order.
    pub(crate) fn keys(&self) -> KeyIter {
        self.list.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn addresses_lead_to_nodes_and_back(paths in prop::collection::btree_set("[a-c]{1,3}/[a-z]{0,9}", 0..200)) {
            let scratch = tempfile::tempdir().unwrap();
            let path = scratch.path().join("addresses");
            let parse = |path: &String| PageUrl::parse(&format!("https://{path}")).unwrap();
            let addresses: Vec<PageUrl> = paths.iter().map(parse).collect();
            AddressList::write(&path, &addresses).unwrap();
            {
                let list = AddressList::open(&path).unwrap();
                let keys: BTreeSet<String> = addresses.iter().map(key_of).collect();
                prop_assert_eq!(list.len(), keys.len());
                let (mut all, mut found) = (list.keys(), Vec::new());
                for (node, key) in keys.iter().enumerate() {
                    prop_assert_eq!(all.next(), Some(key.as_bytes()));
                    list.key(node as u32, &mut found);
                    prop_assert_eq!(&found, key.as_bytes());
                    let address = PageUrl::parse(&list.address(node as u32)).unwrap();
                    prop_assert_eq!(list.node(&address), Some(node as u32));
                    let foreign = PageUrl::parse(&format!("{address}0")).unwrap();
                    prop_assert_eq!(list.node(&foreign), None);
                }
            }
        }
    }

    /// Bytes of which one begins another, with the least and the greatest, in lists of some blocks.
    fn keys() -> impl Strategy<Value = BTreeSet<Vec<u8>>> {
        let byte = prop::sample::select(vec![0u8, 1, 7, 8, 127, 128, 255]);
        prop::collection::btree_set(prop::collection::vec(byte, 0..6), 0..300)
    }

    proptest! {
        #[test]
        fn every_key_has_its_number_and_no_other_has_one(keys in keys(), others in keys()) {
            let scratch = tempfile::tempdir().unwrap();
            let path = scratch.path().join("addresses");
            let mut writer = KeyListWriter::create(&path).unwrap();
            keys.iter().for_each(|key| writer.push(key).unwrap());
            writer.finish().unwrap();
            let list = AddressList::open(&path).unwrap();
            for key in keys.union(&others) {
                let expected = keys.contains(key).then(|| keys.range(..key.clone()).count() as u32);
                prop_assert_eq!(list.node_of_key(key), expected, "{:?}", key);
            }
        }
    }

    #[test]
    fn a_changed_list_is_an_error_that_names_it() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("addresses");
        let address = PageUrl::parse("https://a.org/1").unwrap();
        AddressList::write(&path, [&address]).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 1;
            std::fs::write(&path, &changed).unwrap();
            assert!(AddressList::open(&path).unwrap_err().to_string().contains("addresses"), "byte {place}");
            std::fs::write(&path, &bytes[..place]).unwrap();
            assert!(AddressList::open(&path).is_err(), "cut at {place}");
        }
    }
}
