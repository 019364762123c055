//! The lines of a robots.txt, read as leniently as crawlers have learnt to read them.

use std::time::Duration;

/// A line that means something to us. Everything else is skipped.
#[derive(Debug, PartialEq)]
pub(super) enum Line<'a> {
    UserAgent(&'a [u8]),
    Allow(&'a [u8]),
    Disallow(&'a [u8]),
    CrawlDelay(Duration),
    Sitemap(String),
}

/// The lines of a file. They end with LF, CR or both; a byte order mark, or what a tool left of one, is skipped.
pub(super) fn lines_of(bytes: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let mark_length = bytes.iter().zip(b"\xEF\xBB\xBF").take_while(|(given, mark)| given == mark).count();
    bytes[mark_length..].split(|byte| matches!(byte, b'\n' | b'\r')).filter_map(parse_line)
}

fn parse_line(line: &[u8]) -> Option<Line<'_>> {
    let without_comment = line.split(|byte| *byte == b'#').next().unwrap_or(line);
    let (key, value) = split_key(without_comment.trim_ascii())?;
    let is = |names: &[&str]| names.iter().any(|name| key.eq_ignore_ascii_case(name.as_bytes()));
    // The misspellings are those that Google's parser has met often enough to accept.
    if is(&["user-agent", "useragent", "user agent"]) {
        Some(Line::UserAgent(value))
    } else if is(&["allow"]) {
        Some(Line::Allow(value))
    } else if is(&["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"]) {
        Some(Line::Disallow(value))
    } else if is(&["crawl-delay", "crawldelay", "crawl delay"]) {
        parse_delay(value).map(Line::CrawlDelay)
    } else if is(&["sitemap", "site-map"]) && !value.is_empty() {
        Some(Line::Sitemap(String::from_utf8_lossy(value).into_owned()))
    } else {
        None
    }
}

/// Splits at the colon or, where it was forgotten, at the white space between the only two words.
fn split_key(line: &[u8]) -> Option<(&[u8], &[u8])> {
    if let Some(colon) = memchr::memchr(b':', line) {
        return Some((line[..colon].trim_ascii(), line[colon + 1..].trim_ascii()));
    }
    let space = line.iter().position(u8::is_ascii_whitespace)?;
    let (key, value) = (&line[..space], line[space..].trim_ascii());
    (!value.iter().any(u8::is_ascii_whitespace)).then_some((key, value))
}

/// Seconds, possibly with a fraction, possibly with a unit behind.
fn parse_delay(value: &[u8]) -> Option<Duration> {
    let digits = value.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    let seconds: f64 = std::str::from_utf8(&value[..digits]).ok()?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}
