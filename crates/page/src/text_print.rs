//! What a text says, in a few bytes, and that it says what another does.

use crate::RecordNumber;

/// What a text says, in 32 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextPrint {
    /// Of the words of the text: equal for equal texts.
    pub digest: u128,
    /// None of a text that is too short to be similar to another by more than chance.
    pub near: Option<NearPrint>,
}

/// What finds similar texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NearPrint {
    /// Few bits differ between similar texts, and between some others.
    pub simhash: u64,
    /// Tells these from those.
    pub check: u64,
}

/// How a page repeats another. The numbers are written to disk and never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum CopyKind {
    /// Every word is the same.
    Exact = 1,
    /// Few words differ.
    Near = 2,
}

/// That a page repeats one that was stored before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyOf {
    /// How well.
    pub kind: CopyKind,
    /// The record of the other.
    pub original: RecordNumber,
}
