//! A body on its way in: where the next bytes go, and whether it is complete.
//!
//! Bytes are read straight into the vector that the archive will keep. It is given the room that the head promises
//! at once (one byte more, so that the last read is a short one, which tells the event loop without a further
//! system call that the socket is drained), but never more than [`TRUSTED_BYTES`] beyond what has really come: a
//! promise costs a liar nothing.

use std::io;

use page::Truncation;

use super::LARGE_BODY_BYTES;
use super::chunks::{ChunkReader, Progress};
use super::head::Framing;

/// Room made on the word of a header alone.
const TRUSTED_BYTES: usize = 1 << 20;
/// Room made when nothing is known.
const ROOM_BYTES_MIN: usize = 16 << 10;

/// The body of one answer while it is being read.
#[derive(Debug)]
pub(crate) struct BodyReader {
    /// What has come, as it came.
    pub raw: Vec<u8>,
    /// The joined chunks, of a chunked body.
    pub chunks: Option<ChunkReader>,
    framing: Framing,
    bytes_max: usize,
}

impl BodyReader {
    /// Starts with the bytes that came along with the head.
    pub fn new(framing: Framing, bytes_max: usize, first_bytes: &[u8]) -> Self {
        let chunks = (framing == Framing::Chunked).then(ChunkReader::default);
        let mut body = Self { raw: Vec::new(), chunks, framing, bytes_max };
        body.raw.reserve_exact(body.room_wanted().max(first_bytes.len()));
        body.raw.extend_from_slice(first_bytes);
        body
    }

    /// How far it is with the bytes read so far.
    pub fn advance(&mut self) -> Progress {
        let progress = match (self.framing, &mut self.chunks) {
            (Framing::Empty, _) => Progress::Complete(0),
            (Framing::Length(length), _) if self.raw.len() as u64 >= length => {
                Progress::Complete(length as usize)
            }
            (_, Some(chunks)) => chunks.advance(&self.raw[..self.raw.len().min(self.bytes_max)]),
            _ => Progress::More,
        };
        match progress {
            Progress::Complete(end) if end > self.bytes_max => Progress::TooLong,
            // A body whose declared end lies further off is known to be too long without one byte more.
            Progress::More if self.raw.len() >= self.bytes_max && self.framing != Framing::UntilClose => {
                Progress::TooLong
            }
            Progress::More if self.raw.len() > self.bytes_max => Progress::TooLong,
            progress => progress,
        }
    }

    /// Makes sure that the next read has somewhere to go.
    pub fn make_room(&mut self) {
        if self.raw.capacity() == self.raw.len() {
            self.raw.reserve_exact(self.room_wanted());
        }
    }

    /// Drops what follows the body. Returns whether nothing did: a server that sends more than it announced is out of
    /// step, and its next bytes would be taken for the next answer.
    pub fn cut_at_end(&mut self) -> bool {
        let Progress::Complete(end) = self.advance() else { return false };
        let nothing_follows = end == self.raw.len();
        self.raw.truncate(end);
        nothing_follows
    }

    /// Why the body is not whole, when the connection ends here.
    pub fn ended_by(&self, error: Option<io::Error>) -> Option<Truncation> {
        // Many servers drop a TLS connection without the farewell that would prove that nothing is missing.
        let is_end = error.is_none_or(|error| error.kind() == io::ErrorKind::UnexpectedEof);
        (self.framing != Framing::UntilClose || !is_end).then_some(Truncation::Disconnect)
    }

    fn room_wanted(&self) -> usize {
        let come = self.raw.len();
        let left_to_limit = self.bytes_max.saturating_add(1).saturating_sub(come).max(1);
        let expected = match self.framing {
            Framing::Empty => 0,
            Framing::Length(length) => {
                let left = usize::try_from(length).unwrap_or(usize::MAX).saturating_sub(come);
                // A large body may still have to wait for its permit, with no more than it needs until then.
                let trusted = (LARGE_BODY_BYTES + 1).checked_sub(come).unwrap_or(TRUSTED_BYTES).max(1);
                left.saturating_add(1).min(trusted)
            }
            // Twice as much each time, so that a byte is moved about twice at most.
            Framing::Chunked | Framing::UntilClose => come.max(ROOM_BYTES_MIN),
        };
        expected.min(left_to_limit)
    }
}
