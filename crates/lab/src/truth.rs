//! What a correct and polite crawl finds: a breadth-first visit of the functions that make the web.
//!
//! No HTML is made or read, so this is independent of how links are written. Cost: the links of every reachable
//! page once, and the addresses of pages, not of arcs, which are pairs of positions.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::ser::{SerializeSeq, SerializeStruct};
use serde::{Serialize, Serializer};

use crate::FakeWeb;
use crate::address::Address;
use crate::links::{LinkPlace, PlannedLink};
use crate::web::Role;

/// What there is to find from the seeds. All lists of addresses are sorted.
#[derive(Debug, Clone, PartialEq)]
pub struct Truth {
    /// Where the crawl starts.
    pub seeds: Vec<String>,
    /// Addresses that answer 200 and are reachable from the seeds over links that may be followed (`nofollow`
    /// neither on the link nor on its page) and redirects, without asking for anything that robots.txt forbids.
    pub pages: Vec<String>,
    /// Links as positions in `pages`: see [`arcs`](Self::arcs).
    pub arc_positions: Vec<(u32, u32)>,
    /// What links that lead through redirects add, as positions in `pages`: pairs that are not among the arcs. A page may
    /// come back to itself that way.
    pub redirected_positions: Vec<(u32, u32)>,
    /// Those of all these pairs whose links stand in what the page marks as navigation, all of them, as positions in `pages`.
    pub navigation_positions: Vec<(u32, u32)>,
    /// Pages that say the same, or nearly.
    pub copies: Vec<CopyGroup>,
    /// Addresses that such a crawl meets and must not ask for.
    pub forbidden: Vec<String>,
    /// Rare words, and the pages of `pages` without `noindex` whose text has them.
    pub words: BTreeMap<String, Vec<String>>,
    /// Those of `pages` that ask not to be indexed.
    pub noindex: Vec<String>,
    /// Addresses that such a crawl meets and that answer with a redirect.
    pub redirects: Vec<String>,
    /// Addresses that such a crawl meets and that answer 404 or 410.
    pub missing: Vec<String>,
}

/// Pages with equal or nearly equal text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CopyGroup {
    /// How near they are.
    pub kind: CopyKind,
    /// Exact: all pages with this text. Near: a page and one that was made from it.
    pub pages: Vec<String>,
    /// Similarity of the sets of 5-word shingles: 1 for exact copies, about this for near ones.
    pub jaccard: f64,
}

/// How near copies are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CopyKind {
    /// Every word is the same.
    Exact,
    /// Some words differ.
    Near,
}

impl Truth {
    /// Each distinct link that may be followed and points directly (not by a redirect) from one page to another.
    pub fn arcs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.named(&self.arc_positions)
    }

    fn named<'a>(&'a self, positions: &'a [(u32, u32)]) -> impl Iterator<Item = (&'a str, &'a str)> {
        let page = |position: u32| self.pages[position as usize].as_str();
        positions.iter().map(move |&(source, target)| (page(source), page(target)))
    }
}

impl Serialize for Truth {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Truth", 11)?;
        object.serialize_field("seeds", &self.seeds)?;
        object.serialize_field("pages", &self.pages)?;
        object.serialize_field("arcs", &ArcPairs(self, &self.arc_positions))?;
        object.serialize_field("redirected_arcs", &ArcPairs(self, &self.redirected_positions))?;
        object.serialize_field("navigation_arcs", &ArcPairs(self, &self.navigation_positions))?;
        object.serialize_field("copies", &self.copies)?;
        object.serialize_field("forbidden", &self.forbidden)?;
        object.serialize_field("words", &self.words)?;
        object.serialize_field("noindex", &self.noindex)?;
        object.serialize_field("redirects", &self.redirects)?;
        object.serialize_field("missing", &self.missing)?;
        object.end()
    }
}

/// The arcs as pairs of addresses, without making the pairs first.
struct ArcPairs<'a>(&'a Truth, &'a [(u32, u32)]);

impl Serialize for ArcPairs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut pairs = serializer.serialize_seq(Some(self.1.len()))?;
        for arc in self.0.named(self.1) {
            pairs.serialize_element(&arc)?;
        }
        pairs.end()
    }
}

impl FakeWeb {
    /// What there is to find when the web is served on this port.
    pub fn truth(&self, port: u16) -> Truth {
        let visit = Visitor::visit_all(self);
        let found = Found::new(self, port, visit.pages);
        let sorted = |addresses: HashSet<Address>| {
            let mut texts: Vec<_> = addresses.into_iter().map(|a| self.address_text(a, port)).collect();
            texts.sort_unstable();
            texts
        };
        let position = |page: u32| found.position_of[page as usize];
        let positions = |arcs: Vec<(u32, u32)>| {
            let mut positions: Vec<_> =
                arcs.into_iter().map(|(source, target)| (position(source), position(target))).collect();
            positions.sort_unstable();
            positions
        };
        Truth {
            seeds: self.seeds(port),
            arc_positions: positions(visit.arcs),
            redirected_positions: positions(visit.redirected_arcs),
            navigation_positions: positions(visit.navigation_arcs),
            copies: found.copies(),
            forbidden: sorted(visit.forbidden),
            words: found.words(),
            noindex: found.noindex(),
            redirects: sorted(visit.redirects),
            missing: sorted(visit.missing),
            pages: found.addresses,
        }
    }

    /// The homes of the largest hosts: from them nearly everything can be reached.
    pub(crate) fn seeds(&self, port: u16) -> Vec<String> {
        let homes = (0..self.seed_host_count()).map(|host| Address::Page(self.home(host).id));
        homes.map(|home| self.address_text(home, port)).collect()
    }
}

/// More redirects in a row are a loop.
const REDIRECTS_MAX: usize = 16;

/// An arc that is navigation unless one of these redirects is met: the page links there as well, and asks not to follow.
struct PerhapsNavigation {
    arc: (u32, u32),
    unless: Vec<Address>,
}

/// The state of the visit.
struct Visitor<'a> {
    web: &'a FakeWeb,
    seen: Vec<bool>,
    /// In the order of discovery; the visit goes along it.
    pages: Vec<u32>,
    arcs: Vec<(u32, u32)>,
    redirected_arcs: Vec<(u32, u32)>,
    navigation_arcs: Vec<(u32, u32)>,
    perhaps_navigation: Vec<PerhapsNavigation>,
    forbidden: HashSet<Address>,
    redirects: HashSet<Address>,
    missing: HashSet<Address>,
}

impl<'a> Visitor<'a> {
    fn visit_all(web: &'a FakeWeb) -> Self {
        let mut visitor = Self {
            web,
            seen: vec![false; web.config().pages as usize],
            pages: Vec::new(),
            arcs: Vec::new(),
            redirected_arcs: Vec::new(),
            navigation_arcs: Vec::new(),
            perhaps_navigation: Vec::new(),
            forbidden: HashSet::new(),
            redirects: HashSet::new(),
            missing: HashSet::new(),
        };
        for host in 0..web.seed_host_count() {
            visitor.meet(Address::Page(web.home(host).id));
        }
        let mut links = Vec::new();
        let mut targets = Vec::new();
        let mut next = 0;
        while let Some(&page) = visitor.pages.get(next) {
            visitor.follow_links(page, &mut links, &mut targets);
            next += 1;
        }
        visitor.settle_navigation();
        visitor
    }

    fn follow_links(&mut self, id: u32, links: &mut Vec<PlannedLink>, targets: &mut Vec<u32>) {
        let page = self.web.page(id);
        if self.web.is_nofollow_page(page) {
            return;
        }
        self.web.links(self.web.content_of(page), links);
        targets.clear();
        for link in links.iter().filter(|link| !link.nofollow && link.address != Address::Page(id)) {
            if self.meet(link.address)
                && let Address::Page(target) = link.address
            {
                targets.push(target);
            }
        }
        targets.sort_unstable();
        targets.dedup();
        self.arcs.extend(targets.iter().map(|&target| (id, target)));
        let by_redirect =
            links.iter().filter(|link| !link.nofollow).filter_map(|link| self.end_of(link.address));
        let mut others: Vec<u32> =
            by_redirect.filter(|target| targets.binary_search(target).is_err()).collect();
        others.sort_unstable();
        others.dedup();
        self.redirected_arcs.extend(others.into_iter().map(|target| (id, target)));
        self.find_navigation(id, links);
    }

    /// The pages that nothing but the navigation of a page leads to, be it through redirects. Where a redirect leads that
    /// nobody asks for, nobody knows; whether somebody does is known at the end of the visit.
    fn find_navigation(&mut self, id: u32, links: &[PlannedLink]) {
        if !self.web.host(self.web.page(id).host).marks_navigation {
            return;
        }
        let end_of = |link: &PlannedLink| match link.address {
            Address::Page(page) => {
                (page != id && !self.web.is_forbidden_address(link.address)).then_some(page)
            }
            address => self.end_of(address),
        };
        let is_navigation = |link: &&PlannedLink| link.place == LinkPlace::Navigation;
        let is_known = |link: &PlannedLink| !link.nofollow || matches!(link.address, Address::Page(_));
        let others = || links.iter().filter(|link| !is_navigation(link));
        let elsewhere: HashSet<u32> = others().filter(|link| is_known(link)).filter_map(end_of).collect();
        let mut targets: Vec<u32> = links.iter().filter(is_navigation).filter_map(end_of).collect();
        targets.retain(|target| !elsewhere.contains(target));
        targets.sort_unstable();
        targets.dedup();
        let perhaps = targets.into_iter().map(|target| {
            let leads_there = |link: &&PlannedLink| !is_known(link) && end_of(link) == Some(target);
            let unless = others().filter(leads_there).map(|link| link.address).collect();
            PerhapsNavigation { arc: (id, target), unless }
        });
        let perhaps: Vec<_> = perhaps.collect();
        self.perhaps_navigation.extend(perhaps);
    }

    fn settle_navigation(&mut self) {
        let perhaps = std::mem::take(&mut self.perhaps_navigation);
        let is_met = |address: &Address| self.redirects.contains(address);
        let settled = perhaps.into_iter().filter(|perhaps| !perhaps.unless.iter().any(is_met));
        self.navigation_arcs = settled.map(|perhaps| perhaps.arc).collect();
    }

    /// The page that an address leads to by one or more redirects, none of them forbidden.
    fn end_of(&self, address: Address) -> Option<u32> {
        let mut next = self.web.redirect_of(address)?;
        // Loops of redirects are short, and so are ways to a page.
        for _ in 0..REDIRECTS_MAX {
            if self.web.is_forbidden_address(address) || self.web.is_forbidden_address(next) {
                return None;
            }
            match (next, self.web.redirect_of(next)) {
                (_, Some(further)) => next = further,
                (Address::Page(page), None) => return Some(page),
                (_, None) => return None,
            }
        }
        None
    }

    /// An address is found; redirects are followed. Is it a page that may be asked for?
    fn meet(&mut self, mut address: Address) -> bool {
        loop {
            if self.web.is_forbidden_address(address) {
                self.forbidden.insert(address);
                return false;
            }
            match (address, self.web.redirect_of(address)) {
                (_, Some(next)) => {
                    if !self.redirects.insert(address) {
                        return false;
                    }
                    address = next;
                }
                (Address::Page(page), None) => {
                    if !std::mem::replace(&mut self.seen[page as usize], true) {
                        self.pages.push(page);
                    }
                    return true;
                }
                (_, None) => {
                    self.missing.insert(address);
                    return false;
                }
            }
        }
    }
}

/// The pages found, in the order of their addresses.
struct Found<'a> {
    web: &'a FakeWeb,
    pages: Vec<u32>,
    addresses: Vec<String>,
    /// By page id; `u32::MAX` where the page was not found.
    position_of: Vec<u32>,
}

impl<'a> Found<'a> {
    fn new(web: &'a FakeWeb, port: u16, pages: Vec<u32>) -> Self {
        let text = |page| web.address_text(Address::Page(page), port);
        let mut both: Vec<_> = pages.into_iter().map(|page| (text(page), page)).collect();
        both.sort_unstable();
        let mut position_of = vec![u32::MAX; web.config().pages as usize];
        for (position, &(_, page)) in both.iter().enumerate() {
            position_of[page as usize] = position as u32;
        }
        let (addresses, pages) = both.into_iter().unzip();
        Self { web, pages, addresses, position_of }
    }

    fn with_addresses(&self) -> impl Iterator<Item = (u32, &String)> {
        self.pages.iter().copied().zip(&self.addresses)
    }

    fn noindex(&self) -> Vec<String> {
        let noindex = self.with_addresses().filter(|&(page, _)| self.web.is_noindex(self.web.page(page)));
        noindex.map(|(_, address)| address.clone()).collect()
    }

    fn words(&self) -> BTreeMap<String, Vec<String>> {
        let mut words: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (id, address) in self.with_addresses() {
            let page = self.web.page(id);
            if let Some(word) = self.web.planted_word(self.web.content_of(page))
                && !self.web.is_noindex(page)
            {
                words.entry(word.to_owned()).or_default().push(address.clone());
            }
        }
        words
    }

    /// Exact copies in one group per text; near copies each with a page that has the text they were made from.
    fn copies(&self) -> Vec<CopyGroup> {
        let mut exact: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut near = Vec::new();
        let mut by_content: HashMap<u32, u32> = HashMap::new();
        for &page in &self.pages {
            match self.web.role(self.web.page(page)) {
                Role::Original => {
                    by_content.insert(page, page);
                }
                Role::ExactCopy(source) => {
                    exact.entry(source).or_default().push(page);
                    by_content.entry(source).or_insert(page);
                }
                Role::NearCopy(source) => near.push((source, page)),
            }
        }
        let mut groups = Vec::new();
        for (source, mut pages) in exact {
            pages.extend(by_content.get(&source).filter(|&&page| page == source));
            groups.extend((pages.len() > 1).then(|| self.group(CopyKind::Exact, pages, 1.0)));
        }
        let jaccard = self.web.config().near_copy_jaccard;
        for (source, page) in near {
            let original = by_content.get(&source);
            groups.extend(original.map(|&with| self.group(CopyKind::Near, vec![with, page], jaccard)));
        }
        groups
    }

    fn group(&self, kind: CopyKind, pages: Vec<u32>, jaccard: f64) -> CopyGroup {
        let address = |page: u32| self.addresses[self.position_of[page as usize] as usize].clone();
        let mut pages: Vec<String> = pages.into_iter().map(address).collect();
        pages.sort_unstable();
        CopyGroup { kind, pages, jaccard }
    }
}
