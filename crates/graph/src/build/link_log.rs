//! Links are set aside on disk while addresses come in. The file has no name, so nothing is left of it.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::Error;
use crate::sort::varint;

/// Links as keys of their ends, flags and words, one behind the other. A source that is that of the link before is left out.
pub(super) struct LinkLog {
    path: PathBuf,
    file: BufWriter<File>,
    source: String,
    record: Vec<u8>,
}

impl LinkLog {
    pub(super) fn create(path: &Path) -> Result<Self, Error> {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(path);
        let file = BufWriter::with_capacity(1 << 16, file.map_err(Error::io("create", path))?);
        std::fs::remove_file(path).map_err(Error::io("remove", path))?;
        Ok(Self { path: path.to_owned(), file, source: String::new(), record: Vec::new() })
    }

    pub(super) fn push(&mut self, source: &str, target: &str, flags: u8, anchor: &str) -> Result<(), Error> {
        self.record.clear();
        let said = if self.source == source { "" } else { source };
        for text in [said, target, anchor] {
            varint::put(&mut self.record, text.len() as u64);
            self.record.extend_from_slice(text.as_bytes());
        }
        self.record.push(flags);
        if !said.is_empty() {
            self.source.replace_range(.., source);
        }
        self.file.write_all(&self.record).map_err(Error::io("write", &self.path))
    }

    pub(super) fn finish(self) -> Result<LinkLogReader, Error> {
        let path = self.path;
        let mut file =
            self.file.into_inner().map_err(|error| Error::io("write", &path)(error.into_error()))?;
        let end = file.stream_position().map_err(Error::io("read", &path))?;
        file.seek(SeekFrom::Start(0)).map_err(Error::io("read", &path))?;
        let file = BufReader::with_capacity(1 << 16, file);
        Ok(LinkLogReader {
            path,
            file,
            left: end,
            source: Vec::new(),
            target: Vec::new(),
            anchor: Vec::new(),
        })
    }
}

/// Gives the links again.
pub(super) struct LinkLogReader {
    path: PathBuf,
    file: BufReader<File>,
    left: u64,
    source: Vec<u8>,
    target: Vec<u8>,
    anchor: Vec<u8>,
}

/// A link that was set aside.
pub(super) struct LoggedLink<'a> {
    pub(super) source: &'a [u8],
    pub(super) target: &'a [u8],
    pub(super) anchor: &'a [u8],
    pub(super) flags: u8,
    /// Whether the source is another one than before.
    pub(super) is_new_source: bool,
}

impl LinkLogReader {
    /// How much was not read yet.
    pub(super) fn bytes_left(&self) -> u64 {
        self.left
    }

    pub(super) fn next(&mut self) -> Result<Option<LoggedLink<'_>>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        let outcome = self.read();
        let (flags, is_new_source) = outcome.map_err(Error::io("read", &self.path))?;
        let Self { source, target, anchor, .. } = self;
        Ok(Some(LoggedLink { source, target, anchor, flags, is_new_source }))
    }

    fn read(&mut self) -> std::io::Result<(u8, bool)> {
        let length = self.number()?;
        if length > 0 {
            read_text(&mut self.file, length, &mut self.source)?;
        }
        let target = self.number()?;
        read_text(&mut self.file, target, &mut self.target)?;
        let anchor = self.number()?;
        read_text(&mut self.file, anchor, &mut self.anchor)?;
        let mut flags = [0];
        self.file.read_exact(&mut flags)?;
        self.left -= length + target + anchor + 1;
        Ok((flags[0], length > 0))
    }

    fn number(&mut self) -> std::io::Result<u64> {
        let (mut number, mut shift, mut byte) = (0, 0, [0x80]);
        while byte[0] & 0x80 != 0 {
            self.file.read_exact(&mut byte)?;
            number |= u64::from(byte[0] & 0x7f) << shift;
            shift += 7;
            self.left -= 1;
        }
        Ok(number)
    }
}

fn read_text(file: &mut impl Read, length: u64, text: &mut Vec<u8>) -> std::io::Result<()> {
    text.resize(length as usize, 0);
    file.read_exact(text)
}
