//! The fields inside a record: numbers of variable length ([`crate::varint`]) and byte strings.

use crate::varint;

/// Writes fields one after the other.
#[derive(Debug, Default)]
pub struct FieldWriter {
    bytes: Vec<u8>,
}

impl FieldWriter {
    /// An empty record.
    pub fn new() -> Self {
        Self::default()
    }

    /// A number, in one to ten bytes.
    pub fn number(&mut self, value: u64) -> &mut Self {
        varint::put(&mut self.bytes, value);
        self
    }

    /// A byte string with its length before it.
    pub fn bytes(&mut self, value: &[u8]) -> &mut Self {
        self.number(value.len() as u64).fixed(value)
    }

    /// A text.
    pub fn text(&mut self, value: &str) -> &mut Self {
        self.bytes(value.as_bytes())
    }

    /// Bytes whose number the reader knows.
    pub fn fixed(&mut self, value: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(value);
        self
    }

    /// What was written so far.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What was written, and the memory with it.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Forgets everything and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }
}

/// A record whose fields do not fit together, although its checksum does: written by something else than us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a record cannot be read")]
pub struct Malformed;

/// Reads fields in the order in which they were written.
#[derive(Debug, Clone)]
pub struct FieldReader<'a> {
    rest: &'a [u8],
}

impl<'a> FieldReader<'a> {
    /// Starts at the front.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// A number.
    pub fn number(&mut self) -> Result<u64, Malformed> {
        varint::take(&mut self.rest).ok_or(Malformed)
    }

    /// A number that fits a smaller type.
    pub fn small<T: TryFrom<u64>>(&mut self) -> Result<T, Malformed> {
        T::try_from(self.number()?).map_err(|_| Malformed)
    }

    /// A byte string.
    pub fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let length = self.small::<usize>()?;
        let (value, rest) = self.rest.split_at_checked(length).ok_or(Malformed)?;
        self.rest = rest;
        Ok(value)
    }

    /// A text.
    pub fn text(&mut self) -> Result<&'a str, Malformed> {
        std::str::from_utf8(self.bytes()?).map_err(|_| Malformed)
    }

    /// A known number of bytes.
    pub fn fixed<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (value, rest) = self.rest.split_first_chunk::<N>().ok_or(Malformed)?;
        self.rest = rest;
        Ok(*value)
    }

    /// True when nothing is left.
    pub fn is_empty(&self) -> bool {
        self.remaining() == 0
    }

    /// How many bytes are left.
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_back_as_they_went() {
        let mut writer = FieldWriter::new();
        writer.number(0).number(127).number(128).number(u64::MAX).text("ciò").bytes(&[0, 255]).fixed(&[7; 4]);
        let mut reader = FieldReader::new(writer.as_bytes());
        for number in [0, 127, 128, u64::MAX] {
            assert_eq!(reader.number(), Ok(number));
        }
        assert_eq!(
            (reader.text(), reader.bytes(), reader.fixed::<4>()),
            (Ok("ciò"), Ok(&[0, 255][..]), Ok([7; 4]))
        );
        assert!(reader.is_empty());
        assert_eq!(reader.number(), Err(Malformed));
    }

    proptest::proptest! {
        #[test]
        fn foreign_bytes_never_panic(bytes in proptest::collection::vec(0u8.., 0..40)) {
            let mut reader = FieldReader::new(&bytes);
            while !reader.is_empty() && reader.text().is_ok() {}
        }
    }
}
