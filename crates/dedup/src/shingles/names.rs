//! The names of shinglings, as they stand in commands and files: `words:5`, `chars:54`, `seed-chars:54`.

use std::fmt;
use std::str::FromStr;

use super::{SHINGLE_LENGTH_MAX, Shingling};

/// Why something is no shingling.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotAShingling {
    /// There is no such kind.
    #[error("`{0}` is no kind of shingle: it is `words:5`, `chars:54`, `seed-chars:54` or the like")]
    UnknownKind(String),
    /// The part after the colon is no length.
    #[error("`{0}` is no length of a shingle: it is a number from 1 to {SHINGLE_LENGTH_MAX}")]
    Length(String),
}

impl Default for Shingling {
    /// Five words.
    fn default() -> Self {
        Self::Words(5)
    }
}

impl FromStr for Shingling {
    type Err = NotAShingling;

    /// Reads `words:5`. Without a length it is 5 words or 54 characters.
    fn from_str(name: &str) -> Result<Self, NotAShingling> {
        let (kind, length) = name.split_once(':').map_or((name, None), |(kind, length)| (kind, Some(length)));
        let (make, usual): (fn(usize) -> Self, usize) = match kind {
            "words" => (Self::Words, 5),
            "chars" => (Self::Chars, 54),
            "seed-chars" => (Self::SeedChars, 54),
            _ => return Err(NotAShingling::UnknownKind(name.to_owned())),
        };
        let Some(length) = length else { return Ok(make(usual)) };
        match length.parse() {
            Ok(length) if (1..=SHINGLE_LENGTH_MAX).contains(&length) => Ok(make(length)),
            _ => Err(NotAShingling::Length(length.to_owned())),
        }
    }
}

impl fmt::Display for Shingling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(length) => write!(f, "words:{length}"),
            Self::Chars(length) => write!(f, "chars:{length}"),
            Self::SeedChars(length) => write!(f, "seed-chars:{length}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for name in ["words:1", "words:5", "chars:54", "seed-chars:1000"] {
            assert_eq!(name.parse::<Shingling>().map(|shingling| shingling.to_string()), Ok(name.to_owned()));
        }
        assert_eq!("chars".parse(), Ok(Shingling::Chars(54)));
        assert_eq!("words".parse(), Ok(Shingling::default()));
    }

    #[test]
    fn anything_else_is_refused_and_the_reason_named() {
        let cases = [
            ("word:5", "`word:5` is no kind of shingle"),
            ("", "`` is no kind"),
            ("words:0", "`0` is no length"),
            ("words:1001", "from 1 to 1000"),
            ("chars:x", "`x` is no length"),
            ("chars:", "`` is no length"),
        ];
        for (name, reason) in cases {
            let error = name.parse::<Shingling>().expect_err(name).to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
