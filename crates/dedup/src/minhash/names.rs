//! The names of schemes, as they stand in commands and files.

use std::fmt;
use std::str::FromStr;

use super::Scheme;

/// There is no scheme of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no scheme: it is `seed`, `multiply-add`, `one-permutation` or `fast-similarity`")]
pub struct UnknownScheme(pub String);

impl Scheme {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::MultiplyAdd => "multiply-add",
            Self::OnePermutation => "one-permutation",
            Self::FastSimilarity => "fast-similarity",
        }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Scheme {
    type Err = UnknownScheme;

    fn from_str(name: &str) -> Result<Self, UnknownScheme> {
        let named = Self::ALL.into_iter().find(|scheme| scheme.name() == name);
        named.ok_or_else(|| UnknownScheme(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for scheme in Scheme::ALL {
            assert_eq!(scheme.to_string().parse(), Ok(scheme));
            assert!(
                UnknownScheme(String::new()).to_string().contains(scheme.name()),
                "{scheme} is not offered"
            );
        }
        assert_eq!("Seed".parse::<Scheme>(), Err(UnknownScheme("Seed".to_owned())));
    }
}
