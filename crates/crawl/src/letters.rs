//! What workers have to say to each other: they write letters, and the distributor delivers them.
//!
//! *robots.txt is kept elsewhere*: a redirect leads to another site, often on another machine.
//! A worker holds the turns of its own sites only, so it does not go there by itself. It writes a letter, the distributor
//! finds the worker of the other site, and there the request waits for that site's turn like any other, with all its
//! rests. The answer comes back by the same way, and its rules hold for the site that asked. Meanwhile that site is held:
//! nothing of it is fetched, but guests of its own are served, so that two sites can send each other round without
//! waiting for ever. Five redirects are followed in all (RFC 9309, section 2.3.1.2).
//!
//! *A site has moved*: before its robots.txt is asked for again, which happens once a day, its name is looked up again.
//! If its address is no longer among the answers, the site goes with all that waits for it to the worker of its new
//! machine, where it rests like any other. (All that waits is in memory for that moment.)

use std::net::IpAddr;
use std::time::Instant;

use frontier::{QueuedUrl, SiteId};
use page::Site;

use crate::guest::{Asker, Guest, GuestAnswer};
use crate::site_state::SiteState;

/// What a worker tells the distributor.
#[derive(Debug)]
pub(crate) enum Letter {
    Ask(Guest),
    Answer(Box<GuestAnswer>),
    /// Where is this site, which was at this address?
    LookAgain {
        asker: Asker,
        site: Site,
        address: IpAddr,
    },
    Moved(Box<MovedSite>),
    /// An address that came after its site had moved.
    Astray(Site, QueuedUrl),
}

/// What the distributor tells a worker.
#[derive(Debug)]
pub(crate) enum Message {
    /// A new site; it gets the next index, from zero.
    Site { site: Site, state: Box<SiteState>, not_before: Option<Instant> },
    /// An address of the site with this index.
    Url { site_index: u32, url: QueuedUrl },
    /// The robots.txt of another site is on the site with this index.
    Guest { site_index: u32, guest: Guest },
    /// What was found where the robots.txt of one of our sites is.
    Answer(Box<GuestAnswer>),
    /// Where one of our sites is now.
    Address { site: SiteId, address: IpAddr },
}

/// A site on its way to another machine.
#[derive(Debug)]
pub(crate) struct MovedSite {
    pub(crate) site: Site,
    pub(crate) state: SiteState,
    pub(crate) not_before: Instant,
    pub(crate) urls: Vec<QueuedUrl>,
}
