//! Pages through the one door, `parse_page`: what each kind of markup gives, what nothing may break, and what
//! other people's collections say of it.

mod conformance;
mod fallbacks;
mod hostile;
mod landmarks;
mod links;
mod outline;
mod small_stack;
mod text;

use page::{ContentType, Document, LinkKind, PageUrl};

/// Reads markup as the page at `http://example.org/dir/page.html`.
fn read(html: &str) -> Document {
    read_as("text/html", html.as_bytes())
}

fn read_as(content_type: &str, body: &[u8]) -> Document {
    let url = PageUrl::parse("http://example.org/dir/page.html").expect("a constant address");
    parse::parse_page(&url, ContentType(content_type), body)
}

/// The links as lines: kind, target, words in brackets, and `nofollow`.
fn link_lines(document: &Document) -> Vec<String> {
    let kind = |kind| match kind {
        LinkKind::Anchor => "a",
        LinkKind::Frame => "frame",
        LinkKind::Refresh => "refresh",
        LinkKind::Canonical => "canonical",
        LinkKind::Redirect | LinkKind::Sitemap => "other",
    };
    let line = |link: &page::Link| {
        let nofollow = if link.nofollow { " nofollow" } else { "" };
        format!("{} {} [{}]{nofollow}", kind(link.kind), link.target, link.anchor)
    };
    document.links.iter().map(line).collect()
}
