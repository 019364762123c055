//! Does a link stand in the navigation of the page, or in what the page says?
//!
//! What the markup calls navigation is:
//!
//! - `<nav>`, wherever it is;
//! - `<header>`, `<footer>` and `<aside>` of the page. Those inside of `<article>`, `<section>`, `<main>`, `<nav>` or
//!   `<aside>` belong to a part of it: the headline of an article, the notes of a chapter;
//! - blocks whose `role` is `navigation`, `banner`, `contentinfo`, `complementary`, `menu` or `menubar`, or the table of
//!   contents, index or list of pages of a book. A role goes before the name of the element.
//!
//! `<menu>` alone is not: on old pages it is any list. Roles of cells and of parts of a line are not read.
//!
//! To know where a block ends a stack of open blocks is kept, as browsers do (WHATWG 13.2.6.4.7): an end tag ends the
//! innermost block of its name and all that is open inside of it, and is ignored if there is none in this table; a row or
//! a cell ends all that is open in the table. Unlike there, blocks left open do not end with an `<li>`, a heading or a
//! `<button>` around them, but with the block around those; and drawings and templates neither open nor end any.
//!
//! Cost: O(1) per tag, amortised: each block knows the next one of its name further out. The stack is bounded.

use crate::tag::{Container, Tag};

/// Blocks nested more deeply are not noticed. Browsers flatten a page from the same depth on.
const DEPTH_MAX: usize = 512;

/// Blocks that are open, and what they mean.
#[derive(Debug, Default, Clone)]
pub(crate) struct Landmarks {
    open: Vec<Block>,
    /// For each name, how deep its innermost block is; 0 if none is open.
    innermost: [u16; Container::COUNT],
    navigation: u16,
    sections: u16,
}

#[derive(Debug, Clone, Copy)]
struct Block {
    container: Container,
    meaning: Meaning,
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
    /// Navigation. It too is a part.
    Navigation,
}

impl Landmarks {
    /// Is what comes now part of the navigation?
    pub(crate) fn is_in_navigation(&self) -> bool {
        self.navigation > 0
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
        let innermost = &mut self.innermost[container as usize];
        self.open.push(Block { container, meaning, outer: *innermost });
        *innermost = self.open.len() as u16;
        self.navigation += u16::from(meaning == Meaning::Navigation);
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
            self.navigation -= u16::from(block.meaning == Meaning::Navigation);
            self.sections -= u16::from(block.meaning != Meaning::Plain);
        }
    }

    /// What an element means by its name, here.
    fn meaning_of_name(&self, container: Container) -> Meaning {
        match container {
            Container::Nav => Meaning::Navigation,
            Container::Header | Container::Footer | Container::Aside if self.sections == 0 => {
                Meaning::Navigation
            }
            Container::Article | Container::Aside | Container::Main | Container::Section => Meaning::Section,
            _ => Meaning::Plain,
        }
    }
}

/// The roles of WAI-ARIA and of its module for books that mean something here.
const ROLES: [(&str, Meaning); 12] = [
    ("navigation", Meaning::Navigation),
    ("banner", Meaning::Navigation),
    ("contentinfo", Meaning::Navigation),
    ("complementary", Meaning::Navigation),
    ("menu", Meaning::Navigation),
    ("menubar", Meaning::Navigation),
    ("doc-toc", Meaning::Navigation),
    ("doc-index", Meaning::Navigation),
    ("doc-pagelist", Meaning::Navigation),
    ("article", Meaning::Section),
    ("main", Meaning::Section),
    ("region", Meaning::Section),
];

/// What the first role that we know says.
fn meaning_of_role(roles: &[u8]) -> Option<Meaning> {
    roles.split(u8::is_ascii_whitespace).find_map(|role| {
        let known = ROLES.iter().find(|(name, _)| name.as_bytes().eq_ignore_ascii_case(role));
        known.map(|(_, meaning)| *meaning)
    })
}
