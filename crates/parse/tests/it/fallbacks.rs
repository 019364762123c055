//! What a page says to readers without scripts and frames, which we are.

use crate::{link_lines, read};

#[track_caller]
fn check(html: &str, links: &[&str], text: &str) {
    let document = read(html);
    assert_eq!(
        (link_lines(&document).as_slice(), document.text.as_str()),
        (as_lines(links).as_slice(), text),
        "for {html}"
    );
}

fn as_lines(links: &[&str]) -> Vec<String> {
    links.iter().map(|link| format!("a http://example.org/dir/{link}")).collect()
}

/// Text of a page that has enough to say.
const STORY: &str = "The ferry leaves the old harbour every morning at nine and is back from the islands before the sun \
    goes down, except in winter, when it does not go at all, and on the days of the great storms, of which there are many.";

#[test]
fn links_for_readers_without_scripts_or_frames_are_links() {
    for name in ["noscript", "noembed", "noframes", "NoScript"] {
        let html =
            format!("<p>{STORY}</p><{name}><ul><li><a href=x>one</a><li><a href=y>two</a></ul></{name}>");
        check(&html, &["x [one]", "y [two]"], STORY);
    }
    check(
        "<a href=a>1</a><noscript><a href=b>2</a></noscript><a href=c>3</a>",
        &["a [1]", "b [2]", "c [3]"],
        "13\n2",
    );
    let frame = read(
        "<noscript><iframe src=x></iframe></noscript><noscript><map><area href=y alt=z></map></noscript>",
    );
    assert_eq!(link_lines(&frame), ["frame http://example.org/dir/x []", "a http://example.org/dir/y [z]"]);
    assert!(read("<noscript><a href=x rel=nofollow>y</a></noscript>").links[0].nofollow);
}

#[test]
fn frames_are_links_and_what_stands_for_them_too() {
    let html = "<title>Manual</title><frameset cols='20%,80%'><frame src=\"toc.html\"><frame src='main.html'>\
        <noframes><noscript><div>JavaScript is disabled on your browser.</div></noscript><h2>Frame Alert</h2>\
        <p>This document is designed to be viewed using the frames feature. Link to \
        <a href=\"summary.html\">Non-frame version</a>.</p></noframes></frameset>";
    let document = read(html);
    let links = [
        "frame http://example.org/dir/toc.html []",
        "frame http://example.org/dir/main.html []",
        "a http://example.org/dir/summary.html [Non-frame version]",
    ];
    assert_eq!(
        (link_lines(&document).as_slice(), document.text.as_str()),
        (links.map(str::to_owned).as_slice(), "")
    );
    assert_eq!(document.title, "Manual");
}

#[test]
fn text_for_readers_without_scripts_counts_where_a_page_says_little_else() {
    let fallback = "<noscript><h1>Timetable</h1><p>Nine, noon and four.</noscript>";
    check(fallback, &[], "Timetable\nNine, noon and four.");
    check(&format!("Loading{fallback}…"), &[], "Loading…\nTimetable\nNine, noon and four.");
    check(&format!("{STORY}{fallback}"), &[], STORY);
    check(&format!("{fallback}<p>{STORY}"), &[], STORY);
    check("<noscript>one<pre>two\nthree</noscript><p>four\nfive", &[], "four five\none\ntwo\nthree");
    check("<noscript>one</noscript><noscript>two</noscript>", &[], "one\ntwo");
    check("<noscript>never closed <a href=x>y</a>", &["x [y]"], "never closed y");
}

#[test]
fn a_plea_to_turn_on_javascript_is_no_content() {
    for plea in [
        "Please enable JavaScript to view this page.",
        "You need to enable Java Script to run this app.",
        "This application requires scripting.",
        "Bitte aktivieren Sie JavaScript in Ihrem Browser.",
        "Votre navigateur ne sait pas afficher les cadres.",
        "Su navegador no soporta marcos.",
        "Ваш браузер не поддерживает фреймы.",
        "このページを表示するには、ブラウザを更新してください。",
        "Frame Alert",
    ] {
        check(&format!("<noscript>{plea}</noscript>"), &[], "");
        check(&format!("x<noscript><p>{plea}<p>Nine and noon.</noscript>"), &[], "x\nNine and noon.");
    }
    // On the page itself it is said to everybody.
    check("<p>Please enable JavaScript", &[], "Please enable JavaScript");
}

#[test]
fn what_speaks_of_the_whole_page_is_not_believed_there() {
    for inside in [
        "<meta http-equiv=refresh content='0; url=nojs.html'>",
        "<link rel=canonical href=nojs.html>",
        "<title>other</title>",
        "<style>a</style><script>b</script>",
    ] {
        let document = read(&format!("<head><noscript>{inside}</noscript></head><p>{STORY}"));
        assert_eq!(
            (document.links.len(), document.title.as_str(), document.text.as_str()),
            (0, "", STORY),
            "{inside}"
        );
    }
    check("<noscript><base href=//b.org/></noscript><a href=x>y</a>", &["x [y]"], "y");
    assert_eq!(read("<noscript><html lang=fr></noscript><html lang=it>").language.as_deref(), Some("it"));
    assert_eq!(read("<noscript><title>other</title></noscript><title>page</title>").title, "page");
}

#[test]
fn a_wish_of_the_author_is_heeded_there_too() {
    let document = read("<noscript><meta name=robots content='noindex, nofollow'></noscript>");
    assert!(document.noindex && document.nofollow);
    let document = read("<noscript><!-- <meta name=robots content=none> --></noscript>");
    assert!(!document.noindex && !document.nofollow);
}

#[test]
fn a_fallback_ends_at_its_end_tag_with_all_that_is_open_in_it() {
    for open in [
        "<!-- ",
        "<a href='",
        "<script>",
        "<template>",
        "<svg>",
        "<title>",
        "<textarea>",
        "<plaintext>",
        "<pre>",
    ] {
        let document = read(&format!("<noscript>{open}</noscript><p>{STORY}\n</p><a href=x>y</a>"));
        let expected = format!("{STORY}\ny");
        assert_eq!(
            (document.text.clone(), link_lines(&read("<a href=x>y</a>"))),
            (expected, link_lines(&document)),
            "{open}"
        );
    }
    // Neither does it end what is around it, nor does what it opens go on behind.
    let navigation =
        |html: &str| -> Vec<bool> { read(html).links.iter().map(|link| link.in_navigation).collect() };
    assert_eq!(
        navigation("<nav><noscript></nav><a href=x></noscript><a href=y></nav><a href=z>"),
        [false, true, false]
    );
    assert_eq!(navigation("<noscript><nav><a href=x></noscript><a href=y>"), [true, false]);
    assert_eq!(navigation("<nav><noscript><a href=x></noscript></nav><a href=y>"), [true, false]);
}

#[test]
fn a_link_around_a_fallback_keeps_its_words_and_takes_its_picture() {
    check("<a href=x><noscript><img alt='a dog'></noscript></a>", &["x [a dog]"], "");
    check(
        "<a href=x>one <noscript><a href=y>two</a> three</noscript>four</a>",
        &["x [one four]", "y [two]"],
        "one four\ntwo three",
    );
    check("<a href=x>one<noscript></a>two</noscript> three</a>", &["x [one three]"], "one three\ntwo");
    check("<noscript><a href=x>one</noscript><a href=y>two</a>", &["x [one]", "y [two]"], "two\none");
}

#[test]
fn templates_drawings_and_comments_have_no_fallbacks() {
    check("<template><noscript><a href=x>y</a></noscript></template>", &[], "");
    check("<!-- <noscript><a href=x>y</a></noscript> -->", &[], "");
    check("<script>'<noscript><a href=x>y</a></noscript>'</script>", &[], "");
    check("<textarea><noscript><a href=x>y</a></noscript></textarea>", &[], "");
}
