//! Some documents in a row, before and after they are squeezed.

use std::io;

use journal::{FieldReader, FieldWriter, Malformed};
use page::PageKey;
use zstd::bulk::{Compressor, Decompressor};

use super::document::{DocumentAbout, StoredDocument};

/// Texts and all else of a block have about so many bytes. A document that is larger has a block of its own.
pub(super) const BLOCK_BYTES: usize = 32 << 10;

/// Documents without text are many to a block, but not without end.
const BLOCK_DOCUMENTS_MAX: usize = 512;

const TEXT_LEVEL: i32 = 6;
const META_LEVEL: i32 = 3;

/// No block is larger, so that a damaged number does not ask for all memory.
const RAW_BYTES_MAX: usize = 128 << 20;

/// Documents that wait to be squeezed together.
#[derive(Debug, Default)]
pub(super) struct RawBlock {
    pub(super) keys: Vec<PageKey>,
    pub(super) texts: Vec<u8>,
    /// Where each text ends.
    pub(super) text_ends: Vec<usize>,
    meta: FieldWriter,
}

impl RawBlock {
    pub(super) fn push(&mut self, document: &StoredDocument) {
        self.keys.push(document.key);
        self.texts.extend_from_slice(document.text.as_bytes());
        self.text_ends.push(self.texts.len());
        document.encode_meta(&mut self.meta);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// How much memory it takes, about.
    pub(super) fn bytes(&self) -> usize {
        self.texts.len() + self.meta.as_bytes().len()
    }

    /// Is there room for one more?
    pub(super) fn has_room_for(&self, document: &StoredDocument) -> bool {
        self.keys.len() < BLOCK_DOCUMENTS_MAX && self.bytes() + document.text.len() <= BLOCK_BYTES
    }
}

/// Squeezes blocks, one after the other.
pub(super) struct BlockEncoder {
    texts: Compressor<'static>,
    meta: Compressor<'static>,
}

impl BlockEncoder {
    /// An empty dictionary is none.
    pub(super) fn new(dictionary: &[u8]) -> io::Result<Self> {
        let texts = Compressor::with_dictionary(TEXT_LEVEL, dictionary)?;
        Ok(Self { texts, meta: Compressor::new(META_LEVEL)? })
    }

    pub(super) fn encode(&mut self, block: &RawBlock) -> io::Result<Vec<u8>> {
        let meta = self.meta.compress(block.meta.as_bytes())?;
        let texts = self.texts.compress(&block.texts)?;
        let mut fields = FieldWriter::new();
        fields.number(block.keys.len() as u64);
        fields.number(block.meta.as_bytes().len() as u64).number(block.texts.len() as u64);
        fields.bytes(&meta).bytes(&texts);
        Ok(fields.into_bytes())
    }
}

/// A block as it can be read: documents are made of it one at a time.
#[derive(Debug)]
pub(super) struct Block {
    meta: Vec<u8>,
    texts: String,
}

impl Block {
    pub(super) fn bytes(&self) -> usize {
        self.meta.len() + self.texts.len()
    }

    /// Makes the documents of these keys, which are those of the block, from the first on.
    pub(super) fn documents(&self, keys: &[PageKey]) -> Result<Vec<StoredDocument>, Malformed> {
        let (mut fields, mut texts) = (FieldReader::new(&self.meta), self.texts.as_str());
        keys.iter().map(|key| StoredDocument::decode(*key, &mut fields, &mut texts)).collect()
    }

    /// Makes the document at `place` alone.
    pub(super) fn document(&self, place: usize, key: PageKey) -> Result<StoredDocument, Malformed> {
        let (mut fields, mut texts) = (FieldReader::new(&self.meta), self.texts.as_str());
        for _ in 0..place {
            StoredDocument::skip(&mut fields, &mut texts)?;
        }
        StoredDocument::decode(key, &mut fields, &mut texts)
    }
}

/// Reads blocks, one after the other.
pub(super) struct BlockDecoder {
    texts: Decompressor<'static>,
    meta: Decompressor<'static>,
}

impl BlockDecoder {
    pub(super) fn new(dictionary: &[u8]) -> io::Result<Self> {
        Ok(Self { texts: Decompressor::with_dictionary(dictionary)?, meta: Decompressor::new()? })
    }

    /// Reads a block whose checksum was right, and which has `count` documents.
    pub(super) fn decode(&mut self, payload: &[u8], count: usize) -> Result<Block, Malformed> {
        let mut fields = FieldReader::new(payload);
        let is_count = fields.number()? == count as u64;
        let (meta_bytes, text_bytes) = (fields.small::<usize>()?, fields.small::<usize>()?);
        if !is_count || meta_bytes.max(text_bytes) > RAW_BYTES_MAX {
            return Err(Malformed);
        }
        let meta = unpacked(&mut self.meta, fields.bytes()?, meta_bytes)?;
        let texts = unpacked(&mut self.texts, fields.bytes()?, text_bytes)?;
        let texts = String::from_utf8(texts).map_err(|_| Malformed)?;
        Ok(Block { meta, texts })
    }

    /// Reads what the documents of these keys, which are all of the block, say of themselves; the texts stay packed.
    pub(super) fn decode_abouts(
        &mut self,
        payload: &[u8],
        keys: impl Iterator<Item = PageKey>,
    ) -> Result<Vec<DocumentAbout>, Malformed> {
        let mut fields = FieldReader::new(payload);
        let (_count, meta_bytes, _text_bytes) =
            (fields.number()?, fields.small::<usize>()?, fields.number()?);
        if meta_bytes > RAW_BYTES_MAX {
            return Err(Malformed);
        }
        let meta = unpacked(&mut self.meta, fields.bytes()?, meta_bytes)?;
        let mut fields = FieldReader::new(&meta);
        keys.map(|key| DocumentAbout::decode(key, &mut fields)).collect()
    }
}

fn unpacked(decompressor: &mut Decompressor<'_>, frame: &[u8], bytes: usize) -> Result<Vec<u8>, Malformed> {
    let unpacked = decompressor.decompress(frame, bytes).map_err(|_| Malformed)?;
    if unpacked.len() == bytes { Ok(unpacked) } else { Err(Malformed) }
}
