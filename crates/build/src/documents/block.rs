//! Some documents in a row, squeezed and read again.

use std::io;
use std::sync::Arc;

use journal::{FieldReader, FieldWriter, Malformed};
use page::PageKey;
use zstd::zstd_safe::{self, CCtx, CDict, DCtx, DDict};

use super::dictionary::{Learnt, Unpacking};
use super::document::{DocumentAbout, StoredDocument};
use super::raw_block::RawBlock;
use super::words::WordCode;

const LEVEL: i32 = 6;

/// Of a long text the first part has at most so many bytes, enough for most who want to see how it answers a query.
const HEAD_BYTES: usize = 64 << 10;

/// And each part behind it so many.
const TAIL_BYTES: usize = 256 << 10;

/// A part may be so much shorter.
const CHARACTER_BYTES_MAX: usize = 4;

/// No block is larger, so that a damaged number does not ask for all memory.
const RAW_BYTES_MAX: usize = 128 << 20;

/// What is learnt, made ready to squeeze blocks with it. It takes several megabytes, and threads share it.
pub(super) struct Squeezing {
    learnt: Option<Arc<Learnt>>,
    texts: Option<CDict<'static>>,
    spans: Option<CDict<'static>>,
    abouts: Option<CDict<'static>>,
}

impl Squeezing {
    pub(super) fn new(learnt: Option<Arc<Learnt>>) -> Self {
        let made = |of: fn(&Learnt) -> &[u8]| {
            let dictionary = learnt.as_deref().map(of).filter(|dictionary| !dictionary.is_empty());
            dictionary.map(|dictionary| CDict::create(dictionary, LEVEL))
        };
        let texts = made(|learnt| &learnt.texts);
        let (spans, abouts) = (made(|learnt| &learnt.spans), made(|learnt| &learnt.abouts));
        Self { learnt, texts, spans, abouts }
    }
}

/// Squeezes blocks, one after the other.
pub(super) struct BlockEncoder {
    squeezing: Arc<Squeezing>,
    context: CCtx<'static>,
}

impl BlockEncoder {
    pub(super) fn new(squeezing: Arc<Squeezing>) -> Self {
        Self { squeezing, context: CCtx::create() }
    }

    pub(super) fn encode(&mut self, block: &RawBlock) -> io::Result<Vec<u8>> {
        let (mut parts, mut spans) = (vec![Vec::with_capacity(block.text_bytes())], FieldWriter::new());
        let is_alone = block.keys.len() == 1;
        for text in block.texts() {
            let bytes_before: usize = parts.iter().map(Vec::len).sum();
            for (number, part) in cut(text, is_alone).enumerate() {
                if number > 0 {
                    parts.push(Vec::with_capacity(part.len()));
                }
                let coded = parts.last_mut().expect("there is a first part");
                match &self.squeezing.learnt {
                    Some(learnt) => learnt.words.encode(part, coded),
                    None => coded.extend_from_slice(part),
                }
            }
            spans.number((parts.iter().map(Vec::len).sum::<usize>() - bytes_before) as u64);
        }
        spans.fixed(block.spans());
        let mut fields = FieldWriter::new();
        fields.number(block.keys.len() as u64);
        let Squeezing { texts, spans: of_spans, abouts, .. } = &*self.squeezing;
        let frames = [(abouts, block.abouts()), (of_spans, spans.as_bytes())];
        for (dictionary, raw) in frames.into_iter().chain(parts.iter().map(|part| (texts, &**part))) {
            let frame = squeezed(&mut self.context, raw, dictionary.as_ref())?;
            fields.number(raw.len() as u64).bytes(&frame);
        }
        Ok(fields.into_bytes())
    }
}

fn squeezed(
    context: &mut CCtx<'static>,
    raw: &[u8],
    dictionary: Option<&CDict<'static>>,
) -> io::Result<Vec<u8>> {
    let mut frame = Vec::with_capacity(zstd_safe::compress_bound(raw.len()));
    let written = match dictionary {
        Some(dictionary) => context.compress_using_cdict(&mut frame, raw, dictionary),
        None => context.compress(&mut frame, raw, LEVEL),
    };
    written.map(|_| frame).map_err(|code| io::Error::other(zstd_safe::get_error_name(code)))
}

/// The parts of a text, none of which ends inside of a character; all of it at once if it is not alone in its block.
fn cut(text: &[u8], is_alone: bool) -> impl Iterator<Item = &[u8]> {
    let (mut rest, mut bytes_max) = (Some(text), if is_alone { HEAD_BYTES } else { usize::MAX });
    std::iter::from_fn(move || {
        let text = rest?;
        let is_boundary = |at: &usize| text[*at] & 0xc0 != 0x80;
        let end = if text.len() <= bytes_max { None } else { (1..=bytes_max).rev().find(is_boundary) };
        bytes_max = TAIL_BYTES;
        rest = end.map(|end| &text[end..]);
        Some(&text[..end.unwrap_or(text.len())])
    })
}

/// How many parts of a long text have so many bytes together, or more.
fn parts_of(bytes: usize) -> usize {
    1 + bytes.saturating_sub(HEAD_BYTES - CHARACTER_BYTES_MAX).div_ceil(TAIL_BYTES - CHARACTER_BYTES_MAX)
}

/// A block as it can be read: documents are made of it one at a time.
pub(super) struct Block {
    unpacking: Option<Arc<Unpacking>>,
    abouts: Vec<u8>,
    spans: Vec<u8>,
    texts: Vec<u8>,
    /// How many parts of a long text are there.
    parts: usize,
    /// Whether these are all.
    is_whole: bool,
}

impl Block {
    pub(super) fn bytes(&self) -> usize {
        self.abouts.len() + self.spans.len() + self.texts.len()
    }

    /// Whether so many bytes of a long text are there, or all.
    pub(super) fn has(&self, bytes: usize) -> bool {
        self.is_whole || self.parts >= parts_of(bytes)
    }

    /// Whether nothing of the texts is missing.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
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
        let (abouts, is_whole) = (FieldReader::new(&self.abouts), self.is_whole);
        Ok(Parts { words, abouts, lengths, spans, texts: &self.texts, is_whole })
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
    /// Whether all of them are there.
    is_whole: bool,
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
        StoredDocument::decode(key, &mut self.abouts, self.spans.bytes()?, text, self.is_whole)
    }

    /// The bytes of the next text, as far as they are there.
    fn coded(&mut self) -> Result<&'b [u8], Malformed> {
        let bytes: usize = self.lengths.small()?;
        let bytes = if self.is_whole { bytes } else { bytes.min(self.texts.len()) };
        let (coded, rest) = self.texts.split_at_checked(bytes).ok_or(Malformed)?;
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

    /// Reads a block whose checksum was right, and which has `count` documents; of a long text so many bytes, or some more.
    pub(super) fn decode(
        &mut self,
        payload: &[u8],
        count: usize,
        unpacking: Option<Arc<Unpacking>>,
        text_bytes: usize,
    ) -> Result<Block, Malformed> {
        let mut fields = FieldReader::new(payload);
        if fields.number()? != count as u64 {
            return Err(Malformed);
        }
        let of = unpacking.as_deref();
        let abouts = self.unpacked(&mut fields, of.map(|unpacking| &unpacking.abouts))?;
        let spans = self.unpacked(&mut fields, of.map(|unpacking| &unpacking.spans))?;
        let of_texts = of.map(|unpacking| &unpacking.texts);
        let (mut texts, mut parts) = (self.unpacked(&mut fields, of_texts)?, 1);
        while !fields.is_empty() && parts < parts_of(text_bytes) {
            texts.append(&mut self.unpacked(&mut fields, of_texts)?);
            parts += 1;
        }
        Ok(Block { unpacking, abouts, spans, texts, parts, is_whole: fields.is_empty() })
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

    /// Reads the title of the document at `place`; all else stays packed.
    pub(super) fn decode_title(
        &mut self,
        payload: &[u8],
        place: usize,
        unpacking: Option<&Unpacking>,
    ) -> Result<String, Malformed> {
        let mut fields = FieldReader::new(payload);
        fields.number()?;
        let abouts = self.unpacked(&mut fields, unpacking.map(|unpacking| &unpacking.abouts))?;
        let mut fields = FieldReader::new(&abouts);
        (0..place).try_for_each(|_| StoredDocument::skip_about(&mut fields))?;
        let _url = fields.bytes()?;
        Ok(fields.text()?.to_owned())
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
