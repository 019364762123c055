//! The journal of blocks: whose sketches these are, and which blocks of documents are whole.
//!
//! ```text
//! record 0   the name: all that the sketches depend on
//! record n   documents, too short, unreadable, bytes read, and a checksum (u32) of the block in each column
//! ```

use std::path::Path;

use fs_err as fs;
use journal::{FieldReader, FieldWriter, Format, HEADER_BYTES, JournalReader};

use crate::Error;

pub(crate) const FORMAT: Format = Format { magic: *b"CRVDEDUP", version: 1 };

/// What the journal says about a block.
#[derive(Debug, Clone)]
pub(crate) struct BlockRecord {
    pub documents: u32,
    pub too_short: u32,
    pub unreadable: u32,
    pub bytes_read: u64,
    /// Of the digests, then of each column of keys.
    pub checksums: Vec<u32>,
}

impl BlockRecord {
    /// As a record of the journal.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut fields = FieldWriter::new();
        fields.number(self.documents.into()).number(self.too_short.into()).number(self.unreadable.into());
        fields.number(self.bytes_read);
        for checksum in &self.checksums {
            fields.fixed(&checksum.to_le_bytes());
        }
        fields.as_bytes().to_vec()
    }

    fn from_bytes(bytes: &[u8], columns: usize) -> Result<Self, journal::Malformed> {
        let mut fields = FieldReader::new(bytes);
        Ok(Self {
            documents: fields.small()?,
            too_short: fields.small()?,
            unreadable: fields.small()?,
            bytes_read: fields.number()?,
            checksums: (0..=columns)
                .map(|_| fields.fixed().map(u32::from_le_bytes))
                .collect::<Result<_, _>>()?,
        })
    }
}

pub(crate) type Blocks = (Vec<BlockRecord>, Vec<u64>);

/// The blocks of a journal of this name, and where the name and each of them end.
pub(crate) fn read_blocks(path: &Path, name: &str, columns: usize) -> Result<Option<Blocks>, Error> {
    if !path.exists() || fs::metadata(path)?.len() < HEADER_BYTES {
        return Ok(None);
    }
    let mut reader = match JournalReader::open(path, FORMAT) {
        Err(journal::Error::Version { .. }) => return Ok(None),
        reader => reader?,
    };
    let same = match reader.next_record()? {
        Some(record) => FieldReader::new(record.payload).text() == Ok(name),
        None => false,
    };
    if !same {
        return Ok(None);
    }
    let mut blocks = Vec::new();
    let mut ends = vec![reader.position()];
    while let Some(record) = reader.next_record()? {
        let offset = record.offset;
        let block = BlockRecord::from_bytes(record.payload, columns).map_err(|_| Error::Damaged {
            path: path.to_owned(),
            offset,
            what: "a record cannot be read",
        })?;
        blocks.push(block);
        ends.push(reader.position());
    }
    Ok(Some((blocks, ends)))
}
