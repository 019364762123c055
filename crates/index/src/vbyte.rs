//! Byte-aligned integers for what is read sequentially and soon: runs and dictionary entries.
//!
//! Seven bits per byte, least significant first; the top bit says that more follow.

use std::io::{self, Read, Write};

/// Appends `value` to `bytes`.
pub(crate) fn push(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Writes `value`.
pub(crate) fn write(writer: &mut impl Write, mut value: u64) -> io::Result<()> {
    let (mut buffer, mut length) = ([0; 10], 0);
    while value >= 0x80 {
        buffer[length] = value as u8 | 0x80;
        value >>= 7;
        length += 1;
    }
    buffer[length] = value as u8;
    writer.write_all(&buffer[..=length])
}

/// Reads a value; a code that does not end or does not fit 64 bits is an error.
pub(crate) fn read(reader: &mut impl Read) -> io::Result<u64> {
    let (mut value, mut shift) = (0u64, 0);
    loop {
        let mut byte = [0];
        reader.read_exact(&mut byte)?;
        if shift > 63 || (shift == 63 && byte[0] > 1) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "an integer has more than 64 bits"));
        }
        value |= u64::from(byte[0] & 0x7f) << shift;
        if byte[0] < 0x80 {
            return Ok(value);
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_whichever_way_they_were_written() {
        for value in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
            let (mut pushed, mut written) = (Vec::new(), Vec::new());
            push(&mut pushed, value);
            write(&mut written, value).unwrap();
            assert_eq!(pushed, written);
            assert_eq!(read(&mut pushed.as_slice()).unwrap(), value);
        }
    }

    #[test]
    fn endless_and_oversized_codes_are_errors() {
        assert!(read(&mut [0x80, 0x80].as_slice()).is_err());
        assert!(read(&mut [0xff; 11].as_slice()).is_err());
    }
}
