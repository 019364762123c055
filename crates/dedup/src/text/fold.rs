//! Lower case, and which characters are of words, beyond ASCII.
//!
//! The standard library searches its tables for each question. Here the answers for the 65 536 characters of the basic
//! plane are asked once and kept in 128 kB, of which a text touches the few lines of its own script.

use std::sync::LazyLock;

/// In [`FOLDED`]: the character is of no word. Nothing becomes U+0000, which is of no word itself.
const NO_WORD: u16 = 0;

/// In [`FOLDED`]: ask the standard library. U+0001 is of no word either.
const ASK: u16 = 1;

/// What a character of the basic plane becomes in a word.
static FOLDED: LazyLock<Box<[u16]>> = LazyLock::new(|| {
    let folded = |code: u16| match char::from_u32(u32::from(code)) {
        Some(c) if c.is_alphanumeric() => {
            let mut lower = lower_chars(c);
            let first = lower.next().map_or(ASK, |c| u16::try_from(u32::from(c)).unwrap_or(ASK));
            if lower.next().is_some() { ASK } else { first }
        }
        _ => NO_WORD,
    };
    (0..=u16::MAX).map(folded).collect()
});

/// A character in lower case, both forms of the small sigma as one.
pub fn lower_chars(c: char) -> impl Iterator<Item = char> {
    c.to_lowercase().map(|c| if c == 'ς' { 'σ' } else { c })
}

/// A part of a text.
pub enum Piece<'a> {
    /// A run of ASCII, as long as possible.
    Ascii(&'a [u8]),
    /// A character that is not ASCII.
    Char(char),
    /// Bytes that are not UTF-8.
    Broken,
}

/// Gives the pieces of a text in their order.
#[inline(always)]
pub fn for_each_piece(text: &[u8], mut visit: impl FnMut(Piece<'_>)) {
    // Most texts are sound, and to see that as a whole takes half of the time.
    if let Ok(text) = std::str::from_utf8(text) {
        return for_each_sound_piece(text, &mut visit);
    }
    for chunk in text.utf8_chunks() {
        for_each_sound_piece(chunk.valid(), &mut visit);
        if !chunk.invalid().is_empty() {
            visit(Piece::Broken);
        }
    }
}

#[inline(always)]
fn for_each_sound_piece(mut rest: &str, visit: &mut impl FnMut(Piece<'_>)) {
    while !rest.is_empty() {
        let (ascii, after) = rest.split_at(ascii_prefix(rest.as_bytes()));
        if !ascii.is_empty() {
            visit(Piece::Ascii(ascii.as_bytes()));
        }
        rest = after;
        let mut chars = rest.chars();
        // One character after the other until the next one in ASCII.
        while let Some(c) = chars.next().filter(|c| !c.is_ascii()) {
            rest = chars.as_str();
            visit(Piece::Char(c));
        }
    }
}

/// Appends a text with all characters above ASCII in lower case and a space for those that are of no word, so that
/// bytes from 0x80 on are of words only. ASCII stays as it is. Bytes that are not UTF-8 become a space.
pub fn fold_words(text: &[u8], folded: &mut Vec<u8>) {
    let table = &**FOLDED;
    folded.reserve(text.len());
    for_each_piece(text, |piece| match piece {
        Piece::Ascii(bytes) => folded.extend_from_slice(bytes),
        Piece::Broken => folded.push(b' '),
        Piece::Char(c) => match table.get(c as usize).copied().unwrap_or(ASK) {
            NO_WORD => folded.push(b' '),
            ASK if !c.is_alphanumeric() => folded.push(b' '),
            ASK => lower_chars(c).for_each(|c| push(c, folded)),
            lower => push(char::from_u32(u32::from(lower)).expect("it was a character"), folded),
        },
    });
}

/// How many bytes of ASCII a text starts with.
fn ascii_prefix(text: &[u8]) -> usize {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let mut length = 0;
    for eight in text.as_chunks::<8>().0 {
        let high = u64::from_le_bytes(*eight) & HIGH;
        if high != 0 {
            return length + high.trailing_zeros() as usize / 8;
        }
        length += 8;
    }
    length + text[length..].iter().take_while(|byte| byte.is_ascii()).count()
}

#[inline]
fn push(c: char, folded: &mut Vec<u8>) {
    let code = u32::from(c);
    // Most letters of most scripts with lower case have two bytes, and a copy of known length is a single store.
    if (0x80..0x800).contains(&code) {
        return folded.extend_from_slice(&[0xc0 | (code >> 6) as u8, 0x80 | (code & 0x3f) as u8]);
    }
    folded.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

/// One ASCII character in lower case, or [`None`] for white space.
#[inline(always)]
pub const fn lower_char(byte: u8) -> Option<u8> {
    match byte {
        b' ' | b'\t'..=b'\r' => None,
        _ => Some(byte.to_ascii_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_becomes_what_the_standard_library_says() {
        for c in ('\u{80}'..=char::MAX).chain('\0'..'\u{80}') {
            let mut folded = Vec::new();
            fold_words(c.to_string().as_bytes(), &mut folded);
            let expected = match c {
                c if c.is_ascii() => c.to_string(),
                'ς' => "σ".to_owned(),
                c if c.is_alphanumeric() => c.to_lowercase().to_string(),
                _ => " ".to_owned(),
            };
            assert_eq!(folded, expected.as_bytes(), "{c:?}");
        }
    }

    #[test]
    fn white_space_is_that_of_the_standard_library() {
        for byte in 0..128u8 {
            assert_eq!(lower_char(byte).is_none(), char::from(byte).is_whitespace(), "{byte:#x}");
        }
    }
}
