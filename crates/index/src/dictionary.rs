//! The dictionary: from a term to where its postings lie.
//!
//! A function leads to the block of a term ([`crate::term_numbers`]); all that is read of the list of terms
//! ([`crate::term_blocks`]) is that block, which tells whether it has the term.
//!
//! Cost: what the function costs, and half a block: some 200 ns if it is in memory.

use std::path::Path;

use journal::SealedFile;

use crate::Error;
use crate::list_entry::ListEntry;
use crate::term_blocks::{TERMS_PER_BLOCK, TermBlocks};
use crate::term_numbers::{Found, TermNumbers};

/// Finds terms and gives their lists.
#[derive(Debug)]
pub(crate) struct DictionaryReader {
    blocks: TermBlocks,
    numbers: TermNumbers,
}

impl DictionaryReader {
    pub(crate) fn new(blocks: TermBlocks, numbers: TermNumbers) -> Self {
        Self { blocks, numbers }
    }

    /// Looks a term up, by its function if there is one.
    pub(crate) fn find(&self, term: &str) -> Result<Option<ListEntry>, Error> {
        let term = term.as_bytes();
        match self.numbers.find(term)? {
            Found::Nothing => Ok(None),
            Found::Unknown => self.blocks.search(term),
            Found::Block(block) => match self.blocks.find_in(block, term)? {
                None if self.numbers.has_repeated() => self.blocks.search(term),
                found => Ok(found),
            },
        }
    }

    /// Whether the function does not refuse a term.
    pub(crate) fn may_have(&self, term: &str) -> Result<bool, Error> {
        Ok(self.numbers.find(term.as_bytes())? != Found::Nothing)
    }

    /// Whether the function leads to the block of the term of this number, which is one.
    pub(crate) fn leads_to(&self, term: &[u8], number: u64) -> Result<bool, Error> {
        Ok(match self.numbers.find(term)? {
            Found::Block(found) => found == number / TERMS_PER_BLOCK || self.numbers.has_repeated(),
            Found::Unknown => self.numbers.is_empty(),
            Found::Nothing => false,
        })
    }

    /// Whether the function was made of so many terms, if there is one.
    pub(crate) fn has_numbers_of(&self, terms: u64) -> bool {
        self.numbers.is_empty() || self.numbers.terms() == terms
    }

    #[cfg(test)]
    pub(crate) fn has_repeated_numbers(&self) -> bool {
        self.numbers.has_repeated()
    }

    /// The file of the function.
    pub(crate) fn numbers_path(&self) -> &Path {
        self.numbers.file().path()
    }

    /// The list of terms, in their order.
    pub(crate) fn blocks(&self) -> &TermBlocks {
        &self.blocks
    }

    /// The function, where blocks are, and the terms.
    pub(crate) fn files(&self) -> [&SealedFile; 3] {
        let [terms, blocks] = self.blocks.files();
        [self.numbers.file(), blocks, terms]
    }

    /// The same files.
    pub(crate) fn files_mut(&mut self) -> [&mut SealedFile; 3] {
        let [terms, blocks] = self.blocks.files_mut();
        [self.numbers.file_mut(), blocks, terms]
    }

    /// Compares all checksums.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.numbers.file().check()?;
        self.blocks.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Precision;
    use crate::file;
    use crate::term_blocks::{EntryForm, TermBlocksWriter};
    use crate::term_numbers::{TermFunction, write};

    /// A dictionary of these terms, which ascend; the list of each tells its number.
    fn dictionary(folder: &Path, terms: &[String], function: TermFunction) -> DictionaryReader {
        let form = EntryForm::new(Precision::default(), terms.len() as u32);
        let mut writer = TermBlocksWriter::create(folder, form).unwrap();
        for (number, term) in (0..).zip(terms) {
            let nothing = number..number;
            let list = ListEntry {
                part: 0,
                documents: number as u32 + 1,
                occurrences: number + 1 + number % 40,
                postings: nothing.clone(),
                positions: nothing.clone(),
                skips: nothing,
            };
            writer.add(term.as_bytes(), &list).unwrap();
        }
        let (terms_file, blocks_file, count) = writer.finish();
        let open = |name: &str, kind, sealed: journal::Sealed| {
            file::open(&folder.join(name), kind, sealed.identity).unwrap()
        };
        let terms_file = open("terms", *b"term", terms_file.finish().unwrap());
        let blocks_file = open("blocks", *b"blck", blocks_file.finish().unwrap());
        let blocks = TermBlocks::new(terms_file, blocks_file, form).unwrap();
        let numbers = write(&folder.join("numbers"), &blocks, count, function).unwrap().finish().unwrap();
        let numbers = TermNumbers::new(open("numbers", *b"numb", numbers)).unwrap();
        DictionaryReader::new(blocks, numbers)
    }

    #[test]
    fn terms_are_found_by_their_numbers_and_others_are_refused_also_if_hashes_are_the_same() {
        let words = |twins: &[&str]| {
            let words = (0..5000).map(|number| format!("word{}", number * 7919 % 100_000));
            let mut terms: Vec<String> = words.chain(twins.iter().map(|&twin| twin.into())).collect();
            terms.sort();
            terms
        };
        for function in TermFunction::ALL {
            for twins in [&[][..], &["twin", "twin1", "twin22"]] {
                let folder = tempfile::tempdir().unwrap();
                let terms = words(twins);
                let dictionary = dictionary(folder.path(), &terms, function);
                assert_eq!(dictionary.has_repeated_numbers(), twins.len() > 1);
                for (number, term) in (0..).zip(&terms) {
                    let list = dictionary.find(term).unwrap().unwrap();
                    assert_eq!(
                        (list.documents, list.occurrences),
                        (number + 1, u64::from(number + 1 + number % 40))
                    );
                    assert!(dictionary.leads_to(term.as_bytes(), number.into()).unwrap());
                    let behind = u64::from(number) + TERMS_PER_BLOCK;
                    let another = dictionary.leads_to(term.as_bytes(), behind).unwrap();
                    assert_eq!(another, !twins.is_empty());
                    for stranger in
                        [format!("{term}x"), term[..term.len() - 1].to_owned(), format!("a{term}")]
                    {
                        let is_term = terms.binary_search(&stranger).is_ok();
                        assert_eq!(dictionary.find(&stranger).unwrap().is_some(), is_term, "{stranger}");
                    }
                }
            }
        }
    }

    #[test]
    fn few_terms_are_searched() {
        let folder = tempfile::tempdir().unwrap();
        let terms: Vec<String> = (100..1000).map(|number| format!("word{number}")).collect();
        let dictionary = dictionary(folder.path(), &terms, TermFunction::default());
        assert!(terms.iter().all(|term| dictionary.find(term).unwrap().is_some()));
        assert!(dictionary.find("word1000").unwrap().is_none());
    }
}
