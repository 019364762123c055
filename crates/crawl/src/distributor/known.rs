//! What earlier runs learnt of sites and machines, by their names.
//!
//! In memory are numbers: pages, moments, and where in the log of hosts a robots.txt is. It is read when its site is found.
//! Names are known by 64 bits of a hash, as in the [register](super::register).

use std::collections::HashMap;
use std::path::PathBuf;

use frontier::{FactPlace, HostFact, HostLog};
use page::Timestamp;

use crate::Error;
use crate::past::name_key;

/// All that earlier runs learnt.
#[derive(Debug, Default)]
pub(crate) struct KnownSites {
    sites: HashMap<u64, KnownSite>,
    host_log: PathBuf,
}

/// What was known about a site or a machine when this run started.
#[derive(Debug, Default)]
pub(crate) struct KnownSite {
    pub(crate) pages_stored: u64,
    robots: Option<FactPlace>,
    pub(crate) pause_until: Option<Timestamp>,
}

impl KnownSites {
    /// Nothing yet; robots.txt files will be in that log.
    pub(crate) fn new(host_log: PathBuf) -> Self {
        Self { sites: HashMap::new(), host_log }
    }

    fn entry(&mut self, name: &str) -> &mut KnownSite {
        self.sites.entry(name_key(name)).or_default()
    }

    /// Sites have given so many pages, by hashes of their names.
    pub(crate) fn note_pages(&mut self, sites: &HashMap<u64, u64>) {
        for (site, pages) in sites {
            self.sites.entry(*site).or_default().pages_stored = *pages;
        }
    }

    /// Takes note of a fact that stands there in the log.
    pub(crate) fn note(&mut self, name: &str, fact: &HostFact, place: FactPlace) {
        match fact {
            HostFact::PauseUntil(until) => self.note_pause(name, *until),
            _ => self.entry(name).robots = Some(place),
        }
    }

    /// A site or a machine rests until then. A rest may be shorter than the pause that was asked for before it.
    pub(crate) fn note_pause(&mut self, name: &str, until: Timestamp) {
        let known = self.entry(name);
        known.pause_until = known.pause_until.max(Some(until));
    }

    /// Until when a machine rests.
    pub(super) fn pause_of(&self, machine: &str) -> Option<Timestamp> {
        self.sites.get(&name_key(machine))?.pause_until
    }

    /// Takes out what is known of a site: nobody asks for it again.
    pub(super) fn take(&mut self, site: &str) -> KnownSite {
        self.sites.remove(&name_key(site)).unwrap_or_default()
    }

    /// What a site answered when it was asked for robots.txt, and when that was.
    pub(super) fn robots_of(&self, known: &KnownSite) -> Result<Option<(HostFact, Timestamp)>, Error> {
        let Some(place) = known.robots else { return Ok(None) };
        Ok(Some(HostLog::read_fact(&self.host_log, place)?))
    }
}
