//! Title, text, language and the wishes of the author.

use crate::{read, read_as};

#[test]
fn the_text_is_what_a_reader_sees() {
    let cases = [
        ("plain", "plain"),
        ("<p>one<p>two", "one\ntwo"),
        ("<div><div><div>a</div></div></div><div>b</div>", "a\nb"),
        ("a<b>b</b>c <i>d</i>", "abc d"),
        ("one<br>two<hr>three", "one\ntwo\nthree"),
        ("  much \n\t space  ", "much space"),
        ("a&nbsp;&nbsp;b &amp; &eacute;&#233;&#xe9; &lt;p&gt; &nosuch;", "a b & ééé <p> &nosuch;"),
        ("<pre>one\n  two\n\nthree</pre>x", "one\ntwo\nthree\nx"),
        ("<pre>one\r\ntwo</pre>", "one\ntwo"),
        ("<table><tr><td>a<td>b<tr><th>c</th><td>d</table>", "a b\nc d"),
        ("<ul><li>a<li>b</ul>", "a\nb"),
        ("<select><option>a<option>b</select>", "a\nb"),
        ("a<img alt=unseen>b", "ab"),
        ("a<!-- unseen -->b<!doctype x>c<?php d ?>e", "abce"),
        ("<head><title>t</title><style>s</style><script>'<p>'</script></head>a", "a"),
        ("a<script>if (a</b>/) '</scrip' + '<p>unseen'</script>b", "ab"),
        ("a<script><!-- <script></script> unseen --></script>b", "ab"),
        ("<style><p>unseen</style>a", "a"),
        ("<textarea><p>unseen</textarea>a<iframe><p>unseen</iframe>b", "ab"),
        ("a<template>x<template>y</template>z<p></template>b", "ab"),
        ("a<svg><text>unseen</text><style><b></style></svg>b", "ab"),
        ("a<svg><foreignObject><i>unseen</i></foreignObject></svg>b", "ab"),
        ("a<svg><path><div>back</div>", "a\nback"),
        ("a<svg/>b<svg><![CDATA[unseen]]></svg>c<![CDATA[unseen]]>d", "abcd"),
        ("a<xmp><b>c</b></xmp>", "a\n<b>c</b>"),
        ("a<plaintext><b>c</b></plaintext>", "a\n<b>c</b></plaintext>"),
        ("1 < 2 <é> 3 </ x>4", "1 < 2 <é> 3 4"),
        ("<P>ONE<BR/>TWO</P>", "ONE\nTWO"),
        ("a</p>b</unknown>c", "a\nbc"),
        ("nul\0nul", "nulnul"),
        ("<custom-element-with-a-very-long-name>a</custom-element-with-a-very-long-name>b", "ab"),
        ("", ""),
    ];
    for (html, expected) in cases {
        assert_eq!(read(html).text, expected, "for {html:?}");
    }
}

#[test]
fn the_title_is_the_first_one_of_the_page() {
    let long = format!("<title>{}</title>", "è".repeat(300));
    let cases = [
        ("<title> A\n&amp;  B </title><title>second</title>", "A & B"),
        ("<title><b>not</b> markup</title>", "<b>not</b> markup"),
        ("<svg><title>drawing</title></svg><title>page</title>", "page"),
        ("<svg><foreignObject><title>drawing</title></foreignObject></svg><title>page</title>", "page"),
        ("<template><title>stock</title></template><title>page</title>", "page"),
        ("<body><p>x</p><title>late</title>", "late"),
        ("<title></title><title>second</title>", ""),
        ("<title>unclosed<p>page", "unclosed<p>page"),
        ("<TITLE lang=en>upper</TITLE >", "upper"),
        ("no title", ""),
        (&long, &"è".repeat(256)),
    ];
    for (html, expected) in cases {
        assert_eq!(read(html).title, expected, "for {html:?}");
    }
}

#[test]
fn a_page_says_its_language_and_what_it_wishes() {
    let cases = [
        ("<html lang=IT>", Some("it"), false, false),
        ("<html lang='de-CH' lang=fr>", Some("de-ch"), false, false),
        ("<html xml:lang=fr>", Some("fr"), false, false),
        ("<html lang=''>", None, false, false),
        ("<html lang='<script>'>", None, false, false),
        ("<html><html lang=fr>", None, false, false),
        ("<p lang=fr>", None, false, false),
        ("<meta name=robots content=noindex>", None, true, false),
        ("<META NAME=Robots CONTENT='NoFollow, x'>", None, false, true),
        ("<meta name=crivello content=none>", None, true, true),
        ("<meta content=noindex name=robots><meta name=robots content=nofollow>", None, true, true),
        ("<meta name=googlebot content=none>", None, false, false),
        ("<!-- <meta name=robots content=none> -->", None, false, false),
    ];
    for (html, language, noindex, nofollow) in cases {
        let read = read(html);
        let found = (read.language.as_deref(), read.noindex, read.nofollow);
        assert_eq!(found, (language, noindex, nofollow), "for {html:?}");
    }
}

#[test]
fn types_decide_how_a_body_is_read() {
    let xhtml = b"<html><head><title/><script src='x'/></head><body>a<![CDATA[<b>]]></body></html>";
    let cases: [(&str, &[u8], &str, &str); 10] = [
        ("text/plain", b"\n First  line\nsecond\n", "First line", "First line\nsecond"),
        ("text/plain;charset=iso-8859-1", b"caff\xe8", "caffè", "caffè"),
        ("text/plain", b"<p>x", "<p>x", "<p>x"),
        (
            "text/plain",
            b"//\n// The Sieve: a tale //\nsecond",
            "The Sieve: a tale",
            "//\n// The Sieve: a tale //\nsecond",
        ),
        ("text/plain", b"=====\n 1\n", "=====", "=====\n1"),
        ("application/xhtml+xml", xhtml, "", "a<b>"),
        ("", b"\xef\xbb\xbf <title>t</title>x", "t", "x"),
        ("", b"no markup", "", ""),
        ("image/png", b"<title>t</title>x", "", ""),
        ("text/html; charset=utf-16le", b"<\0p\0>\0x\0", "", "x"),
    ];
    for (content_type, body, title, text) in cases {
        let document = read_as(content_type, body);
        assert_eq!((document.title.as_str(), document.text.as_str()), (title, text), "for {content_type:?}");
    }
}
