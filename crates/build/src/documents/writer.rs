//! Adding documents.
//!
//! Documents are gathered into blocks, blocks are squeezed by a few threads and written in their order, and nothing counts
//! before the next commit. The first blocks of a store wait until there is enough text to learn a dictionary from, or until
//! they are committed. What is written does not depend on the number of threads.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fs_err as fs;
use journal::JournalWriter;
use page::PageKey;

use super::block::RawBlock;
use super::catalogue::{Catalogue, Record};
use super::dictionary::Sample;
use super::document::StoredDocument;
use super::pool::Pool;
use super::reader::DocumentStore;
use super::{BLOCKS, BLOCKS_FILE, DocumentsError, KEYS, KEYS_FILE, MadeFrom, dictionary, reader};

/// So much is handed to the system at once.
const FLUSH_BYTES: usize = 1 << 20;

/// How a writer works.
#[derive(Debug, Clone, Copy)]
pub struct WriterOptions {
    /// How many threads squeeze blocks.
    pub threads: usize,
    /// How many bytes of documents may wait in memory to be squeezed; one document more may.
    pub memory_bytes_max: usize,
}

impl Default for WriterOptions {
    fn default() -> Self {
        Self { threads: 1, memory_bytes_max: 16 << 20 }
    }
}

/// The end of a store, where documents are added. The collection is locked by whoever holds one.
pub struct DocumentWriter {
    dir: PathBuf,
    options: WriterOptions,
    blocks: JournalWriter,
    keys: JournalWriter,
    /// None until it is learnt; empty when it is known that there is none.
    dictionary: Option<Arc<[u8]>>,
    open: RawBlock,
    /// Full blocks that wait for a dictionary.
    waiting: Vec<RawBlock>,
    waiting_bytes: usize,
    pool: Option<Pool>,
    last_key: Option<PageKey>,
    documents: u64,
    covered: u64,
}

impl DocumentWriter {
    /// Starts an empty store; one that is there is removed. Whoever reads it goes on reading what was there.
    pub fn create(dir: &Path, made_from: &MadeFrom, options: WriterOptions) -> Result<Self, DocumentsError> {
        fs::create_dir_all(dir)?;
        // Without keys there is no store, whatever blocks are left.
        for name in [KEYS_FILE, BLOCKS_FILE] {
            let path = dir.join(name);
            if path.exists() {
                fs::remove_file(&path)?;
            }
        }
        let blocks = JournalWriter::create(&dir.join(BLOCKS_FILE), BLOCKS)?;
        let mut keys = JournalWriter::create(&dir.join(KEYS_FILE), KEYS)?;
        keys.append(&Record::MadeFrom(made_from).encode());
        let mut writer = Self::with(dir, options, blocks, keys);
        writer.commit(0)?;
        journal::sync_folder(dir)?;
        Ok(writer)
    }

    /// Opens a store to add to it; what was not committed is cut off. One that was made from something else is refused.
    pub fn open(dir: &Path, made_from: &MadeFrom, options: WriterOptions) -> Result<Self, DocumentsError> {
        let catalogue = Catalogue::read(dir)?;
        if catalogue.made_from != *made_from {
            return Err(DocumentsError::OtherSource(dir.to_owned()));
        }
        let blocks = JournalWriter::open_at(&dir.join(BLOCKS_FILE), BLOCKS, catalogue.blocks_end)?;
        let keys = JournalWriter::open_at(&dir.join(KEYS_FILE), KEYS, catalogue.end)?;
        let mut writer = Self::with(dir, options, blocks, keys);
        match catalogue.dictionary {
            Some(place) => writer.dictionary = Some(reader::read_dictionary(dir, place)?.into()),
            None => writer.learn_from_what_is_there()?,
        }
        writer.last_key = catalogue.blocks.last().map(|block| block.last_key);
        (writer.documents, writer.covered) = (catalogue.documents, catalogue.covered);
        Ok(writer)
    }

    fn with(dir: &Path, options: WriterOptions, blocks: JournalWriter, keys: JournalWriter) -> Self {
        Self {
            dir: dir.to_owned(),
            options,
            blocks,
            keys,
            dictionary: None,
            open: RawBlock::default(),
            waiting: Vec::new(),
            waiting_bytes: 0,
            pool: None,
            last_key: None,
            documents: 0,
            covered: 0,
        }
    }

    /// Up to which byte of `pages.tbl` the store goes, as the last commit said.
    pub fn covered(&self) -> u64 {
        self.covered
    }

    /// How many documents there are, those included that were not committed yet.
    pub fn len(&self) -> u64 {
        self.documents
    }

    /// Is there no document at all?
    pub fn is_empty(&self) -> bool {
        self.documents == 0
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Adds a document, whose key is greater than that of any before.
    pub fn append(&mut self, document: &StoredDocument) -> Result<(), DocumentsError> {
        assert!(
            self.last_key.is_none_or(|last| last < document.key),
            "documents come in the order of their keys: {} behind {:?}",
            document.key,
            self.last_key
        );
        if !self.open.is_empty() && !self.open.has_room_for(document) {
            self.close_block()?;
        }
        self.open.push(document);
        self.last_key = Some(document.key);
        self.documents += 1;
        Ok(())
    }

    /// Makes everything real that was added: it survives the end of the machine. `covered` is up to which byte of
    /// `pages.tbl` pages were read.
    pub fn commit(&mut self, covered: u64) -> Result<(), DocumentsError> {
        if !self.open.is_empty() {
            self.close_block()?;
        }
        if !self.waiting.is_empty() {
            self.settle_dictionary()?;
        }
        while self.write_next()? {}
        // Few words are no reason to do without a dictionary for good.
        self.pool = None;
        self.dictionary = self.dictionary.take().filter(|dictionary| !dictionary.is_empty());
        self.blocks.sync()?;
        self.keys.append(&Record::Commit { covered, documents: self.documents }.encode());
        self.keys.sync()?;
        self.covered = covered;
        Ok(())
    }

    fn close_block(&mut self) -> Result<(), DocumentsError> {
        let block = std::mem::take(&mut self.open);
        if self.dictionary.is_some() {
            return self.squeeze(block);
        }
        self.waiting_bytes += block.bytes();
        self.waiting.push(block);
        if self.waiting_bytes >= dictionary::SAMPLE_BYTES.min(self.options.memory_bytes_max) {
            self.settle_dictionary()?;
        }
        Ok(())
    }

    /// Learns a dictionary from what waits, and hands it to be squeezed.
    fn settle_dictionary(&mut self) -> Result<(), DocumentsError> {
        if self.dictionary.is_none() {
            let mut sample = Sample::default();
            self.waiting.iter().for_each(|block| sample.add_block(block));
            self.write_dictionary(sample.train().unwrap_or_default());
        }
        self.waiting_bytes = 0;
        for block in std::mem::take(&mut self.waiting) {
            self.squeeze(block)?;
        }
        Ok(())
    }

    /// A store that has only ever grown by a few documents has no dictionary, and at some time enough to learn one from.
    fn learn_from_what_is_there(&mut self) -> Result<(), DocumentsError> {
        let store = DocumentStore::open(&self.dir)?;
        if store.summary().text_bytes < dictionary::SAMPLE_BYTES as u64 {
            return Ok(());
        }
        let mut sample = Sample::default();
        for document in store.read_from(PageKey::START) {
            sample.add(document?.text.as_bytes());
            if sample.is_full() {
                break;
            }
        }
        if let Some(dictionary) = sample.train() {
            self.write_dictionary(dictionary);
        }
        Ok(())
    }

    /// Squeezes with a dictionary from here on; an empty one is none.
    fn write_dictionary(&mut self, dictionary: Vec<u8>) {
        if !dictionary.is_empty() {
            let offset = self.blocks.append(&dictionary);
            let record = Record::Dictionary { offset, bytes: dictionary.len() as u64 };
            self.keys.append(&record.encode());
        }
        self.dictionary = Some(dictionary.into());
    }

    fn squeeze(&mut self, block: RawBlock) -> Result<(), DocumentsError> {
        let (threads, dictionary) = (self.options.threads, self.dictionary.clone().unwrap_or_default());
        let pool = self.pool.get_or_insert_with(|| Pool::new(threads, &dictionary));
        pool.give(block);
        while self.pool.as_ref().is_some_and(|pool| pool.bytes() > self.options.memory_bytes_max) {
            self.write_next()?;
        }
        Ok(())
    }

    /// Writes the next block, waiting for it; `false` if there is none.
    fn write_next(&mut self) -> Result<bool, DocumentsError> {
        let Some(answer) = self.pool.as_mut().and_then(Pool::take) else { return Ok(false) };
        let squeezed = answer?;
        let offset = self.blocks.append(&squeezed.payload);
        let bytes = squeezed.payload.len() as u64;
        let text_bytes = squeezed.raw.texts.len() as u64;
        self.keys.append(&Record::Block { offset, bytes, text_bytes, keys: &squeezed.raw.keys }.encode());
        if self.blocks.buffered_bytes() > FLUSH_BYTES {
            self.blocks.flush()?;
        }
        Ok(true)
    }
}

impl std::fmt::Debug for DocumentWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DocumentWriter").field("dir", &self.dir).field("documents", &self.documents).finish()
    }
}
