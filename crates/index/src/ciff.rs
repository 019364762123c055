//! The Common Index File Format: an index for other engines, as PISA, Lucene and Terrier read it.
//!
//! ```text
//! header       version, lists, documents, both once more as totals, words, words per document, description
//! list*        term, documents, words, and for each document its gap from the one before and how often
//! document*    its number, its name, its words
//! ```
//!
//! Each is a message of protocol buffers behind its length. There are few kinds of fields, so they are written by hand.
//! Positions, fields and stems have no place in it: a word of any field counts, and the words of a document are those that its
//! lists count.
//!
//! After Lin and others, "Supporting Interoperability Between Open-Source Search Engines with the Common Index File Format".
//!
//! Cost: all lists are read twice; the terms and four bytes for each document are in memory.

use std::collections::BTreeSet;
use std::io::Write;

use journal::varint;
use page::DocId;

use crate::segment::Segment;
use crate::stems::is_stem_key;
use crate::{Error, Index};

/// The version of the format that is written.
const VERSION: u64 = 1;

/// How a field of a message is written.
const NUMBER: u64 = 0;
const EIGHT_BYTES: u64 = 1;
const BYTES: u64 = 2;

/// A message of protocol buffers.
#[derive(Debug, Default)]
struct Message(Vec<u8>);

impl Message {
    fn number(&mut self, field: u64, number: u64) {
        // What is zero is left out, as protocol buffers have it.
        if number != 0 {
            varint::put(&mut self.0, field << 3 | NUMBER);
            varint::put(&mut self.0, number);
        }
    }

    fn double(&mut self, field: u64, number: f64) {
        varint::put(&mut self.0, field << 3 | EIGHT_BYTES);
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        varint::put(&mut self.0, field << 3 | BYTES);
        varint::put(&mut self.0, bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn write(&mut self, out: &mut impl Write) -> std::io::Result<()> {
        varint::write(out, self.0.len() as u64)?;
        out.write_all(&self.0)?;
        self.0.clear();
        Ok(())
    }
}

impl Index {
    /// Writes the index in the Common Index File Format and returns how many lists it has. Documents have the names that
    /// `name_of` gives them.
    pub fn write_ciff<E: From<Error> + From<std::io::Error>>(
        &self,
        description: &str,
        out: &mut impl Write,
        mut name_of: impl FnMut(DocId) -> Result<String, E>,
    ) -> Result<u64, E> {
        let terms = self.terms()?;
        let mut lengths = vec![0u32; self.documents() as usize];
        for term in &terms {
            self.for_each_posting(term, |doc, count| {
                if let Some(length) = lengths.get_mut(doc.get() as usize) {
                    *length += count;
                }
            })?;
        }
        let words: u64 = lengths.iter().map(|&length| u64::from(length)).sum();
        let mut message = Message::default();
        message.number(1, VERSION);
        for (field, number) in [(2, terms.len()), (3, lengths.len()), (4, terms.len()), (5, lengths.len())] {
            message.number(field, number as u64);
        }
        message.number(6, words);
        message.double(7, words as f64 / lengths.len().max(1) as f64);
        message.bytes(8, description.as_bytes());
        message.write(out)?;
        for term in &terms {
            self.write_list(term, &mut message)?;
            message.write(out)?;
        }
        for (document, &length) in (0u32..).zip(&lengths) {
            message.number(1, document.into());
            message.bytes(2, name_of(DocId::new(document))?.as_bytes());
            message.number(3, length.into());
            message.write(out)?;
        }
        Ok(terms.len() as u64)
    }

    fn write_list(&self, term: &str, message: &mut Message) -> Result<(), Error> {
        let (mut postings, mut posting) = (Message::default(), Message::default());
        let (mut documents, mut words, mut before) = (0u64, 0u64, 0);
        self.for_each_posting(term, |doc, count| {
            posting.number(1, u64::from(doc.get() - before));
            posting.number(2, count.into());
            postings.bytes(4, &posting.0);
            posting.0.clear();
            before = doc.get();
            documents += 1;
            words += u64::from(count);
        })?;
        message.bytes(1, term.as_bytes());
        message.number(2, documents);
        message.number(3, words);
        message.0.extend_from_slice(&postings.0);
        Ok(())
    }

    /// The terms of all segments, in order, without stems.
    fn terms(&self) -> Result<BTreeSet<String>, Error> {
        let mut terms = BTreeSet::new();
        for lists in self.segments().iter().flat_map(Segment::lists) {
            lists.dictionary().blocks().for_each_term(|term| {
                if !is_stem_key(term) {
                    terms.insert(String::from_utf8_lossy(term).into_owned());
                }
            })?;
        }
        Ok(terms)
    }

    fn for_each_posting(&self, term: &str, mut see: impl FnMut(DocId, u32)) -> Result<(), Error> {
        let Some(entry) = self.term(term)? else { return Ok(()) };
        let mut cursor = self.cursor(&entry);
        while cursor.doc() != DocId::END {
            see(cursor.doc(), cursor.frequency());
            cursor.next();
        }
        Ok(())
    }
}
