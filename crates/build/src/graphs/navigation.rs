//! Which links of a page are navigation?
//!
//! Those that the markup calls so (`nav`, `header`, `footer` and their like, see `parse`). Many sites do not say it; but
//! navigation repeats itself. So an unmarked link is taken for navigation too if one with the same target and the same
//! words is on more than half of its host's pages. Languages and manuals that share a host have menus of their own: a
//! *section* is a directory with a good part of the host's pages, and a link is taken for navigation there if more than 7/8
//! of its pages have one with the same target, and 1/8 with the same words, which need not be translated everywhere. (In
//! real documentation the links of such menus are on all pages of a section, and those that are in the text of many on 4/7
//! at most.) And words that are on more than 7/8 of the pages of a section, or of a host as large as one, are navigation
//! wherever they lead: "next", "up", "source". They must be so also without the pages on which they lead to the one place that
//! they lead to most: the name of the home page, which is on every page, says nothing of a page that is called the same. Only pages with links count. Marked links are not counted, so that what is in
//! the menu of every page and in the text of one is a link of that text.
//!
//! Links are counted by lossy counting: after every [`BUCKET_PAGES`] pages of a place those are forgotten that cannot be
//! frequent. So a link on fewer pages than it takes is never taken for navigation, and one on a sixteenth more always is.
//!
//! Cost: 16 bytes a directory; 64 bytes a link of the last [`BUCKET_PAGES`] pages of each host and section, of which a host
//! has few, and those that are frequent. What is rare in a place is forgotten with its last page.
//!
//! After Manku and Motwani, "Approximate frequency counts over data streams" (2002).

use std::collections::{HashMap, HashSet};

use page::{Link, PageUrl};
use store::LinkView;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// In a place with fewer pages nothing can repeat itself.
const PAGES_MIN: u32 = 8;
/// How often rare links are forgotten.
const BUCKET_PAGES: u32 = 16;
/// A section has at least so many pages, …
const SECTION_PAGES_MIN: u32 = 64;
/// … and so many that a host has not more than this beside each other.
const SECTIONS_MAX: u32 = 32;
/// Words and targets are counted together, and must not be mistaken for each other.
const WORDS_SEED: u64 = 1;
/// Directories are looked at to this depth.
const DEPTH_MAX: usize = 16;

/// How many pages there are in each directory.
#[derive(Debug, Default)]
pub struct Directories {
    pages: HashMap<u64, u32>,
}

impl Directories {
    /// Counts a page that has links.
    pub fn add_page(&mut self, page: &PageUrl) {
        for place in places_of(page) {
            *self.pages.entry(place).or_default() += 1;
        }
    }
}

/// The unmarked links that are on most pages of a place.
#[derive(Debug)]
pub struct Navigation {
    directories: Directories,
    places: HashMap<u64, Place>,
}

/// A host, or a section of it.
#[derive(Debug, Default)]
struct Place {
    is_section: bool,
    pages: u32,
    counts: HashMap<u64, Count>,
    /// By words: on how many pages, at most, they lead to one and the same place.
    to_one_place: HashMap<u64, u32>,
}

#[derive(Debug, Clone, Copy)]
struct Count {
    pages: u32,
    /// How often it may have been seen and forgotten before.
    missed: u32,
    /// The words of a link with words.
    words: Option<u64>,
}

impl Navigation {
    /// Nothing is counted yet but pages.
    pub fn new(directories: Directories) -> Self {
        Self { directories, places: HashMap::new() }
    }

    /// Counts the links of a page. The order of pages decides nothing but what is within a sixteenth of the limit.
    pub fn add_page(&mut self, page: &PageUrl, links: &CountedLinks) {
        // A text or a picture could not have navigation if it wanted.
        if !links.has_arcs {
            return;
        }
        let CountedLinks { anywhere, in_sections, .. } = links;
        let pages_in = |place: &u64| self.directories.pages.get(place).copied().unwrap_or_default();
        let (mut on_host, mut around) = (None, 0);
        for print in places_of(page) {
            let (pages, is_section) = (pages_in(&print), on_host.is_some());
            let on_host = *on_host.get_or_insert(pages);
            // A directory that has all of what is around it is the same once more.
            let is_large = pages >= SECTION_PAGES_MIN && pages >= on_host / SECTIONS_MAX && pages < around;
            around = pages;
            if !is_section || is_large {
                let place = self.places.entry(print).or_default();
                place.is_section = is_section;
                let targets = in_sections.iter().filter(|_| is_section).map(|print| (*print, None));
                place.add(anywhere.iter().map(|(print, words)| (*print, *words)).chain(targets));
                if place.pages == pages {
                    place.forget_rare();
                }
            }
        }
    }

    /// All pages were counted: forgets what is not on most pages.
    pub fn finish(mut self) -> Self {
        self.directories.pages.clear();
        self.places.retain(|_, place| {
            place.forget_rare();
            !place.counts.is_empty()
        });
        self
    }

    /// What is navigation on a page. Asked after [`Navigation::finish`].
    pub fn on(&self, page: &PageUrl) -> PageNavigation<'_> {
        PageNavigation { places: places_of(page).filter_map(|place| self.places.get(&place)).collect() }
    }
}

impl Place {
    /// Counts a page with these prints; those of links come with the prints of their words.
    fn add(&mut self, prints: impl Iterator<Item = (u64, Option<u64>)>) {
        let missed = self.pages / BUCKET_PAGES;
        for (print, words) in prints {
            self.counts.entry(print).or_insert(Count { pages: 0, missed, words }).pages += 1;
        }
        self.pages += 1;
        if self.pages.is_multiple_of(BUCKET_PAGES) {
            let bucket = self.pages / BUCKET_PAGES;
            self.counts.retain(|_, count| count.pages + count.missed > bucket);
            // One long list of links would be paid for by its place until the end.
            if self.counts.capacity() > 8 * self.counts.len() {
                self.counts.shrink_to(2 * self.counts.len());
            }
        }
    }

    /// All pages of the place were counted, or all that come.
    fn forget_rare(&mut self) {
        for count in self.counts.values() {
            if let Some(words) = count.words {
                let most = self.to_one_place.entry(words).or_default();
                *most = (*most).max(count.pages + count.missed);
            }
        }
        let (pages, eighths) = (self.pages, if self.is_section { 1 } else { 4 });
        self.counts.retain(|_, count| pages >= PAGES_MIN && 8 * count.pages > eighths * pages);
        self.counts.shrink_to_fit();
        self.to_one_place.retain(|words, _| self.counts.contains_key(words));
        self.to_one_place.shrink_to_fit();
    }

    /// Whether a link repeats itself here. Asked when what is rare is forgotten.
    fn repeats(&self, link: Prints) -> bool {
        let repeats = |print: &u64| self.counts.contains_key(print);
        let is_on_most =
            |print: &u64| self.counts.get(print).is_some_and(|count| 8 * count.pages > 7 * self.pages);
        let is_known = repeats(&link.link) && (!self.is_section || is_on_most(&link.target));
        is_known
            || self.pages >= SECTION_PAGES_MIN && link.words.is_some_and(|words| self.is_of_a_menu(words))
    }

    /// Whether words are on most pages even without those on which they lead to the same place.
    fn is_of_a_menu(&self, words: u64) -> bool {
        let Some(count) = self.counts.get(&words) else { return false };
        let to_one_place = self.to_one_place.get(&words).copied().unwrap_or_default().min(self.pages);
        let elsewhere = count.pages.saturating_sub(to_one_place);
        elsewhere >= PAGES_MIN && 8 * elsewhere > 7 * (self.pages - to_one_place)
    }
}

/// What is navigation on one page.
#[derive(Debug)]
pub struct PageNavigation<'a> {
    places: Vec<&'a Place>,
}

impl PageNavigation<'_> {
    /// Whether a link of the page is navigation.
    pub fn has(&self, link: &Link) -> bool {
        let prints = Prints::of(link.target.as_str(), &link.anchor);
        link.in_navigation || self.places.iter().any(|place| place.repeats(prints))
    }
}

/// The links of a page as they are counted: each of them, its words and its target once.
#[derive(Debug, Default)]
pub struct CountedLinks {
    has_arcs: bool,
    /// The prints of links with those of their words, and those of words alone.
    anywhere: HashMap<u64, Option<u64>>,
    /// The prints of targets.
    in_sections: HashSet<u64>,
}

impl CountedLinks {
    /// How many there are, links and words.
    pub fn len(&self) -> usize {
        self.anywhere.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.anywhere.is_empty()
    }

    /// Adds a link, by what there is to know of it.
    pub fn add(&mut self, LinkView { target, anchor, kind, in_navigation, .. }: LinkView<'_>) {
        self.has_arcs |= kind.is_arc();
        if kind.is_arc() && !in_navigation {
            let prints = Prints::of(target, anchor);
            self.anywhere.insert(prints.link, prints.words);
            self.anywhere.extend(prints.words.map(|words| (words, None)));
            self.in_sections.insert(prints.target);
        }
    }
}

/// By what a link is known again.
#[derive(Debug, Clone, Copy)]
struct Prints {
    target: u64,
    /// Its words, if it has any.
    words: Option<u64>,
    /// Both.
    link: u64,
}

impl Prints {
    fn of(target: &str, anchor: &str) -> Self {
        let target = xxh3_64(target.as_bytes());
        let words = (!anchor.is_empty()).then(|| xxh3_64_with_seed(anchor.as_bytes(), WORDS_SEED));
        Self { target, words, link: xxh3_64_with_seed(anchor.as_bytes(), !target) }
    }
}

/// The host of a page, and the directories that the page is in, from the outermost.
fn places_of(page: &PageUrl) -> impl Iterator<Item = u64> {
    let host = xxh3_64(page.host().as_bytes());
    let path = page.path_and_query().split('?').next().unwrap_or_default().as_bytes();
    let ends = path.iter().enumerate().skip(1).filter(|(_, byte)| **byte == b'/');
    let directories = ends.map(move |(end, _)| xxh3_64_with_seed(&path[..end], host));
    std::iter::once(host).chain(directories.take(DEPTH_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use page::LinkKind;

    fn link(target: &str, anchor: &str) -> Link {
        let (target, anchor) = (url(target), anchor.into());
        Link { target, anchor, kind: LinkKind::Anchor, nofollow: false, in_navigation: false }
    }

    fn url(text: &str) -> PageUrl {
        PageUrl::parse(text).unwrap()
    }

    /// The navigation of pages with their links.
    fn navigation_of(pages: &[(PageUrl, Vec<Link>)]) -> Navigation {
        let mut directories = Directories::default();
        pages.iter().for_each(|(page, _)| directories.add_page(page));
        let mut navigation = Navigation::new(directories);
        pages.iter().for_each(|(page, links)| navigation.add_page(page, &counted(links)));
        navigation.finish()
    }

    fn counted(links: &[Link]) -> CountedLinks {
        let mut counted = CountedLinks::default();
        for Link { target, anchor, kind, nofollow, in_navigation } in links {
            let (kind, nofollow, in_navigation) = (*kind, *nofollow, *in_navigation);
            counted.add(LinkView { target: target.as_str(), anchor, kind, nofollow, in_navigation });
        }
        counted
    }

    #[test]
    fn what_is_on_most_pages_of_a_host_is_navigation() {
        // On how many of how many pages, in one stretch at the end; is it navigation?
        let rows = [(5, 8, true), (4, 8, false), (7, 7, false), (600, 1000, true), (500, 1000, false)];
        for (on, pages, expected) in rows {
            let mut links_of_pages = Vec::new();
            for page in 0..pages {
                let mut links =
                    vec![link("http://a/own", &page.to_string()), link("http://a/", "other words")];
                links.pop_if(|_| page % 2 == 0);
                if page >= pages - on {
                    // Twice on one page counts once.
                    links.extend([link("http://a/", "home"), link("http://a/", "home")]);
                }
                links_of_pages.push((url("http://a/1"), links));
                links_of_pages.push((url("http://a/text"), Vec::new()));
            }
            let navigation = navigation_of(&links_of_pages);
            let has = |page: &str, words: &str| navigation.on(&url(page)).has(&link("http://a/", words));
            assert_eq!(has("http://a/", "home"), expected, "{on} of {pages}");
            assert!(!has("http://a/", "other words"), "{on} of {pages}");
            assert!(!has("http://b/", "home"), "{on} of {pages}");
        }
    }

    #[test]
    fn what_is_on_nearly_all_pages_of_a_section_is_navigation_there() {
        // How many pages the section has, how many others there are, on how many it is; is it navigation?
        let rows = [
            (100, 200, 100, true),
            (100, 200, 96, true),
            (100, 200, 80, false),
            (63, 200, 63, false),
            (100, 3300, 100, false),
        ];
        for (pages, others, on, expected) in rows {
            // A third of the pages is not translated.
            let menu = |page| link("http://a/docs/en/", if page % 3 == 0 { "contents" } else { "indice" });
            let in_section = (0..pages).map(|page| {
                let links = if page < on { vec![menu(page)] } else { vec![link("http://a/", "home")] };
                (url(&format!("http://a/docs/en/{page}")), links)
            });
            let elsewhere = (0..others).map(|page| {
                (url(&format!("http://a/docs/{page}")), vec![link("http://a/", &page.to_string())])
            });
            let navigation = navigation_of(&in_section.chain(elsewhere).collect::<Vec<_>>());
            let has = |page: &str| {
                let page = navigation.on(&url(page));
                assert!(!page.has(&link("http://a/docs/en/", "words of a text")));
                page.has(&menu(0)) && page.has(&menu(1))
            };
            assert_eq!(has("http://a/docs/en/more/x?y=/z"), expected, "{pages} {others} {on}");
            assert!(!has("http://a/docs/english") && !has("http://a/docs/"), "{pages} {others} {on}");
        }
    }

    #[test]
    fn words_that_are_on_most_pages_are_navigation_wherever_they_lead() {
        let pages: Vec<_> = (0..100)
            .map(|page| {
                let next = link(&format!("http://a/{}", page + 1), "next");
                let see = link(&format!("http://a/{}", page + 7), if page % 2 == 0 { "see" } else { "also" });
                let picture = link(&format!("http://a/{}", page + 9), "");
                (url(&format!("http://a/{page}")), vec![next, see, picture])
            })
            .collect();
        let navigation = navigation_of(&pages);
        let page = navigation.on(&url("http://a/5"));
        let has = ["next", "see", ""].map(|words| page.has(&link("http://a/6", words)));
        assert_eq!(has, [true, false, false]);
    }

    #[test]
    fn words_that_nearly_always_lead_to_one_place_say_nothing_of_another() {
        // On how many of 100 pages "up" leads to the index, on how many to a place of their own; is that navigation?
        for (to_index, elsewhere, expected) in
            [(60, 40, true), (99, 1, false), (95, 5, false), (60, 30, false)]
        {
            let pages: Vec<_> = (0..100)
                .map(|page| {
                    let own = format!("http://a/{page}/up");
                    let target = if page < to_index { "http://a/" } else { &own };
                    let words = if page < to_index + elsewhere { "up" } else { "down" };
                    (url(&format!("http://a/{page}")), vec![link(target, words)])
                })
                .collect();
            let navigation = navigation_of(&pages);
            let has = |target: &str| navigation.on(&url("http://a/99")).has(&link(target, "up"));
            assert!(has("http://a/"), "{to_index}");
            assert_eq!(has("http://a/99/up"), expected, "{to_index} {elsewhere}");
        }
    }

    #[test]
    fn what_is_marked_is_navigation_and_says_nothing_of_the_text() {
        let marked = Link { in_navigation: true, ..link("http://a/", "home") };
        let mut pages = vec![(url("http://a/"), vec![marked.clone()]); 20];
        pages[0].1.push(link("http://a/", "home"));
        let navigation = navigation_of(&pages);
        assert!(navigation.on(&url("http://a/")).has(&marked));
        assert!(!navigation.on(&url("http://a/")).has(&link("http://a/", "home")));
    }

    #[test]
    fn rare_links_are_forgotten_while_pages_come() {
        let mut navigation = Navigation::new(Directories::default());
        let in_memory = |navigation: &Navigation| {
            navigation.places.values().map(|place| place.counts.len()).sum::<usize>()
        };
        for page in 0..10_000 {
            let rare = (0..10).map(|number| link(&format!("http://a/{page}/{number}"), ""));
            let links: Vec<_> = rare.chain([link("http://a/", "home")]).collect();
            navigation.add_page(&url("http://a/"), &counted(&links));
            assert!(in_memory(&navigation) <= 10 * BUCKET_PAGES as usize * 2 + 2);
        }
        assert_eq!(in_memory(&navigation.finish()), 2, "the link, and its words");
    }

    #[test]
    fn a_place_that_is_through_and_a_long_list_of_links_take_no_memory() {
        let (mut directories, page) = (Directories::default(), url("http://a/"));
        (0..1000).for_each(|_| directories.add_page(&page));
        let mut navigation = Navigation::new(directories);
        let room = |navigation: &Navigation| {
            navigation.places.values().map(|place| place.counts.capacity()).sum::<usize>()
        };
        let long: Vec<_> = (0..10_000).map(|number| link(&format!("http://a/{number}"), "")).collect();
        for number in 0..1000 {
            let short = [link("http://a/", "home"), link(&format!("http://a/{number}/x"), "")];
            navigation.add_page(&page, &counted(if number == 3 { &long } else { &short }));
            assert!(number < 100 || room(&navigation) < 1000, "{}", room(&navigation));
        }
        assert!(room(&navigation) < 8, "{}", room(&navigation));
        assert!(navigation.finish().on(&page).has(&link("http://a/", "home")));
    }
}
