//! Addresses as paths that people can read.

use page::PageUrl;

/// Paths are shown up to about this length.
const CHARS_MAX: usize = 90;

/// `https://example.org/a/b.html?c=d` as `example.org › a › b.html ? c=d`.
pub(crate) fn breadcrumb(address: &str) -> String {
    let Ok(url) = PageUrl::parse(address) else { return shortened(&visible(address)) };
    let (path, query) = url
        .path_and_query()
        .split_once('?')
        .map_or((url.path_and_query(), None), |(path, query)| (path, Some(query)));
    let mut crumb = url.authority().to_owned();
    for segment in path.split('/').filter(|segment| !segment.is_empty()) {
        crumb.push_str(" › ");
        crumb.push_str(&visible(&percent_decoded(segment)));
    }
    if let Some(query) = query.filter(|query| !query.is_empty()) {
        crumb.push_str(" ? ");
        crumb.push_str(&visible(&percent_decoded(query)));
    }
    shortened(&crumb)
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= CHARS_MAX {
        return text.to_owned();
    }
    text.chars().take(CHARS_MAX).chain(['…']).collect()
}

/// `%C3%A9` as `é`; what is not UTF-8 stays as it is.
pub fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = tail.first_chunk::<2>().filter(|_| *first == b'%').and_then(hexadecimal);
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

fn hexadecimal(digits: &[u8; 2]) -> Option<u8> {
    let value = |digit: u8| char::from(digit).to_digit(16);
    u8::try_from(value(digits[0])? * 16 + value(digits[1])?).ok()
}

/// Text without control characters and without those that turn the direction of writing: with them a page could make its
/// address look like that of another.
fn visible(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().filter(|c| !c.is_control() && !turns(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_become_paths_that_can_be_read() {
        let long = format!("http://a.org/{}", "x".repeat(200));
        let cases = [
            ("https://example.org/a/b.html?c=d", "example.org › a › b.html ? c=d"),
            ("http://example.org:81/", "example.org:81"),
            ("http://example.org/caff%C3%A8/", "example.org › caffè"),
            ("http://example.org/%FF/%zz", "example.org › %FF › %zz"),
            ("http://example.org/%E2%80%AEgpj.exe", "example.org › gpj.exe"),
            ("javascript:alert(1)", "javascript:alert(1)"),
            (&long, &format!("a.org › {}…", "x".repeat(82))),
        ];
        for (address, expected) in cases {
            assert_eq!(breadcrumb(address), expected, "for {address}");
        }
    }
}
