//! Columns: numbers of the same width in a row, gathered in memory, or mapped from a file that somebody wrote before.
//!
//! A file of columns is a row of parts, each with its length before it (u64). Whoever reads them back asks for them in the
//! order in which they were put.

use journal::{Bytes, u64_at};

/// Numbers of `N` bytes each, the low ones first, as they are on disk.
#[derive(Debug, Clone)]
pub(crate) enum Column<const N: usize> {
    Memory(Vec<[u8; N]>),
    Mapped(Bytes),
}

impl<const N: usize> Column<N> {
    /// So many times the same.
    pub(crate) fn of(value: [u8; N], count: u32) -> Self {
        Self::Memory(vec![value; count as usize])
    }

    /// All rows.
    #[inline]
    pub(crate) fn rows(&self) -> &[[u8; N]] {
        match self {
            Self::Memory(rows) => rows,
            Self::Mapped(bytes) => bytes.as_chunks().0,
        }
    }

    /// One row, if there is one.
    #[inline]
    pub(crate) fn get(&self, place: usize) -> Option<[u8; N]> {
        self.rows().get(place).copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.rows().len()
    }

    /// The rows to be changed; those of a file are copied first.
    pub(crate) fn rows_mut(&mut self) -> &mut Vec<[u8; N]> {
        if let Self::Mapped(_) = self {
            *self = Self::Memory(self.rows().to_vec());
        }
        match self {
            Self::Memory(rows) => rows,
            Self::Mapped(_) => unreachable!("it was just copied"),
        }
    }
}

impl Column<4> {
    /// The number in a row, if there is one.
    #[inline]
    pub(crate) fn number(&self, place: usize) -> Option<u32> {
        self.get(place).map(u32::from_le_bytes)
    }

    pub(crate) fn push(&mut self, number: u32) {
        self.rows_mut().push(number.to_le_bytes());
    }

    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.rows().iter().copied().map(u32::from_le_bytes)
    }
}

impl<const N: usize> Default for Column<N> {
    fn default() -> Self {
        Self::Memory(Vec::new())
    }
}

impl<const N: usize> PartialEq for Column<N> {
    fn eq(&self, other: &Self) -> bool {
        self.rows() == other.rows()
    }
}

impl<const N: usize> Eq for Column<N> {}

/// Puts parts one after the other.
#[derive(Debug, Default)]
pub(crate) struct PartsWriter {
    pub(crate) bytes: Vec<u8>,
}

impl PartsWriter {
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend((bytes.len() as u64).to_le_bytes());
        self.bytes.extend_from_slice(bytes);
    }

    pub(crate) fn column<const N: usize>(&mut self, column: &Column<N>) {
        self.bytes(column.rows().as_flattened());
    }

    pub(crate) fn numbers(&mut self, numbers: impl Iterator<Item = u32>) {
        self.column(&Column::Memory(numbers.map(u32::to_le_bytes).collect()));
    }

    /// Names, however many.
    pub(crate) fn names(&mut self, names: &[String]) {
        let end = |bytes: &mut u32, name: &String| {
            *bytes += name.len() as u32;
            Some(*bytes)
        };
        self.numbers(names.iter().scan(0, end));
        self.bytes(names.concat().as_bytes());
    }
}

/// Takes them back in the same order. Nothing where they do not fit.
#[derive(Debug)]
pub(crate) struct PartsReader {
    left: Bytes,
}

impl PartsReader {
    pub(crate) fn new(left: Bytes) -> Self {
        Self { left }
    }

    pub(crate) fn bytes(&mut self) -> Option<Bytes> {
        let length = usize::try_from(u64_at(self.left.get(..8)?, 0)).ok()?;
        let part = self.left.cut(8..length.checked_add(8)?)?;
        self.left = self.left.cut(8 + length..self.left.len())?;
        Some(part)
    }

    /// A column of so many rows.
    pub(crate) fn column<const N: usize>(&mut self, rows: usize) -> Option<Column<N>> {
        self.any_column().filter(|column| column.len() == rows)
    }

    /// A column of however many rows.
    pub(crate) fn any_column<const N: usize>(&mut self) -> Option<Column<N>> {
        self.bytes().filter(|bytes| bytes.len().is_multiple_of(N)).map(Column::Mapped)
    }

    pub(crate) fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    pub(crate) fn names(&mut self) -> Option<Vec<String>> {
        let (ends, text, mut start) = (self.any_column()?, self.text()?, 0);
        let mut name = |end: u32| {
            let name = text.get(start..end as usize)?.to_owned();
            start = end as usize;
            Some(name)
        };
        ends.numbers().map(&mut name).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.left.is_empty()
    }
}
