//! The row of WARC files: `crivello-00000.warc.gz`, `crivello-00001.warc.gz`, … A new one is begun when the last
//! has a gigabyte, the size that archives have agreed on.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};

use fs_err as fs;
use page::Timestamp;

use crate::warc_record::CompressedPair;
use crate::{Error, WarcPlace, WarcRecordBuilder};

/// When a WARC file has this many bytes, the next one is begun.
pub const WARC_BYTES_MAX: u64 = 1 << 30;

/// The end of the row, where records are added.
#[derive(Debug)]
pub(crate) struct WarcFileWriter {
    dir: PathBuf,
    file: fs::File,
    number: u32,
    written: u64,
    buffer: Vec<u8>,
    bytes_max: u64,
}

impl WarcFileWriter {
    /// Goes on behind the last record that is known to be good; what is behind it is cut off, later files are removed.
    pub(crate) fn open(dir: &Path, last: Option<WarcPlace>, bytes_max: u64) -> Result<Self, Error> {
        fs::create_dir_all(dir)?;
        let (number, end) = last.map_or((0, 0), |place| (place.file, place.end()));
        for entry in fs::read_dir(dir)? {
            let path = entry?.path();
            if file_number(&path).is_some_and(|found| found > number) {
                fs::remove_file(path)?;
            }
        }
        let file = open_to_append(&path_of(dir, number), end)?;
        Ok(Self { dir: dir.to_owned(), file, number, written: end, buffer: Vec::new(), bytes_max })
    }

    /// Adds the records of one answer and tells where the one with the content is.
    pub(crate) fn append(
        &mut self,
        records: &CompressedPair,
        builder: &mut WarcRecordBuilder,
        now: Timestamp,
    ) -> Result<WarcPlace, Error> {
        if self.position() >= self.bytes_max {
            match self.rotate() {
                // The next file is begun by a later record, when there is room.
                Err(Error::Io(error)) if journal::is_full_disk(&error) => {}
                outcome => outcome?,
            }
        }
        if self.position() == 0 {
            self.buffer.extend(builder.warcinfo(&file_name(self.number), now));
        }
        let offset = self.position() + records.response_start as u64;
        self.buffer.extend_from_slice(&records.bytes);
        Ok(WarcPlace {
            file: self.number,
            offset,
            bytes: (records.bytes.len() - records.response_start) as u64,
        })
    }

    fn rotate(&mut self) -> Result<(), Error> {
        self.flush()?;
        self.file.sync_data()?;
        self.file = open_to_append(&path_of(&self.dir, self.number + 1), 0)?;
        self.number += 1;
        self.written = 0;
        Ok(journal::sync_folder(&self.dir)?)
    }

    pub(crate) fn position(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    pub(crate) fn buffered_bytes(&self) -> usize {
        self.buffer.len()
    }

    /// Hands everything to the system. After a failure it can be called again: a half-written end is cut off first.
    pub(crate) fn flush(&mut self) -> Result<(), Error> {
        journal::append_whole(&mut self.file, self.written, &self.buffer)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    pub(crate) fn handle(&self) -> Result<File, Error> {
        Ok(self.file.file().try_clone()?)
    }
}

fn open_to_append(path: &Path, end: u64) -> Result<fs::File, Error> {
    let mut file = fs::OpenOptions::new().create(true).read(true).write(true).truncate(false).open(path)?;
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    Ok(file)
}

pub(crate) fn file_name(number: u32) -> String {
    format!("crivello-{number:05}.warc.gz")
}

pub(crate) fn path_of(dir: &Path, number: u32) -> PathBuf {
    dir.join(file_name(number))
}

fn file_number(path: &Path) -> Option<u32> {
    path.file_name()?.to_str()?.strip_prefix("crivello-")?.strip_suffix(".warc.gz")?.parse().ok()
}
