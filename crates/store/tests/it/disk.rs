//! The files of a store as bytes: taken, cut to any length, put back, and checked.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use journal::{Format, JournalReader};
use page::Timestamp;
use store::{
    Collection, Digest, PageRecord, Recovery, StoreReader, StoreWriter, StoredPage, WarcHead,
    WarcRecordBuilder,
};

use crate::sample::{Rng, Sample, samples};

pub const NOW: Timestamp = Timestamp(1_700_000_000_000);
pub const PAGES: Format = Format { magic: *b"CRVPAGES", version: 2 };
pub const LINKS: Format = Format { magic: *b"CRVLINKS", version: 2 };

/// A folder for one collection.
pub struct Folder {
    _dir: tempfile::TempDir,
    pub path: PathBuf,
}

impl Folder {
    pub fn new() -> Self {
        // In memory where there is such a place: these tests make thousands of small files, and cut them by hand.
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let path = dir.path().join("test.crivello");
        Self { _dir: dir, path }
    }

    pub fn store(&self) -> PathBuf {
        self.path.join("store")
    }

    pub fn table(&self) -> PathBuf {
        self.store().join("pages.tbl")
    }

    pub fn links(&self) -> PathBuf {
        self.store().join("links.log")
    }

    pub fn warc(&self, number: usize) -> PathBuf {
        self.store().join(format!("warc/crivello-{number:05}.warc.gz"))
    }

    pub fn collection(&self) -> Collection {
        Collection::open_or_create(&self.path, NOW).unwrap()
    }

    pub fn reader(&self) -> StoreReader {
        StoreReader::open(&Collection::open(&self.path).unwrap()).unwrap()
    }

    /// Opens the store and adds pages, a flush after each for which `flush_after` says so and one at the end.
    pub fn write(
        &self,
        samples: &[Sample],
        warc_bytes_max: u64,
        mut flush_after: impl FnMut() -> bool,
    ) -> Recovery {
        let collection = self.collection();
        let (mut writer, recovery) = StoreWriter::open_with(&collection, warc_bytes_max).unwrap();
        let mut builder = WarcRecordBuilder::new(1);
        for sample in samples {
            writer.append(sample.new_page(&mut builder), NOW).unwrap();
            if flush_after() {
                writer.flush().unwrap();
            }
        }
        writer.flush().unwrap();
        recovery
    }

    /// All records of the table with the byte behind each.
    pub fn records(&self) -> Vec<(PageRecord, u64)> {
        let mut scan = self.reader().pages().unwrap();
        let mut records = Vec::new();
        while let Some((_, record)) = scan.next().unwrap() {
            records.push((record, scan.position()));
        }
        records
    }

    /// Every page reads back as it was given, and there are no others.
    pub fn assert_holds(&self, samples: &[Sample]) {
        let records = self.records();
        assert_eq!(records.len(), samples.len(), "number of records");
        let reader = self.reader();
        let mut links = reader.links().unwrap();
        for (sample, (record, _)) in samples.iter().zip(&records) {
            let without_places = PageRecord { warc: None, links_offset: None, ..record.clone() };
            assert_eq!(without_places, sample.expected_record());
            let stored = reader.read(record).unwrap();
            stored.iter().for_each(|stored| assert_digests(record, stored));
            let block = stored.map(|stored| stored.block().to_vec());
            assert_eq!(block, sample.expected_block(), "bytes of {}", record.url);
            assert_eq!(links.of(record).unwrap(), sample.expected_links(), "links of {}", record.url);
        }
    }

    /// Nothing stands behind what the table names: no rest of a crash, in none of the files.
    pub fn assert_ends_are_clean(&self) {
        let records = self.records();
        let table_end = records.last().map_or(journal::HEADER_BYTES, |(_, end)| *end);
        assert_eq!(length(&self.table()), table_end, "length of the table");
        let last_links = records.iter().rev().find_map(|(record, _)| record.links_offset);
        let mut reader = JournalReader::open_since(&self.links(), LINKS, 1).unwrap();
        let links_end = last_links.map_or(journal::HEADER_BYTES, |offset| {
            reader.read_at(offset).unwrap();
            reader.position()
        });
        assert_eq!(length(&self.links()), links_end, "length of the links");
        let last_place = records.iter().rev().find_map(|(record, _)| record.warc);
        let (last_file, warc_end) = last_place.map_or((0, 0), |place| (place.file as usize, place.end()));
        assert_eq!(
            fs::read_dir(self.store().join("warc")).unwrap().count(),
            last_file + 1,
            "number of WARC files"
        );
        assert_eq!(length(&self.warc(last_file)), warc_end, "length of the last WARC file");
        for number in 0..=last_file {
            assert_whole_members(&fs::read(self.warc(number)).unwrap());
        }
    }
}

/// The digests are those of the bytes as they stand in the archive: what other tools compare.
fn assert_digests(record: &PageRecord, stored: &StoredPage) {
    let block = stored.block();
    let head_bytes = match stored.is_http() {
        true => block.windows(4).position(|window| window == b"\r\n\r\n").expect("a head ends") + 4,
        false => 0,
    };
    let (of_payload, of_block) = (Digest::of(&[&block[head_bytes..]]), Digest::of(&[block]));
    assert_eq!(record.digest, of_payload, "{}", record.url);
    let header = |name| stored.head.header(name).expect("the record has it").to_owned();
    assert_eq!(header("warc-payload-digest"), of_payload.to_string(), "{}", record.url);
    assert_eq!(header("warc-block-digest"), of_block.to_string(), "{}", record.url);
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).unwrap().len()
}

/// Reads one gzip member after the other with another library, up to the last byte. Returns the records.
pub fn assert_whole_members(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut records = Vec::new();
    while !bytes.is_empty() {
        let mut decoder = flate2::bufread::GzDecoder::new(&mut bytes);
        let mut record = Vec::new();
        decoder.read_to_end(&mut record).expect("every member is whole");
        let head = WarcHead::parse(&record).expect("every member is one record");
        assert_eq!(&record[head.block_start + head.block_bytes..], b"\r\n\r\n", "the end of a record");
        records.push(record);
    }
    records
}

/// What every collection of these tests has; making it each time would wait for the disk each time.
fn manifest() -> &'static [u8] {
    static MANIFEST: OnceLock<Vec<u8>> = OnceLock::new();
    MANIFEST.get_or_init(|| {
        let folder = Folder::new();
        drop(folder.collection());
        fs::read(folder.path.join("manifest.json")).unwrap()
    })
}

/// The contents of all files of a store.
#[derive(Clone)]
pub struct Files {
    pub warc: Vec<Vec<u8>>,
    pub links: Vec<u8>,
    pub table: Vec<u8>,
}

/// How long each file was at some moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lengths {
    pub warc: Vec<usize>,
    pub links: usize,
    pub table: usize,
}

impl Files {
    pub fn read(folder: &Folder) -> Self {
        let count = fs::read_dir(folder.store().join("warc")).unwrap().count();
        Self {
            warc: (0..count).map(|number| fs::read(folder.warc(number)).unwrap()).collect(),
            links: fs::read(folder.links()).unwrap(),
            table: fs::read(folder.table()).unwrap(),
        }
    }

    pub fn lengths(&self) -> Lengths {
        Lengths {
            warc: self.warc.iter().map(Vec::len).collect(),
            links: self.links.len(),
            table: self.table.len(),
        }
    }

    /// A new folder in which every file has only its first bytes.
    pub fn cut(&self, lengths: &Lengths) -> Folder {
        let folder = Folder::new();
        fs::create_dir_all(folder.store().join("warc")).unwrap();
        fs::write(folder.path.join("manifest.json"), manifest()).unwrap();
        for (number, length) in lengths.warc.iter().enumerate() {
            fs::write(folder.warc(number), &self.warc[number][..*length]).unwrap();
        }
        fs::write(folder.links(), &self.links[..lengths.links]).unwrap();
        fs::write(folder.table(), &self.table[..lengths.table]).unwrap();
        folder
    }
}

impl Lengths {
    /// The moment when `bytes` of those that lead to `later` were written, in the order WARC, links, table. `None`
    /// when there are fewer.
    pub fn plus(&self, mut bytes: usize, later: &Lengths) -> Option<Lengths> {
        let mut moment = self.clone();
        let mut grow = |length: &mut usize, goal: usize| {
            let step = bytes.min(goal - *length);
            *length += step;
            bytes -= step;
            *length == goal
        };
        let mut is_complete = true;
        for (number, goal) in later.warc.iter().enumerate() {
            if is_complete {
                if number == moment.warc.len() {
                    moment.warc.push(0);
                }
                is_complete = grow(&mut moment.warc[number], *goal);
            }
        }
        is_complete = is_complete && grow(&mut moment.links, later.links);
        is_complete = is_complete && grow(&mut moment.table, later.table);
        (bytes == 0 || !is_complete).then_some(moment)
    }
}

/// A store that was written with flushes at random moments, and how its files stood after each.
pub struct History {
    pub samples: Vec<Sample>,
    pub files: Files,
    pub flushes: Vec<(usize, Lengths)>,
    pub records: Vec<(PageRecord, u64)>,
}

impl History {
    pub fn write(seed: u64, page_count: usize, warc_bytes_max: u64) -> Self {
        let (samples, folder) = (samples(seed, page_count), Folder::new());
        let mut rng = Rng(seed ^ 0xf1u64);
        let collection = folder.collection();
        let (mut writer, _) = StoreWriter::open_with(&collection, warc_bytes_max).unwrap();
        let mut builder = WarcRecordBuilder::new(1);
        let mut flushes = vec![(0, Files::read(&folder).lengths())];
        for (index, sample) in samples.iter().enumerate() {
            writer.append(sample.new_page(&mut builder), NOW).unwrap();
            if rng.below(4) == 0 || index + 1 == samples.len() {
                writer.flush().unwrap();
                flushes.push((index + 1, Files::read(&folder).lengths()));
            }
        }
        drop(writer);
        folder.assert_holds(&samples);
        folder.assert_ends_are_clean();
        let (files, records) = (Files::read(&folder), folder.records());
        Self { samples, files, flushes, records }
    }

    /// How many records the first bytes of the table hold.
    pub fn records_within(&self, table_bytes: usize) -> usize {
        self.records.iter().take_while(|(_, end)| *end <= table_bytes as u64).count()
    }
}
