//! Addresses: what a link can point to, how it is written, and which one a request means.
//!
//! ```text
//! page      /                                              a home page
//!           /valleys/the-old-bridge-of-velmora-123         and with .html, a date, a slash at its end
//!           /show?topic=valleys&id=123
//! forbidden /private/…-123  /valleys/print/…-123  /valleys/…-123.cgi  /archive/…-123     as the host's rules say
//! redirect  /moved/2/the-old-bridge-of-velmora-123  →  /moved/1/…  →  the page
//!           /out?to=4711                            →  a page of another host
//!           /loop/a                                 ⇄  /loop/b
//! hole      /valleys/gone-99
//! ```
//!
//! The number that says which page is meant is always the last one, so a request is read without any table: take the
//! last number, write the address of that page, compare.

use crate::FakeWeb;
use crate::names::push_number;
use crate::rng::{Purpose, Rng};
use crate::robots::RobotsKind;
use crate::web::PageKey;
use crate::words::TOPICS;

/// What a link can point to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Address {
    /// A page, by id.
    Page(u32),
    /// A redirect on the page's own host, so many hops away from it.
    Moved { page: u32, hops: u8 },
    /// A redirect from a host to a page elsewhere.
    Out { host: u32, page: u32 },
    /// One side of a pair of redirects that point to each other.
    Loop { host: u32, second: bool },
    /// Nothing is there.
    Missing { host: u32, number: u32 },
}

impl FakeWeb {
    /// The host that answers for an address.
    pub(crate) fn host_of(&self, address: Address) -> u32 {
        match address {
            Address::Page(page) | Address::Moved { page, .. } => self.page(page).host,
            Address::Out { host, .. } | Address::Loop { host, .. } | Address::Missing { host, .. } => host,
        }
    }

    /// Where a redirect points to; none for what is no redirect.
    pub(crate) fn redirect_of(&self, address: Address) -> Option<Address> {
        match address {
            Address::Moved { page, hops: 1 } | Address::Out { page, .. } => Some(Address::Page(page)),
            Address::Moved { page, hops } => Some(Address::Moved { page, hops: hops - 1 }),
            Address::Loop { host, second } => Some(Address::Loop { host, second: !second }),
            Address::Page(_) | Address::Missing { .. } => None,
        }
    }

    /// Does the robots.txt of its host forbid it?
    pub(crate) fn is_forbidden_address(&self, address: Address) -> bool {
        match address {
            Address::Page(page) => self.is_forbidden(self.page(page)),
            Address::Out { host, .. } => self.host(host).robots.forbids_forwarder(),
            Address::Moved { .. } | Address::Loop { .. } | Address::Missing { .. } => false,
        }
    }

    /// Appends path and query, in normal form.
    pub(crate) fn write_path(&self, address: Address, out: &mut String) {
        match address {
            Address::Page(page) => self.write_page_path(self.page(page), out),
            Address::Moved { page, hops } => {
                out.push_str("/moved/");
                push_number(u32::from(hops), out);
                out.push('/');
                self.write_slug(self.page(page), out);
            }
            Address::Out { page, .. } => {
                out.push_str("/out?to=");
                push_number(page, out);
            }
            Address::Loop { second, .. } => out.push_str(if second { "/loop/b" } else { "/loop/a" }),
            Address::Missing { host, number } => {
                out.push('/');
                out.push_str(TOPICS[self.host(host).topic].section);
                out.push_str("/gone-");
                push_number(number, out);
            }
        }
    }

    /// Appends the whole address; port 80 goes without saying.
    pub(crate) fn write_address(&self, address: Address, port: u16, out: &mut String) {
        out.push_str("http:");
        self.write_network_path(address, port, out);
    }

    /// Appends the address without its scheme: `//host:port/path`.
    pub(crate) fn write_network_path(&self, address: Address, port: u16, out: &mut String) {
        out.push_str("//");
        out.push_str(&self.host(self.host_of(address)).name);
        if port != 80 {
            out.push(':');
            push_number(u32::from(port), out);
        }
        self.write_path(address, out);
    }

    /// The whole address as a string.
    pub(crate) fn address_text(&self, address: Address, port: u16) -> String {
        let mut out = String::with_capacity(80);
        self.write_address(address, port, &mut out);
        out
    }

    /// Which address a request for this path and query of a host means.
    pub(crate) fn resolve(&self, host: u32, path: &str) -> Option<Address> {
        if path == "/" {
            return Some(Address::Page(self.home(host).id));
        }
        let candidate = match path {
            "/loop/a" => return Some(Address::Loop { host, second: false }),
            "/loop/b" => return Some(Address::Loop { host, second: true }),
            _ if path.starts_with("/out?") => {
                let page = last_number(path).filter(|&page| page < self.config().pages)?;
                Address::Out { host, page }
            }
            _ => {
                let page = self.page_of(host, last_number(path)?)?.id;
                match path.strip_prefix("/moved/").and_then(|rest| rest.bytes().next()) {
                    Some(digit @ b'1'..=b'3') => Address::Moved { page, hops: digit - b'0' },
                    _ => Address::Page(page),
                }
            }
        };
        let mut written = String::with_capacity(80);
        self.write_path(candidate, &mut written);
        (written == path).then_some(candidate)
    }

    fn write_page_path(&self, page: PageKey, out: &mut String) {
        if page.local == 0 {
            return out.push('/');
        }
        let mut rng = self.rng(Purpose::Path, page.id);
        let kind = self.host(page.host).robots.kind;
        if self.is_forbidden(page) {
            return self.write_forbidden_path(page, kind, out);
        }
        if kind == RobotsKind::ArchiveOpen && rng.below(10) == 0 {
            out.push_str("/archive/open/");
            return self.write_slug(page, out);
        }
        match rng.below(10) {
            0..4 => self.write_section_and_slug(page, "", out),
            4..6 => self.write_section_and_slug(page, ".html", out),
            6 => self.write_section_and_slug(page, "/", out),
            7 => self.write_dated_path(page, &mut rng, out),
            _ => self.write_query_path(page, kind, out),
        }
    }

    fn write_forbidden_path(&self, page: PageKey, kind: RobotsKind, out: &mut String) {
        match kind {
            RobotsKind::Private => out.push_str("/private/"),
            RobotsKind::ArchiveOpen => out.push_str("/archive/"),
            RobotsKind::Cgi => return self.write_section_and_slug(page, ".cgi", out),
            RobotsKind::Print => {
                self.write_section(page, out);
                out.push_str("print/");
            }
            RobotsKind::Missing | RobotsKind::Open => unreachable!("these plans forbid no pages"),
        }
        self.write_slug(page, out);
    }

    fn write_dated_path(&self, page: PageKey, rng: &mut Rng, out: &mut String) {
        self.write_section(page, out);
        push_number(1950 + rng.below(75), out);
        out.push_str(rng.pick(&["/01/", "/04/", "/07/", "/11/"]));
        self.write_slug(page, out);
    }

    fn write_query_path(&self, page: PageKey, kind: RobotsKind, out: &mut String) {
        out.push_str(if kind == RobotsKind::Cgi { "/view.cgi?topic=" } else { "/show?topic=" });
        out.push_str(TOPICS[self.title(page).topic].section);
        out.push_str("&id=");
        push_number(page.local, out);
    }

    fn write_section_and_slug(&self, page: PageKey, ending: &str, out: &mut String) {
        self.write_section(page, out);
        self.write_slug(page, out);
        out.push_str(ending);
    }

    fn write_section(&self, page: PageKey, out: &mut String) {
        out.push('/');
        out.push_str(TOPICS[self.title(page).topic].section);
        out.push('/');
    }

    /// The title with dashes, and the page's number on its host.
    fn write_slug(&self, page: PageKey, out: &mut String) {
        let start = out.len();
        self.write_title(&self.title(page), '-', out);
        out[start..].make_ascii_lowercase();
        out.push('-');
        push_number(page.local, out);
    }
}

fn last_number(path: &str) -> Option<u32> {
    let is_digit = |c: char| c.is_ascii_digit();
    let end = path.rfind(is_digit)? + 1;
    let start = path[..end].rfind(|c| !is_digit(c)).map_or(0, |before| before + 1);
    path[start..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LabConfig;

    #[test]
    fn every_address_is_found_again_from_its_path() {
        let config = LabConfig { pages: 3000, hosts: 30, forbidden_rate: 0.3, ..LabConfig::default() };
        let web = FakeWeb::new(config);
        let mut path = String::new();
        let mut check = |address| {
            path.clear();
            web.write_path(address, &mut path);
            assert_eq!(web.resolve(web.host_of(address), &path), Some(address), "path {path}");
        };
        for page in 0..3000 {
            check(Address::Page(page));
            check(Address::Moved { page, hops: 1 + (page % 3) as u8 });
            check(Address::Out { host: page % 30, page });
        }
        check(Address::Loop { host: 3, second: true });
    }

    #[test]
    fn other_paths_mean_nothing() {
        let web = FakeWeb::new(LabConfig::default());
        let mut hole = String::new();
        web.write_path(Address::Missing { host: 0, number: 7 }, &mut hole);
        for path in
            [hole.as_str(), "/x", "/never/1", "/moved/9/x-1", "/out?to=99999999", "/valleys/x-1", "", "1"]
        {
            assert_eq!(web.resolve(0, path), None, "for {path}");
        }
    }
}
