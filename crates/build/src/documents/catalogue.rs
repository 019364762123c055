//! What is where: the records of `keys.log`.

use std::path::Path;

use fs_err as fs;
use journal::{FieldReader, FieldWriter, HEADER_BYTES, JournalReader, Malformed};
use page::PageKey;

use super::{DocumentsError, KEYS, KEYS_FILE, MadeFrom};

const MADE_FROM: u64 = 0;
const DICTIONARY: u64 = 1;
const BLOCK: u64 = 2;
const COMMIT: u64 = 3;

/// A record of the catalogue, as it is written.
#[derive(Debug)]
pub(super) enum Record<'a> {
    MadeFrom(&'a MadeFrom),
    Dictionary { offset: u64, bytes: u64 },
    Block { offset: u64, bytes: u64, text_bytes: u64, keys: &'a [PageKey] },
    Commit { covered: u64, documents: u64 },
}

impl Record<'_> {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut fields = FieldWriter::new();
        match self {
            Self::MadeFrom(made_from) => {
                fields.number(MADE_FROM).text(&made_from.created_at);
                fields.number(u64::from(made_from.parser_version));
            }
            Self::Dictionary { offset, bytes } => {
                fields.number(DICTIONARY).number(*offset).number(*bytes);
            }
            Self::Block { offset, bytes, text_bytes, keys } => {
                fields.number(BLOCK).number(*offset).number(*bytes).number(*text_bytes);
                fields.number(keys.len() as u64);
                let mut before = 0;
                for key in *keys {
                    fields.number(key.get() - before);
                    before = key.get();
                }
            }
            Self::Commit { covered, documents } => {
                fields.number(COMMIT).number(*covered).number(*documents);
            }
        }
        fields.into_bytes()
    }
}

/// Where a record of `blocks.log` is.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordPlace {
    /// Where it starts.
    pub(super) offset: u64,
    /// The bytes of its payload.
    pub(super) bytes: usize,
}

/// Where a block is, and whose.
#[derive(Debug, Clone)]
pub(super) struct BlockPlace {
    pub(super) place: RecordPlace,
    pub(super) text_bytes: u64,
    pub(super) first_key: PageKey,
    pub(super) last_key: PageKey,
    pub(super) count: usize,
    /// The number of the dictionary with which it was squeezed.
    pub(super) dictionary: Option<usize>,
    /// Where the differences between its keys stand in [`Catalogue::key_deltas`].
    deltas_start: usize,
}

/// All that was committed.
#[derive(Debug)]
pub(super) struct Catalogue {
    pub(super) made_from: MadeFrom,
    /// Each is that of the blocks behind it, up to the next.
    pub(super) dictionaries: Vec<RecordPlace>,
    pub(super) blocks: Vec<BlockPlace>,
    /// Varints: kept as they are on disk, two bytes a key.
    key_deltas: Vec<u8>,
    pub(super) covered: u64,
    pub(super) documents: u64,
    /// Where the last commit ends.
    pub(super) end: u64,
    /// Where the last record that it names ends in `blocks.log`.
    pub(super) blocks_end: u64,
}

impl Catalogue {
    /// Reads `keys.log` up to its last commit.
    pub(super) fn read(dir: &Path) -> Result<Self, DocumentsError> {
        let path = dir.join(KEYS_FILE);
        let missing = || DocumentsError::Missing(dir.to_owned());
        if !path.exists() || fs::metadata(&path)?.len() < HEADER_BYTES {
            return Err(missing());
        }
        let mut reader = JournalReader::open(&path, KEYS)?;
        let mut growing = Growing::default();
        let mut committed = None;
        while let Some(record) = reader.next_record()? {
            let offset = record.offset;
            let is_commit = growing.add(record.payload).map_err(|Malformed| DocumentsError::Damaged {
                path: path.clone(),
                offset,
                what: "a record cannot be read",
            })?;
            if is_commit {
                committed = Some((growing.clone_counts(), reader.position()));
            }
        }
        let (counts, end) = committed.ok_or_else(missing)?;
        growing.finish(counts, end).ok_or_else(missing)
    }

    /// The block that may hold a key, and the place of the key in it if it does.
    pub(super) fn find(&self, key: PageKey) -> Option<(usize, usize)> {
        let number = self.block_at_or_before(key)?;
        let place = self.keys_of(number).position(|found| found == key)?;
        Some((number, place))
    }

    /// The last block that begins at or before a key.
    pub(super) fn block_at_or_before(&self, key: PageKey) -> Option<usize> {
        self.blocks.partition_point(|block| block.first_key <= key).checked_sub(1)
    }

    /// The keys of a block, in their order.
    pub(super) fn keys_of(&self, number: usize) -> impl Iterator<Item = PageKey> + '_ {
        let block = &self.blocks[number];
        let mut deltas = FieldReader::new(&self.key_deltas[block.deltas_start..]);
        let mut key = block.first_key.get();
        // They were all read once when the catalogue was.
        (0..block.count).map(move |place| {
            key += if place == 0 { 0 } else { deltas.number().unwrap_or(0) };
            PageKey::new(key)
        })
    }
}

/// A catalogue of which it is not known yet how much was committed.
#[derive(Debug, Default)]
struct Growing {
    made_from: Option<MadeFrom>,
    counts: Counts,
    dictionaries: Vec<RecordPlace>,
    blocks: Vec<BlockPlace>,
    key_deltas: Vec<u8>,
}

/// What a commit makes real.
#[derive(Debug, Default, Clone)]
struct Counts {
    dictionaries: usize,
    blocks: usize,
    key_delta_bytes: usize,
    documents: u64,
    covered: u64,
    blocks_end: u64,
}

impl Growing {
    /// Adds a record; tells whether it is a commit.
    fn add(&mut self, payload: &[u8]) -> Result<bool, Malformed> {
        let mut fields = FieldReader::new(payload);
        match fields.number()? {
            MADE_FROM if self.made_from.is_none() => {
                let (created_at, parser_version) = (fields.text()?.to_owned(), fields.small()?);
                self.made_from = Some(MadeFrom { created_at, parser_version });
            }
            DICTIONARY => {
                let place = self.record_place(&mut fields)?;
                self.dictionaries.push(place);
            }
            BLOCK => self.add_block(&mut fields)?,
            COMMIT => {
                self.counts.covered = fields.number()?;
                let is_count = fields.number()? == self.counts.documents;
                return if is_count && fields.is_empty() { Ok(true) } else { Err(Malformed) };
            }
            _ => return Err(Malformed),
        }
        if fields.is_empty() { Ok(false) } else { Err(Malformed) }
    }

    /// Where a record of `blocks.log` is: behind all that came before.
    fn record_place(&mut self, fields: &mut FieldReader<'_>) -> Result<RecordPlace, Malformed> {
        let (offset, bytes) = (fields.number()?, fields.number()?);
        if offset < self.counts.blocks_end.max(HEADER_BYTES) || bytes > journal::RECORD_BYTES_MAX {
            return Err(Malformed);
        }
        let end = offset.checked_add(journal::RECORD_HEADER_BYTES + bytes).ok_or(Malformed)?;
        self.counts.blocks_end = end;
        Ok(RecordPlace { offset, bytes: bytes as usize })
    }

    fn add_block(&mut self, fields: &mut FieldReader<'_>) -> Result<(), Malformed> {
        let place = self.record_place(fields)?;
        let (text_bytes, count, first_key) = (fields.number()?, fields.small()?, fields.number()?);
        let deltas_start = self.key_deltas.len();
        let mut deltas = FieldWriter::new();
        let mut last_key = first_key;
        for _ in 1..count {
            let delta = fields.number()?;
            last_key = last_key.checked_add(delta).filter(|_| delta > 0).ok_or(Malformed)?;
            deltas.number(delta);
        }
        let (first_key, last_key) = (PageKey::new(first_key), PageKey::new(last_key));
        let is_behind = self.blocks.last().is_none_or(|before| before.last_key < first_key);
        if count == 0 || !is_behind {
            return Err(Malformed);
        }
        self.key_deltas.extend_from_slice(deltas.as_bytes());
        let dictionary = self.dictionaries.len().checked_sub(1);
        self.blocks.push(BlockPlace {
            place,
            text_bytes,
            first_key,
            last_key,
            count,
            dictionary,
            deltas_start,
        });
        self.counts.documents += count as u64;
        Ok(())
    }

    fn clone_counts(&self) -> Counts {
        Counts {
            dictionaries: self.dictionaries.len(),
            blocks: self.blocks.len(),
            key_delta_bytes: self.key_deltas.len(),
            ..self.counts.clone()
        }
    }

    /// What is left when all behind the last commit is dropped.
    fn finish(mut self, counts: Counts, end: u64) -> Option<Catalogue> {
        self.dictionaries.truncate(counts.dictionaries);
        self.blocks.truncate(counts.blocks);
        self.key_deltas.truncate(counts.key_delta_bytes);
        Some(Catalogue {
            made_from: self.made_from?,
            dictionaries: self.dictionaries,
            blocks: self.blocks,
            key_deltas: self.key_deltas,
            covered: counts.covered,
            documents: counts.documents,
            end,
            blocks_end: counts.blocks_end.max(HEADER_BYTES),
        })
    }
}
