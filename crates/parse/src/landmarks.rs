//! Where do words and links stand: in the navigation of the page, or in what the page says?
//!
//! What the markup calls navigation, for links, is any of these landmarks; for text each is a kind of its own, and of
//! nested ones the innermost counts:
//!
//! - `<nav>`, wherever it is;
//! - `<header>`, `<footer>` and `<aside>` of the page. Those inside of `<article>`, `<section>`, `<main>`, `<nav>` or
//!   `<aside>` belong to a part of it: the headline of an article, the notes of a chapter;
//! - blocks whose `role` is `navigation`, `banner`, `contentinfo`, `complementary`, `menu` or `menubar`, or the table of
//!   contents, index or list of pages of a book. A role goes before the name of the element.
//!
//! `<main>` and the role `main` say where the main text is, in which there may be landmarks again.
//!
//! `<menu>` alone is not: on old pages it is any list. Roles of cells and of parts of a line are not read.
//!
//! To know where a block ends a stack of open blocks is kept, as browsers do (WHATWG 13.2.6.4.7): an end tag ends the
//! innermost block of its name and all that is open inside of it, and is ignored if there is none in this table; a row or
//! a cell ends all that is open in the table. Unlike there, blocks left open do not end with an `<li>`, a heading or a
//! `<button>` around them, but with the block around those; and drawings and templates neither open nor end any.
//!
//! Cost: O(1) per tag, amortised: each block knows the next one of its name further out. The stack is bounded.

use page::SpanKind;

use crate::tag::{Container, Tag};

/// Blocks nested more deeply are not noticed. Browsers flatten a page from the same depth on.
const DEPTH_MAX: usize = 512;

/// Blocks that are open, and what they mean.
#[derive(Debug, Default, Clone)]
pub(crate) struct Landmarks {
    open: Vec<Block>,
    /// For each name, how deep its innermost block is; 0 if none is open.
    innermost: [u16; Container::COUNT],
    sections: u16,
    place: Place,
}

/// Where in the page something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Place {
    /// The innermost landmark.
    pub(crate) landmark: Option<SpanKind>,
    pub(crate) is_in_main: bool,
}

#[derive(Debug, Clone, Copy)]
struct Block {
    container: Container,
    meaning: Meaning,
    /// Where its content stands.
    place: Place,
    /// How deep the next block of the same name further out is, or 0.
    outer: u16,
}

/// What a block is to its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// Nothing of its own.
    Plain,
    /// A part with headers and footers of its own.
    Section,
    /// The part that the page is about.
    Main,
    /// Navigation, header, footer or sidebar. It too is a part.
    Landmark(SpanKind),
}

impl Landmarks {
    /// Where what comes now stands.
    #[inline]
    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// Is what comes now part of the navigation?
    pub(crate) fn is_in_navigation(&self) -> bool {
        self.place.landmark.is_some()
    }

    /// A start tag with content.
    #[inline]
    pub(crate) fn open(&mut self, tag: Tag, role: Option<&[u8]>) {
        match tag {
            Tag::Container(container) => self.open_block(container, role),
            Tag::Row | Tag::Cell => self.close_in_table(),
            _ => {}
        }
    }

    /// An end tag.
    #[inline]
    pub(crate) fn close(&mut self, tag: Tag) {
        match tag {
            Tag::Container(container) => self.close_block(container),
            Tag::Row | Tag::Cell => self.close_in_table(),
            _ => {}
        }
    }

    fn open_block(&mut self, container: Container, role: Option<&[u8]>) {
        if self.open.len() >= DEPTH_MAX {
            return;
        }
        let meaning = role.and_then(meaning_of_role).unwrap_or_else(|| self.meaning_of_name(container));
        match meaning {
            Meaning::Landmark(kind) => self.place.landmark = Some(kind),
            Meaning::Main => self.place.is_in_main = true,
            Meaning::Plain | Meaning::Section => {}
        }
        let innermost = &mut self.innermost[container as usize];
        self.open.push(Block { container, meaning, place: self.place, outer: *innermost });
        *innermost = self.open.len() as u16;
        self.sections += u16::from(meaning != Meaning::Plain);
    }

    fn close_block(&mut self, container: Container) {
        let depth = self.innermost[container as usize];
        // From inside a table no block around it can be ended.
        if depth > 0 && depth >= self.innermost[Container::Table as usize] {
            self.cut(depth - 1);
        }
    }

    /// A row or a cell begins or ends.
    fn close_in_table(&mut self) {
        let table = self.innermost[Container::Table as usize];
        if table > 0 {
            self.cut(table);
        }
    }

    /// Ends all blocks that are deeper.
    fn cut(&mut self, depth: u16) {
        while self.open.len() > usize::from(depth) {
            let Some(block) = self.open.pop() else { return };
            self.innermost[block.container as usize] = block.outer;
            self.sections -= u16::from(block.meaning != Meaning::Plain);
        }
        self.place = self.open.last().map(|block| block.place).unwrap_or_default();
    }

    /// What an element means by its name, here.
    fn meaning_of_name(&self, container: Container) -> Meaning {
        let is_of_page = self.sections == 0;
        match container {
            Container::Nav => Meaning::Landmark(SpanKind::Navigation),
            Container::Header if is_of_page => Meaning::Landmark(SpanKind::Header),
            Container::Footer if is_of_page => Meaning::Landmark(SpanKind::Footer),
            Container::Aside if is_of_page => Meaning::Landmark(SpanKind::Aside),
            Container::Main => Meaning::Main,
            Container::Article | Container::Aside | Container::Section => Meaning::Section,
            _ => Meaning::Plain,
        }
    }
}

/// The roles of WAI-ARIA and of its module for books that mean something here.
const ROLES: [(&str, Meaning); 12] = [
    ("navigation", Meaning::Landmark(SpanKind::Navigation)),
    ("banner", Meaning::Landmark(SpanKind::Header)),
    ("contentinfo", Meaning::Landmark(SpanKind::Footer)),
    ("complementary", Meaning::Landmark(SpanKind::Aside)),
    ("menu", Meaning::Landmark(SpanKind::Navigation)),
    ("menubar", Meaning::Landmark(SpanKind::Navigation)),
    ("doc-toc", Meaning::Landmark(SpanKind::Navigation)),
    ("doc-index", Meaning::Landmark(SpanKind::Navigation)),
    ("doc-pagelist", Meaning::Landmark(SpanKind::Navigation)),
    ("article", Meaning::Section),
    ("main", Meaning::Main),
    ("region", Meaning::Section),
];

/// What the first role that we know says.
fn meaning_of_role(roles: &[u8]) -> Option<Meaning> {
    roles.split(u8::is_ascii_whitespace).find_map(|role| {
        let known = ROLES.iter().find(|(name, _)| name.as_bytes().eq_ignore_ascii_case(role));
        known.map(|(_, meaning)| *meaning)
    })
}
