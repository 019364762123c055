//! Robots: which rules a site has, and what happens until they are known.
//!
//! A site begins with unknown rules, and its first turns go to robots.txt; redirects on the site are followed in its own
//! turns, those to another site as a guest of that one ([`crate::letters`]), while the asker is held. What comes back is
//! judged once, wherever it came from: rules, no rules, another redirect, another try, or a site that stays closed.
//! After a day the rules are old: see [`super::moving`].

use std::time::{Duration, Instant};

use fetch::{RobotsRules, RobotsVerdict, retry_after, robots_from};
use frontier::{HostFact, SiteId};
use page::{FetchFailure, Fetched, Outcome, Timestamp};

use super::Worker;
use crate::Error;
use crate::guest::{Asker, Guest, GuestAnswer};
use crate::letters::Letter;
use crate::site_state::{PAUSE_MAX, Robots, TRIES_MAX, backoff};
use crate::visit::{Errand, Landed};

/// Redirects of robots.txt that are followed (RFC 9309, section 2.3.1.2).
const ROBOTS_HOPS_MAX: u8 = 5;

impl Worker {
    /// Uses the turn of a site for the robots.txt of another one. That is not subject to the rules of this one: whoever
    /// redirects there has said that it is for everybody.
    pub(super) fn begin_guest(&mut self, id: SiteId, guest: Guest) -> Result<(), Error> {
        if let Robots::Closed(failure) = self.bench.site(id).data.robots {
            self.write(Letter::Answer(Box::new(guest.refused(failure, self.shared.clock.now()))));
            self.end_visit(id, Duration::ZERO)
        } else {
            self.depart(id, Errand::Guest(guest.asker), guest.url)
        }
    }

    /// Uses the turn of a site to ask for its robots.txt. If that is on another site, whoever takes care of that one
    /// fetches it, and until then this one waits.
    pub(super) fn ask_for_rules(&mut self, id: SiteId) -> Result<(), Error> {
        let state = self.bench.site(id);
        let Robots::Unknown { url, .. } = &state.data.robots else {
            unreachable!("begin saw that they are unknown")
        };
        let url = url.clone();
        if url.site() == *state.site() {
            self.depart(id, Errand::Robots, url)
        } else {
            self.write(Letter::Ask(Guest { url, asker: Asker { worker: self.index, site: id } }));
            self.bench.hold(id);
            self.end_visit(id, Duration::ZERO)
        }
    }

    /// A robots.txt came back that was fetched for its own site.
    pub(super) fn land_robots(&mut self, landed: Landed) -> Result<(), Error> {
        let id = landed.site;
        let pause = self.judge_robots(id, &landed.fetched)?;
        self.remember_pause(id, pause)?;
        self.keep_unread(landed);
        match self.bench.site(id).data.robots {
            Robots::Known { .. } => self.go_on_or_rest(id, pause),
            _ => self.end_visit(id, pause),
        }
    }

    /// A robots.txt came back that was fetched here for another site: free this one, and send the answer on.
    pub(super) fn land_guest(&mut self, landed: Landed, asker: Asker) -> Result<(), Error> {
        let Landed { site: id, fetched, permit, .. } = landed;
        let data = &mut self.bench.site_mut(id).data;
        let pause = data.hear(&fetched.outcome, 0, self.shared.clock.now()).unwrap_or_default();
        self.remember_pause(id, pause)?;
        self.end_visit(id, pause)?;
        self.write(Letter::Answer(Box::new(GuestAnswer { asker, fetched, permit })));
        Ok(())
    }

    /// The answer to a letter: the rules of a site that were kept elsewhere.
    pub(super) fn land_from_elsewhere(&mut self, answer: GuestAnswer) -> Result<(), Error> {
        let GuestAnswer { asker: Asker { site, .. }, fetched, permit } = answer;
        self.bench.wake(site)?;
        let pause = self.judge_robots(site, &fetched)?;
        let rest = pause.max(self.bench.site(site).data.crawl_delay());
        self.bench.resume(site, Instant::now() + rest)?;
        let (errand, connection, moments) = (Errand::Robots, None, None);
        self.keep_unread(Landed { site, errand, fetched, permit, connection, moments });
        Ok(())
    }

    /// Learns what an answer to a request for the robots.txt of a site means, wherever it came from. Returns how long
    /// to leave the site alone.
    fn judge_robots(&mut self, id: SiteId, fetched: &Fetched) -> Result<Duration, Error> {
        let verdict = robots_from(fetched, self.shared.config.robots_name());
        let now = self.shared.clock.now();
        let data = &mut self.bench.site_mut(id).data;
        let Robots::Unknown { url, hops, tries } = &mut data.robots else {
            unreachable!("robots.txt was asked for")
        };
        match verdict {
            RobotsVerdict::Rules(rules) => {
                self.learn_rules(id, rules);
                self.note_fact(id, &robots_fact(fetched))?;
            }
            RobotsVerdict::Redirect(target) if *hops < ROBOTS_HOPS_MAX => {
                *url = target;
                *hops += 1;
            }
            RobotsVerdict::Unavailable | RobotsVerdict::Redirect(_) => {
                self.learn_rules(id, RobotsRules::allow_all());
                self.note_fact(id, &HostFact::NoRobots)?;
            }
            RobotsVerdict::Unreachable if *tries + 1 < TRIES_MAX && is_worth_another_try(fetched) => {
                *tries += 1;
                return Ok(asked_pause(fetched, now).unwrap_or(backoff(u32::from(*tries))));
            }
            RobotsVerdict::Unreachable => {
                // What is wrong with another site would be said of this one.
                let failure =
                    if *hops > 0 { FetchFailure::RobotsUnreachable } else { why_unreachable(fetched) };
                data.robots = Robots::Closed(failure);
            }
        }
        Ok(Duration::ZERO)
    }

    fn learn_rules(&mut self, id: SiteId, rules: RobotsRules) {
        let at = self.shared.clock.now();
        let data = &mut self.bench.site_mut(id).data;
        data.take_crawl_delay(&rules);
        data.robots = Robots::Known { rules, at };
    }
}

fn asked_pause(fetched: &Fetched, now: Timestamp) -> Option<Duration> {
    match &fetched.outcome {
        Outcome::Response(response) => retry_after(response, now).map(|pause| pause.min(PAUSE_MAX)),
        Outcome::Failed(_) => None,
    }
}

/// What the user does not allow stays forbidden.
fn is_worth_another_try(fetched: &Fetched) -> bool {
    !matches!(fetched.outcome, Outcome::Failed(FetchFailure::AddressNotAllowed))
}

fn why_unreachable(fetched: &Fetched) -> FetchFailure {
    match fetched.outcome {
        Outcome::Failed(failure) => failure,
        Outcome::Response(_) => FetchFailure::RobotsUnreachable,
    }
}

fn robots_fact(fetched: &Fetched) -> HostFact {
    match &fetched.outcome {
        Outcome::Response(response) => {
            let body = response.body();
            HostFact::Robots(body[..body.len().min(fetch::ROBOTS_BYTES_MAX)].to_vec())
        }
        Outcome::Failed(_) => HostFact::NoRobots,
    }
}
