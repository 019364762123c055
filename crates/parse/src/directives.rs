//! The small languages inside attributes: `rel`, robots directives and `refresh`.

/// Does a list of words separated by white space hold `token` (lower case), in any case?
pub(crate) fn has_token(list: &[u8], token: &[u8]) -> bool {
    list.split(u8::is_ascii_whitespace).any(|word| word.eq_ignore_ascii_case(token))
}

/// What a page asks of robots.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Robots {
    pub(crate) noindex: bool,
    pub(crate) nofollow: bool,
}

impl Robots {
    /// Is a `<meta>` of that name addressed to us?
    pub(crate) fn is_for_us(name: &[u8]) -> bool {
        let name = name.trim_ascii();
        name.eq_ignore_ascii_case(b"robots") || name.eq_ignore_ascii_case(b"crivello")
    }

    /// Reads directives separated by commas; those that we do not know mean nothing.
    pub(crate) fn parse(content: &str) -> Self {
        let mut robots = Self::default();
        for directive in content.split(',').map(str::trim) {
            let is = |word: &str| directive.eq_ignore_ascii_case(word);
            robots.noindex |= is("noindex") || is("none");
            robots.nofollow |= is("nofollow") || is("none");
        }
        robots
    }
}

/// The address in the `content` of a refresh, by the WHATWG "shared declarative refresh steps".
///
/// `None` when it cannot be read or only asks to load the same page again.
pub(crate) fn refresh_address(content: &str) -> Option<&str> {
    let after_time = refresh_after_time(content.trim_start_matches(is_space))?;
    let rest = after_time.trim_start_matches(is_space);
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_start_matches(is_space);
    if rest.is_empty() {
        return None;
    }
    let address = after_url_equals(rest).unwrap_or(rest);
    let address = match address.chars().next() {
        Some(quote @ ('"' | '\'')) => address[1..].split(quote).next()?,
        _ => address,
    };
    Some(address)
}

/// Steps over the number of seconds; something must separate it from what follows.
fn refresh_after_time(content: &str) -> Option<&str> {
    let digits = content.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 && !content.starts_with('.') {
        return None;
    }
    let rest = content[digits..].trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    (rest.is_empty() || rest.starts_with(|c| is_space(c) || c == ';' || c == ',')).then_some(rest)
}

/// What follows `url =`, in any case and spacing.
fn after_url_equals(text: &str) -> Option<&str> {
    let word = text.get(..3).filter(|word| word.eq_ignore_ascii_case("url"))?;
    let rest = text[word.len()..].trim_start_matches(is_space).strip_prefix('=')?;
    Some(rest.trim_start_matches(is_space))
}

fn is_space(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\x0c' | '\r' | ' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refreshes_as_pages_write_them() {
        let cases = [
            ("0; url=foo", Some("foo")),
            ("0;URL='foo'", Some("foo")),
            ("0;URL=\"foo", Some("foo")),
            (" 1.5 , url = foo ", Some("foo ")),
            ("5 foo", Some("foo")),
            ("0; urlfoo", Some("urlfoo")),
            ("0; \"foo\"bar", Some("foo")),
            (".9; foo", Some("foo")),
            ("0;url=", Some("")),
            ("5", None),
            ("5;", None),
            ("url=foo", None),
            (";url=foo", None),
            (" , foo", None),
            ("-1;url=foo", None),
            ("1x;url=foo", None),
            ("", None),
            ("0;ü", Some("ü")),
        ];
        for (content, expected) in cases {
            assert_eq!(refresh_address(content), expected, "for {content:?}");
        }
    }

    #[test]
    fn robots_directives_in_any_case() {
        let cases = [
            ("noindex", true, false),
            ("INDEX, NoFollow", false, true),
            (" none ,max-snippet:-1", true, true),
            ("all", false, false),
            ("noindex nofollow", false, false),
            ("", false, false),
        ];
        for (content, noindex, nofollow) in cases {
            assert_eq!(Robots::parse(content), Robots { noindex, nofollow }, "for {content:?}");
        }
    }
}
