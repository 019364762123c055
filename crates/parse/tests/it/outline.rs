//! What the parts of a page's text are: headings, links, main text and landmarks, and the dates that it names.

use page::{Document, Span, SpanKind};
use proptest::prelude::*;

use crate::read;

/// The spans as `kind:words`, in their order.
fn spans(html: &str) -> Vec<String> {
    let document = read(html);
    let kind = |kind| match kind {
        SpanKind::Heading(level) => format!("h{level}"),
        SpanKind::Link => "a".to_owned(),
        SpanKind::Main => "main".to_owned(),
        SpanKind::Navigation => "nav".to_owned(),
        SpanKind::Header => "header".to_owned(),
        SpanKind::Footer => "footer".to_owned(),
        SpanKind::Aside => "aside".to_owned(),
    };
    let line =
        |span: &Span| format!("{}:{}", kind(span.kind), document.text[span.range()].replace('\n', "|"));
    document.spans.iter().map(line).collect()
}

#[track_caller]
fn check(html: &str, expected: &[&str]) {
    assert_eq!(spans(html), expected, "for {html}");
}

/// The main text, its pieces divided by `|`.
fn main_text(html: &str) -> String {
    let pieces: Vec<String> =
        read(html).outline().main_text().map(|piece| piece.replace('\n', " ")).collect();
    pieces.join("|")
}

#[test]
fn headings_have_their_levels_and_words() {
    check("<h1>One</h1>x<h2> Two\n <b>three</b> </h2>y<H6>six</H6>", &["h1:One", "h2:Two three", "h6:six"]);
    check("a<h1></h1>b<h2> <!-- --> </h2>c", &[]);
    check("<h1>One</h1><h1>Two</h1>", &["h1:One", "h1:Two"]);
    // The end of any level ends the heading, and so does the next one.
    check("<h1>One</h2>x<h3>Three<h4>Four</h4>", &["h1:One", "h3:Three", "h4:Four"]);
    check("<h2>left open", &["h2:left open"]);
    check("<h1><div>One</div><div>Two</div></h1>", &["h1:One|Two"]);
    check("<h7>x</h7><h0>y</h0><h10>z</h10>", &[]);
    check("<title><h1>x</h1></title><template><h1>y</h1></template><svg><title><h1>z</title></svg>", &[]);
}

#[test]
fn a_heading_without_end_is_no_heading() {
    let words = "word ".repeat(parse::HEADING_BYTES_MAX / 5 + 1);
    check(&format!("<h1>One</h1><h1>{words}<h1>Two</h1>"), &["h1:One", "h1:Two"]);
}

#[test]
fn words_of_links_are_known() {
    check("x <a href=y> the\n<b>words</b> </a> z <a href=w>w</a>", &["a:the words", "a:w"]);
    check("<a href=y><img alt=picture></a><a name=y>no link</a><area href=z alt=q>", &[]);
    check("<a href=x>one<a href=y>two", &["a:one", "a:two"]);
    check("<h2><a href=x>Two</a></h2>", &["h2:Two", "a:Two"]);
}

#[test]
fn landmarks_are_known_by_kind_and_the_innermost_counts() {
    check(
        "<header>top<nav>menu</nav>more</header>text<aside>side</aside><footer>end</footer>",
        &["header:top", "nav:menu", "header:more", "aside:side", "footer:end"],
    );
    check("<nav>one</nav><nav>two</nav><div></div><nav>three</nav>", &["nav:one|two|three"]);
    check("<nav>one</nav>x<nav>two</nav>", &["nav:one", "nav:two"]);
    check("<article><header>x</header>y<footer>z</footer></article>", &[]);
    check(
        "<div role=banner>b</div><div role=contentinfo>c</div><div role=complementary>d</div>",
        &["header:b", "footer:c", "aside:d"],
    );
    check("<nav><ul><li><div>left open", &["nav:left open"]);
    check("<div>x<main>y<nav>z</nav>w</main></div>v", &["main:y|z|w", "nav:z"]);
}

#[test]
fn the_main_text_is_without_the_landmarks() {
    let cases = [
        ("<nav>menu</nav><p>One<p>Two<footer>end</footer>", "One Two"),
        ("<p>One<aside>side</aside><p>Two", "One|Two"),
        ("<div>crumbs</div><main><p>One<nav>menu</nav><p>Two</main><div>ads</div>", "One|Two"),
        ("<div role=main>One</div>two", "One"),
        ("<header>everything</header>", "everything"),
        ("<main></main>everything", "everything"),
        ("", ""),
    ];
    for (html, expected) in cases {
        assert_eq!(main_text(html), expected, "for {html}");
    }
}

#[test]
fn what_is_said_to_readers_without_scripts_has_no_parts() {
    check("<nav>x<noscript><h1>y</h1><a href=z>z</a><main>w</nav></noscript>v</nav>u", &["nav:xv"]);
}

/// When a page was published and modified.
fn dates(html: &str) -> (String, String) {
    let Document { published, modified, .. } = read(html);
    let day =
        |moment: Option<page::Timestamp>| moment.map_or("-".to_owned(), |at| at.to_string()[..10].to_owned());
    (day(published), day(modified))
}

#[test]
fn dates_are_found_where_pages_put_them() {
    let cases = [
        ("<meta property=article:published_time content=2024-05-17T10:00:00Z>", "2024-05-17", "-"),
        ("<meta property='article:modified_time' content='2024-05-17T10:00:00+00:00'>", "-", "2024-05-17"),
        (
            "<meta name=DCTERMS.modified content=2024-05-17><meta name=date content=2020-01-02>",
            "2020-01-02",
            "2024-05-17",
        ),
        ("<meta http-equiv=Last-Modified content='Fri, 17 May 2024 10:00:00 GMT'>", "-", "2024-05-17"),
        ("<meta itemprop=datePublished content=2024-05-17>", "2024-05-17", "-"),
        ("<time itemprop=dateModified datetime=2024-05-17>May</time>", "-", "2024-05-17"),
        ("<time pubdate datetime=2024-05-17>May</time>", "2024-05-17", "-"),
        // The clearest name wins, then the first.
        (
            "<meta name=date content=2020-01-02><meta property=article:published_time content=2024-05-17>",
            "2024-05-17",
            "-",
        ),
        ("<meta name=date content=2020-01-02><meta name=date content=2024-05-17>", "2020-01-02", "-"),
        ("<meta name=date content=soon><meta name=dc.date content=2024-05-17>", "2024-05-17", "-"),
        ("<time datetime=2024-05-17>May</time><meta name=dates content=2020-01-02>", "-", "-"),
        ("<noscript><meta name=date content=2020-01-02></noscript>", "-", "-"),
    ];
    for (html, published, modified) in cases {
        assert_eq!(dates(html), (published.to_owned(), modified.to_owned()), "for {html}");
    }
}

#[test]
fn the_number_of_parts_is_bounded() {
    let many = parse::SPANS_MAX + 100;
    let html = "<nav>x</nav>y<main>z</main><h2>w</h2>".repeat(many);
    assert_eq!(read(&html).spans.len(), 3 * parse::SPANS_MAX);
}

const PIECES: [&str; 22] = [
    "<nav>",
    "</nav>",
    "<header>",
    "</header>",
    "<main>",
    "</main>",
    "<aside>",
    "<h1>",
    "</h1>",
    "<h3>",
    "<a href=x>",
    "</a>",
    "<div>",
    "</div>",
    "<table><td>",
    "</table>",
    " ",
    "w\u{f6}rd",
    "\u{1f600} ",
    "<noscript><h1>n</noscript>",
    "<pre>\n",
    "<br>",
];

proptest! {
    #[test]
    fn spans_are_in_order_begin_and_end_with_words_and_do_not_overlap(
        pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..80),
    ) {
        let document = read(&pieces.concat());
        let order = |span: &Span| (span.start, std::cmp::Reverse(span.end));
        prop_assert!(document.spans.is_sorted_by_key(order));
        for span in &document.spans {
            let words = document.text.get(span.range());
            prop_assert!(words.is_some_and(|words| !words.is_empty() && words.trim() == words), "{span:?}: {words:?}");
        }
        let class = |kind: SpanKind| match kind {
            SpanKind::Heading(_) => 0,
            SpanKind::Link => 1,
            SpanKind::Main => 2,
            _ => 3,
        };
        for wanted in 0..4 {
            let of_class: Vec<&Span> = document.spans.iter().filter(|span| class(span.kind) == wanted).collect();
            prop_assert!(of_class.windows(2).all(|pair| pair[0].end <= pair[1].start), "{of_class:?}");
        }
        // Whatever is no landmark is main text, or outside of `<main>`.
        let covered = |at: usize| document.outline().main_ranges().iter().any(|range| range.contains(&at));
        let has_main = document.spans.iter().any(|span| span.kind == SpanKind::Main);
        let is_in = |at: usize, wanted| {
            document.spans.iter().any(|span| class(span.kind) == wanted && span.range().contains(&at))
        };
        let expected = |at: usize| !is_in(at, 3) && (is_in(at, 2) || !has_main);
        let words: Vec<usize> = document.text.bytes().enumerate().filter(|(_, byte)| !byte.is_ascii_whitespace()).map(|(at, _)| at).collect();
        if words.iter().any(|at| expected(*at)) {
            for at in words {
                prop_assert_eq!(covered(at), expected(at), "at {} of {:?}", at, document);
            }
        }
    }
}
