//! What a page says, after it was read.

use crate::outline::{Outline, Span};
use crate::{PageUrl, Timestamp};

/// A page as the index, the graph and the reader see it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// The title, with white space collapsed; empty when there is none.
    pub title: String,
    /// The words a reader sees: no markup, no scripts, one line per block.
    pub text: String,
    /// What parts of the text are, in the order of their starts, and of equal starts the longest first.
    pub spans: Vec<Span>,
    /// Where the page points to, in the order of the page, with repetitions.
    pub links: Vec<Link>,
    /// The language that the page declares (`lang` of `<html>`), lower case.
    pub language: Option<String>,
    /// When the page says that it was published.
    pub published: Option<Timestamp>,
    /// When the page says that it was last changed.
    pub modified: Option<Timestamp>,
    /// The page asks not to be found (`<meta name=robots content=noindex>`).
    pub noindex: bool,
    /// The page asks that none of its links be followed.
    pub nofollow: bool,
}

impl Document {
    /// Shows the text with its parts: the main text, the headings.
    pub fn outline(&self) -> Outline<'_> {
        Outline { text: &self.text, spans: &self.spans }
    }

    /// Gives the address that the page says it should be known by.
    pub fn canonical(&self) -> Option<&PageUrl> {
        self.links.iter().find(|link| link.kind == LinkKind::Canonical).map(|link| &link.target)
    }
}

/// One pointer from a page to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Where it points to.
    pub target: PageUrl,
    /// The words of the link, with white space collapsed; for images, their `alt`.
    pub anchor: String,
    /// What sort of pointer it is.
    pub kind: LinkKind,
    /// The page asks not to follow it (`rel=nofollow`).
    pub nofollow: bool,
    /// It stands in the navigation, the header, the footer or a sidebar of the page, and the markup says so.
    pub in_navigation: bool,
}

impl Link {
    /// A pointer without words, to be followed, that stands nowhere on a page.
    pub fn bare(target: PageUrl, kind: LinkKind) -> Self {
        Self { target, anchor: String::new(), kind, nofollow: false, in_navigation: false }
    }
}

/// The sorts of pointers. The numbers are written to disk and never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum LinkKind {
    /// `<a href>` or `<area href>`.
    Anchor = 0,
    /// `<iframe src>` or `<frame src>`.
    Frame = 1,
    /// `<meta http-equiv=refresh>`.
    Refresh = 2,
    /// `<link rel=canonical>`.
    Canonical = 3,
    /// The `Location` of a redirect.
    Redirect = 4,
    /// An entry of a sitemap.
    Sitemap = 5,
}

impl LinkKind {
    /// The kind behind a number from disk.
    pub fn from_number(number: u8) -> Option<Self> {
        [Self::Anchor, Self::Frame, Self::Refresh, Self::Canonical, Self::Redirect, Self::Sitemap]
            .get(number as usize)
            .copied()
    }

    /// Does it make an arc of the link graph? Pointers that a reader of the page can follow do.
    pub fn is_arc(self) -> bool {
        matches!(self, Self::Anchor | Self::Frame)
    }
}
