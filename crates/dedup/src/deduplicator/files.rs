//! The work folder: sketches of all documents so far, in columns.
//!
//! ```text
//! blocks.log    a journal: whose sketches these are, then a record per block (block_log.rs)
//! digests.col   16 bytes per document: a digest of its shingles
//! keys.NNN.col   8 bytes per document and column: the keys to sort
//! slots.rec     per document: number of shingles (u32), slots (a byte each), checksum of both (u32)
//! ```
//!
//! All numbers are little-endian; the place of a document is its number. The columns are read from front to back and
//! have a checksum per block, kept in the journal. The slots are read here and there and have one per document.
//!
//! A block is real once its record is in the journal, which is flushed behind the columns. After a kill, what is behind
//! the last such block is cut off. A column that is shorter than the journal says (a machine that lost its power) takes
//! the journal back to the last block that is whole. So work goes on at the border of a block, as if nothing had been.

use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use fs_err as fs;
use journal::{FieldWriter, JournalWriter};
use xxhash_rust::xxh3::xxh3_64;

use super::block_log::{BlockRecord, FORMAT, read_blocks};
use super::reports::SketchReport;
use crate::Error;

pub(super) const BLOCKS: &str = "blocks.log";
pub(super) const DIGEST_BYTES: usize = 16;
pub(super) const KEY_BYTES: usize = 8;

/// About so many bytes of a column are read at once: they are still in the cache when they are looked at.
const READ_BYTES: usize = 1 << 18;

/// The sketches of some documents in a row, in the layout of the files.
#[derive(Debug, Default)]
pub(crate) struct Block {
    pub documents: u32,
    pub too_short: u32,
    pub unreadable: u32,
    pub bytes_read: u64,
    pub digests: Vec<u8>,
    pub keys: Vec<Vec<u8>>,
    pub slots: Vec<u8>,
}

/// All files of the work folder.
#[derive(Debug)]
pub(crate) struct SketchFiles {
    folder: PathBuf,
    slots: usize,
    journal: JournalWriter,
    /// The digests, then each column of keys.
    columns: Vec<fs::File>,
    slot_records: fs::File,
    blocks: Vec<BlockRecord>,
}

/// A checksum of bytes that are not in the journal.
pub(crate) fn checksum(bytes: &[u8]) -> u32 {
    xxh3_64(bytes) as u32
}

impl SketchFiles {
    /// Takes up the work of a folder if it was begun under the same name, else begins anew.
    pub fn open(folder: &Path, name: &str, columns: usize, slots: usize) -> Result<Self, Error> {
        let path = folder.join(BLOCKS);
        let found = read_blocks(&path, name, columns)?;
        let (blocks, ends) = match found {
            Some(found) => found,
            None => {
                // The journal goes first: without it, columns are nobody's.
                let mut journal = JournalWriter::create(&path, FORMAT)?;
                journal.append(FieldWriter::new().text(name).as_bytes());
                journal.flush()?;
                remove_columns(folder)?;
                (Vec::new(), vec![journal.position()])
            }
        };
        let mut files = Self {
            folder: folder.to_owned(),
            slots,
            journal: JournalWriter::open_at(&path, FORMAT, *ends.last().expect("the name has an end"))?,
            columns: (0..=columns)
                .map(|column| open_to_append(&column_path(folder, column)))
                .collect::<Result<_, _>>()?,
            slot_records: open_to_append(&folder.join("slots.rec"))?,
            blocks,
        };
        files.cut_to_whole_blocks(&path, &ends)?;
        Ok(files)
    }

    fn cut_to_whole_blocks(&mut self, path: &Path, ends: &[u64]) -> Result<(), Error> {
        let mut whole = u64::MAX;
        for (file, bytes) in self.columns.iter().chain([&self.slot_records]).zip(self.widths()) {
            whole = whole.min(file.metadata()?.len() / bytes as u64);
        }
        let mut documents = 0;
        let mut count = 0;
        for block in &self.blocks {
            if documents + u64::from(block.documents) > whole {
                break;
            }
            documents += u64::from(block.documents);
            count += 1;
        }
        if count < self.blocks.len() {
            self.blocks.truncate(count);
            self.journal = JournalWriter::open_at(path, FORMAT, ends[count])?;
        }
        self.cut_columns(documents)
    }

    /// The bytes of a document in each file.
    fn widths(&self) -> impl Iterator<Item = usize> + use<> {
        let keys = std::iter::repeat_n(KEY_BYTES, self.columns.len() - 1);
        std::iter::once(DIGEST_BYTES).chain(keys).chain([slot_record_bytes(self.slots)])
    }

    /// The documents that are sketched.
    pub fn documents(&self) -> u32 {
        self.blocks.iter().map(|block| block.documents).sum()
    }

    /// What all blocks met.
    pub fn report(&self) -> SketchReport {
        let mut report = SketchReport::default();
        for block in &self.blocks {
            report.documents += u64::from(block.documents);
            report.too_short += u64::from(block.too_short);
            report.unreadable += u64::from(block.unreadable);
            report.bytes_read += block.bytes_read;
        }
        report
    }

    /// Adds the next documents.
    pub fn append(&mut self, block: &Block) -> Result<(), Error> {
        let parts = || std::iter::once(&block.digests).chain(&block.keys);
        let record = BlockRecord {
            documents: block.documents,
            too_short: block.too_short,
            unreadable: block.unreadable,
            bytes_read: block.bytes_read,
            checksums: parts().map(|part| checksum(part)).collect(),
        };
        if let Err(error) = self.write(block, &record) {
            // The disk may be full. What was written of the block is cut off, so that it can be written again. If even
            // that fails, it is done when the folder is opened next.
            let _ = self.cut_off_unfinished();
            return Err(error);
        }
        self.blocks.push(record);
        Ok(())
    }

    fn write(&mut self, block: &Block, record: &BlockRecord) -> Result<(), Error> {
        for (file, part) in self.columns.iter_mut().zip(std::iter::once(&block.digests).chain(&block.keys)) {
            file.write_all(part)?;
        }
        self.slot_records.write_all(&block.slots)?;
        self.journal.append(&record.to_bytes());
        Ok(self.journal.flush()?)
    }

    fn cut_off_unfinished(&mut self) -> Result<(), Error> {
        let written = self.journal.position() - self.journal.buffered_bytes() as u64;
        self.journal = JournalWriter::open_at(&self.folder.join(BLOCKS), FORMAT, written)?;
        self.cut_columns(self.documents().into())
    }

    fn cut_columns(&self, documents: u64) -> Result<(), Error> {
        for (file, bytes) in self.columns.iter().chain([&self.slot_records]).zip(self.widths()) {
            file.set_len(documents * bytes as u64)?;
        }
        Ok(())
    }

    /// Waits for the disk.
    pub fn sync(&mut self) -> Result<(), Error> {
        for file in self.columns.iter().chain([&self.slot_records]) {
            file.sync_data()?;
        }
        Ok(self.journal.sync()?)
    }

    /// Shows the digest of each document, in order.
    pub fn digests(&self, mut see: impl FnMut(u32, u128)) -> Result<(), Error> {
        let mut document = 0;
        self.read_column(0, DIGEST_BYTES, |bytes| {
            for digest in bytes.as_chunks().0 {
                see(document, u128::from_le_bytes(*digest));
                document += 1;
            }
        })
    }

    /// Shows the key of each document in a column, in order.
    pub fn keys(&self, column: usize, see: impl FnMut(u32, u64)) -> Result<(), Error> {
        self.keys_from(column, 0, see)
    }

    /// Shows the keys of the documents from one on; the blocks before it are not read.
    pub fn keys_from(&self, column: usize, first: u32, mut see: impl FnMut(u32, u64)) -> Result<(), Error> {
        let (mut passed, mut document) = (0, 0);
        for block in &self.blocks {
            if document + block.documents > first {
                break;
            }
            (passed, document) = (passed + 1, document + block.documents);
        }
        self.read_blocks(column + 1, KEY_BYTES, passed, |bytes| {
            for key in bytes.as_chunks().0 {
                if document >= first {
                    see(document, u64::from_le_bytes(*key));
                }
                document += 1;
            }
        })
    }

    fn read_column(&self, column: usize, width: usize, see: impl FnMut(&[u8])) -> Result<(), Error> {
        self.read_blocks(column, width, 0, see)
    }

    /// Shows a column behind the first so many blocks.
    fn read_blocks(
        &self,
        column: usize,
        width: usize,
        passed: usize,
        mut see: impl FnMut(&[u8]),
    ) -> Result<(), Error> {
        let path = column_path(&self.folder, column);
        let mut file = fs::File::open(&path)?;
        let mut bytes = Vec::new();
        let passed_documents: u64 =
            self.blocks[..passed].iter().map(|block| u64::from(block.documents)).sum();
        let mut offset = passed_documents * width as u64;
        file.seek(SeekFrom::Start(offset))?;
        let mut blocks = self.blocks[passed..].iter().peekable();
        while blocks.peek().is_some() {
            // As many blocks as fit, at least one.
            let first = blocks.clone();
            let (mut length, mut count) = (0, 0);
            while let Some(block) =
                blocks.next_if(|block| count == 0 || length + block.documents as usize * width <= READ_BYTES)
            {
                length += block.documents as usize * width;
                count += 1;
            }
            bytes.resize(length, 0);
            let damaged = |what| Error::Damaged { path: path.clone(), offset, what };
            file.read_exact(&mut bytes).map_err(|_| damaged("the end is missing"))?;
            let mut rest = &bytes[..];
            for block in first.take(count) {
                let (part, behind) = rest.split_at(block.documents as usize * width);
                if checksum(part) != block.checksums[column] {
                    return Err(damaged("a checksum is wrong"));
                }
                rest = behind;
            }
            see(&bytes);
            offset += length as u64;
        }
        Ok(())
    }

    /// Something to read slots with. Each thread has its own.
    pub fn slot_reader(&self) -> SlotReader<'_> {
        SlotReader { file: &self.slot_records, record: vec![0; slot_record_bytes(self.slots)] }
    }
}

/// Reads the slots of single documents.
#[derive(Debug)]
pub(crate) struct SlotReader<'a> {
    file: &'a fs::File,
    record: Vec<u8>,
}

impl SlotReader<'_> {
    /// The number of shingles of a document, with repeats, and its slots.
    pub fn read(&mut self, document: u32) -> Result<(u32, &[u8]), Error> {
        let offset = u64::from(document) * self.record.len() as u64;
        self.file.file().read_exact_at(&mut self.record, offset)?;
        let (content, sum) = self.record.split_last_chunk().expect("a record has a checksum");
        if checksum(content) != u32::from_le_bytes(*sum) {
            let path = self.file.path().to_owned();
            return Err(Error::Damaged { path, offset, what: "a checksum is wrong" });
        }
        let (shingles, slots) = content.split_first_chunk().expect("a record has a number of shingles");
        Ok((u32::from_le_bytes(*shingles), slots))
    }
}

/// The bytes of a document in the file of slots.
pub(crate) fn slot_record_bytes(slots: usize) -> usize {
    slots + 8
}

fn column_path(folder: &Path, column: usize) -> PathBuf {
    match column.checked_sub(1) {
        None => folder.join("digests.col"),
        Some(key) => folder.join(format!("keys.{key:03}.col")),
    }
}

fn open_to_append(path: &Path) -> Result<fs::File, Error> {
    Ok(fs::OpenOptions::new().read(true).create(true).append(true).open(path)?)
}

/// Takes away the columns of earlier work, and nothing else that may be in the folder.
fn remove_columns(folder: &Path) -> Result<(), Error> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "col" || extension == "rec") {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}
