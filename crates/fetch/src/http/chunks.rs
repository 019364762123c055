//! Chunked bodies: finding their end while they arrive, and joining the chunks.
//!
//! ```text
//! chunk   = size-in-hex [spaces] [; extension] CRLF data CRLF
//! body    = chunk* "0" [; extension] CRLF (trailer CRLF)* CRLF
//! ```
//!
//! The raw bytes stay where they are, for the archive; the data is copied out once, as it comes. A bare LF does for
//! CRLF. Extensions and trailers are skipped and bounded, both per line and in sum, since neither has an end of its
//! own. Cost: a few steps per chunk, a copy per byte.

use memchr::memchr;

/// No size line or trailer line is longer, and neither are all extensions together.
const LINE_BYTES_MAX: usize = 16 << 10;
/// More trailer bytes than this are no trailers.
const TRAILER_BYTES_MAX: usize = 16 << 10;

/// A reader of chunks that is shown a growing buffer.
#[derive(Debug, Default)]
pub(crate) struct ChunkReader {
    /// The data of the chunks so far, joined.
    pub payload: Vec<u8>,
    position: usize,
    expected: Expected,
    extension_bytes: usize,
    trailer_bytes: usize,
}

#[derive(Debug, Default, Clone, Copy)]
enum Expected {
    #[default]
    SizeLine,
    Data {
        bytes_left: u64,
    },
    DataEnd,
    TrailerLine,
    Nothing,
    /// It was malformed; what follows cannot be told from data.
    NoSense,
}

/// How far a body has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// More bytes are needed.
    More,
    /// It ends at this offset.
    Complete(usize),
    /// It goes on beyond what we take.
    TooLong,
    /// What came is not a body of this kind.
    Broken,
}

impl ChunkReader {
    /// Looks at what has been added to `raw` since the last call.
    pub fn advance(&mut self, raw: &[u8]) -> Progress {
        loop {
            let step = match self.expected {
                Expected::SizeLine => self.size_line(raw),
                Expected::Data { bytes_left } => self.data(raw, bytes_left),
                Expected::DataEnd => self.data_end(raw),
                Expected::TrailerLine => self.trailer_line(raw),
                Expected::Nothing => return Progress::Complete(self.position),
                Expected::NoSense => return Progress::Broken,
            };
            match step {
                Ok(Some(next)) => self.expected = next,
                Ok(None) => return Progress::More,
                Err(Malformed) => self.expected = Expected::NoSense,
            }
        }
    }

    fn size_line(&mut self, raw: &[u8]) -> Step {
        let Some(line) = self.line(raw)? else { return Ok(None) };
        let (size, rest) = split_hex_number(line)?;
        let extension = rest.trim_ascii_start();
        if !matches!(extension.first(), None | Some(b';')) {
            return Err(Malformed);
        }
        self.extension_bytes += extension.len();
        if self.extension_bytes > LINE_BYTES_MAX {
            return Err(Malformed);
        }
        Ok(Some(if size == 0 { Expected::TrailerLine } else { Expected::Data { bytes_left: size } }))
    }

    fn data(&mut self, raw: &[u8], bytes_left: u64) -> Step {
        let available = &raw[self.position..];
        let taken = available.len().min(usize::try_from(bytes_left).unwrap_or(usize::MAX));
        self.payload.extend_from_slice(&available[..taken]);
        self.position += taken;
        let bytes_left = bytes_left - taken as u64;
        self.expected = Expected::Data { bytes_left };
        Ok((bytes_left == 0).then_some(Expected::DataEnd))
    }

    fn data_end(&mut self, raw: &[u8]) -> Step {
        let length = match &raw[self.position..] {
            [b'\n', ..] => 1,
            [b'\r', b'\n', ..] => 2,
            [] | [b'\r'] => return Ok(None),
            _ => return Err(Malformed),
        };
        self.position += length;
        Ok(Some(Expected::SizeLine))
    }

    fn trailer_line(&mut self, raw: &[u8]) -> Step {
        let Some(line) = self.line(raw)? else { return Ok(None) };
        let is_empty = line.is_empty();
        self.trailer_bytes += line.len() + 1;
        if self.trailer_bytes > TRAILER_BYTES_MAX {
            return Err(Malformed);
        }
        Ok(Some(if is_empty { Expected::Nothing } else { Expected::TrailerLine }))
    }

    /// Takes a line, without its end, if a whole one is there.
    fn line<'a>(&mut self, raw: &'a [u8]) -> Result<Option<&'a [u8]>, Malformed> {
        let rest = &raw[self.position..];
        let window = &rest[..rest.len().min(LINE_BYTES_MAX)];
        match memchr(b'\n', window) {
            Some(end) => {
                self.position += end + 1;
                let line = &window[..end];
                Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)))
            }
            None if window.len() == LINE_BYTES_MAX => Err(Malformed),
            None => Ok(None),
        }
    }
}

/// What to expect next; nothing while bytes are missing.
type Step = Result<Option<Expected>, Malformed>;

#[derive(Debug)]
struct Malformed;

fn split_hex_number(line: &[u8]) -> Result<(u64, &[u8]), Malformed> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    if digits == 0 || digits > 16 {
        return Err(Malformed);
    }
    let (number, rest) = line.split_at(digits);
    let number = std::str::from_utf8(number).expect("hexadecimal digits are ASCII");
    Ok((u64::from_str_radix(number, 16).map_err(|_| Malformed)?, rest))
}
