//! Sites whose machine is being looked for, with what waits for them.
//!
//! What waits is counted: whoever sends addresses waits, too, when it is too much. A name is looked up for a few seconds at
//! most, so that this ends.

use std::collections::HashMap;

use frontier::QueuedUrl;
use page::Site;

use crate::guest::Guest;

/// What a site that is looked for takes beside its addresses, and an address beside its path, about.
const SITE_BYTES: usize = 1024;
const URL_BYTES: usize = 64;

/// What waits for a site to be found: its addresses, and those who want its robots.txt.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    pub(super) urls: Vec<QueuedUrl>,
    pub(super) guests: Vec<Guest>,
}

/// All that are looked for.
#[derive(Debug)]
pub(super) struct Searching {
    sites: HashMap<Site, Waiting>,
    bytes: usize,
    bytes_max: usize,
}

impl Searching {
    pub(super) fn new(bytes_max: usize) -> Self {
        Self { sites: HashMap::new(), bytes: 0, bytes_max }
    }

    /// Does so much wait that nobody should send more?
    pub(super) fn is_crowded(&self) -> bool {
        self.bytes > self.bytes_max
    }

    /// Has an address wait. True if its site was not looked for before.
    pub(super) fn add_url(&mut self, site: &Site, url: QueuedUrl) -> bool {
        self.bytes += url_bytes(&url);
        self.add(site, |waiting| waiting.urls.push(url))
    }

    /// Has a guest wait. True if the site was not looked for before.
    pub(super) fn add_guest(&mut self, site: &Site, guest: Guest) -> bool {
        self.add(site, |waiting| waiting.guests.push(guest))
    }

    fn add(&mut self, site: &Site, change: impl FnOnce(&mut Waiting)) -> bool {
        if let Some(waiting) = self.sites.get_mut(site) {
            change(waiting);
            return false;
        }
        change(self.sites.entry(site.clone()).or_default());
        self.bytes += SITE_BYTES;
        true
    }

    /// A site is looked for no longer: takes what waited for it.
    pub(super) fn take(&mut self, site: &Site) -> Option<Waiting> {
        let waiting = self.sites.remove(site)?;
        self.bytes -= SITE_BYTES + waiting.urls.iter().map(url_bytes).sum::<usize>();
        Some(waiting)
    }
}

fn url_bytes(url: &QueuedUrl) -> usize {
    URL_BYTES + url.path.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use page::{Ordinal, PageUrl};

    #[test]
    fn what_waits_is_counted_until_its_site_is_found() {
        let mut searching = Searching::new(10_000);
        let url = |number: u64| PageUrl::parse(&format!("http://{}.test/{number}", number % 2)).unwrap();
        let mut added = 0;
        while !searching.is_crowded() {
            let url = url(added);
            assert_eq!(
                searching.add_url(&url.site(), QueuedUrl::new(Ordinal::new(added), 0, 0, &url)),
                added < 2
            );
            added += 1;
        }
        assert!((100..160).contains(&added), "{added} addresses of 66 bytes and more, and two sites");
        let [even, odd] = [0, 1].map(|number| searching.take(&url(number).site()).unwrap().urls);
        assert!(even.into_iter().map(|url| url.ordinal.get()).eq((0..added).step_by(2)));
        assert_eq!(odd.len() as u64, added / 2);
        assert_eq!(searching.bytes, 0);
        assert!(searching.take(&url(0).site()).is_none());
    }
}
