//! What is known of a link beside its ends, and which links a rank is computed on.

/// Three facts of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct LinkFlags {
    /// Both pages are on one host.
    pub is_same_host: bool,
    /// It stands in the navigation, header or footer of the page. Of several links between two pages, all do.
    pub is_navigation: bool,
    /// The page asks not to follow it. Of several links between two pages, all do.
    pub is_nofollow: bool,
}

impl LinkFlags {
    /// The two bits that are stored; the third follows from the ends.
    pub(crate) fn stored(self) -> u8 {
        u8::from(self.is_navigation) | u8::from(self.is_nofollow) << 1
    }

    pub(crate) fn from_stored(bits: u8) -> Self {
        Self { is_same_host: false, is_navigation: bits & 1 != 0, is_nofollow: bits & 2 != 0 }
    }
}

/// Which arcs count. A rank says on which filter it was computed: otherwise boilerplate wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ArcFilter {
    /// Leave out links within a host.
    pub without_same_host: bool,
    /// Leave out navigation.
    pub without_navigation: bool,
    /// Leave out nofollow links.
    pub without_nofollow: bool,
    /// Leave out links of a page to itself, such as those to its own chapters: they are no votes.
    pub without_loops: bool,
}

impl ArcFilter {
    /// Whether an arc between two nodes counts.
    pub fn admits(&self, source: u32, target: u32, flags: LinkFlags) -> bool {
        !(self.without_loops && source == target
            || self.without_same_host && flags.is_same_host
            || self.without_navigation && flags.is_navigation
            || self.without_nofollow && flags.is_nofollow)
    }
}
