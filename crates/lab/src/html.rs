//! A page as HTML: head, navigation, text with links in it, a list of links, footer.
//!
//! What a reader sees depends on the content alone, so that exact copies agree in every word; how it is marked up
//! depends on the page. Everything is appended to one buffer; a page costs a handful of allocations.

use crate::FakeWeb;
use crate::address::Address;
use crate::anchor::AnchorWriter;
use crate::links::{LinkPlace, PlannedLink};
use crate::names::write_place;
use crate::near_copy::write_near_copy;
use crate::rng::{Purpose, Rng};
use crate::text::Title;
use crate::web::{PageKey, Role};
use crate::words::TOPICS;

/// Words of an average sentence, of a link with its lead, and of what stands on every page.
const WORDS_PER_SENTENCE: u32 = 12;
const WORDS_PER_LINK: u32 = 6;
const WORDS_OF_FRAME: u32 = 30;
const SENTENCES_PER_PARAGRAPH: u32 = 5;

const LEADS: &[&str] = &["See also ", "Compare ", "More about this: ", "The story goes on at ", "Read of "];

impl FakeWeb {
    /// The HTML of a page by its number, from 0 to the configured number of pages, as served on this port.
    pub fn page_html(&self, id: u32, port: u16) -> String {
        let mut out = String::with_capacity(16 << 10);
        self.write_page(id, port, &mut out);
        out
    }

    /// Appends the HTML of a page. `port` is the one that links to other hosts name.
    pub(crate) fn write_page(&self, id: u32, port: u16, out: &mut String) {
        let page = self.page(id);
        let role = self.role(page);
        let content = match role {
            Role::Original => page,
            Role::ExactCopy(source) | Role::NearCopy(source) => self.page(source),
        };
        let mut links = Vec::with_capacity(2 * self.config().links_per_page as usize);
        self.links(content, &mut links);
        let title = self.title(content);
        let mut anchors = AnchorWriter::new(self, page, port);
        self.write_head(page, &title, &mut anchors, out);
        let marks_navigation = self.host(page.host).marks_navigation;
        let body = Body { web: self, content, title, links: &links, marks_navigation };
        if let Role::NearCopy(_) = role {
            let mut original = String::with_capacity(16 << 10);
            body.write(&mut anchors, &mut original);
            let mut rng = self.rng(Purpose::NearCopy, id);
            write_near_copy(&original, self.config().near_copy_jaccard, &mut rng, out);
        } else {
            body.write(&mut anchors, out);
        }
        out.push_str("</html>\n");
    }

    fn write_head(&self, page: PageKey, title: &Title, anchors: &mut AnchorWriter, out: &mut String) {
        out.push_str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>");
        self.write_heading(title, out);
        out.push_str("</title>\n");
        let directives = match (self.is_noindex(page), self.is_nofollow_page(page)) {
            (true, true) => "<meta name=\"robots\" content=\"noindex, nofollow\">\n",
            (true, false) => "<META NAME='robots' CONTENT='NoIndex,follow'>\n",
            (false, true) => "<meta content=nofollow name=robots>\n",
            (false, false) => "",
        };
        out.push_str(directives);
        anchors.write_head_links(out);
        out.push_str("</head>\n");
    }

    /// A title with a capital at its start.
    fn write_heading(&self, title: &Title, out: &mut String) {
        let start = out.len();
        self.write_title(title, ' ', out);
        out[start..start + 1].make_ascii_uppercase();
    }
}

/// What is between `<body>` and `</body>`.
struct Body<'a> {
    web: &'a FakeWeb,
    content: PageKey,
    title: Title,
    links: &'a [PlannedLink],
    marks_navigation: bool,
}

impl Body<'_> {
    fn write(&self, anchors: &mut AnchorWriter, out: &mut String) {
        let (start, end) = if self.marks_navigation { ("<nav>", "</nav>") } else { ("<div>", "</div>") };
        out.push_str("<body>\n");
        out.push_str(start);
        self.write_navigation(anchors, out);
        out.push_str(end);
        out.push_str("\n<main>\n<h1>");
        self.web.write_heading(&self.title, out);
        out.push_str("</h1>\n");
        let mut rng = self.web.rng(Purpose::Text, self.content.id);
        self.write_text(&mut rng, anchors, out);
        self.write_list(anchors, out);
        out.push_str("</main>\n");
        self.write_image_map(anchors, out);
        self.write_footer(anchors, out);
        out.push_str("</body>\n");
    }

    fn links_at(&self, place: LinkPlace) -> impl Iterator<Item = &PlannedLink> {
        self.links.iter().filter(move |link| link.place == place)
    }

    fn write_navigation(&self, anchors: &mut AnchorWriter, out: &mut String) {
        let host = self.web.host(self.content.host);
        out.push_str("All the ");
        out.push_str(TOPICS[host.topic].nouns[0]);
        out.push_str(" lore of ");
        write_place(self.web.config().seed, self.content.host, out);
        for link in self.links_at(LinkPlace::Navigation) {
            out.push_str(" | ");
            self.write_anchor(link, anchors, out);
        }
    }

    /// Paragraphs, with the links that belong into them at an even pace.
    fn write_text(&self, rng: &mut Rng, anchors: &mut AnchorWriter, out: &mut String) {
        let link_words = WORDS_OF_FRAME + WORDS_PER_LINK * self.links.len() as u32;
        let words = self.web.config().words_per_page.saturating_sub(link_words);
        let sentences = (words / WORDS_PER_SENTENCE).max(3);
        let link_count = self.links_at(LinkPlace::Text).count() as u32;
        let mut links = self.links_at(LinkPlace::Text);
        for sentence in 0..sentences {
            if sentence % SENTENCES_PER_PARAGRAPH == 0 {
                out.push_str(if sentence == 0 { "<p>" } else { "</p>\n<p>" });
            }
            self.web.write_sentence(self.content.host, &self.title, rng, out);
            out.push(' ');
            let links_due = (sentence + 1) * link_count / sentences - sentence * link_count / sentences;
            for link in links.by_ref().take(links_due as usize) {
                out.push_str(rng.pick(LEADS));
                self.write_anchor(link, anchors, out);
                out.push_str(". ");
            }
            if sentence == 0 {
                self.write_planted(out);
            }
        }
        out.push_str("</p>\n");
    }

    fn write_planted(&self, out: &mut String) {
        if let Some(word) = self.web.planted_word(self.content) {
            out.push_str("The people here call it ");
            out.push_str(word);
            out.push_str(". ");
        }
    }

    fn write_list(&self, anchors: &mut AnchorWriter, out: &mut String) {
        out.push_str("<h2>Elsewhere</h2>\n<ul>\n");
        for link in self.links_at(LinkPlace::List) {
            out.push_str("<li>");
            self.write_anchor(link, anchors, out);
            out.push('\n');
        }
        out.push_str("</ul>\n");
        anchors.write_decoys(out);
    }

    fn write_image_map(&self, anchors: &mut AnchorWriter, out: &mut String) {
        for link in self.links_at(LinkPlace::Image) {
            anchors.write_area(link, out);
        }
    }

    fn write_footer(&self, anchors: &AnchorWriter, out: &mut String) {
        out.push_str("<footer>");
        if self.web.config().varied_markup {
            anchors.write_links_to_no_page(out);
        }
        out.push_str("&copy; the people of ");
        write_place(self.web.config().seed, self.title.place, out);
        out.push_str("</footer>\n");
    }

    fn write_anchor(&self, link: &PlannedLink, anchors: &mut AnchorWriter, out: &mut String) {
        anchors.open(link, out);
        match link.address {
            Address::Page(page) | Address::Moved { page, .. } | Address::Out { page, .. } => {
                self.web.write_title(&self.web.title(self.web.page(page)), ' ', out);
            }
            Address::Loop { .. } => out.push_str("an endless corridor"),
            Address::Missing { .. } => out.push_str("a page that was lost"),
        }
        anchors.close(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LabConfig;

    fn all_pages(config: LabConfig) -> Vec<String> {
        let web = FakeWeb::new(config);
        (0..web.config().pages).map(|id| web.page_html(id, 8080)).collect()
    }

    #[test]
    fn a_seed_gives_the_same_bytes_each_time_and_another_seed_others() {
        let config = LabConfig { pages: 300, hosts: 9, ..LabConfig::default() };
        let pages = all_pages(config.clone());
        assert_eq!(pages, all_pages(config.clone()));
        let others = all_pages(LabConfig { seed: 2, ..config });
        let equal = pages.iter().zip(&others).filter(|(page, other)| page == other).count();
        assert_eq!(equal, 0);
    }

    #[test]
    fn the_bytes_of_a_seed_do_not_change_from_version_to_version() {
        let pages = all_pages(LabConfig { pages: 50, hosts: 4, ..LabConfig::default() });
        let fingerprint = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3);
        let hash = pages.iter().flat_map(|page| page.bytes()).fold(0xCBF2_9CE4_8422_2325, fingerprint);
        assert_eq!(
            hash, 15_176_882_805_636_200_167,
            "if this change is meant, say so in the commit: old seeds now make other webs"
        );
    }

    #[test]
    fn a_yardstick_page_has_about_eight_and_a_half_kilobytes() {
        let pages = all_pages(LabConfig::yardstick(400));
        let mean = pages.iter().map(String::len).sum::<usize>() / 400;
        assert!((8000..9000).contains(&mean), "mean {mean} bytes");
    }
}
