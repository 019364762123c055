//! The links of a page in their order, within limits.
//!
//! A reference costs its own length and that of the base it is resolved against, whether or not an address comes of it:
//! a long `<base>` would otherwise make much work of little. So both the addresses that are kept and the bytes that were
//! read to make them are counted, in bytes and not in seconds: what is found does not depend on the machine.

use encoding_rs::Encoding;
use page::{Link, LinkKind, PageUrl};

use crate::link_base::LinkBase;
use crate::{LINK_BYTES_MAX, LINKS_MAX};

/// Bytes of references and of their base that are read for one page; further links are not looked at.
const REFERENCE_BYTES_MAX: usize = 64 << 20;

/// Links in the making.
#[derive(Debug)]
pub(crate) struct PageLinks {
    links: Vec<Link>,
    base: LinkBase,
    base_is_set: bool,
    /// Bytes of all addresses of links.
    bytes: usize,
    reference_bytes: usize,
}

impl PageLinks {
    pub(crate) fn new(url: &PageUrl, encoding: &'static Encoding) -> Self {
        let base = LinkBase::new(url, encoding);
        Self { links: Vec::new(), base, base_is_set: false, bytes: 0, reference_bytes: 0 }
    }

    /// Takes the address of a `<base>`; the first one holds.
    pub(crate) fn set_base(&mut self, address: &str) {
        if !self.base_is_set {
            self.base_is_set = true;
            self.base.rebase(address);
        }
    }

    /// Adds a link, unless it leads to no page or there are too many. Tells its place.
    pub(crate) fn push(
        &mut self,
        kind: LinkKind,
        address: &str,
        nofollow: bool,
        in_navigation: bool,
    ) -> Option<usize> {
        let is_full = self.links.len() >= LINKS_MAX
            || self.bytes >= LINK_BYTES_MAX
            || self.reference_bytes >= REFERENCE_BYTES_MAX;
        if is_full {
            return None;
        }
        self.reference_bytes += self.base.len() + address.len();
        let target = self.base.resolve(address)?;
        self.bytes += target.as_str().len();
        self.links.push(Link { target, anchor: String::new(), kind, nofollow, in_navigation });
        Some(self.links.len() - 1)
    }

    /// Gives a link its words.
    pub(crate) fn name(&mut self, place: usize, words: String) {
        self.links[place].anchor = words;
    }

    pub(crate) fn finish(self) -> Vec<Link> {
        self.links
    }
}
