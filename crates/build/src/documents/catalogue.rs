//! What is where: the records of `keys.log`, and the same as a table that is mapped (`places`).
//!
//! The log is what counts; to read it takes longer the more documents there are. So whoever commits puts what it says into a
//! sealed file, beside where the log ended then and a checksum of its last bytes, and whoever finds the log to end there maps
//! the table instead. A table that is damaged, or of another moment, is passed over.
//!
//! ```text
//! places  = end tail covered documents blocks_end (u64 each) parser_version created_at_bytes dictionaries blocks (u32 each)
//!           created_at (offset bytes)* row* key_delta*
//! row     = offset text_bytes first_key last_key (u64 each) bytes count dictionary+1 deltas_start (u32 each)
//! ```

use std::os::unix::fs::FileExt as _;
use std::path::Path;

use fs_err as fs;
use journal::{
    Bytes, FieldReader, FieldWriter, HEADER_BYTES, JournalReader, Kind, Malformed, SealedFile, u32_at, u64_at,
};
use page::PageKey;
use xxhash_rust::xxh3::xxh3_64;

use super::{DocumentsError, KEYS, KEYS_FILE, MadeFrom, PLACES, PLACES_FILE};

const KIND: Kind = *b"plac";
const HEAD_BYTES: usize = 56;

/// By so many of its last bytes a log is known.
const TAIL_BYTES: u64 = 4 << 10;

const DICTIONARY_BYTES: usize = 16;
const ROW_BYTES: usize = 48;

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

impl BlockPlace {
    fn write(&self, row: &mut Vec<u8>) {
        for number in [self.place.offset, self.text_bytes, self.first_key.get(), self.last_key.get()] {
            row.extend(number.to_le_bytes());
        }
        let dictionary = self.dictionary.map_or(0, |number| number + 1);
        for number in [self.place.bytes, self.count, dictionary, self.deltas_start] {
            row.extend((number as u32).to_le_bytes());
        }
    }

    fn read(row: &[u8]) -> Self {
        let (long, short) =
            (|place: usize| u64_at(row, 8 * place), |place: usize| u32_at(row, 32 + 4 * place));
        Self {
            place: RecordPlace { offset: long(0), bytes: short(0) as usize },
            text_bytes: long(1),
            first_key: PageKey::new(long(2)),
            last_key: PageKey::new(long(3)),
            count: short(1) as usize,
            dictionary: (short(2) as usize).checked_sub(1),
            deltas_start: short(3) as usize,
        }
    }
}

/// Blocks in the order of their keys, a row for each.
#[derive(Debug, Clone)]
pub(super) struct Blocks(Bytes);

impl Blocks {
    pub(super) fn len(&self) -> usize {
        self.0.len() / ROW_BYTES
    }

    pub(super) fn get(&self, number: usize) -> BlockPlace {
        BlockPlace::read(&self.0[ROW_BYTES * number..ROW_BYTES * (number + 1)])
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = BlockPlace> {
        self.0.chunks_exact(ROW_BYTES).map(BlockPlace::read)
    }

    /// How many of the first blocks are so, where the others are not.
    pub(super) fn partition_point(&self, is_so: impl Fn(&BlockPlace) -> bool) -> usize {
        let rows = self.0.as_chunks::<ROW_BYTES>().0;
        rows.partition_point(|row| is_so(&BlockPlace::read(row)))
    }
}

/// Compares the checksums of a table that is mapped.
pub fn check_places(path: &Path) -> Result<(), DocumentsError> {
    Ok(SealedFile::open(path, PLACES, KIND)?.check()?)
}

/// All that was committed.
#[derive(Debug)]
pub(super) struct Catalogue {
    pub(super) made_from: MadeFrom,
    /// Each is that of the blocks behind it, up to the next.
    pub(super) dictionaries: Vec<RecordPlace>,
    pub(super) blocks: Blocks,
    /// Varints: kept as they are on disk, two bytes a key.
    key_deltas: Bytes,
    pub(super) covered: u64,
    pub(super) documents: u64,
    /// Where the last commit ends.
    pub(super) end: u64,
    /// Where the last record that it names ends in `blocks.log`.
    pub(super) blocks_end: u64,
}

impl Catalogue {
    /// Maps what the last commit left, or reads `keys.log`.
    pub(super) fn open(dir: &Path) -> Result<Self, DocumentsError> {
        Self::map(dir).map_or_else(|| Self::read(dir), Ok)
    }

    /// The table, if there is one that can be read and says what the log does.
    fn map(dir: &Path) -> Option<Self> {
        let log = dir.join(KEYS_FILE);
        JournalReader::open(&log, KEYS).ok()?;
        let payload = SealedFile::open(&dir.join(PLACES_FILE), PLACES, KIND).ok()?.into_payload().ok()?;
        let head = payload.get(..HEAD_BYTES)?;
        let [end, tail, covered, documents, blocks_end] = [0, 8, 16, 24, 32].map(|place| u64_at(head, place));
        let [parser_version, created_at_bytes, dictionaries, blocks] =
            [40, 44, 48, 52].map(|place| u32_at(head, place));
        if fs::metadata(&log).ok()?.len() != end || tail_of(&log, end).ok()? != tail {
            return None;
        }
        let mut at = HEAD_BYTES;
        let mut next = |count: u32, bytes: usize| {
            let start = at;
            at = at.checked_add((count as usize).checked_mul(bytes)?)?;
            payload.cut(start..at)
        };
        let created_at = String::from_utf8(next(created_at_bytes, 1)?.to_vec()).ok()?;
        let (places, blocks) = (next(dictionaries, DICTIONARY_BYTES)?, Blocks(next(blocks, ROW_BYTES)?));
        let place = |row: &[u8]| RecordPlace { offset: u64_at(row, 0), bytes: u64_at(row, 8) as usize };
        Some(Self {
            made_from: MadeFrom { created_at, parser_version },
            dictionaries: places.chunks_exact(DICTIONARY_BYTES).map(place).collect(),
            blocks,
            key_deltas: payload.cut(at..payload.len())?,
            covered,
            documents,
            end,
            blocks_end,
        })
    }

    /// Puts what `keys.log` says beside it, to be mapped.
    pub(super) fn keep(dir: &Path) -> Result<(), DocumentsError> {
        let catalogue = Self::read(dir)?;
        let mut table = Vec::new();
        let tail = tail_of(&dir.join(KEYS_FILE), catalogue.end)?;
        for number in [catalogue.end, tail, catalogue.covered, catalogue.documents, catalogue.blocks_end] {
            table.extend(number.to_le_bytes());
        }
        let created_at = catalogue.made_from.created_at.as_bytes();
        let counts = [created_at.len(), catalogue.dictionaries.len(), catalogue.blocks.len()];
        table.extend(catalogue.made_from.parser_version.to_le_bytes());
        counts.iter().for_each(|count| table.extend((*count as u32).to_le_bytes()));
        table.extend_from_slice(created_at);
        for RecordPlace { offset, bytes } in &catalogue.dictionaries {
            table.extend(offset.to_le_bytes().into_iter().chain((*bytes as u64).to_le_bytes()));
        }
        table.extend_from_slice(&catalogue.blocks.0);
        table.extend_from_slice(&catalogue.key_deltas);
        journal::replace_sealed(&dir.join(PLACES_FILE), PLACES, KIND, &table)?;
        Ok(())
    }

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
        let block = self.blocks.get(number);
        let mut deltas = FieldReader::new(self.key_deltas.get(block.deltas_start..).unwrap_or_default());
        let mut key = block.first_key.get();
        // They were all read once when the catalogue was; a table that is mapped may say anything.
        (0..block.count).map_while(move |place| {
            key = key.checked_add(if place == 0 { 0 } else { deltas.number().ok()? })?;
            Some(PageKey::new(key))
        })
    }
}

/// A checksum of the last bytes of a log that ends there.
fn tail_of(log: &Path, end: u64) -> std::io::Result<u64> {
    let length = end.min(TAIL_BYTES);
    let mut bytes = vec![0; length as usize];
    fs::File::open(log)?.file().read_exact_at(&mut bytes, end - length)?;
    Ok(xxh3_64(&bytes))
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
        let mut rows = Vec::with_capacity(ROW_BYTES * counts.blocks);
        self.blocks[..counts.blocks].iter().for_each(|block| block.write(&mut rows));
        self.key_deltas.truncate(counts.key_delta_bytes);
        Some(Catalogue {
            made_from: self.made_from?,
            dictionaries: self.dictionaries,
            blocks: Blocks(rows.into()),
            key_deltas: self.key_deltas.into(),
            covered: counts.covered,
            documents: counts.documents,
            end,
            blocks_end: counts.blocks_end.max(HEADER_BYTES),
        })
    }
}
