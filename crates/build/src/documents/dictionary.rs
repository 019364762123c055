//! What the texts of a collection have in common, learnt from some of them: their words ([`super::words`]), and a dictionary
//! for each kind of bytes of a block.
//!
//! ```text
//! dictionary  = raw_bytes frame            frame: zstd of learnt, level 9
//! learnt      = coded_permille leads word_count words texts_bytes texts spans_bytes spans abouts_bytes abouts
//! ```
//!
//! The dictionary of texts is one that zstd trains, of texts whose words have become codes. What is no text repeats itself from page to page
//! of a site as it is, so that the bytes of some pages are as good as what could be trained of them, and cost nothing.
//!
//! When texts come that are unlike those from which it was learnt ([`Likeness`]), it is time to learn anew: the next site may be in
//! another language.
//!
//! Cost: two tenths of a second of one core each time.

use journal::{FieldReader, FieldWriter, Malformed};
use zstd::zstd_safe::DDict;

use super::raw_block::RawBlock;
use super::words::WordCode;

/// So much text is gathered before something is learnt from it.
pub(super) const SAMPLE_BYTES: usize = 8 << 20;

/// From less nothing is learnt that is worth its own bytes.
const SAMPLE_BYTES_MIN: usize = 1 << 20;

/// Of one document at most so much is part of the sample, so that a long one does not speak for all.
const PIECE_BYTES_MAX: usize = 8 << 10;

/// Training looks at about so many bytes of codes.
const TRAINING_BYTES: usize = 2 << 20;

const TEXTS_BYTES_MAX: usize = 512 << 10;
const OTHERS_BYTES_MAX: usize = 64 << 10;

/// A dictionary is so many times smaller than the sample: it is part of what is kept.
const SAMPLE_RATIO: usize = 16;

const LEVEL: i32 = 9;

/// No dictionary is larger, so that a damaged number does not ask for all memory.
const RAW_BYTES_MAX: usize = 16 << 20;

/// What is known of texts before a block of them is squeezed.
#[derive(Debug)]
pub(super) struct Learnt {
    /// To how many thousandths of their bytes words brought the sample down.
    coded_permille: u64,
    pub(super) words: WordCode,
    /// For texts of codes.
    pub(super) texts: Vec<u8>,
    pub(super) spans: Vec<u8>,
    pub(super) abouts: Vec<u8>,
}

impl Learnt {
    /// Learns from some blocks; `None` if there is too little to learn from.
    pub(super) fn from_blocks(blocks: &[RawBlock]) -> Option<Self> {
        let pieces: Vec<&[u8]> = blocks.iter().flat_map(RawBlock::texts).map(piece).collect();
        let bytes: usize = pieces.iter().map(|piece| piece.len()).sum();
        if bytes < SAMPLE_BYTES_MIN {
            return None;
        }
        let words = WordCode::learn(pieces.iter().copied());
        let (texts, coded_permille) = train(&words, &pieces, bytes);
        let some = |of: fn(&RawBlock) -> &[u8]| {
            first_bytes(blocks, of, OTHERS_BYTES_MAX.min(bytes / SAMPLE_RATIO / 4))
        };
        Some(Self {
            coded_permille,
            words,
            texts,
            spans: some(RawBlock::spans),
            abouts: some(RawBlock::abouts),
        })
    }

    pub(super) fn encode(&self) -> std::io::Result<Vec<u8>> {
        let mut fields = FieldWriter::new();
        fields.number(self.coded_permille);
        self.words.write(&mut fields);
        fields.bytes(&self.texts).bytes(&self.spans).bytes(&self.abouts);
        let raw = fields.into_bytes();
        let mut fields = FieldWriter::new();
        fields.number(raw.len() as u64).bytes(&zstd::bulk::compress(&raw, LEVEL)?);
        Ok(fields.into_bytes())
    }

    pub(super) fn decode(payload: &[u8]) -> Result<Self, Malformed> {
        let raw = unpacked(payload)?;
        let mut fields = FieldReader::new(&raw);
        let (coded_permille, words) = (fields.number()?, WordCode::read(&mut fields)?);
        let mut next = || fields.bytes().map(<[u8]>::to_vec);
        Ok(Self { coded_permille, words, texts: next()?, spans: next()?, abouts: next()? })
    }
}

/// The bytes that [`Learnt::encode`] packed.
fn unpacked(payload: &[u8]) -> Result<Vec<u8>, Malformed> {
    let mut fields = FieldReader::new(payload);
    let raw_bytes =
        Some(fields.small::<usize>()?).filter(|bytes| *bytes <= RAW_BYTES_MAX).ok_or(Malformed)?;
    zstd::bulk::decompress(fields.bytes()?, raw_bytes).map_err(|_| Malformed)
}

/// What is learnt, made ready to unpack blocks with it, which takes about as long as a thousand of them.
pub(super) struct Unpacking {
    pub(super) words: WordCode,
    pub(super) texts: DDict<'static>,
    pub(super) spans: DDict<'static>,
    pub(super) abouts: DDict<'static>,
}

impl Unpacking {
    /// Reads what [`Learnt::encode`] wrote; each dictionary is copied once.
    pub(super) fn decode(payload: &[u8]) -> Result<Self, Malformed> {
        let raw = unpacked(payload)?;
        let mut fields = FieldReader::new(&raw);
        let (_coded_permille, words) = (fields.number()?, WordCode::read(&mut fields)?);
        let mut next = || fields.bytes().map(DDict::create);
        Ok(Self { words, texts: next()?, spans: next()?, abouts: next()? })
    }

    /// How much memory it takes.
    pub(super) fn bytes(&self) -> usize {
        self.words.bytes()
            + [&self.texts, &self.spans, &self.abouts]
                .map(|dictionary| dictionary.sizeof())
                .iter()
                .sum::<usize>()
    }
}

/// The beginning of a text.
fn piece(text: &[u8]) -> &[u8] {
    &text[..text.len().min(PIECE_BYTES_MAX)]
}

/// Makes a dictionary of every so-manieth piece, an empty one if nothing can be learnt; and says to how many thousandths words
/// bring them down.
fn train(words: &WordCode, pieces: &[&[u8]], bytes: usize) -> (Vec<u8>, u64) {
    let (mut sample, mut sizes, mut text_bytes) = (Vec::new(), Vec::new(), 0);
    // Codes have about half of the bytes.
    for piece in pieces.iter().step_by((bytes / (2 * TRAINING_BYTES)).max(1)) {
        let before = sample.len();
        words.encode(piece, &mut sample);
        sizes.push(sample.len() - before);
        text_bytes += piece.len();
    }
    sizes.retain(|size| *size > 0);
    let bytes_max = TEXTS_BYTES_MAX.min(sample.len() / SAMPLE_RATIO * 4);
    // zstd refuses a sample of which nothing can be learnt; texts are squeezed as well without.
    let dictionary = zstd::dict::from_continuous(&sample, &sizes, bytes_max).unwrap_or_default();
    (dictionary, permille(sample.len(), text_bytes))
}

fn permille(part: usize, whole: usize) -> u64 {
    1000 * part as u64 / whole.max(1) as u64
}

/// The first bytes of some blocks, from all over.
fn first_bytes(blocks: &[RawBlock], of: fn(&RawBlock) -> &[u8], bytes_max: usize) -> Vec<u8> {
    let share = bytes_max / blocks.len().clamp(1, 16);
    let step = blocks.len().div_ceil(16).max(1);
    let mut bytes = Vec::with_capacity(bytes_max);
    for block in blocks.iter().step_by(step) {
        let all = of(block);
        bytes.extend_from_slice(&all[..all.len().min(share)]);
    }
    bytes
}

/// One text in so many is looked at.
const LOOKED_AT: u32 = 8;

/// So many bytes of texts that were looked at are enough to judge by.
const LOOK_BYTES: usize = 256 << 10;

/// Texts of which words take so many hundredths of what they took of the sample are others.
const OTHERS_PERCENT: u64 = 112;

/// Are the texts that come like those from which something was learnt? It is asked of the texts in their order, so that the
/// answer depends on nothing else.
#[derive(Debug, Default)]
pub(super) struct Likeness {
    texts: u32,
    text_bytes: usize,
    coded: Vec<u8>,
}

impl Likeness {
    /// Looks at a text now and then; says whether it and those before it are unlike what was learnt from.
    pub(super) fn is_lost_by(&mut self, text: &[u8], learnt: &Learnt) -> bool {
        self.texts += 1;
        if !self.texts.is_multiple_of(LOOKED_AT) {
            return false;
        }
        let text = piece(text);
        learnt.words.encode(text, &mut self.coded);
        self.text_bytes += text.len();
        if self.text_bytes < LOOK_BYTES {
            return false;
        }
        let found = permille(self.coded.len(), self.text_bytes);
        *self = Self::default();
        100 * found > OTHERS_PERCENT * learnt.coded_permille
    }
}
