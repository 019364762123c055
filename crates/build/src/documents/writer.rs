//! Adding documents.
//!
//! Documents are gathered into blocks, blocks are squeezed by a few threads and written in their order, and nothing counts
//! before the next commit. The first blocks of a store wait until there is enough text to learn from, or until they are
//! committed, and so do those that come when texts are no longer like those from which something was learnt. What is written depends
//! neither on the number of threads nor on the memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fs_err as fs;
use journal::JournalWriter;
use page::PageKey;

use super::catalogue::{Catalogue, Record};
use super::dictionary::{Learnt, Likeness, SAMPLE_BYTES};
use super::document::StoredDocument;
use super::pool::Pool;
use super::raw_block::RawBlock;
use super::reader::DocumentStore;
use super::{BLOCKS, BLOCKS_FILE, DocumentsError, KEYS, KEYS_FILE, MadeFrom, PLACES_FILE};

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
    /// What was learnt last.
    learnt: Option<Arc<Learnt>>,
    likeness: Likeness,
    /// It is time to learn anew.
    is_stale: bool,
    open: RawBlock,
    /// Full blocks from which something is to be learnt.
    waiting: Vec<RawBlock>,
    waiting_bytes: usize,
    pool: Option<Pool>,
    last_key: Option<PageKey>,
    documents: u64,
    covered: u64,
}

/// Removes what a folder has of a store. Without keys there is none, whatever blocks a kill leaves.
pub fn remove_store(dir: &Path) -> Result<(), DocumentsError> {
    for path in [PLACES_FILE, KEYS_FILE, BLOCKS_FILE].map(|name| dir.join(name)) {
        if path.exists() {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

impl DocumentWriter {
    /// Starts an empty store; one that is there is removed. Whoever reads it goes on reading what was there.
    pub fn create(dir: &Path, made_from: &MadeFrom, options: WriterOptions) -> Result<Self, DocumentsError> {
        fs::create_dir_all(dir)?;
        remove_store(dir)?;
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
        match catalogue.dictionaries.len().checked_sub(1) {
            Some(last) => writer.learnt = Some(Arc::new(DocumentStore::open(dir)?.learnt(last)?)),
            None => writer.learn_from_what_is_there()?,
        }
        writer.last_key = catalogue.blocks.iter().next_back().map(|block| block.last_key);
        (writer.documents, writer.covered) = (catalogue.documents, catalogue.covered);
        Ok(writer)
    }

    fn with(dir: &Path, options: WriterOptions, blocks: JournalWriter, keys: JournalWriter) -> Self {
        Self {
            dir: dir.to_owned(),
            options,
            blocks,
            keys,
            learnt: None,
            likeness: Likeness::default(),
            is_stale: false,
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
        if let Some(learnt) = &self.learnt {
            self.is_stale |= self.likeness.is_lost_by(document.text.as_bytes(), learnt);
        }
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
            self.learn()?;
        }
        while self.write_next()? {}
        self.pool = None;
        self.blocks.sync()?;
        self.keys.append(&Record::Commit { covered, documents: self.documents }.encode());
        self.keys.sync()?;
        self.covered = covered;
        Catalogue::keep(&self.dir)
    }

    fn close_block(&mut self) -> Result<(), DocumentsError> {
        let block = std::mem::take(&mut self.open);
        if self.learnt.is_some() && !self.is_stale {
            return self.squeeze(block);
        }
        self.waiting_bytes += block.text_bytes();
        self.waiting.push(block);
        if self.waiting_bytes >= SAMPLE_BYTES { self.learn() } else { Ok(()) }
    }

    /// Learns from what waits, and hands it to be squeezed. From few words nothing is learnt: then what was learnt
    /// before holds on.
    fn learn(&mut self) -> Result<(), DocumentsError> {
        if let Some(learnt) = Learnt::from_blocks(&self.waiting) {
            while self.write_next()? {}
            self.pool = None;
            self.write_dictionary(learnt)?;
        }
        (self.waiting_bytes, self.is_stale, self.likeness) = (0, false, Likeness::default());
        for block in std::mem::take(&mut self.waiting) {
            self.squeeze(block)?;
        }
        Ok(())
    }

    /// A store that has only ever grown by a few documents has learnt nothing, and at some time there is enough to learn from.
    fn learn_from_what_is_there(&mut self) -> Result<(), DocumentsError> {
        let store = DocumentStore::open(&self.dir)?;
        if store.summary().text_bytes < SAMPLE_BYTES as u64 / 2 {
            return Ok(());
        }
        let (mut blocks, mut bytes) = (vec![RawBlock::default()], 0);
        for document in store.read_from(PageKey::START) {
            let document = document?;
            if !blocks[blocks.len() - 1].has_room_for(&document) {
                blocks.push(RawBlock::default());
            }
            bytes += document.text.len();
            let last = blocks.len() - 1;
            blocks[last].push(&document);
            if bytes >= SAMPLE_BYTES {
                break;
            }
        }
        Learnt::from_blocks(&blocks).map_or(Ok(()), |learnt| self.write_dictionary(learnt))
    }

    /// Squeezes with what was learnt from here on.
    fn write_dictionary(&mut self, learnt: Learnt) -> Result<(), DocumentsError> {
        let payload = learnt.encode()?;
        let offset = self.blocks.append(&payload);
        self.keys.append(&Record::Dictionary { offset, bytes: payload.len() as u64 }.encode());
        self.learnt = Some(Arc::new(learnt));
        Ok(())
    }

    fn squeeze(&mut self, block: RawBlock) -> Result<(), DocumentsError> {
        let (threads, learnt) = (self.options.threads, self.learnt.as_ref());
        let pool = self.pool.get_or_insert_with(|| Pool::new(threads, learnt));
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
        let text_bytes = squeezed.raw.text_bytes() as u64;
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
