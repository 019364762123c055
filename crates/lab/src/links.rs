//! The links of a page: the tree that makes pages reachable, and the shape of the real web around it.
//!
//! First home and parent, then the children in the tree, then as many others as the mean asks for. Those stay on the
//! host with the configured ratio: near ones in the order of pages, or popular ones, by a power law over positions, so
//! that pages near the root gather links. Links to other hosts take the host in proportion to its size and the page
//! by the same power law.

use crate::FakeWeb;
use crate::address::Address;
use crate::rng::{Purpose, Rng};
use crate::web::PageKey;

/// How often to roll for a target that is not the page itself.
const TRIES_PER_LINK: u32 = 4;

/// One link of a page, before it is written in one form or another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlannedLink {
    pub address: Address,
    pub nofollow: bool,
    pub place: LinkPlace,
}

/// Where on the page a link stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkPlace {
    Navigation,
    Text,
    List,
    /// An `<area>` of an image map: no words.
    Image,
}

impl FakeWeb {
    /// The links of a content, in order and with repetitions. A copy has those of its source, and so perhaps one
    /// to itself, which the writer leaves out.
    pub(crate) fn links(&self, content: PageKey, out: &mut Vec<PlannedLink>) {
        out.clear();
        let mut rng = self.rng(Purpose::Links, content.id);
        self.tree_links(content, &mut rng, out);
        let mean = self.config().links_per_page;
        let wanted = mean / 2 + rng.below(mean + 1);
        // Bounded, because a page may have nowhere to point to but itself: alone on its host, with local links only.
        for _ in 0..TRIES_PER_LINK * wanted {
            if out.len() as u32 >= wanted {
                break;
            }
            let address = self.any_address(content, &mut rng);
            if address != Address::Page(content.id) {
                let nofollow = rng.chance(self.config().nofollow_rate);
                out.push(PlannedLink { address, nofollow, place: any_place(&mut rng) });
            }
        }
    }

    fn tree_links(&self, content: PageKey, rng: &mut Rng, out: &mut Vec<PlannedLink>) {
        let mut push = |address, nofollow, place| out.push(PlannedLink { address, nofollow, place });
        if content.local != 0 {
            push(Address::Page(self.home(content.host).id), false, LinkPlace::Navigation);
        }
        if let Some(parent) = self.parent(content).filter(|parent| parent.local != 0) {
            push(Address::Page(parent.id), false, LinkPlace::Navigation);
        }
        for local in self.children(content) {
            let child = self.page_of(content.host, local).expect("children lie on their host");
            push(self.maybe_moved(child.id, rng), self.is_nofollow_child(child), LinkPlace::List);
        }
        if content.local == 0 {
            for host in self.child_hosts(content.host) {
                push(self.maybe_moved(self.home(host).id, rng), false, LinkPlace::List);
            }
        }
    }

    fn any_address(&self, content: PageKey, rng: &mut Rng) -> Address {
        let config = self.config();
        if rng.chance(config.missing_rate) {
            return Address::Missing { host: content.host, number: rng.below(1_000_000) };
        }
        if rng.chance(config.redirect_rate / 20.0) {
            return Address::Loop { host: content.host, second: rng.below(2) == 1 };
        }
        if self.host_count() == 1 || rng.chance(config.local_link_ratio) {
            let page = self.local_target(content, rng);
            return if page == content.id { Address::Page(page) } else { self.maybe_moved(page, rng) };
        }
        let host = self.page(rng.below(config.pages)).host;
        let page = self.popular_page(host, rng);
        if host != content.host && rng.chance(config.redirect_rate / 2.0) {
            return Address::Out { host: content.host, page };
        }
        if page == content.id { Address::Page(page) } else { self.maybe_moved(page, rng) }
    }

    fn local_target(&self, content: PageKey, rng: &mut Rng) -> u32 {
        let page_count = self.host(content.host).page_count;
        if rng.below(2) == 0 {
            return self.popular_page(content.host, rng);
        }
        let distance = 1 + rng.skewed(50);
        let local = if rng.below(2) == 0 {
            content.local.saturating_sub(distance)
        } else {
            (content.local + distance).min(page_count - 1)
        };
        content.id - content.local + local
    }

    fn popular_page(&self, host: u32, rng: &mut Rng) -> u32 {
        let host = self.host(host);
        host.first_page + rng.skewed(host.page_count)
    }

    /// The page itself, or now and then an old address of it.
    fn maybe_moved(&self, page: u32, rng: &mut Rng) -> Address {
        if !rng.chance(self.config().redirect_rate) {
            return Address::Page(page);
        }
        Address::Moved { page, hops: rng.pick(&[1, 1, 1, 2, 2, 3]) }
    }
}

fn any_place(rng: &mut Rng) -> LinkPlace {
    match rng.below(32) {
        0 => LinkPlace::Image,
        1..14 => LinkPlace::List,
        _ => LinkPlace::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LabConfig;

    #[test]
    fn pages_have_as_many_links_as_asked_for_and_none_to_themselves() {
        let web = FakeWeb::new(LabConfig { pages: 4000, hosts: 5, ..LabConfig::default() });
        let (mut total, mut local, mut links) = (0, 0, Vec::new());
        for id in 0..4000 {
            let page = web.page(id);
            web.links(page, &mut links);
            assert!(links.iter().all(|link| link.address != Address::Page(id)));
            total += links.len();
            local += links.iter().filter(|link| web.host_of(link.address) == page.host).count();
        }
        let (mean, local_ratio) = (total as f64 / 4000.0, local as f64 / total as f64);
        assert!((mean - 20.0).abs() < 2.0, "mean {mean}");
        assert!((0.70..0.92).contains(&local_ratio), "local {local_ratio}");
    }
}
