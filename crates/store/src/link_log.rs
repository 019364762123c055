//! The links of a page as they are kept in `links.log`: one journal record per page.
//!
//! ```text
//! record = count link*
//! link   = shared length (bytes in common with the address before) rest of the address
//!          kind | nofollow << 7
//!          anchor text
//! ```
//!
//! Links of one page share their beginnings, so each address is written as what differs from the one before; the
//! first is compared with the page's own address.

use journal::{FieldReader, FieldWriter, Malformed};
use page::{Link, LinkKind, PageUrl};

/// A link as it is read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkRecord {
    /// Where it points to, in normal form.
    pub target: String,
    /// The words of the link.
    pub anchor: String,
    /// What sort of pointer it is.
    pub kind: LinkKind,
    /// The page asks not to follow it.
    pub nofollow: bool,
}

/// Writes the links of a page.
pub fn encode_links(page: &PageUrl, links: &[Link], out: &mut FieldWriter) {
    out.number(links.len() as u64);
    let mut previous = page.as_str();
    for link in links {
        let target = link.target.as_str();
        let shared = common_prefix(previous.as_bytes(), target.as_bytes());
        out.number(shared as u64).bytes(&target.as_bytes()[shared..]);
        out.number(u64::from(link.kind as u8 | u8::from(link.nofollow) << 7));
        out.text(&link.anchor);
        previous = target;
    }
}

/// Reads the links of a page.
pub fn decode_links(page: &PageUrl, record: &[u8]) -> Result<Vec<LinkRecord>, Malformed> {
    let mut fields = FieldReader::new(record);
    let count = fields.small::<usize>()?;
    // Each link takes at least four bytes, so a wrong count cannot ask for more memory than the record has.
    let mut links = Vec::with_capacity(count.min(record.len() / 4));
    let mut previous = page.as_str().as_bytes().to_vec();
    for _ in 0..count {
        let shared = fields.small::<usize>()?;
        let rest = fields.bytes()?;
        if shared > previous.len() {
            return Err(Malformed);
        }
        previous.truncate(shared);
        previous.extend_from_slice(rest);
        let kind_and_flag = fields.small::<u8>()?;
        links.push(LinkRecord {
            target: String::from_utf8(previous.clone()).map_err(|_| Malformed)?,
            kind: LinkKind::from_number(kind_and_flag & 0x7f).ok_or(Malformed)?,
            nofollow: kind_and_flag & 0x80 != 0,
            anchor: fields.text()?.to_owned(),
        });
    }
    Ok(links)
}

fn common_prefix(left: &[u8], right: &[u8]) -> usize {
    left.iter().zip(right).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(target: &str, anchor: &str, kind: LinkKind, nofollow: bool) -> Link {
        Link { target: PageUrl::parse(target).unwrap(), anchor: anchor.into(), kind, nofollow }
    }

    #[test]
    fn links_come_back_as_they_went() {
        let page = PageUrl::parse("http://a.test/dir/page.html").unwrap();
        let links = [
            link("http://a.test/dir/other.html", "other", LinkKind::Anchor, false),
            link("http://a.test/dir/other.html", "", LinkKind::Frame, true),
            link("https://b.test/", "più", LinkKind::Canonical, false),
        ];
        let mut out = FieldWriter::new();
        encode_links(&page, &links, &mut out);
        let back = decode_links(&page, out.as_bytes()).unwrap();
        assert_eq!(back.len(), links.len());
        for (link, record) in links.iter().zip(&back) {
            assert_eq!(link.target.as_str(), record.target);
            assert_eq!(
                (&link.anchor, link.kind, link.nofollow),
                (&record.anchor, record.kind, record.nofollow)
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn foreign_bytes_never_panic(bytes in proptest::collection::vec(0u8.., 0..60)) {
            let page = PageUrl::parse("http://a.test/").unwrap();
            let _ = decode_links(&page, &bytes);
        }
    }
}
