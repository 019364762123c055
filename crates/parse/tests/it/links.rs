//! Links: which there are, where they point, what they are called.

use crate::{link_lines, read};

#[track_caller]
fn check(html: &str, expected: &[&str]) {
    assert_eq!(link_lines(&read(html)), expected, "for {html:?}");
}

#[test]
fn every_kind_of_pointer_is_found() {
    check("<a href=x>one</a>", &["a http://example.org/dir/x [one]"]);
    check("<A HREF='/x' REL='Foo NoFollow'>", &["a http://example.org/x [] nofollow"]);
    check("<a rel=nofollower href=//b.org/>x</a>", &["a http://b.org/ [x]"]);
    check("<map><area href=x alt=' the  area '></map>", &["a http://example.org/dir/x [the area]"]);
    check(
        "<iframe src=x>text</iframe><frame src=y>",
        &["frame http://example.org/dir/x []", "frame http://example.org/dir/y []"],
    );
    check("<meta http-equiv=Refresh content=\"0; url='x'\">", &["refresh http://example.org/dir/x []"]);
    check("<meta http-equiv=refresh content=5>", &[]);
    check(
        "<link rel='x Canonical' href=/c><link rel=stylesheet href=s>",
        &["canonical http://example.org/c []"],
    );
    check("<svg><a href=x><text>drawn</text></a></svg>", &["a http://example.org/dir/x []"]);
}

#[test]
fn addresses_are_read_as_browsers_read_them() {
    check("<a href='\n\t x\n y '>", &["a http://example.org/dir/x%20y []"]);
    check("<a href=a&amp;b=c&copy=d>", &["a http://example.org/dir/a&b=c&copy=d []"]);
    check(
        "<a href=''>self</a><a href>self</a>",
        &["a http://example.org/dir/page.html [self]", "a http://example.org/dir/page.html [self]"],
    );
    check("<a href=x#part>", &["a http://example.org/dir/x []"]);
    check("<a href=x href=y>", &["a http://example.org/dir/x []"]);
    check("<a href=x/>y</a>", &["a http://example.org/dir/x/ [y]"]);
    check("<a data-href=x title='<a href=y>'>", &[]);
    for href in
        ["javascript:alert(1)", "mailto:a@b", "ftp://x/", "data:,x", "tel:1", "http://", "http://a b/"]
    {
        check(&format!("<a href='{href}'>x</a>"), &[]);
    }
    check(&format!("<a href={}>", "x".repeat(5000)), &[]);
}

#[test]
fn links_are_called_by_their_words_or_their_picture() {
    check("<a href=x> the\n<b>bold</b>&nbsp; words </a>", &["a http://example.org/dir/x [the bold words]"]);
    check("<a href=x><div>one</div><div>two</div></a>", &["a http://example.org/dir/x [one two]"]);
    check("before <a href=x>in</a> after", &["a http://example.org/dir/x [in]"]);
    check("<a href=x><img alt=' a  dog '><img alt=cat></a>", &["a http://example.org/dir/x [a dog]"]);
    check("<a href=x><img alt=dog>word</a>", &["a http://example.org/dir/x [word]"]);
    check("<img alt=dog><a href=x></a><img alt=cat>", &["a http://example.org/dir/x []"]);
    check(
        "<a href=x>one<a href=y>two</a> three",
        &["a http://example.org/dir/x [one]", "a http://example.org/dir/y [two]"],
    );
    check("<a href=x>never closed", &["a http://example.org/dir/x [never closed]"]);
    check("<a name=x>no</a><a href=y>yes</a>", &["a http://example.org/dir/y [yes]"]);
    let long = format!("<a href=x>{}</a>", "è".repeat(150));
    check(&long, &[&format!("a http://example.org/dir/x [{}]", "è".repeat(100))]);
}

#[test]
fn the_first_base_holds() {
    check("<base href=/other/><a href=x>", &["a http://example.org/other/x []"]);
    check("<base target=_top><base href=//b.org><base href=//c.org><a href=x>", &["a http://b.org/x []"]);
    check("<base href=javascript:x><base href=//c.org><a href=x>", &["a http://example.org/dir/x []"]);
    check("<template><base href=//b.org></template><a href=x>", &["a http://example.org/dir/x []"]);
}

#[test]
fn what_is_not_part_of_the_page_has_no_links() {
    check("<!-- <a href=x> -->", &[]);
    check("<script>'<a href=x>'</script><style><a href=x></style><title><a href=x></title>", &[]);
    check("<textarea><a href=x></textarea><iframe><a href=x></iframe>", &[]);
    check("<template><a href=x></template><a href=y>", &["a http://example.org/dir/y []"]);
    check("<a href='x", &[]);
    check("<a href=x", &[]);
}

#[test]
fn a_reference_has_its_price_also_when_no_address_comes_of_it() {
    let base = format!("<base href=/{}/>", "x".repeat(1900));
    let page = |count: usize| format!("{base}{}<a href=//b.org/>y</a>", too_long().repeat(count));
    fn too_long() -> String {
        format!("<a href={}></a>", "y".repeat(150))
    }
    check(&page(10), &["a http://b.org/ [y]"]);
    check(&page(40_000), &[]);
}

#[test]
fn links_come_in_order_with_repetitions_up_to_the_limit() {
    let many = "<a href=x>".repeat(parse::LINKS_MAX + 5);
    assert_eq!(read(&many).links.len(), parse::LINKS_MAX);
    let long = format!("<base href=/{}/>{}", "x".repeat(1000), "<a href=x>".repeat(10_000));
    let bytes: usize = read(&long).links.iter().map(|link| link.target.as_str().len()).sum();
    assert!((parse::LINK_BYTES_MAX..parse::LINK_BYTES_MAX + 2000).contains(&bytes), "{bytes}");
    check(
        "<a href=x>1</a><a href=y>2</a><a href=x>3</a>",
        &[
            "a http://example.org/dir/x [1]",
            "a http://example.org/dir/y [2]",
            "a http://example.org/dir/x [3]",
        ],
    );
}
