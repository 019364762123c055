//! The addresses that a site lists of itself (sitemaps.org).
//!
//! A sitemap is a `<urlset>` of pages, a `<sitemapindex>` of further sitemaps, or a text with one address per line.
//! Only the `<loc>` elements matter, so a scanner from `<` to `<` is enough: it knows comments, CDATA, document
//! types (stepped over, never expanded) and the five entities with numeric ones. One pass, and at most
//! [`SITEMAP_ENTRIES_MAX`] addresses.

use std::borrow::Cow;

use memchr::{memchr, memmem};
use page::PageUrl;

/// The limit of the protocol; further entries are not read.
pub const SITEMAP_ENTRIES_MAX: usize = 50_000;

/// What a sitemap lists, in its order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sitemap {
    /// Addresses of pages.
    pub pages: Vec<PageUrl>,
    /// Addresses of further sitemaps.
    pub sitemaps: Vec<PageUrl>,
}

impl Sitemap {
    fn is_full(&self) -> bool {
        self.pages.len() + self.sitemaps.len() >= SITEMAP_ENTRIES_MAX
    }
}

/// Reads the sitemap at `url`. What cannot be read is left out.
pub fn parse_sitemap(url: &PageUrl, body: &[u8]) -> Sitemap {
    let decoded = crate::decode(url, None, body);
    let text = decoded.text.trim_start();
    if text.starts_with('<') { Scanner::new(url, text).run() } else { parse_lines(url, text) }
}

fn parse_lines(url: &PageUrl, text: &str) -> Sitemap {
    let pages = text.lines().filter(|line| !line.trim().is_empty());
    let pages = pages.filter_map(|line| absolute(url, line)).take(SITEMAP_ENTRIES_MAX).collect();
    Sitemap { pages, sitemaps: Vec::new() }
}

/// Addresses must be absolute; relative ones in a text would make a page of every word.
fn absolute(url: &PageUrl, text: &str) -> Option<PageUrl> {
    let text = text.trim();
    text.contains("://").then(|| url.join(text).ok()).flatten()
}

struct Scanner<'a> {
    url: &'a PageUrl,
    rest: &'a str,
    /// The prefix of the first element with its colon: `image:loc` in a plain sitemap is not ours.
    prefix: Option<&'a str>,
    is_in_sitemap: bool,
    /// The text of the `<loc>` that is open.
    location: Option<String>,
    found: Sitemap,
}

impl<'a> Scanner<'a> {
    fn new(url: &'a PageUrl, text: &'a str) -> Self {
        let found = Sitemap::default();
        Self { url, rest: text, prefix: None, is_in_sitemap: false, location: None, found }
    }

    fn run(mut self) -> Sitemap {
        while !self.rest.is_empty() && !self.found.is_full() {
            let text_len = memchr(b'<', self.rest.as_bytes()).unwrap_or(self.rest.len());
            let text = self.take(text_len);
            if let Some(location) = &mut self.location {
                location.push_str(&unescaped(text));
            }
            self.markup();
        }
        self.found
    }

    fn take(&mut self, len: usize) -> &'a str {
        let (front, rest) = self.rest.split_at(len);
        self.rest = rest;
        front
    }

    /// Takes everything up to and with `end`.
    fn take_through(&mut self, end: &str) -> &'a str {
        let found = memmem::find(self.rest.as_bytes(), end.as_bytes());
        self.take(found.map_or(self.rest.len(), |at| at + end.len()))
    }

    fn markup(&mut self) {
        if self.rest.starts_with("<!--") {
            self.take_through("-->");
        } else if let Some(content) = self.rest.strip_prefix("<![CDATA[") {
            self.rest = content;
            let content = self.take_through("]]>");
            if let Some(location) = &mut self.location {
                location.push_str(content.strip_suffix("]]>").unwrap_or(content));
            }
        } else if self.rest.starts_with("<!") {
            let subset = self.rest.find(['[', '>']).filter(|at| self.rest.as_bytes()[*at] == b'[');
            self.take_through(if subset.is_some() { "]>" } else { ">" });
        } else {
            let tag = self.take_through(">");
            self.tag(tag);
        }
    }

    fn tag(&mut self, tag: &'a str) {
        let inside = tag.trim_start_matches('<').trim_end_matches('>');
        let (is_end, inside) = inside.strip_prefix('/').map_or((false, inside), |rest| (true, rest));
        let name = inside.split([' ', '\t', '\r', '\n', '/']).next().unwrap_or_default();
        if name.is_empty() || name.starts_with('?') {
            return;
        }
        let prefix =
            *self.prefix.get_or_insert_with(|| name.split_at(name.find(':').map_or(0, |at| at + 1)).0);
        match (name.strip_prefix(prefix), is_end) {
            (Some("sitemap"), _) => self.is_in_sitemap = !is_end,
            (Some("loc"), false) => self.location = Some(String::new()),
            (Some("loc"), true) => self.end_location(),
            _ => {}
        }
    }

    fn end_location(&mut self) {
        let location = self.location.take().unwrap_or_default();
        if let Some(address) = absolute(self.url, &location) {
            let list = if self.is_in_sitemap { &mut self.found.sitemaps } else { &mut self.found.pages };
            list.push(address);
        }
    }
}

/// Text with its entities replaced; those that XML does not define stay as they are.
fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut pieces = text.split('&');
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        match piece.split_once(';').and_then(|(name, rest)| Some((entity(name)?, rest))) {
            Some((character, rest)) => {
                out.push(character);
                out.push_str(rest);
            }
            None => {
                out.push('&');
                out.push_str(piece);
            }
        }
    }
    Cow::Owned(out)
}

fn entity(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, pages: &[&str], sitemaps: &[&str]) {
        let url = PageUrl::parse("http://example.org/sitemap.xml").unwrap();
        let found = parse_sitemap(&url, body.as_bytes());
        let names = |list: &[PageUrl]| list.iter().map(|url| url.as_str().to_owned()).collect::<Vec<_>>();
        assert_eq!(names(&found.pages), pages, "pages of {body:?}");
        assert_eq!(names(&found.sitemaps), sitemaps, "sitemaps of {body:?}");
    }

    #[test]
    fn sitemaps_as_sites_write_them() {
        let head = "<?xml version='1.0' encoding='UTF-8'?>";
        let page = "http://example.org/a?b&c";
        let set = |inside: &str| format!("{head}<urlset xmlns='x'>{inside}</urlset>");
        check(&set("<url><loc> http://example.org/a?b&amp;c\n</loc></url>"), &[page], &[]);
        check(&set("<url><loc><![CDATA[http://example.org/a?b&c]]></loc></url>"), &[page], &[]);
        check(&set("<url><loc>http://example.org/&#97;?b&#x26;c</loc></url>"), &[page], &[]);
        check(&set("<!-- <loc>http://example.org/no</loc> -->"), &[], &[]);
        check(
            &set("<url><image:image><image:loc>http://x.org/i.png</image:loc></image:image></url>"),
            &[],
            &[],
        );
        check(&set("<url><loc>/relative</loc></url><url><loc>ftp://x/</loc></url>"), &[], &[]);
        check("<s:urlset><s:url><s:loc>http://x.org/</s:loc></s:url></s:urlset>", &["http://x.org/"], &[]);
        check(
            "<sitemapindex><sitemap><loc>http://x.org/1.xml</loc></sitemap></sitemapindex>",
            &[],
            &["http://x.org/1.xml"],
        );
        check(
            "\u{feff}http://x.org/1\r\nhttp://x.org/2\n\nwords\n",
            &["http://x.org/1", "http://x.org/2"],
            &[],
        );
        check("<urlset><url><loc>http://x.org/unclosed", &[], &[]);
        check("", &[], &[]);
        check("<", &[], &[]);
    }

    #[test]
    fn document_types_are_stepped_over_and_never_expanded() {
        let body = "<!DOCTYPE urlset [<!ENTITY a 'http://x.org/'><!ENTITY b '&a;&a;&a;'>]>\
                    <urlset><url><loc>http://y.org/&b;</loc></url></urlset>";
        check(body, &["http://y.org/&b;"], &[]);
    }

    #[test]
    fn the_limit_of_the_protocol_holds() {
        let url = PageUrl::parse("http://example.org/sitemap.xml").unwrap();
        let entry = "<url><loc>http://example.org/</loc></url>";
        let body = format!("<urlset>{}</urlset>", entry.repeat(SITEMAP_ENTRIES_MAX + 10));
        assert_eq!(parse_sitemap(&url, body.as_bytes()).pages.len(), SITEMAP_ENTRIES_MAX);
    }
}
