//! Names whose addresses change while a crawl runs.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use lab::{Reply, ScriptedHost};
use page::{Clock, SystemClock, Timestamp};

use crate::scripted::Zoo;

/// A clock that is a day ahead once something has happened: robots.txt is asked for again then.
pub struct NextDay(pub Arc<AtomicBool>);

impl Clock for NextDay {
    fn now(&self) -> Timestamp {
        let hours = if self.0.load(Relaxed) { 25 } else { 0 };
        Timestamp(SystemClock.now().0 + hours * 3_600_000)
    }
}

/// Crawls a host that is at the first address, until a day has passed with its third page; from then on it is at these.
/// Returns the numbers of the addresses that were asked, in order.
fn addresses_asked(afterwards: &'static [u8]) -> Vec<u32> {
    let is_next_day = Arc::new(AtomicBool::new(false));
    let turns = is_next_day.clone();
    let zoo = Zoo::start(20, move |_| {
        let moving = ScriptedHost::new("a.test", 0, move |path, _| {
            turns.fetch_or(path == "/3", Relaxed);
            match path {
                "/robots.txt" => Reply::text("User-agent: *\nDisallow: /forbidden"),
                "/" => Reply::links(["/1", "/2", "/3", "/4", "/5", "/forbidden/x"]),
                _ => Reply::page("page"),
            }
        });
        // A neighbour at the second address, with which the newcomer has to share its rests.
        let neighbour = ScriptedHost::new("b.test", 1, |path, _| match path {
            "/robots.txt" => Reply::status(404),
            "/" => Reply::links(["/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8"]),
            _ => Reply::page("page"),
        });
        vec![moving, neighbour]
    });
    let address = |last: &u8| IpAddr::from([127, 40, 0, *last]);
    let answers = is_next_day.clone();
    let resolver = Zoo::resolver().answered_by(move |name| match name {
        "a.test" if answers.load(Relaxed) => Ok(afterwards.iter().map(address).collect()),
        "a.test" => Ok(vec![address(&1)]),
        _ => Ok(vec![address(&2)]),
    });
    let seeds = ["a.test", "b.test"].map(|host| zoo.web.url(host, "/"));
    let report = zoo.crawl_with(zoo.config(), resolver, Arc::new(NextDay(is_next_day)), &seeds);
    assert_eq!((report.failed, report.forbidden, report.pages_stored), (0, 1, 6 + 9));
    zoo.assert_polite();
    zoo.web.heard().iter().filter(|heard| heard.host == "a.test").map(|heard| heard.address).collect()
}

#[test]
fn an_address_among_the_present_answers_is_as_good_as_before() {
    // robots.txt, the home page, three pages, robots.txt again, the rest.
    assert_eq!(addresses_asked(&[3, 2, 1]), [0; 8]);
}

#[test]
fn a_site_whose_name_leads_elsewhere_is_asked_there_politely() {
    assert_eq!(addresses_asked(&[2, 3]), [0, 0, 0, 0, 0, 1, 1, 1]);
    assert_eq!(addresses_asked(&[]), [0; 8], "a name that is not answered for now");
}
