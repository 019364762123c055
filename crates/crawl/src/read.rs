//! Reading an answer: its document, its links, and which of them go on to the sieve.

use dedup::TextPrinter;
use page::{Document, FetchFailure, Fetched, Link, LinkKind, Outcome, PageUrl, Response, TextPrint};
use store::RecordKind;

use crate::desk::Offer;
use crate::seen_cache::SeenCache;
use crate::{Admission, Chosen, CrawlConfig, Distance, LeftOut};

/// Sitemaps that one robots.txt may name.
const SITEMAPS_MAX: usize = 50;

/// A sitemap may name sitemaps that name sitemaps, and no budget counts them. Further from a seed than this, one is a
/// file like any other.
const SITEMAP_DEPTH_MAX: u16 = 5;

/// What an answer is and says: its links in order, whether it wants to be found, and the print of its text.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) kind: RecordKind,
    /// Why an answer is none.
    pub(crate) failure: Option<FetchFailure>,
    pub(crate) links: Vec<Link>,
    pub(crate) title: String,
    pub(crate) noindex: bool,
    pub(crate) print: Option<TextPrint>,
}

/// Does it count as a page? Known without reading it, since budgets are settled before the site is free again.
pub(crate) fn is_page(fetched: &Fetched, depth: u16, config: &CrawlConfig) -> bool {
    match &fetched.outcome {
        Outcome::Response(response) => {
            (200..300).contains(&response.status) && !is_sitemap(response, depth, config)
        }
        Outcome::Failed(_) => false,
    }
}

/// Reads whatever came from an address that is this far away.
pub(crate) fn read_answer(
    fetched: &Fetched,
    distance: Distance,
    config: &CrawlConfig,
    printer: &mut TextPrinter,
) -> Reading {
    let bare = Reading::bare;
    let Outcome::Response(response) = &fetched.outcome else { return bare(RecordKind::Failed) };
    if response.is_redirect() {
        return read_redirect(redirect_target(fetched, response), distance);
    }
    if !(200..300).contains(&response.status) {
        return bare(RecordKind::Fetched);
    }
    if is_sitemap(response, distance.depth, config) {
        let sitemap = parse::parse_sitemap(&fetched.url, response.body());
        let links = sitemap.pages.into_iter().chain(sitemap.sitemaps).map(sitemap_link).collect();
        return Reading { links, ..bare(RecordKind::Sitemap) };
    }
    let mut document = parse::parse_page(&fetched.url, response.content_type(), response.body());
    obey_robots_tag(response, config.robots_name(), &mut document);
    for link in &mut document.links {
        link.nofollow |= document.nofollow;
    }
    let print = if config.keeps_pages { printer.print(&document.text) } else { None };
    let Document { title, links, noindex, .. } = document;
    Reading { title, links, noindex, print, ..bare(RecordKind::Fetched) }
}

impl Reading {
    pub(crate) fn bare(kind: RecordKind) -> Self {
        Self { kind, failure: None, links: Vec::new(), title: String::new(), noindex: false, print: None }
    }
}

/// A redirect is one link, unless it is the last of too many: then the address leads nowhere.
fn read_redirect(target: Option<Link>, distance: Distance) -> Reading {
    match target {
        Some(_) if !distance.may_redirect() => {
            let failure = Some(FetchFailure::TooManyRedirects);
            Reading { failure, ..Reading::bare(RecordKind::Failed) }
        }
        target => Reading { links: target.into_iter().collect(), ..Reading::bare(RecordKind::Fetched) },
    }
}

/// The addresses that a robots.txt names as sitemaps.
pub(crate) fn sitemap_links(named: &[String]) -> Vec<Link> {
    named.iter().filter_map(|text| PageUrl::parse(text).ok()).take(SITEMAPS_MAX).map(sitemap_link).collect()
}

fn sitemap_link(target: PageUrl) -> Link {
    Link::bare(target, LinkKind::Sitemap)
}

/// XML with the root of a sitemap near its beginning. Without `--sitemaps` it is a file like any other.
fn is_sitemap(response: &Response, depth: u16, config: &CrawlConfig) -> bool {
    let front = &response.body()[..response.body().len().min(1024)];
    let has = |root: &[u8]| front.windows(root.len()).any(|window| window == root);
    config.sitemaps
        && depth <= SITEMAP_DEPTH_MAX
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

/// Those links that may be followed and were not met lately, and how many were left out.
pub(crate) fn offers<'l>(
    links: &'l [Link],
    page: Distance,
    admission: &Admission,
    cache: &mut SeenCache,
) -> (Vec<Offer<'l>>, LeftOut) {
    links.iter().for_each(|link| admission.follow_seed(&link.target, link.kind, page));
    let Chosen { links, left_out } = admission.choose(links, page);
    let offer = |(link, distance): (&'l Link, Distance)| {
        let fingerprint = link.target.fingerprint();
        (!cache.knows(fingerprint, distance)).then_some(Offer { url: &link.target, fingerprint, distance })
    };
    (links.into_iter().filter_map(offer).collect(), left_out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use page::Timestamp;

    fn read(fetched: &Fetched) -> Reading {
        read_answer(fetched, Distance::default(), &CrawlConfig::default(), &mut TextPrinter::default())
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
    fn the_last_of_too_many_redirects_is_a_failure() {
        let fetched = answer(302, &[("location", "/next")], "");
        let nowhere = answer(302, &[], "");
        for (depth, hops, fails) in [(0, 9, false), (0, 10, true), (1, 4, false), (1, 5, true)] {
            let read = |fetched| {
                let distance = Distance { depth, hops };
                read_answer(fetched, distance, &CrawlConfig::default(), &mut TextPrinter::default())
            };
            let reading = read(&fetched);
            assert_eq!(reading.failure, fails.then_some(FetchFailure::TooManyRedirects));
            assert_eq!((reading.kind == RecordKind::Failed, reading.links.is_empty()), (fails, fails));
            assert_eq!(read(&nowhere).failure, None, "what leads nowhere is not followed either");
        }
    }

    #[test]
    fn sitemaps_of_sitemaps_end_somewhere() {
        let headers = [("content-type", "application/xml")];
        let index = "<sitemapindex><sitemap><loc>http://a.test/next</loc></sitemap></sitemapindex>";
        let fetched = answer(200, &headers, index);
        let config = CrawlConfig { sitemaps: true, ..CrawlConfig::default() };
        for (depth, is_sitemap) in [(0, true), (5, true), (6, false)] {
            let distance = Distance { depth, hops: 0 };
            let reading = read_answer(&fetched, distance, &config, &mut TextPrinter::default());
            assert_eq!(
                (reading.links.len(), is_page(&fetched, depth, &config)),
                (is_sitemap.into(), !is_sitemap)
            );
        }
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
