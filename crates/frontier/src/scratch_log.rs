//! One scratch file for all that does not fit into memory: blocks of queues, and hosts whose turn is far away.
//!
//! The file consists of *segments* of one size. What is written goes to the end of the segment that is being filled, in
//! memory, and a full one is written with one request: so a million queues share one buffer. How many bytes of each segment are
//! still wanted is counted; one that nobody wants is filled again. When there is none and less than half of the file is
//! wanted, whoever owns the entries [cleans](ScratchLog::victim) the emptiest segment: what is wanted of it is written anew.
//!
//! ```text
//! segment = entry* 0
//! entry   = kind | owner << 2, place of the entry before + 1 or 0, length   (numbers of variable length), payload
//! ```
//!
//! An entry may name one *before* it: what belongs to a host and was written at different times is a chain, from the newest to
//! the oldest, and nothing that was written is changed.
//!
//! When the disk is full, segments stay in memory until there is room, and [`ScratchLog::take_refusal`] tells: nothing is lost,
//! and whoever asks brings no more. Nothing here needs to survive a crash: the ready log has it all.
//!
//! Cost: four bytes of memory per segment, and one segment. After Rosenblum and Ousterhout, "The Design and Implementation of a
//! Log-Structured File System".

use std::os::unix::fs::FileExt;
use std::path::Path;

use fs_err as fs;
use journal::{FieldReader, FieldWriter, Malformed};

use crate::Error;

/// A segment has at most so many bytes, and at least so many: the largest entry must fit.
const SEGMENT_BYTES_MAX: usize = 1 << 20;
const SEGMENT_BYTES_MIN: usize = 16 << 10;

/// A file of fewer segments is not cleaned.
const CLEANED_SEGMENTS_MIN: usize = 16;

/// Most entries are shorter than this, so that one request reads them.
const READ_BYTES: usize = 512;

/// Where something is in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place(pub(crate) u64);

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An address for a host that is on disk.
    Mail = 1,
    /// A host, or a piece of one.
    Host = 2,
    /// Addresses of a queue.
    Block = 3,
}

/// An entry that was read.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) kind: Kind,
    pub(crate) before: Option<Place>,
    pub(crate) payload: Vec<u8>,
    /// All that it takes: what is to be forgotten with it.
    pub(crate) bytes: usize,
}

/// What is in front of a payload.
struct Head {
    kind: Kind,
    owner: u32,
    before: Option<Place>,
    payload_bytes: usize,
    head_bytes: usize,
}

/// A segment in memory.
#[derive(Debug)]
struct Segment {
    number: u32,
    bytes: Vec<u8>,
}

/// The file.
#[derive(Debug)]
pub(crate) struct ScratchLog {
    pub(crate) file: fs::File,
    segment_bytes: usize,
    /// Bytes of each segment that are wanted.
    wanted: Vec<u32>,
    wanted_bytes: u64,
    free: Vec<u32>,
    filling: Segment,
    /// Full segments that the disk has no room for.
    unwritten: Vec<Segment>,
    /// The disk had no room.
    refusal: Option<std::io::Error>,
    head: FieldWriter,
}

impl ScratchLog {
    /// Starts empty; a file of that name is overwritten. Segments have a sixteenth of what memory there is.
    pub(crate) fn create(path: &Path, memory_bytes: usize) -> Result<Self, Error> {
        let file = fs::OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path)?;
        let segment_bytes = (memory_bytes / 16).clamp(SEGMENT_BYTES_MIN, SEGMENT_BYTES_MAX);
        Ok(Self {
            file,
            segment_bytes,
            wanted: vec![0],
            wanted_bytes: 0,
            free: Vec::new(),
            filling: Segment { number: 0, bytes: Vec::with_capacity(segment_bytes) },
            unwritten: Vec::new(),
            refusal: None,
            head: FieldWriter::new(),
        })
    }

    /// Longer payloads are to be written in pieces.
    pub(crate) fn payload_bytes_max(&self) -> usize {
        self.segment_bytes / 2
    }

    /// The last time that the disk had no room, since this was asked before.
    pub(crate) fn take_refusal(&mut self) -> Option<std::io::Error> {
        self.refusal.take()
    }

    /// True while the disk has no room.
    pub(crate) fn is_refused(&self) -> bool {
        !self.unwritten.is_empty()
    }

    /// Adds an entry. Returns where it begins, and for a block where its payload does.
    pub(crate) fn append(
        &mut self,
        owner: u32,
        kind: Kind,
        before: Option<Place>,
        payload: &[u8],
    ) -> Result<Place, Error> {
        self.head.clear();
        self.head.number(kind as u64 | u64::from(owner) << 2).number(before.map_or(0, |place| place.0 + 1));
        self.head.number(payload.len() as u64);
        let (head_bytes, bytes) = (self.head.as_bytes().len(), self.head.as_bytes().len() + payload.len());
        if self.filling.bytes.len() + bytes > self.segment_bytes || self.is_refused() {
            self.write_out(bytes)?;
        }
        let start = self.start_of(self.filling.number) + self.filling.bytes.len() as u64;
        self.filling.bytes.extend_from_slice(self.head.as_bytes());
        self.filling.bytes.extend_from_slice(payload);
        // A block is taken piece by piece, and nobody comes back for what is in front of it.
        let wanted = if kind == Kind::Block { payload.len() } else { bytes };
        self.wanted[self.filling.number as usize] += wanted as u32;
        self.wanted_bytes += wanted as u64;
        Ok(Place(if kind == Kind::Block { start + head_bytes as u64 } else { start }))
    }

    /// How many bytes of the file somebody wants.
    #[cfg(test)]
    pub(crate) fn wanted_bytes(&self) -> u64 {
        self.wanted_bytes
    }

    fn start_of(&self, segment: u32) -> u64 {
        u64::from(segment) * self.segment_bytes as u64
    }

    fn segment_of(&self, place: Place) -> u32 {
        (place.0 / self.segment_bytes as u64) as u32
    }

    /// Writes what waits to be written, and makes room for an entry of so many bytes.
    fn write_out(&mut self, bytes: usize) -> Result<(), Error> {
        while let Some(segment) = self.unwritten.first() {
            if !self.write(segment.number, &segment.bytes)? {
                break;
            }
            let number = self.unwritten.remove(0).number;
            self.note_unwanted(number);
        }
        if self.filling.bytes.len() + bytes <= self.segment_bytes {
            return Ok(());
        }
        let number = self.filling.number;
        // Whoever walks the segment stops here and not in what was there before.
        if self.filling.bytes.len() < self.segment_bytes {
            self.filling.bytes.push(0);
        }
        let next = self.free.pop().unwrap_or_else(|| {
            self.wanted.push(0);
            (self.wanted.len() - 1) as u32
        });
        self.filling.number = next;
        if !self.is_refused() && self.write(number, &self.filling.bytes)? {
            self.filling.bytes.clear();
            self.note_unwanted(number);
        } else {
            let bytes = std::mem::replace(&mut self.filling.bytes, Vec::with_capacity(self.segment_bytes));
            self.unwritten.push(Segment { number, bytes });
            self.note_refusal();
        }
        Ok(())
    }

    /// Writes a segment. False if the disk has no room for it.
    fn write(&self, number: u32, bytes: &[u8]) -> Result<bool, Error> {
        match self.file.file().write_all_at(bytes, self.start_of(number)) {
            Err(error) if journal::is_full_disk(&error) => Ok(false),
            outcome => Ok(outcome.map(|()| true)?),
        }
    }

    fn note_refusal(&mut self) {
        self.refusal = Some(std::io::Error::from(std::io::ErrorKind::StorageFull));
    }

    /// Says that so many bytes from a place on are not wanted any more.
    pub(crate) fn forget(&mut self, place: Place, bytes: usize) {
        let segment = self.segment_of(place);
        self.wanted[segment as usize] -= bytes as u32;
        self.wanted_bytes -= bytes as u64;
        self.note_unwanted(segment);
    }

    /// A segment that nobody wants is filled again.
    fn note_unwanted(&mut self, segment: u32) {
        let is_in_memory =
            segment == self.filling.number || self.unwritten.iter().any(|one| one.number == segment);
        if self.wanted[segment as usize] == 0 && !is_in_memory {
            self.free.push(segment);
        }
    }

    /// Gives the disk its room back if nothing is wanted at all.
    pub(crate) fn shrink_if_empty(&mut self) -> Result<(), Error> {
        if self.wanted_bytes == 0 && self.wanted.len() > 1 && !self.is_refused() {
            self.file.set_len(0)?;
            self.wanted = vec![0];
            self.free.clear();
            self.filling.number = 0;
            self.filling.bytes.clear();
        }
        Ok(())
    }

    /// Reads an entry.
    pub(crate) fn read(&self, place: Place) -> Result<Entry, Error> {
        let malformed = |Malformed| malformed_at(place);
        let mut start = [0; READ_BYTES];
        let read = self.read_at(place, &mut start)?;
        let head = Head::read(&start[..read]).map_err(malformed)?.ok_or_else(|| malformed_at(place))?;
        let end = head.head_bytes + head.payload_bytes;
        let payload = if end <= read {
            start[head.head_bytes..end].to_vec()
        } else {
            let mut payload = vec![0; head.payload_bytes];
            self.read_exact(Place(place.0 + head.head_bytes as u64), &mut payload)?;
            payload
        };
        Ok(Entry { kind: head.kind, before: head.before, payload, bytes: end })
    }

    /// Reads bytes that are all there.
    pub(crate) fn read_exact(&self, place: Place, bytes: &mut [u8]) -> Result<(), Error> {
        if let Some(segment) = self.in_memory(place) {
            let there = segment.get(..bytes.len()).ok_or_else(|| malformed_at(place))?;
            bytes.copy_from_slice(there);
            return Ok(());
        }
        Ok(self.file.file().read_exact_at(bytes, place.0)?)
    }

    /// Reads as many bytes as there are.
    fn read_at(&self, place: Place, bytes: &mut [u8]) -> Result<usize, Error> {
        if let Some(segment) = self.in_memory(place) {
            let there = segment.len().min(bytes.len());
            bytes[..there].copy_from_slice(&segment[..there]);
            return Ok(there);
        }
        Ok(self.file.file().read_at(bytes, place.0)?)
    }

    /// What a segment that is in memory has from a place on.
    fn in_memory(&self, place: Place) -> Option<&[u8]> {
        let number = self.segment_of(place);
        let segment =
            std::iter::once(&self.filling).chain(&self.unwritten).find(|one| one.number == number)?;
        segment.bytes.get((place.0 - self.start_of(number)) as usize..)
    }

    /// The segment that is to be cleaned, if it is time.
    pub(crate) fn victim(&self) -> Option<u32> {
        let bytes = self.wanted.len() as u64 * self.segment_bytes as u64;
        let is_time = self.free.is_empty()
            && self.wanted.len() >= CLEANED_SEGMENTS_MIN
            && self.wanted_bytes < bytes / 2;
        if !is_time || self.is_refused() {
            return None;
        }
        let numbers = (0..self.wanted.len() as u32).filter(|number| *number != self.filling.number);
        numbers.min_by_key(|number| self.wanted[*number as usize])
    }

    /// Is a place in that segment?
    pub(crate) fn is_in(&self, place: Place, segment: u32) -> bool {
        self.segment_of(place) == segment
    }

    /// Everybody who has entries in a segment, wanted or not, in order.
    pub(crate) fn owners_in(&self, segment: u32) -> Result<Vec<u32>, Error> {
        let mut bytes = vec![0; self.segment_bytes];
        let read = self.read_at(Place(self.start_of(segment)), &mut bytes)?;
        let (mut owners, mut at) = (Vec::new(), 0);
        while at < read {
            let place = Place(self.start_of(segment) + at as u64);
            let Some(head) = Head::read(&bytes[at..read]).map_err(|Malformed| malformed_at(place))? else {
                break;
            };
            owners.push(head.owner);
            at += head.head_bytes + head.payload_bytes;
        }
        owners.sort_unstable();
        owners.dedup();
        Ok(owners)
    }
}

impl Head {
    /// Reads the head of an entry; nothing where the entries of a segment end.
    fn read(bytes: &[u8]) -> Result<Option<Self>, Malformed> {
        let mut fields = FieldReader::new(bytes);
        let first = fields.number()?;
        let kind = match first & 3 {
            0 => return Ok(None),
            1 => Kind::Mail,
            2 => Kind::Host,
            _ => Kind::Block,
        };
        let (before, payload_bytes) = (fields.number()?.checked_sub(1).map(Place), fields.small()?);
        let head_bytes = bytes.len() - fields.remaining();
        Ok(Some(Self { kind, owner: (first >> 2) as u32, before, payload_bytes, head_bytes }))
    }
}

/// What is at a place cannot be read: somebody else has written to the file.
pub(crate) fn malformed_at(place: Place) -> Error {
    Error::Malformed { path: "overflow".into(), offset: place.0 }
}
