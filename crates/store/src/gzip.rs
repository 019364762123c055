//! One gzip member per WARC record, so that any record can be read alone.
//!
//! libdeflate rather than zlib: on 8 kB pages it needs about a third of the time for the same size, because it
//! compresses whole buffers and keeps no stream state (see `benches/runs/`). Compression is the largest single cost
//! of archiving a page.
//!
//! What came compressed, as most pages of today's servers do, is stored as it is: to compress it again takes as long and makes
//! it smaller by a thirtieth.

use libdeflater::{CompressionLvl, Compressor, Decompressor};

/// Compresses records; it holds about a megabyte of working memory, so keep one per thread.
pub struct GzipCompressor {
    compressor: Compressor,
}

impl GzipCompressor {
    /// `level` is that of libdeflate: 1 (fast) to 12 (small).
    pub fn new(level: i32) -> Self {
        let level = CompressionLvl::new(level.clamp(1, 12)).expect("levels 1 to 12 exist");
        Self { compressor: Compressor::new(level) }
    }

    /// Appends `content` to `out` as one gzip member.
    pub fn append_member(&mut self, content: &[u8], out: &mut Vec<u8>) {
        let start = out.len();
        let bound = self.compressor.gzip_compress_bound(content.len());
        out.resize(start + bound, 0);
        let written = self
            .compressor
            .gzip_compress(content, &mut out[start..])
            .expect("libdeflate never needs more than its own bound");
        out.truncate(start + written);
    }
}

impl std::fmt::Debug for GzipCompressor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("GzipCompressor")
    }
}

/// The content of a stored block is at most so long.
const STORED_BYTES_MAX: usize = 65_535;

/// One gzip member of content that is not compressed, with a comment of so many bytes, its end included.
pub(crate) fn stored_member(content: &[u8], comment_bytes: usize) -> Vec<u8> {
    let mut member = Vec::new();
    append_stored_member(content, comment_bytes, &mut member);
    member
}

/// Appends the same to `out`.
pub(crate) fn append_stored_member(content: &[u8], comment_bytes: usize, out: &mut Vec<u8>) {
    const HAS_COMMENT: u8 = 1 << 4;
    let flags = if comment_bytes > 0 { HAS_COMMENT } else { 0 };
    // Magic, deflate, flags, no time, nothing about the compression, an unknown system.
    out.extend([0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 255]);
    let comment_end = out.len() + comment_bytes;
    out.resize(comment_end.saturating_sub(1).max(out.len()), b' ');
    out.resize(comment_end, 0);
    let blocks = content.len().div_ceil(STORED_BYTES_MAX).max(1);
    for (number, block) in (1..).zip(content.chunks(STORED_BYTES_MAX)) {
        let length = block.len() as u16;
        out.push(u8::from(number == blocks));
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&(!length).to_le_bytes());
        out.extend_from_slice(block);
    }
    let mut checksum = libdeflater::Crc::new();
    checksum.update(content);
    out.extend_from_slice(&checksum.sum().to_le_bytes());
    out.extend_from_slice(&(content.len() as u32).to_le_bytes());
}

/// Undoes one whole gzip member. `None` if it is damaged or larger than `bytes_max`.
pub(crate) fn decompress_member(member: &[u8], bytes_max: usize) -> Option<Vec<u8>> {
    let length_field = member.len().checked_sub(4).map(|at| &member[at..])?;
    let length = u32::from_le_bytes(length_field.try_into().expect("four bytes")) as usize;
    if length > bytes_max {
        return None;
    }
    let mut content = vec![0; length];
    let written = Decompressor::new().gzip_decompress(member, &mut content).ok()?;
    (written == length).then_some(content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn members_are_read_by_us_and_by_others() {
        let mut compressor = GzipCompressor::new(6);
        for content in [b"".to_vec(), b"a".to_vec(), b"crivello ".repeat(10_000)] {
            let mut member = b"before".to_vec();
            compressor.append_member(&content, &mut member);
            assert_eq!(decompress_member(&member[6..], 1 << 20).as_deref(), Some(&content[..]));
            let mut read = Vec::new();
            flate2::read::GzDecoder::new(&member[6..]).read_to_end(&mut read).unwrap();
            assert_eq!(read, content);
        }
    }

    #[test]
    fn damage_and_bombs_are_refused() {
        let mut member = Vec::new();
        GzipCompressor::new(6).append_member(&[7; 5000], &mut member);
        assert_eq!(decompress_member(&member, 4999), None);
        for position in [0, 12, member.len() / 2, member.len() - 1] {
            let mut damaged = member.clone();
            damaged[position] ^= 0x10;
            assert_eq!(decompress_member(&damaged, 1 << 20), None, "byte {position}");
        }
        assert_eq!(decompress_member(&[], 10), None);
    }
}
