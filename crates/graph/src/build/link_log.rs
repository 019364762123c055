//! Links are set aside on disk while addresses come in. The file has no name, so nothing is left of it.

use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use fs_err::{File, OpenOptions};
use journal::varint;

use crate::Error;

/// Links as keys of their ends, flags and words, one behind the other. A source that is that of the link before is left out.
pub(super) struct LinkLog {
    file: BufWriter<File>,
    source: String,
    record: Vec<u8>,
}

impl LinkLog {
    pub(super) fn create(path: &Path) -> Result<Self, Error> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path)?;
        let file = BufWriter::with_capacity(1 << 16, file);
        fs_err::remove_file(path)?;
        Ok(Self { file, source: String::new(), record: Vec::new() })
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
        Ok(self.file.write_all(&self.record)?)
    }

    pub(super) fn finish(self) -> Result<LinkLogReader, Error> {
        let mut file = self.file.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        let end = file.stream_position()?;
        file.seek(SeekFrom::Start(0))?;
        let file = BufReader::with_capacity(1 << 16, file);
        let (source, target, anchor) = (Vec::new(), Vec::new(), Vec::new());
        Ok(LinkLogReader { file, left: end, source, target, anchor })
    }
}

/// Gives the links again.
pub(super) struct LinkLogReader {
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
        let (flags, is_new_source) = self.read()?;
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
        let number = varint::read(&mut self.file)?;
        self.left -= varint::length(number) as u64;
        Ok(number)
    }
}

fn read_text(file: &mut impl Read, length: u64, text: &mut Vec<u8>) -> std::io::Result<()> {
    text.resize(length as usize, 0);
    file.read_exact(text)
}
