//! Dead links: addresses that answered 404, 410 or not at all, and who links there.
//!
//! They are no nodes of the graph, so the store is read: its table once for what became of each address, then the links
//! of its pages once. That needs no graph, and is as new as the collection, also while a crawl goes on. What was never
//! asked is not known to be dead: addresses beyond the scope, forbidden by robots.txt, on a host whose robots.txt
//! answers with an error, or in private networks. A link through redirects counts for where they end.
//!
//! Cost: two passes over the table and one over the links; in memory the dead addresses and redirects, each page that
//! links to a dead one, and twenty bytes for each such link.

use std::collections::HashMap;

use page::{FetchFailure, Fingerprint, Link, LinkKind, PageUrl};
use serde::Serialize;
use store::{Collection, PageRecord, RecordKind, StoreReader};

use crate::Error;

/// Redirects are followed this far; longer chains lead nowhere.
const HOPS_MAX: usize = 32;

/// What a dead address answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// 404 or 410.
    Gone(u16),
    /// Nothing, for this reason.
    Nothing(FetchFailure),
}

impl Answer {
    /// What a record says of its address, if it is dead.
    fn of(record: &PageRecord) -> Option<Self> {
        use FetchFailure::{AddressNotAllowed, RobotsUnreachable};
        match (record.kind, record.failure) {
            (RecordKind::Fetched | RecordKind::Imported, _) if matches!(record.status, 404 | 410) => {
                Some(Self::Gone(record.status))
            }
            // Then nobody asked.
            (RecordKind::Failed, Some(AddressNotAllowed | RobotsUnreachable)) => None,
            (RecordKind::Failed, Some(failure)) => Some(Self::Nothing(failure)),
            _ => None,
        }
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Gone(status) => status.fmt(f),
            Self::Nothing(failure) => f.write_str(failure.as_str()),
        }
    }
}

/// A dead address.
#[derive(Debug)]
pub struct DeadAddress {
    /// The address.
    pub url: PageUrl,
    /// What it answered.
    pub answer: Answer,
    /// How many pages link there.
    pub pages: u64,
    links: Vec<DeadLink>,
}

/// A link in small: a page and texts by their places in lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct DeadLink {
    page: u32,
    words: u32,
    via: Option<u32>,
    is_nofollow: bool,
    is_navigation: bool,
}

/// A link to a dead address.
#[derive(Debug, Clone, Copy)]
pub struct LinkToDead<'a> {
    /// The page that has the link.
    pub page: &'a PageUrl,
    /// The words of the link.
    pub words: &'a str,
    /// The address that the page links to, if that one redirects.
    pub via: Option<&'a str>,
    /// It asks not to be followed.
    pub is_nofollow: bool,
    /// The markup says that it is navigation.
    pub is_navigation: bool,
}

/// All dead addresses of a collection, the most linked first.
#[derive(Debug)]
pub struct DeadLinks {
    /// They, in this order.
    pub addresses: Vec<DeadAddress>,
    fates: Fates,
    pages: Vec<PageUrl>,
    texts: Vec<String>,
}

impl DeadLinks {
    /// Reads the collection.
    pub fn of(collection: &Collection) -> Result<Self, Error> {
        let store = StoreReader::open(collection)?;
        let mut finder = Finder::new(Fates::read(&store)?);
        let (mut pages, mut links) = (store.pages()?, store.links()?);
        while let Some((_, record)) = pages.next()? {
            if record.is_page() {
                finder.see_page(&record.url, &links.of(&record)?);
            }
        }
        Ok(finder.finish())
    }

    /// The dead address that an address is or redirects to.
    pub fn end_of(&self, address: &PageUrl) -> Option<&DeadAddress> {
        let end = self.fates.end_of(address)?;
        self.addresses.iter().find(|dead| dead.url == *end)
    }

    /// The links to one of them, in the order of the pages.
    pub fn links<'a>(&'a self, address: &'a DeadAddress) -> impl Iterator<Item = LinkToDead<'a>> {
        address.links.iter().map(|link| LinkToDead {
            page: &self.pages[link.page as usize],
            words: &self.texts[link.words as usize],
            via: link.via.map(|via| self.texts[via as usize].as_str()),
            is_nofollow: link.is_nofollow,
            is_navigation: link.is_navigation,
        })
    }
}

/// Finds the links to what is dead.
struct Finder {
    found: DeadLinks,
    address_of: HashMap<Fingerprint, usize>,
    page_of: HashMap<Fingerprint, u32>,
    text_of: HashMap<String, u32>,
}

impl Finder {
    fn new(fates: Fates) -> Self {
        let dead = fates.dead.values();
        let addresses: Vec<_> = dead
            .map(|(url, answer)| DeadAddress {
                url: url.clone(),
                answer: *answer,
                pages: 0,
                links: Vec::new(),
            })
            .collect();
        let places = addresses.iter().enumerate().map(|(place, dead)| (dead.url.fingerprint(), place));
        Self {
            address_of: places.collect(),
            found: DeadLinks { addresses, fates, pages: Vec::new(), texts: Vec::new() },
            page_of: HashMap::new(),
            text_of: HashMap::new(),
        }
    }

    fn see_page(&mut self, page: &PageUrl, links: &[Link]) {
        for link in links.iter().filter(|link| link.kind.is_arc()) {
            let Some(end) = self.found.fates.end_of(&link.target) else { continue };
            let (address, is_direct) = (self.address_of[&end.fingerprint()], *end == link.target);
            let link = DeadLink {
                page: self.page(page),
                words: self.text(&link.anchor),
                via: (!is_direct).then(|| self.text(link.target.as_str())),
                is_nofollow: link.nofollow,
                is_navigation: link.in_navigation,
            };
            self.found.addresses[address].links.push(link);
        }
    }

    /// A page has one place, also if it was stored twice.
    fn page(&mut self, page: &PageUrl) -> u32 {
        let pages = &mut self.found.pages;
        *self.page_of.entry(page.fingerprint()).or_insert_with(|| {
            pages.push(page.clone());
            pages.len() as u32 - 1
        })
    }

    /// What stands at the foot of every page is kept once.
    fn text(&mut self, text: &str) -> u32 {
        if let Some(place) = self.text_of.get(text) {
            return *place;
        }
        let place = self.found.texts.len() as u32;
        self.found.texts.push(text.to_owned());
        self.text_of.insert(text.to_owned(), place);
        place
    }

    fn finish(mut self) -> DeadLinks {
        for address in &mut self.found.addresses {
            // The same link of the same page again says nothing new.
            address.links.sort_unstable();
            address.links.dedup();
            address.pages = address.links.chunk_by(|one, other| one.page == other.page).count() as u64;
        }
        // Of equally linked ones in alphabetical order, so that two runs can be compared.
        self.found.addresses.sort_by(|one, other| {
            other.pages.cmp(&one.pages).then_with(|| one.url.as_str().cmp(other.url.as_str()))
        });
        self.found
    }
}

/// What became of addresses that are no pages.
#[derive(Debug)]
struct Fates {
    dead: HashMap<Fingerprint, (PageUrl, Answer)>,
    redirects: HashMap<Fingerprint, PageUrl>,
}

impl Fates {
    /// Reads the table; the last record about an address counts.
    fn read(store: &StoreReader) -> Result<Self, Error> {
        let (mut dead, mut redirects) = (HashMap::new(), HashMap::new());
        let (mut pages, mut links) = (store.pages()?, store.links()?);
        while let Some((_, record)) = pages.next()? {
            let is_about_address =
                matches!(record.kind, RecordKind::Fetched | RecordKind::Imported | RecordKind::Failed);
            if !is_about_address {
                continue;
            }
            let fingerprint = record.url.fingerprint();
            dead.remove(&fingerprint);
            redirects.remove(&fingerprint);
            if (300..400).contains(&record.status) {
                let target = links.of(&record)?.into_iter().find(|link| link.kind == LinkKind::Redirect);
                redirects.extend(target.map(|link| (fingerprint, link.target)));
            } else if let Some(answer) = Answer::of(&record) {
                dead.insert(fingerprint, (record.url, answer));
            }
        }
        Ok(Self { dead, redirects })
    }

    /// The dead address that an address is or redirects to.
    fn end_of<'a>(&'a self, address: &'a PageUrl) -> Option<&'a PageUrl> {
        let mut at = address;
        for _ in 0..HOPS_MAX {
            if let Some((url, _)) = self.dead.get(&at.fingerprint()) {
                return (url == at).then_some(url);
            }
            at = self.redirects.get(&at.fingerprint())?;
        }
        None
    }
}

/// A dead address for other programs.
#[derive(Debug, Serialize)]
pub struct ToldAddress<'a> {
    /// The address.
    pub url: &'a str,
    /// What it answered, …
    pub status: Option<u16>,
    /// … or why it did not.
    pub failure: Option<&'static str>,
    /// How many pages link there.
    pub pages: u64,
    /// Their links.
    pub links: Vec<ToldLink<'a>>,
}

/// A link to a dead address for other programs.
#[derive(Debug, Serialize)]
pub struct ToldLink<'a> {
    url: &'a str,
    anchor: &'a str,
    via: Option<&'a str>,
    nofollow: bool,
    navigation: bool,
    same_host: bool,
}

impl DeadLinks {
    /// An address with the links to it, for other programs.
    pub fn told<'a>(&'a self, address: &'a DeadAddress) -> ToldAddress<'a> {
        let (status, failure) = match address.answer {
            Answer::Gone(status) => (Some(status), None),
            Answer::Nothing(failure) => (None, Some(failure.as_str())),
        };
        let link = |link: LinkToDead<'a>| ToldLink {
            url: link.page.as_str(),
            anchor: link.words,
            via: link.via,
            nofollow: link.is_nofollow,
            navigation: link.is_navigation,
            same_host: link.page.host() == address.url.host(),
        };
        let links = self.links(address).map(link).collect();
        ToldAddress { url: address.url.as_str(), status, failure, pages: address.pages, links }
    }
}
