//! At most two pages of a host among the first ten, so that a large site does not hide the others.
//!
//! The list of results is the best ten with at most two of a host, and then all others as they score. So it is one list
//! however it is divided into pages: nothing is in it twice, and nothing is left out. A page takes the place of a better
//! one of a crowded host only if it has all words where that one has, and at least [`SHARE`] of the score of the tenth:
//! pages that merely mention a word are worse than a third good one. Where that leaves places, the others fill them.
//!
//! Both lists are made in one walk ([`SharedTop`]). It cannot pass over what only the second wants: but of a host that has its
//! two pages that is only what is better than these.
//!
//! Cost: nothing where no host is crowded; otherwise a look at what has that share of the score, and is of another host.

use std::cmp::Ordering;
use std::collections::HashMap;

use page::DocId;

use crate::points::Points;
use crate::sites::Sites;
use crate::top::{Keeper, Scored, TopDocuments};

/// Hosts share so many places at the top of the list.
pub(crate) const SHARED_PLACES: usize = 10;

/// A host has so many of them.
const OF_A_SITE: usize = 2;

/// A page of another host has at least one part in so many of the score of the tenth.
const SHARE: u32 = 4;

/// Only so many documents of a site are at the top, and none that is worth less than this.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SiteLimit {
    has_all: bool,
    least: Points,
}

impl SiteLimit {
    /// Where the tenth of all is this one.
    fn below(tenth: &Scored) -> Self {
        Self { has_all: tenth.has_all, least: Points(tenth.points.0 / SHARE) }
    }

    /// The points that a document needs.
    #[inline]
    fn least(&self, has_all: bool) -> Option<Points> {
        match has_all.cmp(&self.has_all) {
            Ordering::Less => None,
            Ordering::Equal => Some(self.least),
            Ordering::Greater => Some(Points::ZERO),
        }
    }

    /// Those of some documents that keep to it.
    pub(crate) fn among(self, mut kept: Vec<Scored>) -> Vec<Scored> {
        kept.retain(|scored| self.admits(scored));
        kept
    }

    fn admits(&self, scored: &Scored) -> bool {
        self.least(scored.has_all).is_some_and(|least| scored.points >= least)
    }
}

/// What the top of the list has to keep to, if a host is crowded among the best, which are in order.
pub(crate) fn limit(best: &[Scored], sites: &Sites) -> Option<SiteLimit> {
    let tenth = best.get(SHARED_PLACES - 1)?;
    let is_crowded = pages_of_sites(best, sites).values().any(|pages| *pages > OF_A_SITE);
    is_crowded.then(|| SiteLimit::below(tenth))
}

/// The best of a list for its top, which keep to the limit.
pub(crate) fn choose<'l>(
    list: impl Iterator<Item = &'l Scored>,
    limit: SiteLimit,
    sites: &Sites,
) -> Vec<Scored> {
    let mut top = SharedTop::new(sites);
    list.for_each(|scored| top.offer(*scored));
    limit.among(top.into_all())
}

/// The top of the list, while documents are met.
pub(crate) struct SharedTop<'s> {
    sites: &'s Sites,
    /// The best, whatever their sites.
    first: TopDocuments,
    /// The best with so many of a site, best first, each with its site.
    kept: Vec<(Scored, Option<u32>)>,
}

impl<'s> SharedTop<'s> {
    pub(crate) fn new(sites: &'s Sites) -> Self {
        Self { sites, first: TopDocuments::new(SHARED_PLACES), kept: Vec::with_capacity(SHARED_PLACES + 1) }
    }

    /// The points with which a document that is not before `first` is kept, if its site has room; `None`: with none at all.
    #[inline]
    pub(crate) fn least(&self, has_all: bool, first: DocId) -> Option<Points> {
        let tenth = self.first.worst_of_all().map(SiteLimit::below);
        let of_limit = tenth.map_or(Some(Points::ZERO), |limit| limit.least(has_all))?;
        let worst = self.kept.last().filter(|_| self.kept.len() == SHARED_PLACES);
        let of_worst = worst.map_or(Some(Points::ZERO), |(worst, _)| worst.least_above(has_all, first))?;
        Some(of_limit.max(of_worst))
    }

    /// The points with which a document is kept.
    pub(crate) fn least_of(&self, has_all: bool, doc: DocId) -> Option<Points> {
        let least = self.least(has_all, doc)?;
        match self.worst_of_site(self.sites.of(doc)) {
            Some(place) => Some(least.max(self.kept[place].0.least_above(has_all, doc)?)),
            None => Some(least),
        }
    }

    /// The place of the worst of a site, if that has no more room.
    fn worst_of_site(&self, site: Option<u32>) -> Option<usize> {
        let site = Some(site?);
        let mut places = (0..self.kept.len()).filter(|place| self.kept[*place].1 == site);
        places.nth(OF_A_SITE - 1)
    }

    /// All that are kept, best first.
    pub(crate) fn into_all(self) -> Vec<Scored> {
        self.kept.into_iter().map(|(scored, _)| scored).collect()
    }
}

impl Keeper for SharedTop<'_> {
    /// What is taken out is never missed: whatever came to its site since was worse.
    fn offer(&mut self, scored: Scored) {
        self.first.offer(scored);
        let site = self.sites.of(scored.doc);
        if let Some(worst) = self.worst_of_site(site) {
            if scored <= self.kept[worst].0 {
                return;
            }
            self.kept.remove(worst);
        }
        let place = self.kept.partition_point(|(kept, _)| *kept > scored);
        self.kept.insert(place, (scored, site));
        self.kept.truncate(SHARED_PLACES);
    }

    fn remove(&mut self, doc: DocId) {
        self.first.remove(doc);
        self.kept.retain(|(kept, _)| kept.doc != doc);
    }
}

/// The list: those that were chosen for its top, and then the best others.
pub(crate) fn spread(chosen: Vec<Scored>, best: Vec<Scored>) -> Vec<Scored> {
    let top: Vec<DocId> = chosen.iter().map(|scored| scored.doc).collect();
    let others = best.into_iter().filter(|scored| !top.contains(&scored.doc));
    chosen.into_iter().chain(others).collect()
}

/// Behind which documents of the top of a list further ones of their hosts are not shown, since other hosts took their
/// places: the last of each such host. `best` is the list as it would have been.
pub(crate) fn with_more(list: &[Scored], best: &[Scored], sites: &Sites) -> Vec<DocId> {
    let (shown, would_be) = (pages_of_sites(list, sites), pages_of_sites(best, sites));
    let is_held_back = |site: &u32| would_be.get(site) > shown.get(site) && shown[site] == OF_A_SITE;
    let mut last: HashMap<u32, DocId> = HashMap::new();
    for scored in list.iter().take(SHARED_PLACES) {
        last.extend(sites.of(scored.doc).filter(is_held_back).map(|site| (site, scored.doc)));
    }
    last.into_values().collect()
}

/// How many of the first ten are of each host.
fn pages_of_sites(list: &[Scored], sites: &Sites) -> HashMap<u32, usize> {
    let mut pages = HashMap::new();
    for site in list.iter().take(SHARED_PLACES).filter_map(|scored| sites.of(scored.doc)) {
        *pages.entry(site).or_default() += 1;
    }
    pages
}
