//! Which languages the person reads who asks.

/// The languages of a reader, the best first; none if nothing is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReaderLanguages {
    codes: [Option<[u8; 2]>; LANGUAGES_MAX],
}

/// So many languages are considered.
pub(crate) const LANGUAGES_MAX: usize = 4;

impl ReaderLanguages {
    /// Reads what a browser sends as `Accept-Language`, or a list such as `it, en`. Regions do not count; what is not understood
    /// is passed over.
    pub fn parse(text: &str) -> Self {
        let mut wishes: Vec<(f32, [u8; 2])> = Vec::new();
        for wish in text.split(',').take(32) {
            let (tag, quality) = wish.split_once(';').unwrap_or((wish, ""));
            let code = tag.split(['-', '_']).next().unwrap_or_default().trim().to_ascii_lowercase();
            let quality = quality.trim().strip_prefix("q=").map_or(Some(1.0), |quality| quality.parse().ok());
            if let (&[one @ b'a'..=b'z', other @ b'a'..=b'z'], Some(quality)) = (code.as_bytes(), quality)
                && quality > 0.0
                && wishes.iter().all(|(_, known)| *known != [one, other])
            {
                wishes.push((quality, [one, other]));
            }
        }
        wishes.sort_by(|one, other| other.0.total_cmp(&one.0));
        let mut codes = [None; LANGUAGES_MAX];
        for (place, (_, code)) in codes.iter_mut().zip(wishes) {
            *place = Some(code);
        }
        Self { codes }
    }

    /// Their codes of two letters.
    pub(crate) fn codes(&self) -> impl Iterator<Item = [u8; 2]> {
        self.codes.into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_liked_languages_come_first() {
        let rows: &[(&str, &[&str])] = &[
            ("", &[]),
            ("it", &["it"]),
            ("it, en", &["it", "en"]),
            ("en;q=0.5, de-CH, de;q=0.9, *;q=0.1", &["de", "en"]),
            ("fr;q=0, en", &["en"]),
            ("PT_br", &["pt"]),
            ("x, 12, eng, en;q=many, \u{e9}\u{e9}", &[]),
            ("aa,bb,cc,dd,ee", &["aa", "bb", "cc", "dd"]),
        ];
        for (text, expected) in rows {
            let codes: Vec<_> = ReaderLanguages::parse(text).codes().collect();
            let expected: Vec<_> =
                expected.iter().map(|code| [code.as_bytes()[0], code.as_bytes()[1]]).collect();
            assert_eq!(codes, expected, "{text}");
        }
    }
}
