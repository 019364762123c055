//! Reading documents, by key or one after the other.
//!
//! A store is what was committed when it was opened; a writer may go on meanwhile. It can be shared by threads: blocks are
//! read at their place without moving a cursor, and a few that were read last are kept, for neighbours are often asked for
//! together.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fs_err as fs;
use journal::{JournalReader, Malformed};
use page::PageKey;

use super::block::{Block, BlockDecoder};
use super::catalogue::{BlockPlace, Catalogue, RecordPlace};
use super::dictionary::{Learnt, Unpacking};
use super::document::{DocumentAbout, StoredDocument};
use super::{BLOCKS, BLOCKS_FILE, DocumentsError, MadeFrom};

/// Blocks that are kept take at most so many bytes; a larger one is not kept.
const CACHE_BYTES_MAX: usize = 2 << 20;

/// Readers of blocks that nobody uses now, of a sixth of a megabyte each; more are not kept.
const DECODERS_MAX: usize = 8;

/// Dictionaries that are kept take at most so many bytes, or there is one. Each takes a megabyte at most; a collection of many
/// sites has one for every few of them, and ten results may need ten.
const UNPACKING_BYTES_MAX: usize = 64 << 20;

/// The documents of a collection.
pub struct DocumentStore {
    catalogue: Catalogue,
    path: PathBuf,
    file: fs::File,
    /// What the blocks that were read last were squeezed with, the latest at the end.
    unpacking: Mutex<Vec<KeptUnpacking>>,
    decoders: Mutex<Vec<BlockDecoder>>,
    cache: Mutex<Cache>,
}

/// What a dictionary became.
#[derive(Clone)]
struct KeptUnpacking {
    /// Which dictionary it is.
    number: usize,
    /// How much memory it takes; 0 as long as it is not there.
    bytes: usize,
    /// Whoever makes it holds this, so that nobody else makes it too and others can be made meanwhile.
    made: Arc<Mutex<Option<Arc<Unpacking>>>>,
}

/// What a store is, in numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// What it was made from.
    pub made_from: MadeFrom,
    /// How many documents it holds.
    pub documents: u64,
    /// In how many blocks.
    pub blocks: u64,
    /// The bytes of their texts.
    pub text_bytes: u64,
    /// The bytes of its files.
    pub file_bytes: u64,
    /// The bytes of its dictionaries, which are among those of its files; 0 if there is none.
    pub dictionary_bytes: u64,
    /// Up to which byte of `pages.tbl` it goes.
    pub covered: u64,
}

/// A document of whose text some may be missing at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentBeginning {
    /// The document, its parts told as far as its text goes.
    pub document: StoredDocument,
    /// Whether nothing is missing.
    pub is_whole: bool,
}

impl DocumentStore {
    /// Opens what was committed.
    pub fn open(dir: &Path) -> Result<Self, DocumentsError> {
        let catalogue = Catalogue::open(dir)?;
        let path = dir.join(BLOCKS_FILE);
        if !path.exists() {
            return Err(DocumentsError::Damaged { path, offset: 0, what: "it is missing" });
        }
        JournalReader::open(&path, BLOCKS)?;
        let file = fs::File::open(&path)?;
        let length = file.metadata()?.len();
        if length < catalogue.blocks_end {
            return Err(DocumentsError::Damaged { path, offset: length, what: "the end is missing" });
        }
        let (unpacking, decoders) = (Mutex::default(), Mutex::default());
        Ok(Self { catalogue, path, file, unpacking, decoders, cache: Mutex::default() })
    }

    /// What the documents were made from.
    pub fn made_from(&self) -> &MadeFrom {
        &self.catalogue.made_from
    }

    /// Up to which byte of `pages.tbl` the store goes.
    pub fn covered(&self) -> u64 {
        self.catalogue.covered
    }

    /// How many documents there are.
    pub fn len(&self) -> u64 {
        self.catalogue.documents
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The keys of all documents, in their order; no block is read for them.
    pub fn keys(&self) -> impl Iterator<Item = PageKey> + '_ {
        (0..self.catalogue.blocks.len()).flat_map(|number| self.catalogue.keys_of(number))
    }

    /// The document of a page; `None` if it has none.
    pub fn get(&self, key: PageKey) -> Result<Option<StoredDocument>, DocumentsError> {
        Ok(self.beginning(key, usize::MAX)?.map(|beginning| beginning.document))
    }

    /// The document of a page with at least so many bytes of its text, and with some of its main text, or with all; `None` if
    /// it has none. Of a long one only what is wanted is unpacked.
    pub fn beginning(
        &self,
        key: PageKey,
        text_bytes: usize,
    ) -> Result<Option<DocumentBeginning>, DocumentsError> {
        let Some((number, place)) = self.catalogue.find(key) else { return Ok(None) };
        let block = self.block(number, text_bytes)?;
        let count = self.catalogue.blocks.get(number).count;
        let document = block.document(place, count, key).map_err(|_| self.malformed(number))?;
        let is_whole = block.is_whole();
        let has_main = document.spans.first().is_none_or(|span| !span.range().is_empty());
        match is_whole || has_main {
            true => Ok(Some(DocumentBeginning { document, is_whole })),
            false => self.beginning(key, usize::MAX),
        }
    }

    /// The title of the document of a page; `None` if it has none. No text is unpacked.
    pub fn title(&self, key: PageKey) -> Result<Option<String>, DocumentsError> {
        let Some((number, place)) = self.catalogue.find(key) else { return Ok(None) };
        let at = self.catalogue.blocks.get(number).place;
        let payload = journal::read_record_at(&self.file, at.offset, at.bytes)?;
        let unpacking = self.unpacking(number)?;
        let mut decoder = self.decoder();
        let title = decoder.decode_title(&payload, place, unpacking.as_deref());
        self.keep_decoder(decoder);
        title.map(Some).map_err(|_| self.malformed(number))
    }

    /// A block with so many bytes of a long text: one that is kept, or else it is read.
    fn block(&self, number: usize, text_bytes: usize) -> Result<Arc<Block>, DocumentsError> {
        let kept = lock(&self.cache).get(number);
        if let Some(block) = kept.filter(|block| block.has(text_bytes)) {
            return Ok(block);
        }
        let mut decoder = self.decoder();
        let unpacking = self.unpacking(number)?;
        let block = self.read_block(number, &mut decoder, unpacking, text_bytes);
        self.keep_decoder(decoder);
        let block = Arc::new(block?);
        lock(&self.cache).keep(number, &block);
        Ok(block)
    }

    /// Gives the documents whose keys are in a range, in their order. Several threads may each read a part.
    pub fn read(&self, keys: Range<PageKey>) -> DocumentScan<'_> {
        let blocks = &self.catalogue.blocks;
        let first = self.catalogue.block_at_or_before(keys.start).unwrap_or(0);
        let end = blocks.partition_point(|block| block.first_key < keys.end);
        let (decoder, at_hand, ready) = (BlockDecoder::new(), AtHand::default(), Vec::new().into_iter());
        DocumentScan { store: self, decoder, at_hand, keys, blocks: first..end, ready }
    }

    /// Gives the documents from a key on.
    pub fn read_from(&self, key: PageKey) -> DocumentScan<'_> {
        self.read(key..PageKey::END)
    }

    /// Shows what each document says of itself, in the order of the keys. Texts are not read.
    pub fn for_each_about(&self, mut see: impl FnMut(DocumentAbout)) -> Result<(), DocumentsError> {
        let (mut decoder, mut at_hand) = (BlockDecoder::new(), AtHand::default());
        for (number, block) in self.catalogue.blocks.iter().enumerate() {
            let payload = journal::read_record_at(&self.file, block.place.offset, block.place.bytes)?;
            let (keys, unpacking) = (self.catalogue.keys_of(number), at_hand.unpacking(self, number)?);
            let abouts = decoder.decode_abouts(&payload, keys, unpacking.as_deref());
            abouts.map_err(|_| self.malformed(number))?.into_iter().for_each(&mut see);
        }
        Ok(())
    }

    /// Divides the documents from a key on into at most `count` parts of about equal texts, none of them empty.
    pub fn parts(&self, from: PageKey, count: usize) -> Vec<Range<PageKey>> {
        let first = self.catalogue.block_at_or_before(from).unwrap_or(0);
        let blocks: Vec<BlockPlace> = self.catalogue.blocks.iter().skip(first).collect();
        let total: u64 = blocks.iter().map(|block| block.text_bytes + 1).sum();
        let share = total.div_ceil(count.max(1) as u64).max(1);
        let (mut parts, mut start, mut bytes) = (Vec::new(), from, 0);
        for (place, block) in blocks.iter().enumerate() {
            bytes += block.text_bytes + 1;
            let next = blocks.get(place + 1).map_or(PageKey::END, |next| next.first_key);
            if (bytes >= share && next > start) || next == PageKey::END {
                parts.push(start..next);
                (start, bytes) = (next, 0);
            }
        }
        parts
    }

    /// Tells what the store is, without reading its blocks.
    pub fn summary(&self) -> Summary {
        let blocks = &self.catalogue.blocks;
        Summary {
            made_from: self.catalogue.made_from.clone(),
            documents: self.len(),
            blocks: blocks.len() as u64,
            text_bytes: blocks.iter().map(|block| block.text_bytes).sum(),
            file_bytes: self.catalogue.blocks_end + self.catalogue.end,
            dictionary_bytes: self.catalogue.dictionaries.iter().map(|place| place.bytes as u64).sum(),
            covered: self.covered(),
        }
    }

    /// Compares the checksums of all blocks and of the log of their keys, without decoding the blocks.
    pub fn check_bytes(&self) -> Result<(), DocumentsError> {
        Catalogue::read(self.path.parent().unwrap_or(Path::new("")))?;
        let mut blocks = JournalReader::open(&self.path, BLOCKS)?;
        while blocks.position() < self.catalogue.blocks_end && blocks.next_record()?.is_some() {}
        Ok(())
    }

    /// Reads everything and compares all checksums, lengths and numbers.
    pub fn check(&self) -> Result<Summary, DocumentsError> {
        Catalogue::read(self.path.parent().unwrap_or(Path::new("")))?;
        (0..self.catalogue.dictionaries.len()).try_for_each(|number| self.learnt(number).map(drop))?;
        let (mut decoder, mut at_hand) = (BlockDecoder::new(), AtHand::default());
        for (number, place) in self.catalogue.blocks.iter().enumerate() {
            let documents = self.block_documents(number, &mut decoder, &mut at_hand)?;
            let text_bytes: usize = documents.iter().map(|document| document.text.len()).sum();
            if text_bytes as u64 != place.text_bytes {
                return Err(self.malformed(number));
            }
        }
        Ok(self.summary())
    }

    fn block_documents(
        &self,
        number: usize,
        decoder: &mut BlockDecoder,
        at_hand: &mut AtHand,
    ) -> Result<Vec<StoredDocument>, DocumentsError> {
        let block = self.read_block(number, decoder, at_hand.unpacking(self, number)?, usize::MAX)?;
        let keys: Vec<PageKey> = self.catalogue.keys_of(number).collect();
        block.documents(&keys).map_err(|_| self.malformed(number))
    }

    fn read_block(
        &self,
        number: usize,
        decoder: &mut BlockDecoder,
        unpacking: Option<Arc<Unpacking>>,
        text_bytes: usize,
    ) -> Result<Block, DocumentsError> {
        let place = self.catalogue.blocks.get(number);
        let payload = journal::read_record_at(&self.file, place.place.offset, place.place.bytes)?;
        let block = decoder.decode(&payload, place.count, unpacking, text_bytes);
        block.map_err(|_| self.malformed(number))
    }

    /// What blocks were squeezed with that name the dictionary of this number.
    pub(super) fn learnt(&self, number: usize) -> Result<Learnt, DocumentsError> {
        self.dictionary(number, Learnt::decode)
    }

    fn dictionary<T>(
        &self,
        number: usize,
        decode: fn(&[u8]) -> Result<T, Malformed>,
    ) -> Result<T, DocumentsError> {
        let damaged = |offset, what| DocumentsError::Damaged { path: self.path.clone(), offset, what };
        let place = self.catalogue.dictionaries.get(number).copied();
        let RecordPlace { offset, bytes } = place.ok_or_else(|| damaged(0, "a dictionary is missing"))?;
        let payload = journal::read_record_at(&self.file, offset, bytes)?;
        decode(&payload).map_err(|_| damaged(offset, "a dictionary cannot be read"))
    }

    /// What unpacks a block; `None` if it was squeezed with nothing.
    fn unpacking(&self, block: usize) -> Result<Option<Arc<Unpacking>>, DocumentsError> {
        let Some(number) = self.catalogue.blocks.get(block).dictionary else { return Ok(None) };
        let kept = self.kept_unpacking(number);
        let mut made = lock(&kept.made);
        if made.is_none() {
            let unpacking = Arc::new(self.dictionary(number, Unpacking::decode)?);
            self.note_unpacking(number, unpacking.bytes());
            *made = Some(unpacking);
        }
        Ok(made.clone())
    }

    /// The place of a dictionary among those that are kept.
    fn kept_unpacking(&self, number: usize) -> KeptUnpacking {
        let mut kept = lock(&self.unpacking);
        match kept.iter().position(|kept| kept.number == number) {
            Some(place) => kept[place..].rotate_left(1),
            None => kept.push(KeptUnpacking { number, bytes: 0, made: Arc::default() }),
        }
        kept[kept.len() - 1].clone()
    }

    /// Notes how much memory a dictionary takes; those that were asked for longest ago go if it is too much together.
    fn note_unpacking(&self, number: usize, bytes: usize) {
        let mut kept = lock(&self.unpacking);
        kept.iter_mut().filter(|kept| kept.number == number).for_each(|kept| kept.bytes = bytes);
        let mut all: usize = kept.iter().map(|kept| kept.bytes).sum();
        while all > UNPACKING_BYTES_MAX && kept.len() > 1 {
            all -= kept.remove(0).bytes;
        }
    }

    /// Lets go of what is kept for those who ask again.
    pub fn let_go(&self) {
        lock(&self.unpacking).clear();
        lock(&self.decoders).clear();
        *lock(&self.cache) = Cache::default();
    }

    fn decoder(&self) -> BlockDecoder {
        lock(&self.decoders).pop().unwrap_or_else(BlockDecoder::new)
    }

    /// Keeps what is dear to make for the next who asks.
    fn keep_decoder(&self, decoder: BlockDecoder) {
        let mut kept = lock(&self.decoders);
        if kept.len() < DECODERS_MAX {
            kept.push(decoder);
        }
    }

    fn malformed(&self, number: usize) -> DocumentsError {
        let offset = self.catalogue.blocks.get(number).place.offset;
        DocumentsError::Damaged { path: self.path.clone(), offset, what: "a block cannot be read" }
    }
}

impl std::fmt::Debug for DocumentStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DocumentStore").field("summary", &self.summary()).finish_non_exhaustive()
    }
}

/// What was locked is whole even if somebody who held it died: values are put in and taken out, nothing else.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A block and its number.
struct KeptBlock {
    number: usize,
    block: Arc<Block>,
}

/// The blocks that were read last, the latest at the end.
#[derive(Default)]
struct Cache {
    blocks: Vec<KeptBlock>,
    bytes: usize,
}

impl Cache {
    fn get(&mut self, number: usize) -> Option<Arc<Block>> {
        let place = self.blocks.iter().position(|kept| kept.number == number)?;
        self.blocks[place..].rotate_left(1);
        self.blocks.last().map(|kept| kept.block.clone())
    }

    /// Keeps a block in the place of the one that was there, which may have less of a long text.
    fn keep(&mut self, number: usize, block: &Arc<Block>) {
        if block.bytes() > CACHE_BYTES_MAX {
            return;
        }
        if let Some(place) = self.blocks.iter().position(|kept| kept.number == number) {
            self.bytes -= self.blocks.remove(place).block.bytes();
        }
        self.bytes += block.bytes();
        self.blocks.push(KeptBlock { number, block: block.clone() });
        while self.bytes > CACHE_BYTES_MAX {
            let oldest = self.blocks.remove(0);
            self.bytes -= oldest.block.bytes();
        }
    }
}

/// The dictionary of the block that is read, for whoever reads one block after the other: it is not kept when those are behind
/// that were squeezed with it, for nobody comes back to them.
#[derive(Default)]
struct AtHand(Option<(usize, Arc<Unpacking>)>);

impl AtHand {
    /// What unpacks a block; `None` if it was squeezed with nothing.
    fn unpacking(
        &mut self,
        store: &DocumentStore,
        block: usize,
    ) -> Result<Option<Arc<Unpacking>>, DocumentsError> {
        let wanted = store.catalogue.blocks.get(block).dictionary;
        if self.0.as_ref().map(|(number, _)| *number) != wanted {
            // Not two of them at a time.
            self.0 = None;
            if let Some(number) = wanted {
                self.0 = Some((number, Arc::new(store.dictionary(number, Unpacking::decode)?)));
            }
        }
        Ok(self.0.as_ref().map(|(_, unpacking)| unpacking.clone()))
    }
}

/// Documents one after the other; see [`DocumentStore::read`].
pub struct DocumentScan<'a> {
    store: &'a DocumentStore,
    decoder: BlockDecoder,
    at_hand: AtHand,
    keys: Range<PageKey>,
    blocks: Range<usize>,
    ready: std::vec::IntoIter<StoredDocument>,
}

impl DocumentScan<'_> {
    fn next_block(&mut self, number: usize) -> Result<(), DocumentsError> {
        let documents = self.store.block_documents(number, &mut self.decoder, &mut self.at_hand)?;
        self.ready = documents.into_iter();
        Ok(())
    }
}

impl Iterator for DocumentScan<'_> {
    type Item = Result<StoredDocument, DocumentsError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (store, keys) = (self.store, self.keys.clone());
            if let Some(document) = self.ready.find(|document| keys.contains(&document.key)) {
                return Some(Ok(document));
            }
            let number = self.blocks.next()?;
            if store.catalogue.blocks.get(number).last_key < keys.start {
                continue;
            }
            if let Err(error) = self.next_block(number) {
                self.blocks = 0..0;
                return Some(Err(error));
            }
        }
    }
}

impl std::fmt::Debug for DocumentScan<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DocumentScan").field("keys", &self.keys).finish_non_exhaustive()
    }
}
