//! Sitemaps: a list of a host's pages, or for larger hosts a list of such lists.
//!
//! They name only pages that followable tree links lead to. So they never tell a crawler of a page that it could
//! not have found by links, and the truth is the same whether it reads them or not.

use crate::FakeWeb;
use crate::address::Address;
use crate::names::push_number;

/// Positions on the host that one list covers. The standard allows 50,000; smaller ones make for more variety.
const PAGES_PER_LIST: u32 = 1000;
const XMLNS: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";

impl FakeWeb {
    /// Appends the sitemap at a path of a host; false when there is none. `authority` is host and port as the client
    /// wrote them.
    pub(crate) fn write_sitemap(&self, host: u32, path: &str, authority: &str, out: &mut String) -> bool {
        let lists = self.host(host).page_count.div_ceil(PAGES_PER_LIST);
        let number = path.strip_prefix("/sitemap-").and_then(|rest| rest.strip_suffix(".xml"));
        match number.and_then(|number| number.parse::<u32>().ok()) {
            _ if !self.config().sitemaps => return false,
            None if path == "/sitemap.xml" && lists > 1 => write_list_of_lists(lists, authority, out),
            None if path == "/sitemap.xml" => self.write_list(host, 0, authority, out),
            Some(number) if number < lists => self.write_list(host, number, authority, out),
            _ => return false,
        }
        true
    }

    fn write_list(&self, host: u32, number: u32, authority: &str, out: &mut String) {
        open("urlset", out);
        let first = number * PAGES_PER_LIST;
        for local in first..first.saturating_add(PAGES_PER_LIST) {
            let Some(page) = self.page_of(host, local) else { break };
            if self.is_forbidden(page) || self.is_nofollow_child(page) {
                continue;
            }
            out.push_str("<url><loc>http://");
            out.push_str(authority);
            let start = out.len();
            self.write_path(Address::Page(page.id), out);
            let path = out.split_off(start);
            out.push_str(&path.replace('&', "&amp;"));
            out.push_str("</loc></url>\n");
        }
        out.push_str("</urlset>\n");
    }
}

fn write_list_of_lists(lists: u32, authority: &str, out: &mut String) {
    open("sitemapindex", out);
    for number in 0..lists {
        out.push_str("<sitemap><loc>http://");
        out.push_str(authority);
        out.push_str("/sitemap-");
        push_number(number, out);
        out.push_str(".xml</loc></sitemap>\n");
    }
    out.push_str("</sitemapindex>\n");
}

fn open(element: &str, out: &mut String) {
    out.push_str(&format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<{element} xmlns=\"{XMLNS}\">\n"));
}
