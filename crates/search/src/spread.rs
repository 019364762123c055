//! At most two pages of a host among the first ten, so that a large site does not hide the others.
//!
//! The list of results is the best ten with at most two of a host, and then all others as they score. So it is one list
//! however it is divided into pages: nothing is in it twice, and nothing is left out. A page takes the place of a better
//! one of a crowded host only if it has all words where that one has, and at least [`SHARE`] of the score of the tenth:
//! pages that merely mention a word are worse than a third good one. Where that leaves places, the others fill them.
//!
//! Cost: nothing where no host is crowded, which a look at the best ten tells; otherwise a second walk, which passes over
//! what has less than that share.

use std::collections::HashMap;

use page::DocId;

use crate::points::Points;
use crate::sites::Sites;
use crate::top::{Scored, SiteLimit, TopDocuments};

/// Hosts share so many places at the top of the list.
pub(crate) const SHARED_PLACES: usize = 10;

/// A host has so many of them.
const OF_A_SITE: usize = 2;

/// A page of another host has at least one part in so many of the score of the tenth.
const SHARE: u32 = 4;

/// What a second walk has to keep to, if a host is crowded among the best, which are in order.
pub(crate) fn limit<'s>(best: &[Scored], sites: &'s Sites) -> Option<SiteLimit<'s>> {
    let tenth = best.get(SHARED_PLACES - 1)?;
    let is_crowded = pages_of_sites(best, sites).values().any(|pages| *pages > OF_A_SITE);
    is_crowded.then_some(SiteLimit {
        sites,
        of_a_site: OF_A_SITE,
        has_all: tenth.has_all,
        least: Points(tenth.points.0 / SHARE),
    })
}

/// The best of a list for its top, which keep to the limit.
pub(crate) fn choose<'l>(list: impl Iterator<Item = &'l Scored>, limit: SiteLimit<'_>) -> Vec<Scored> {
    let mut top = TopDocuments::new(SHARED_PLACES).with_limit(limit);
    list.for_each(|scored| top.offer(*scored));
    top.into_sorted()
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
