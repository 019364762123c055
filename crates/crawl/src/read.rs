//! Reading an answer: its document, its links, and which of them go on to the sieve.

use page::{Document, Fetched, Link, LinkKind, Outcome, PageUrl, Response};
use store::{RecordKind, TextPrint};

use crate::desk::Offer;
use crate::seen_cache::SeenCache;
use crate::{Admission, CrawlConfig, TextPrinter};

/// Sitemaps that one robots.txt may name.
const SITEMAPS_MAX: usize = 50;

/// What an answer is and says: its links in order, whether it wants to be found, and the print of its text.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) kind: RecordKind,
    pub(crate) links: Vec<Link>,
    pub(crate) noindex: bool,
    pub(crate) print: Option<TextPrint>,
}

/// Does it count as a page? Known without reading it, since budgets are settled before the site is free again.
pub(crate) fn is_page(fetched: &Fetched, config: &CrawlConfig) -> bool {
    match &fetched.outcome {
        Outcome::Response(response) => (200..300).contains(&response.status) && !is_sitemap(response, config),
        Outcome::Failed(_) => false,
    }
}

/// Reads whatever came.
pub(crate) fn read_answer(fetched: &Fetched, config: &CrawlConfig, printer: &mut TextPrinter) -> Reading {
    let bare = |kind| Reading { kind, links: Vec::new(), noindex: false, print: None };
    let Outcome::Response(response) = &fetched.outcome else { return bare(RecordKind::Failed) };
    if response.is_redirect() {
        let links = redirect_target(fetched, response).into_iter().collect();
        return Reading { links, ..bare(RecordKind::Fetched) };
    }
    if !(200..300).contains(&response.status) {
        return bare(RecordKind::Fetched);
    }
    if is_sitemap(response, config) {
        let sitemap = parse::parse_sitemap(&fetched.url, response.body());
        let links = sitemap.pages.into_iter().chain(sitemap.sitemaps).map(sitemap_link).collect();
        return Reading { links, ..bare(RecordKind::Sitemap) };
    }
    let mut document = parse::parse_page(&fetched.url, response.content_type(), response.body());
    obey_robots_tag(response, config.robots_name(), &mut document);
    for link in &mut document.links {
        link.nofollow |= document.nofollow;
    }
    let print = printer.print(&document.text);
    Reading { kind: RecordKind::Fetched, links: document.links, noindex: document.noindex, print }
}

/// The addresses that a robots.txt names as sitemaps.
pub(crate) fn sitemap_links(named: &[String]) -> Vec<Link> {
    named.iter().filter_map(|text| PageUrl::parse(text).ok()).take(SITEMAPS_MAX).map(sitemap_link).collect()
}

fn sitemap_link(target: PageUrl) -> Link {
    Link::bare(target, LinkKind::Sitemap)
}

/// XML with the root of a sitemap near its beginning. Without `--sitemaps` it is a file like any other.
fn is_sitemap(response: &Response, config: &CrawlConfig) -> bool {
    let front = &response.body()[..response.body().len().min(1024)];
    let has = |root: &[u8]| front.windows(root.len()).any(|window| window == root);
    config.sitemaps
        && response.content_type().essence().ends_with("xml")
        && (has(b"<urlset") || has(b"<sitemapindex"))
}

fn redirect_target(fetched: &Fetched, response: &Response) -> Option<Link> {
    let target = fetched.url.join(response.header("location")?).ok()?;
    Some(Link::bare(target, LinkKind::Redirect))
}

/// `X-Robots-Tag: noindex`, or `crivello: nofollow, noindex` for us alone.
fn obey_robots_tag(response: &Response, robots_name: &str, document: &mut Document) {
    for (_, value) in response.headers.iter().filter(|(name, _)| name == "x-robots-tag") {
        let directives = match value.split_once(':') {
            Some((agent, rest)) if agent.trim().eq_ignore_ascii_case(robots_name) => rest,
            Some((agent, _)) if !agent.contains(',') => continue,
            _ => value,
        };
        for directive in directives.split(',').map(|directive| directive.trim().to_ascii_lowercase()) {
            document.noindex |= matches!(directive.as_str(), "noindex" | "none");
            document.nofollow |= matches!(directive.as_str(), "nofollow" | "none");
        }
    }
}

/// Those links that may be followed and were not met lately.
pub(crate) fn offers<'l>(
    links: &'l [Link],
    page_depth: u16,
    admission: &Admission,
    cache: &mut SeenCache,
) -> Vec<Offer<'l>> {
    let offer = |link: &'l Link| {
        let depth = admission.admit(&link.target, link.kind, link.nofollow, page_depth)?;
        let fingerprint = link.target.fingerprint();
        (!cache.knows(fingerprint, depth)).then_some(Offer { url: &link.target, fingerprint, depth })
    };
    links.iter().filter_map(offer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use page::Timestamp;

    fn read(fetched: &Fetched) -> Reading {
        read_answer(fetched, &CrawlConfig::default(), &mut TextPrinter::default())
    }

    fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> Fetched {
        let headers = headers.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let response = Response { status, headers, raw_body: body.into(), ..Response::default() };
        Fetched {
            url: PageUrl::parse("http://a.test/dir/").unwrap(),
            address: None,
            at: Timestamp(0),
            elapsed: Default::default(),
            request_head: Vec::new(),
            outcome: Outcome::Response(response),
        }
    }

    #[test]
    fn a_redirect_is_one_link_whatever_its_body_says() {
        let fetched =
            answer(301, &[("location", "../x#y"), ("content-type", "text/html")], "<a href=/z>z</a>");
        let links = read(&fetched).links;
        assert_eq!(links.len(), 1);
        assert_eq!((links[0].target.as_str(), links[0].kind), ("http://a.test/x", LinkKind::Redirect));
    }

    #[test]
    fn robots_tags_speak_to_us_or_to_everybody() {
        let cases = [
            ("noindex", true, false),
            ("NoIndex, NoFollow", true, true),
            ("none", true, true),
            ("googlebot: noindex", false, false),
            ("crivello: nofollow", false, true),
            ("max-snippet:5", false, false),
        ];
        for (value, noindex, nofollow) in cases {
            let headers = [("content-type", "text/html"), ("x-robots-tag", value)];
            let reading = read(&answer(200, &headers, "<a href=/z>z</a>"));
            assert_eq!((reading.noindex, reading.links[0].nofollow), (noindex, nofollow), "{value}");
        }
    }

    #[test]
    fn the_body_of_an_error_has_no_links() {
        let fetched = answer(404, &[("content-type", "text/html")], "<a href=/z>z</a>");
        assert!(read(&fetched).links.is_empty());
    }
}
