//! Amounts of bytes as people write and read them.

/// Why a string is not an amount of bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseSizeError {
    /// It says something else.
    #[error("`{0}` is not a size: write for example 64MiB, 2GB or 100000")]
    NotASize(String),
    /// It is too little memory for anything.
    #[error("at least 1MiB is needed, for example 512MiB")]
    TooLittleMemory,
}

/// Nothing that takes a budget of memory does with less.
const MEMORY_BYTES_MIN: u64 = 1 << 20;

const UNITS: [(&str, u64); 12] = [
    ("", 1),
    ("b", 1),
    ("k", 1 << 10),
    ("kib", 1 << 10),
    ("m", 1 << 20),
    ("mib", 1 << 20),
    ("g", 1 << 30),
    ("gib", 1 << 30),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
];

/// Reads `64MiB`, `2GB`, `512k`, `1000`.
pub fn parse_bytes(text: &str) -> Result<u64, ParseSizeError> {
    let error = || ParseSizeError::NotASize(text.to_owned());
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let number: f64 = text[..split].trim().parse().map_err(|_| error())?;
    let unit = text[split..].to_ascii_lowercase();
    let (_, factor) = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(error)?;
    let bytes = number * *factor as f64;
    if (0.0..u64::MAX as f64).contains(&bytes) { Ok(bytes as u64) } else { Err(error()) }
}

/// Reads a budget of memory: whoever forgets the unit is told so.
pub fn parse_memory(text: &str) -> Result<u64, ParseSizeError> {
    match parse_bytes(text)? {
        ..MEMORY_BYTES_MIN => Err(ParseSizeError::TooLittleMemory),
        bytes => Ok(bytes),
    }
}

/// Writes an amount with one decimal in the largest fitting unit: `12.3 MiB`.
pub fn format_bytes(bytes: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut amount = bytes as f64;
    let mut unit = 0;
    while amount >= 1024.0 && unit + 1 < units.len() {
        amount /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{amount:.1} {}", units[unit]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_as_people_write_them() {
        let cases = [
            ("64MiB", 64 << 20),
            ("2GB", 2_000_000_000),
            ("512k", 512 << 10),
            ("7", 7),
            ("1.5 GiB", 3 << 29),
        ];
        for (text, bytes) in cases {
            assert_eq!(parse_bytes(text).unwrap(), bytes, "for {text}");
        }
        for text in ["", "MiB", "-1", "5 apples", "1e300GB"] {
            assert!(parse_bytes(text).is_err(), "{text:?} should be refused");
        }
        assert_eq!(parse_memory("1MiB"), Ok(1 << 20));
        assert_eq!(parse_memory("512"), Err(ParseSizeError::TooLittleMemory));
        assert!(matches!(parse_memory("x"), Err(ParseSizeError::NotASize(_))));
        assert_eq!(format_bytes(1000), "1000 B");
        assert_eq!(format_bytes(3 << 19), "1.5 MiB");
    }
}
