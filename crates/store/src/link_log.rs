//! The links of a page as they are kept in `links.log`: one journal record per page.
//!
//! ```text
//! record = count link*
//! link   = shared length (bytes in common with the address before) rest of the address
//!          kind | in navigation << 6 (since version 2) | nofollow << 7
//!          anchor text
//! ```
//!
//! Links of one page share their beginnings, so each address is written as what differs from the one before; the
//! first is compared with the page's own address.

use journal::{FieldReader, FieldWriter, Format, Malformed};
use page::{Link, LinkKind, PageUrl};

/// What `links.log` begins with. Version 1 did not know which links are navigation.
pub const LINKS: Format = Format { magic: *b"CRVLINKS", version: 2 };
/// The first version of it that is still read. It too is raised to the last when somebody writes.
pub const LINKS_OLDEST: u32 = 1;

const KIND: u8 = 0x3f;
const IN_NAVIGATION: u8 = 0x40;
const NOFOLLOW: u8 = 0x80;

/// Writes the links of a page.
pub fn encode_links(page: &PageUrl, links: &[Link], out: &mut FieldWriter) {
    out.number(links.len() as u64);
    let mut previous = page.as_str();
    for link in links {
        let target = link.target.as_str();
        let shared = common_prefix(previous.as_bytes(), target.as_bytes());
        out.number(shared as u64).bytes(&target.as_bytes()[shared..]);
        out.number(u64::from(kind_and_flags(link)));
        out.text(&link.anchor);
        previous = target;
    }
}

fn kind_and_flags(link: &Link) -> u8 {
    let flag = |is_set: bool, bit: u8| if is_set { bit } else { 0 };
    link.kind as u8 | flag(link.in_navigation, IN_NAVIGATION) | flag(link.nofollow, NOFOLLOW)
}

/// A link as it stands in the log, for whoever needs no address of his own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkView<'a> {
    /// The normalised address that it points to.
    pub target: &'a str,
    /// Its words.
    pub anchor: &'a str,
    /// What kind of pointer it is.
    pub kind: LinkKind,
    /// The page asks not to follow it.
    pub nofollow: bool,
    /// It stands in the navigation of the page.
    pub in_navigation: bool,
}

/// Reads the links of a page.
pub fn decode_links(page: &PageUrl, record: &[u8]) -> Result<Vec<Link>, Malformed> {
    let count = FieldReader::new(record).small::<usize>()?;
    // Each link takes at least four bytes, so a wrong count cannot ask for more memory than the record has.
    let mut links = Vec::with_capacity(count.min(record.len() / 4));
    see_links(page, record, |link| {
        links.push(Link {
            target: PageUrl::from_normalised(link.target).map_err(|_| Malformed)?,
            kind: link.kind,
            nofollow: link.nofollow,
            in_navigation: link.in_navigation,
            anchor: link.anchor.to_owned(),
        });
        Ok(())
    })?;
    Ok(links)
}

/// Shows the links of a page, of either version: in the first, nobody knew which links are navigation.
pub(crate) fn see_links(
    page: &PageUrl,
    record: &[u8],
    mut see: impl FnMut(LinkView<'_>) -> Result<(), Malformed>,
) -> Result<(), Malformed> {
    let mut fields = FieldReader::new(record);
    let count = fields.small::<usize>()?;
    let mut previous = page.as_str().as_bytes().to_vec();
    for _ in 0..count {
        let shared = fields.small::<usize>()?;
        let rest = fields.bytes()?;
        if shared > previous.len() {
            return Err(Malformed);
        }
        previous.truncate(shared);
        previous.extend_from_slice(rest);
        let kind_and_flags = fields.small::<u8>()?;
        let target = str::from_utf8(&previous).map_err(|_| Malformed)?;
        see(LinkView {
            target,
            kind: LinkKind::from_number(kind_and_flags & KIND).ok_or(Malformed)?,
            nofollow: kind_and_flags & NOFOLLOW != 0,
            in_navigation: kind_and_flags & IN_NAVIGATION != 0,
            anchor: fields.text()?,
        })?;
    }
    Ok(())
}

fn common_prefix(left: &[u8], right: &[u8]) -> usize {
    left.iter().zip(right).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(target: &str, anchor: &str, kind: LinkKind, (nofollow, in_navigation): (bool, bool)) -> Link {
        let target = PageUrl::parse(target).unwrap();
        Link { target, anchor: anchor.into(), kind, nofollow, in_navigation }
    }

    #[test]
    fn links_come_back_as_they_went() {
        let page = PageUrl::parse("http://a.test/dir/page.html").unwrap();
        let links = [
            link("http://a.test/dir/other.html", "other", LinkKind::Anchor, (false, false)),
            link("http://a.test/dir/other.html", "", LinkKind::Frame, (true, false)),
            link("http://a.test/", "home", LinkKind::Anchor, (false, true)),
            link("https://b.test/", "più", LinkKind::Canonical, (true, true)),
        ];
        let mut out = FieldWriter::new();
        encode_links(&page, &links, &mut out);
        let back = decode_links(&page, out.as_bytes()).unwrap();
        assert_eq!(back, links);
    }

    proptest::proptest! {
        #[test]
        fn foreign_bytes_never_panic(bytes in proptest::collection::vec(0u8.., 0..60)) {
            let page = PageUrl::parse("http://a.test/").unwrap();
            let _ = decode_links(&page, &bytes);
        }
    }
}
