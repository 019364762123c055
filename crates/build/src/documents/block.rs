//! Some documents in a row, squeezed and read again.

use std::io;
use std::sync::Arc;

use journal::{FieldReader, FieldWriter, Malformed};
use page::PageKey;
use zstd::bulk::Compressor;
use zstd::zstd_safe::{DCtx, DDict};

use super::dictionary::{Learnt, Unpacking};
use super::document::{DocumentAbout, StoredDocument};
use super::raw_block::RawBlock;
use super::words::WordCode;

const LEVEL: i32 = 6;

/// No block is larger, so that a damaged number does not ask for all memory.
const RAW_BYTES_MAX: usize = 128 << 20;

/// Squeezes blocks, one after the other.
pub(super) struct BlockEncoder {
    learnt: Option<Arc<Learnt>>,
    texts: Compressor<'static>,
    spans: Compressor<'static>,
    abouts: Compressor<'static>,
}

impl BlockEncoder {
    pub(super) fn new(learnt: Option<Arc<Learnt>>) -> io::Result<Self> {
        // Empty ones are none.
        let dictionaries =
            learnt.as_deref().map_or([&[][..]; 3], |learnt| [&learnt.texts, &learnt.spans, &learnt.abouts]);
        let [texts, spans, abouts] = dictionaries;
        let compressor = |dictionary| Compressor::with_dictionary(LEVEL, dictionary);
        let (texts, spans, abouts) = (compressor(texts)?, compressor(spans)?, compressor(abouts)?);
        Ok(Self { learnt, texts, spans, abouts })
    }

    pub(super) fn encode(&mut self, block: &RawBlock) -> io::Result<Vec<u8>> {
        let (mut texts, mut spans) = (Vec::with_capacity(block.text_bytes()), FieldWriter::new());
        for text in block.texts() {
            let before = texts.len();
            match &self.learnt {
                Some(learnt) => learnt.words.encode(text, &mut texts),
                None => texts.extend_from_slice(text),
            }
            spans.number((texts.len() - before) as u64);
        }
        spans.fixed(block.spans());
        let mut fields = FieldWriter::new();
        fields.number(block.keys.len() as u64);
        let frames = [
            (&mut self.abouts, block.abouts()),
            (&mut self.spans, spans.as_bytes()),
            (&mut self.texts, &texts),
        ];
        for (compressor, raw) in frames {
            fields.number(raw.len() as u64).bytes(&compressor.compress(raw)?);
        }
        Ok(fields.into_bytes())
    }
}

/// A block as it can be read: documents are made of it one at a time.
pub(super) struct Block {
    unpacking: Option<Arc<Unpacking>>,
    abouts: Vec<u8>,
    spans: Vec<u8>,
    texts: Vec<u8>,
}

impl Block {
    pub(super) fn bytes(&self) -> usize {
        self.abouts.len() + self.spans.len() + self.texts.len()
    }

    /// Makes the documents of these keys, which are all of the block.
    pub(super) fn documents(&self, keys: &[PageKey]) -> Result<Vec<StoredDocument>, Malformed> {
        let mut parts = self.parts(keys.len())?;
        keys.iter().map(|key| parts.next(*key)).collect()
    }

    /// Makes the document at `place` of `count` alone.
    pub(super) fn document(
        &self,
        place: usize,
        count: usize,
        key: PageKey,
    ) -> Result<StoredDocument, Malformed> {
        let mut parts = self.parts(count)?;
        (0..place).try_for_each(|_| parts.skip())?;
        parts.next(key)
    }

    fn parts(&self, count: usize) -> Result<Parts<'_>, Malformed> {
        let lengths = FieldReader::new(&self.spans);
        let mut spans = lengths.clone();
        (0..count).try_for_each(|_| spans.number().map(drop))?;
        let words = self.unpacking.as_ref().map(|unpacking| &unpacking.words);
        Ok(Parts { words, abouts: FieldReader::new(&self.abouts), lengths, spans, texts: &self.texts })
    }
}

/// What is left of a block, of each kind of bytes.
struct Parts<'b> {
    words: Option<&'b WordCode>,
    abouts: FieldReader<'b>,
    /// How many bytes of the texts each document has.
    lengths: FieldReader<'b>,
    spans: FieldReader<'b>,
    texts: &'b [u8],
}

impl<'b> Parts<'b> {
    /// Steps over a document without making it.
    fn skip(&mut self) -> Result<(), Malformed> {
        self.coded()?;
        self.spans.bytes()?;
        StoredDocument::skip_about(&mut self.abouts)
    }

    fn next(&mut self, key: PageKey) -> Result<StoredDocument, Malformed> {
        let coded = self.coded()?;
        let mut text = Vec::with_capacity(2 * coded.len());
        match self.words {
            Some(words) => words.decode(coded, &mut text)?,
            None => text.extend_from_slice(coded),
        }
        let text = String::from_utf8(text).map_err(|_| Malformed)?;
        StoredDocument::decode(key, &mut self.abouts, self.spans.bytes()?, text)
    }

    /// The bytes of the next text.
    fn coded(&mut self) -> Result<&'b [u8], Malformed> {
        let (coded, rest) = self.texts.split_at_checked(self.lengths.small()?).ok_or(Malformed)?;
        self.texts = rest;
        Ok(coded)
    }
}

/// Reads blocks, one after the other, whatever they were squeezed with.
pub(super) struct BlockDecoder(DCtx<'static>);

impl BlockDecoder {
    pub(super) fn new() -> Self {
        Self(DCtx::create())
    }

    /// Reads a block whose checksum was right, and which has `count` documents.
    pub(super) fn decode(
        &mut self,
        payload: &[u8],
        count: usize,
        unpacking: Option<Arc<Unpacking>>,
    ) -> Result<Block, Malformed> {
        let mut fields = FieldReader::new(payload);
        if fields.number()? != count as u64 {
            return Err(Malformed);
        }
        let of = unpacking.as_deref();
        let abouts = self.unpacked(&mut fields, of.map(|unpacking| &unpacking.abouts))?;
        let spans = self.unpacked(&mut fields, of.map(|unpacking| &unpacking.spans))?;
        let texts = self.unpacked(&mut fields, of.map(|unpacking| &unpacking.texts))?;
        Ok(Block { unpacking, abouts, spans, texts })
    }

    /// Reads what the documents of these keys, which are all of the block, say of themselves; all else stays packed.
    pub(super) fn decode_abouts(
        &mut self,
        payload: &[u8],
        keys: impl Iterator<Item = PageKey>,
        unpacking: Option<&Unpacking>,
    ) -> Result<Vec<DocumentAbout>, Malformed> {
        let mut fields = FieldReader::new(payload);
        fields.number()?;
        let abouts = self.unpacked(&mut fields, unpacking.map(|unpacking| &unpacking.abouts))?;
        let mut fields = FieldReader::new(&abouts);
        keys.map(|key| DocumentAbout::decode(key, &mut fields)).collect()
    }

    /// Reads the next frame, and how many bytes it has.
    fn unpacked(
        &mut self,
        fields: &mut FieldReader<'_>,
        dictionary: Option<&DDict<'_>>,
    ) -> Result<Vec<u8>, Malformed> {
        let bytes =
            Some(fields.small::<usize>()?).filter(|bytes| *bytes <= RAW_BYTES_MAX).ok_or(Malformed)?;
        let (mut raw, frame) = (Vec::with_capacity(bytes), fields.bytes()?);
        let unpacked = match dictionary {
            Some(dictionary) => self.0.decompress_using_ddict(&mut raw, frame, dictionary),
            None => self.0.decompress(&mut raw, frame),
        };
        if unpacked.is_ok() && raw.len() == bytes { Ok(raw) } else { Err(Malformed) }
    }
}
