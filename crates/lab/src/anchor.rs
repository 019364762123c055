//! Links in all the forms in which the real web writes them.
//!
//! Absolute, without scheme, from the root, relative to the page or to a `<base>`; with fragments; in upper case,
//! with single quotes or none, with odd spaces, with a second `href` that does not count; with `&`, `&amp;` or
//! `&#38;`. And things that look like links and are none: in comments, in scripts, in other attributes. What looks
//! like a link and is none points below `/never/`, so that the audit sees who was fooled.

use crate::FakeWeb;
use crate::address::Address;
use crate::links::PlannedLink;
use crate::rng::{Purpose, Rng};
use crate::web::PageKey;
use crate::words::TOPICS;

/// Paths that no link leads to.
pub(crate) const PHANTOM_PREFIX: &str = "/never/";

/// Writes the links of one page.
pub(crate) struct AnchorWriter<'a> {
    web: &'a FakeWeb,
    page: PageKey,
    port: u16,
    rng: Rng,
    varied: bool,
    /// Links to the own host can name it: with a single host they do not, so that it can be mirrored from anywhere.
    may_name_own_host: bool,
    /// The directory that relative links start from, with a slash at both ends.
    base_directory: String,
    reference: String,
    closing_tag: &'static str,
}

impl<'a> AnchorWriter<'a> {
    pub fn new(web: &'a FakeWeb, page: PageKey, port: u16) -> Self {
        let mut path = String::with_capacity(80);
        web.write_path(Address::Page(page.id), &mut path);
        path.truncate(directory_length(&path));
        Self {
            web,
            page,
            port,
            rng: web.rng(Purpose::Markup, page.id),
            varied: web.config().varied_markup,
            may_name_own_host: web.host_count() > 1,
            base_directory: path,
            reference: String::with_capacity(120),
            closing_tag: "</a>",
        }
    }

    /// What the head says about addresses: now and then a base for relative links and a canonical address.
    pub fn write_head_links(&mut self, out: &mut String) {
        if !self.varied {
            return;
        }
        if self.rng.below(12) == 0 {
            self.base_directory.clear();
            self.base_directory.push('/');
            self.base_directory.push_str(self.rng.pick(TOPICS).section);
            self.base_directory.push('/');
            out.push_str("<base href=\"");
            out.push_str(&self.base_directory);
            out.push_str("\">\n");
        }
        if self.rng.below(6) == 0 {
            out.push_str("<link rel=\"canonical\" href=\"");
            self.reference.clear();
            self.web.write_path(Address::Page(self.page.id), &mut self.reference);
            self.write_escaped("&amp;", out);
            out.push_str("\">\n");
        }
    }

    /// The tag before the words of a link.
    pub fn open(&mut self, link: &PlannedLink, out: &mut String) {
        if link.address == Address::Page(self.page.id) {
            // A copy of a page that links to this copy. Its words must stay; a link to itself says nothing.
            self.closing_tag = "</span>";
            return out.push_str("<span>");
        }
        self.closing_tag = "</a>";
        self.choose_reference(link.address);
        let form = if self.varied { self.rng.below(20) } else { u32::MAX };
        let (before, after) = match form {
            0 => {
                self.closing_tag = "</A>";
                ("<A HREF=\"", "\"")
            }
            1 => ("<a class='link' href='", "'"),
            2 => ("<a href=", ""),
            3 => ("<a data-href=\"/never/1\" href=\"", "\""),
            4 => ("<a\n  title=\"A > B\" href = \"", "\""),
            5 => ("<a href=\" ", "\n\""),
            6 => ("<a href='", "' href='/never/2'"),
            _ => ("<a href=\"", "\""),
        };
        out.push_str(before);
        self.write_reference(out);
        out.push_str(after);
        self.write_rel(link.nofollow, out);
        out.push('>');
    }

    /// The tag after the words of the link opened last.
    pub fn close(&self, out: &mut String) {
        out.push_str(self.closing_tag);
    }

    /// A link without words.
    pub fn write_area(&mut self, link: &PlannedLink, out: &mut String) {
        if link.address == Address::Page(self.page.id) {
            return;
        }
        self.choose_reference(link.address);
        out.push_str("<map name=\"m\"><area shape=\"rect\" coords=\"0,0,90,60\" alt=\"\" href=\"");
        self.write_reference(out);
        out.push('"');
        self.write_rel(link.nofollow, out);
        out.push_str("></map>\n");
    }

    /// Things that look like links and are none.
    pub fn write_decoys(&mut self, out: &mut String) {
        if !self.varied {
            return;
        }
        if self.rng.below(4) == 0 {
            out.push_str("<!-- <p>Old: <a href=\"/never/3\">not any more</a></p> -->\n");
        }
        if self.rng.below(4) == 0 {
            out.push_str(
                "<script>var old = '<a href=\"/never/4\">no</a>'; if (1 < 2) old += \"<b>\";</script>\n",
            );
        }
        if self.rng.below(8) == 0 {
            out.push_str("<a name=\"top\"></a>\n");
        }
    }

    /// Links that lead to no page.
    pub fn write_links_to_no_page(&self, out: &mut String) {
        out.push_str("<a href=\"mailto:info@example.test\">Write to us</a> ");
        out.push_str("<a href=\"javascript:void(0)\">Menu</a> <a href=\"tel:+39000\">Call</a> ");
    }

    fn write_rel(&mut self, nofollow: bool, out: &mut String) {
        let forms: &[&str] = match (nofollow, self.varied) {
            (true, true) => &[
                " rel=\"nofollow\"",
                " rel=\"nofollow noopener\"",
                " REL='external NoFollow'",
                " target=_blank rel=nofollow",
            ],
            (true, false) => &[" rel=\"nofollow\""],
            (false, true) => &["", "", "", "", "", "", " rel=\"noopener\"", " class=\"nofollow\""],
            (false, false) => &[""],
        };
        out.push_str(self.rng.pick(forms));
    }

    /// Decides how to name the target, and leaves it in `reference`.
    fn choose_reference(&mut self, address: Address) {
        self.reference.clear();
        let local = self.web.host_of(address) == self.page.host;
        let form = if self.varied { self.rng.below(20) } else { 10 };
        match form {
            0 if !local || self.may_name_own_host => {
                self.web.write_network_path(address, self.port, &mut self.reference);
            }
            1 if !local || self.may_name_own_host => {
                self.reference.push_str("HTTP:");
                self.web.write_network_path(address, self.port, &mut self.reference);
            }
            _ if !local => self.web.write_address(address, self.port, &mut self.reference),
            2..7 if self.may_name_own_host => {
                self.web.write_address(address, self.port, &mut self.reference);
            }
            14.. => self.choose_relative(address),
            _ => self.web.write_path(address, &mut self.reference),
        }
        if self.varied {
            self.decorate_reference();
        }
    }

    fn choose_relative(&mut self, address: Address) {
        let mut path = String::with_capacity(80);
        self.web.write_path(address, &mut path);
        let directory = self.base_directory.as_str();
        match path.strip_prefix(directory).filter(|rest| !rest.is_empty() && !rest.starts_with('?')) {
            Some(rest) if self.rng.below(4) == 0 => {
                self.reference.push_str("./");
                self.reference.push_str(rest);
            }
            Some(rest) => self.reference.push_str(rest),
            None => {
                for _ in 1..directory.matches('/').count() {
                    self.reference.push_str("../");
                }
                self.reference.push_str(&path[1..]);
                if self.reference.is_empty() {
                    self.reference.push_str("./");
                }
            }
        }
    }

    /// Adds what does not change the target: a fragment, or an accent written as it is instead of percent-encoded.
    fn decorate_reference(&mut self) {
        let roll = self.rng.below(16);
        if roll == 0 {
            self.reference.push_str("#part-2");
        } else if roll < 4
            && self.may_name_own_host
            && !self.reference.contains('?')
            && let Some(at) = self.reference.find("%C3%A9")
        {
            self.reference.replace_range(at..at + 6, "é");
        }
    }

    fn write_reference(&mut self, out: &mut String) {
        let ampersand = if self.varied { self.rng.pick(&["&amp;", "&amp;", "&#38;", "&"]) } else { "&amp;" };
        self.write_escaped(ampersand, out);
    }

    fn write_escaped(&self, ampersand: &str, out: &mut String) {
        for (index, piece) in self.reference.split('&').enumerate() {
            out.push_str(if index == 0 { "" } else { ampersand });
            out.push_str(piece);
        }
    }
}

/// Bytes of the path up to and with its last slash.
fn directory_length(path: &str) -> usize {
    let path_only = path.split('?').next().unwrap_or(path);
    path_only.rfind('/').map_or(0, |slash| slash + 1)
}
