//! Numbers in as many bytes as they need: seven bits a byte, low ones first, the highest bit set where another follows
//! (LEB128).
//!
//! A code that does not end, or that says more than 64 bits, is no number. Cost: a nanosecond or two a number in memory.

use std::io::{self, Read, Write};

/// A number takes at most this many bytes.
pub const BYTES_MAX: usize = 10;

/// Tells how many bytes a number takes.
#[inline]
pub fn length(number: u64) -> usize {
    (64 - (number | 1).leading_zeros()).div_ceil(7) as usize
}

/// Appends a number to bytes in memory.
#[inline]
pub fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number off the front. `None` leaves the bytes as they were: they end inside a number, or it has too many bits.
#[inline]
pub fn take(bytes: &mut &[u8]) -> Option<u64> {
    match *bytes {
        // Most numbers have one byte.
        [byte @ ..0x80, rest @ ..] => {
            *bytes = rest;
            Some(u64::from(*byte))
        }
        _ => take_long(bytes),
    }
}

fn take_long(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for (place, &byte) in bytes.iter().enumerate().take(BYTES_MAX) {
        number |= u64::from(byte & 0x7f) << (7 * place);
        if byte < 0x80 {
            // Of the tenth byte there is room for one bit.
            if place == BYTES_MAX - 1 && byte > 1 {
                return None;
            }
            *bytes = &bytes[place + 1..];
            return Some(number);
        }
    }
    None
}

/// Writes a number.
#[inline]
pub fn write(to: &mut impl Write, mut number: u64) -> io::Result<()> {
    let (mut bytes, mut length) = ([0; BYTES_MAX], 0);
    while number >= 0x80 {
        bytes[length] = number as u8 | 0x80;
        number >>= 7;
        length += 1;
    }
    bytes[length] = number as u8;
    to.write_all(&bytes[..=length])
}

/// Reads a number, byte by byte: `from` should have a buffer. What is no number is an error.
#[inline]
pub fn read(from: &mut impl Read) -> io::Result<u64> {
    let (mut number, mut byte) = (0, [0]);
    for place in 0..BYTES_MAX {
        from.read_exact(&mut byte)?;
        number |= u64::from(byte[0] & 0x7f) << (7 * place);
        if byte[0] < 0x80 && (place < BYTES_MAX - 1 || byte[0] <= 1) {
            return Ok(number);
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "a number has more than 64 bits"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn take_all(mut bytes: &[u8]) -> Vec<u64> {
        std::iter::from_fn(|| take(&mut bytes)).collect()
    }

    proptest! {
        #[test]
        fn numbers_come_back_whichever_way_they_were_written(
            numbers in prop::collection::vec(prop_oneof![0u64..300, any::<u64>(), Just(u64::MAX)], 0..20),
        ) {
            let (mut put_bytes, mut written) = (Vec::new(), Vec::new());
            for number in &numbers {
                let before = put_bytes.len();
                put(&mut put_bytes, *number);
                prop_assert_eq!(put_bytes.len() - before, length(*number));
                write(&mut written, *number).unwrap();
            }
            prop_assert_eq!(&put_bytes, &written);
            prop_assert_eq!(&take_all(&written), &numbers);
            let mut rest = written.as_slice();
            for number in &numbers {
                prop_assert_eq!(read(&mut rest).unwrap(), *number);
            }
            prop_assert!(read(&mut rest).is_err());
        }

        #[test]
        fn both_readers_agree_on_any_bytes(bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(0xff)], 0..14)) {
            let (mut taken, mut stream) = (&bytes[..], &bytes[..]);
            prop_assert_eq!(take(&mut taken), read(&mut stream).ok());
        }
    }

    #[test]
    fn codes_without_an_end_or_with_too_many_bits_are_no_numbers() {
        let tenth = |byte: u8| [vec![0xff; 9], vec![byte]].concat();
        assert_eq!(take_all(&tenth(1)), [u64::MAX]);
        for bytes in [vec![], vec![0x80, 0x80], vec![0xff; 11], tenth(2), tenth(0x81)] {
            assert_eq!(take_all(&bytes), [], "{bytes:?}");
            assert!(read(&mut &bytes[..]).is_err(), "{bytes:?}");
        }
    }
}
