//! Which links are navigation: what the markup says, also when it is broken.

use proptest::prelude::*;

use crate::read;

/// The names of links, those in the navigation in capitals.
fn places(html: &str) -> String {
    let mut names = String::new();
    for link in &read(html).links {
        let name = link.target.as_str().rsplit('/').next().unwrap_or_default();
        names.push_str(&if link.in_navigation { name.to_uppercase() } else { name.to_owned() });
    }
    names
}

/// `a` is a link before everything, `z` one behind.
#[track_caller]
fn check(html: &str, expected: &str) {
    let html = html.replace('[', "<a href=").replace(']', "></a>");
    assert_eq!(places(&html), expected, "for {html}");
}

#[test]
fn navigation_headers_footers_and_sidebars_of_the_page_are_navigation() {
    check("[a]<nav>[b]<ul><li>[c]</ul>[d]</nav>[z]", "aBCDz");
    check("[a]<HEADER>[b]</HEADER>[c]<footer>[d]</footer>[e]<aside>[f]</aside>[z]", "aBcDeFz");
    check("<div><div>[a]<nav>[b]</nav>[c]</div>[z]", "aBcz");
    check("<header>[a]<nav>[b]</nav>[c]<main>[d]</main></header>[z]", "ABCDz");
    check("<menu>[a]</menu><search>[b]</search><address>[c]</address>", "abc");
    check("<nav><area href=a><iframe src=b></iframe></nav><iframe src=z></iframe>", "ABz");
}

#[test]
fn those_of_an_article_or_section_are_part_of_it() {
    for part in ["article", "section", "main"] {
        let html = "<P><header>[a]</header>[b]<aside>[c]</aside><footer>[d]</footer></P><footer>[z]</footer>";
        check(&html.replace('P', part), "abcdZ");
    }
    check("<div role=main><header>[a]</header></div><header>[b]</header>", "aB");
    check("<article><nav>[a]</nav>[z]</article>", "Az");
    check("<aside>[a]<header>[b]</header></aside>[z]", "ABz");
}

#[test]
fn roles_say_the_same() {
    for role in ["navigation", "banner", "contentinfo", "complementary", "menu", "menubar", "doc-toc"] {
        check(&format!("<div>[a]<ul role={role}>[b]</ul>[z]</div>"), "aBz");
    }
    check("<section><div class=x role=' Tree  NAVIGATION'>[a]</div>[z]</section>", "Az");
    check("<header role=region>[a]</header><nav role=presentation>[b]</nav>[z]", "aBz");
    check("<div role=search>[a]</div><div role>[b]</div><div role=navigator>[c]</div>", "abc");
    // The first one that is known counts, and the first attribute.
    check("<div role='main navigation'>[a]</div><div role=main role=navigation>[b]</div>", "ab");
    check("<a role=navigation href=a></a><span role=navigation>[b]</span>", "ab");
}

#[test]
fn what_is_left_open_ends_with_what_is_around_it() {
    check("<div><nav>[a]</div>[z]", "Az");
    check("<div><nav>[a]<div>[b]</div>[c]</div>[z]", "ABCz");
    check("<nav>[a]</div>[b]</section>[c]</nav>[z]", "ABCz");
    check("<ul><li><div role=menu>[a]</ul>[z]", "Az");
    check("<nav>[a]<div><div>[b]</nav>[z]</div>", "ABz");
    check("</nav></nav>[a]<nav>[b]</nav></nav>[z]", "aBz");
    check("<nav>[a]<nav>[b]</nav>[c]</nav>[z]", "ABCz");
    check("<nav>[a]", "A");
    check("<article><article></article><footer>[a]</article><footer>[b]", "aB");
}

#[test]
fn tables_keep_to_themselves() {
    check("<table><tr><td><nav>[a]<td>[b]</table>[z]", "Abz");
    check("<table><td><nav>[a]</td></table>[z]", "Az");
    check("<table><td><nav>[a]<tr>[b]<tbody>[c]", "Abc");
    // From inside a table nothing around it can be ended.
    check("<nav><table><td>[a]</nav>[b]</div></table>[c]</nav>[z]", "ABCz");
    check("<nav><table><td><table><td>[a]</nav></table>[b]</nav>[c]</table>[d]</nav>[z]", "ABCDz");
    check("<table><td><div role=navigation>[a]<table><td>[b]</table>[c]</div>[d]", "ABCd");
    check("<nav><td>[a]</tr>[b]</nav>[z]", "ABz");
}

#[test]
fn templates_and_drawings_open_and_end_nothing() {
    check("<nav><template></nav></template>[a]</nav>[z]", "Az");
    check("<template><nav></template>[a]<nav>[b]</nav>[z]", "aBz");
    check("<nav><svg><foreignObject><nav></nav></nav></foreignObject></svg>[a]</nav>[z]", "Az");
    check("<!-- <nav> --><script>'<nav>'</script><title><nav></title>[a]", "a");
    let is_xml = |html: &str| crate::read_as("application/xhtml+xml", html.as_bytes());
    assert!(!is_xml("<nav/><a href='x'/>").links[0].in_navigation);
    assert!(read("<nav/><a href='x'/>").links[0].in_navigation);
}

#[test]
fn deeper_than_anybody_nests_nothing_is_noticed_and_nothing_goes_wrong() {
    let (open, close) = ("<div>".repeat(600), "</div>".repeat(600));
    check(&format!("{open}<nav>[a]</nav>{close}[b]<nav>[c]</nav>[z]"), "abCz");
    check(&format!("<nav>{open}[a]{close}[b]</nav>[z]"), "ABz");
}

/// A tree of blocks, well written: the names of its links can be told from the tree.
#[derive(Debug, Clone)]
enum Tree {
    Link,
    Block(&'static str, Vec<Tree>),
}

fn trees() -> impl Strategy<Value = Vec<Tree>> {
    let names = ["div", "nav", "header", "footer", "aside", "article", "section", "main", "ul", "table"];
    let leaf = Just(Tree::Link);
    let tree = leaf.prop_recursive(6, 40, 5, move |inner| {
        (prop::sample::select(names.to_vec()), prop::collection::vec(inner, 0..5))
            .prop_map(|(name, children)| Tree::Block(name, children))
    });
    prop::collection::vec(tree, 0..5)
}

/// Writes the markup, and whether each link is navigation, by looking at the names around it.
fn write(trees: &[Tree], around: &mut Vec<&'static str>, html: &mut String, expected: &mut Vec<bool>) {
    for tree in trees {
        match tree {
            Tree::Link => {
                html.push_str("<a href=x>x</a>");
                let is_part =
                    |name: &&'static str| matches!(*name, "nav" | "aside" | "article" | "section" | "main");
                let is_of_page = |at: usize| !around[..at].iter().any(is_part);
                expected.push(around.iter().enumerate().any(|(at, name)| match *name {
                    "nav" => true,
                    "header" | "footer" | "aside" => is_of_page(at),
                    _ => false,
                }));
            }
            Tree::Block(name, children) => {
                html.push_str(&format!("<{name}>"));
                around.push(name);
                write(children, around, html, expected);
                around.pop();
                html.push_str(&format!("</{name}>"));
            }
        }
    }
}

proptest! {
    #[test]
    fn in_sound_markup_the_elements_around_a_link_decide(trees in trees()) {
        let (mut html, mut expected) = (String::new(), Vec::new());
        write(&trees, &mut Vec::new(), &mut html, &mut expected);
        let found: Vec<bool> = read(&html).links.iter().map(|link| link.in_navigation).collect();
        prop_assert_eq!(found, expected, "{}", html);
    }
}
