//! Why is an address not being fetched now, or why will it never be? What the files of a collection say.
//!
//! Everything that decides over an address is written down somewhere: what became of it in the page table, whether it
//! waits in the ready log, what its site wants in the log of hosts, who links to it in the link log, and the rules in what
//! the crawl was told. This reads them in that order and says what it finds, the decisive first. It only reads, so it may be
//! asked while a crawl goes on; what that has in memory is a second old.
//!
//! Cost: one pass over the page table and the ready log, and one over the links for an address that is in neither.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::Path;
use std::time::Duration;

use fetch::RobotsRules;
use frontier::{HOSTS_FORMAT, HostFact, ReadyPlace, ReadyScan, ReadyUrl, decode_host_fact};
use journal::{Format, JournalReader};
use page::{CopyKind, Fingerprint, Link, LinkKind, Ordinal, PageKey, PageUrl, RecordNumber, Timestamp};
use serde::Serialize;
use store::{Collection, PageRecord, RecordKind, StoreReader};

use crate::admission::Refusal;
use crate::status::ready_end;
use crate::{Admission, CrawlBudget, CrawlConfig, Distance, Error};

/// What is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// One address.
    Address(PageUrl),
    /// Everything on a host.
    Host(String),
}

/// One thing that decides, in a word for programs and in a sentence for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// `stored`, `imported`, `forgotten`, `noindex`, `copy`, `redirect`, `answered`, `failed`, `robots`, `scope`, `pattern`,
    /// `shape`, `depth`, `site depth`, `place`, `nofollow`, `budget`, `pause`, `delay`, `queue`, `on its way`, `never met`.
    pub code: &'static str,
    /// The sentence.
    pub text: String,
}

/// Finds out what decides over an address or a host. `seeds` are the start addresses of the crawl, `forgotten` the pages that
/// shall not be found any more.
pub fn why(
    collection: &Collection,
    config: &CrawlConfig,
    seeds: &[PageUrl],
    subject: &Subject,
    forgotten: &[PageKey],
    now: Timestamp,
) -> Result<Vec<Reason>, Error> {
    let admission = Admission::new(config);
    seeds.iter().for_each(|seed| admission.add_seed(seed));
    let table = Table::read(collection, subject, forgotten)?;
    let queue = Queue::read(collection, subject, &table, &admission)?;
    let site = SiteFacts::read(collection, subject, config)?;
    let mut reasons = Reasons(Vec::new());
    match subject {
        Subject::Address(url) => {
            table.tell(collection, &mut reasons)?;
            if !table.is_settled() && !reasons.never_asked(&table, &queue, seeds) {
                let is_refused = reasons.refused(&admission, url, config);
                match queue.mine {
                    Some(waiting) => reasons.waits(&queue, waiting.before, &site, config),
                    None if !is_refused && !table.is_full(&config.budget) => {
                        tell_links(collection, &admission, url, &mut reasons)?;
                    }
                    None => {}
                }
                site.tell(url, &mut reasons, now);
            }
        }
        Subject::Host(host) => {
            if !reasons.never_asked(&table, &queue, seeds) {
                reasons.host(host, &table, &queue, &admission, &site, config);
            }
            if queue.met_of_host > 0 {
                site.tell_host(&mut reasons, now);
            }
        }
    }
    if !table.is_settled() {
        reasons.budgets(&table, config);
    }
    Ok(reasons.0)
}

impl Subject {
    fn is_about(&self, url: &PageUrl) -> bool {
        match self {
            Self::Address(address) => address == url,
            Self::Host(host) => url.host() == host,
        }
    }

    fn host(&self) -> &str {
        match self {
            Self::Address(url) => url.host(),
            Self::Host(host) => host,
        }
    }
}

/// What the page table says.
#[derive(Debug, Default)]
struct Table {
    /// The last record of the address.
    last: Option<PageRecord>,
    is_last_forgotten: bool,
    /// Somebody crawled: there is an answer, or that there was none.
    has_crawled: bool,
    /// How often it failed.
    failures: u64,
    pages: u64,
    domain_pages: u64,
    host_pages: u64,
    host_failures: u64,
    is_host_asked: bool,
    /// What was stored of the host last under each address.
    host_kept: HashMap<Fingerprint, Kept>,
    done: HashSet<Ordinal>,
}

/// How a page of the host is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    Fetched,
    Imported,
    Forgotten,
}

impl Table {
    fn read(collection: &Collection, subject: &Subject, forgotten: &[PageKey]) -> Result<Self, Error> {
        let forgotten: HashSet<PageKey> = forgotten.iter().copied().collect();
        let (mut table, mut pages) = (Self::default(), StoreReader::open(collection)?.pages()?);
        while let Some((key, record)) = pages.next()? {
            table.has_crawled |= record.kind != RecordKind::Imported;
            let is_page = record.is_page() && record.kind == RecordKind::Fetched;
            table.pages += u64::from(is_page);
            let domain = page::registrable_domain(record.url.host());
            table.domain_pages += u64::from(is_page && domain == page::registrable_domain(subject.host()));
            if record.url.host() != subject.host() || record.kind == RecordKind::Robots {
                continue;
            }
            table.host_pages += u64::from(is_page);
            table.is_host_asked |= record.kind != RecordKind::Imported;
            let is_forgotten = forgotten.contains(&key);
            if record.is_page() {
                let kept = match record.kind {
                    _ if is_forgotten => Kept::Forgotten,
                    RecordKind::Imported => Kept::Imported,
                    _ => Kept::Fetched,
                };
                table.host_kept.insert(record.url.fingerprint(), kept);
            }
            match record.why_failed() {
                None => table.done.extend(record.ordinal),
                Some(_) => table.host_failures += 1,
            }
            if subject.is_about(&record.url) && matches!(subject, Subject::Address(_)) {
                table.failures += u64::from(record.why_failed().is_some());
                (table.last, table.is_last_forgotten) = (Some(record), is_forgotten);
            }
        }
        Ok(table)
    }

    /// Nothing more of its host, or of the domain of that, is fetched, and links to it are not followed.
    fn is_full(&self, budget: &CrawlBudget) -> bool {
        budget.pages_per_host_max.is_some_and(|max| self.host_pages >= max)
            || budget.pages_per_domain_max.is_some_and(|max| self.domain_pages >= max)
    }

    /// How many pages of the host are there in this way.
    fn kept(&self, kept: Kept) -> u64 {
        self.host_kept.values().filter(|there| **there == kept).count() as u64
    }

    /// Nothing more will be done about the address.
    fn is_settled(&self) -> bool {
        self.last.as_ref().is_some_and(|record| record.why_failed().is_none())
    }

    fn tell(&self, collection: &Collection, reasons: &mut Reasons) -> Result<(), Error> {
        let Some(record) = &self.last else { return Ok(()) };
        let at = record.at;
        if let Some(why) = record.why_failed() {
            let times = page::counted(self.failures, "run");
            reasons
                .add("failed", format!("it was tried {at}: {why}; {times} gave it up, the next tries again"));
            return Ok(());
        }
        match record.kind {
            RecordKind::Forbidden => {
                reasons.add(
                    "robots",
                    format!("the robots.txt of its site forbids it ({at}); it was not asked for"),
                );
            }
            _ if self.is_last_forgotten => tell_forgotten(collection, record, reasons)?,
            RecordKind::Imported => reasons.add("stored", format!("it was imported {at}")),
            _ if record.is_page() => {
                reasons.add("stored", format!("it was fetched {at} (HTTP {}) and is stored", record.status));
            }
            _ => {
                let links = StoreReader::open(collection)?.links()?.of(record)?;
                match links.iter().find(|link| link.kind == LinkKind::Redirect) {
                    Some(link) => reasons.add(
                        "redirect",
                        format!("it was asked for {at} and redirects to {}", link.target.as_str()),
                    ),
                    None => reasons.add(
                        "answered",
                        format!("it was asked for {at} and is no page: HTTP {}", record.status),
                    ),
                }
            }
        }
        if record.flags.noindex && record.is_page() && !self.is_last_forgotten {
            reasons.add("noindex", "it asks not to be indexed, so no search finds it".to_owned());
        }
        if let Some(copy) = record.copy_of {
            let original = url_of(collection, copy.original)?;
            let how = if copy.kind == CopyKind::Exact { "word for word" } else { "nearly" };
            reasons.add("copy", format!("it says {how} what {original} says"));
        }
        Ok(())
    }
}

/// A page that somebody asked to forget: what was kept of it is in the archive, or was removed from there.
fn tell_forgotten(collection: &Collection, record: &PageRecord, reasons: &mut Reasons) -> Result<(), Error> {
    let is_archived = StoreReader::open(collection)?.read(record)?.is_some();
    let archive =
        if is_archived { "its answer is still in the archive" } else { "its answer is not in the archive" };
    let came = if record.kind == RecordKind::Imported { "imported" } else { "fetched" };
    reasons.add("forgotten", format!("it was {came} {} and forgotten on request: {archive}", record.at));
    Ok(())
}

fn url_of(collection: &Collection, number: RecordNumber) -> Result<String, Error> {
    let mut pages = StoreReader::open(collection)?.pages()?;
    let mut before = number.index();
    while let Some((_, record)) = pages.next()? {
        if before == 0 {
            return Ok(record.url.as_str().to_owned());
        }
        before -= 1;
    }
    Ok("a page that is not there any more".to_owned())
}

/// What waits.
#[derive(Debug, Default)]
struct Queue {
    mine: Option<Waiting>,
    /// Addresses of the host that wait.
    of_host: u64,
    met_of_host: u64,
    /// Whether any address was ever met.
    has_any: bool,
}

/// The address, as it waits.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    /// Addresses of its host that came before it and wait, too.
    before: u64,
}

impl Queue {
    fn read(
        collection: &Collection,
        subject: &Subject,
        table: &Table,
        admission: &Admission,
    ) -> Result<Self, Error> {
        let folder = collection.dir().join("frontier");
        let mut queue = Self::default();
        let mut scan = ReadyScan::open(&folder, ReadyPlace::START, ready_end(collection)?)?;
        while scan.next_record(|ready| queue.see(ready, subject, table, admission))? {}
        Ok(queue)
    }

    fn see(&mut self, ready: ReadyUrl<'_>, subject: &Subject, table: &Table, admission: &Admission) {
        let Ok(url) = PageUrl::from_normalised(ready.url) else { return };
        if ready.depth == 0 {
            admission.add_seed(&url);
        }
        admission.meet(&url, ready.depth);
        self.has_any = true;
        if url.host() != subject.host() {
            return;
        }
        self.met_of_host += 1;
        if table.done.contains(&ready.ordinal) {
            return;
        }
        if matches!(subject, Subject::Address(address) if *address == url) {
            self.mine = Some(Waiting { before: self.of_host });
        }
        self.of_host += 1;
    }
}

/// What the site wants.
#[derive(Debug, Default)]
struct SiteFacts {
    rules: Option<RobotsRules>,
    pause_until: Option<Timestamp>,
    crawl_delay: Duration,
}

impl SiteFacts {
    fn read(collection: &Collection, subject: &Subject, config: &CrawlConfig) -> Result<Self, Error> {
        let mut facts = Self::default();
        let path = collection.dir().join("frontier/hosts.log");
        for_each_record(&path, HOSTS_FORMAT, HOSTS_FORMAT.version, |record| {
            let Ok((site, _, fact)) = decode_host_fact(record) else { return false };
            let is_mine = match subject {
                Subject::Address(url) => url.site_str() == site,
                Subject::Host(host) => PageUrl::parse(site).is_ok_and(|url| url.host() == host),
            };
            match fact {
                _ if !is_mine => {}
                HostFact::PauseUntil(until) => facts.pause_until = facts.pause_until.max(Some(until)),
                HostFact::NoRobots => facts.rules = Some(RobotsRules::allow_all()),
                HostFact::Robots(body) => {
                    let rules = RobotsRules::parse(&body, config.robots_name());
                    facts.crawl_delay = rules.crawl_delay().unwrap_or_default();
                    facts.rules = Some(rules);
                }
            }
            true
        })?;
        Ok(facts)
    }

    fn tell(&self, url: &PageUrl, reasons: &mut Reasons, now: Timestamp) {
        let is_forbidden = self.rules.as_ref().is_some_and(|rules| !rules.allows(url.path_and_query()));
        if is_forbidden && !reasons.0.iter().any(|reason| reason.code == "robots") {
            reasons.add("robots", "the robots.txt of its site forbids it".to_owned());
        }
        self.tell_pause(reasons, now);
    }

    fn tell_host(&self, reasons: &mut Reasons, now: Timestamp) {
        match &self.rules {
            None => {
                reasons.add("robots", "its robots.txt was not read yet, or could not be reached".to_owned())
            }
            Some(rules) if !rules.allows("/") => {
                reasons.add("robots", "its robots.txt forbids its front page".to_owned());
            }
            Some(_) => {}
        }
        if !self.crawl_delay.is_zero() {
            let delay = self.crawl_delay;
            reasons.add("delay", format!("its robots.txt asks for {delay:?} between requests"));
        }
        self.tell_pause(reasons, now);
    }

    fn tell_pause(&self, reasons: &mut Reasons, now: Timestamp) {
        if let Some(until) = self.pause_until.filter(|until| *until > now) {
            let seconds = until.since(now).as_secs();
            reasons.add(
                "pause",
                format!("its site is left alone until {until} ({seconds} s): it asked for that, or failed"),
            );
        }
    }
}

/// What was found so far.
struct Reasons(Vec<Reason>);

impl Reasons {
    fn add(&mut self, code: &'static str, text: String) {
        self.0.push(Reason { code, text });
    }

    fn refused(&mut self, admission: &Admission, url: &PageUrl, config: &CrawlConfig) -> bool {
        let Some(refusal) = admission.refusal(url) else { return false };
        let (code, text) = match refusal {
            Refusal::Scope => {
                ("scope", format!("{} leaves it out: its host is none of those", ScopeText(config)))
            }
            Refusal::NotIncluded => ("pattern", "it matches no --include".to_owned()),
            Refusal::Excluded(pattern) => ("pattern", format!("--exclude {pattern} leaves it out")),
            Refusal::Shape(misshape) => ("shape", misshape.to_string()),
            // What follows is said of links, not of addresses.
            Refusal::NotFollowed | Refusal::Depth(_) | Refusal::SiteDepth(_) | Refusal::Full => return false,
        };
        self.add(code, text);
        true
    }

    fn waits(&mut self, queue: &Queue, before: u64, site: &SiteFacts, config: &CrawlConfig) {
        let rest = config.policy.host_delay.max(site.crawl_delay);
        let about = match u32::try_from(before) {
            Ok(before) if !rest.is_zero() => {
                format!(", which takes {} s or more at {rest:?} each", rest.saturating_mul(before).as_secs())
            }
            _ => String::new(),
        };
        let of_host = page::counted(queue.of_host, "address");
        let before = page::thousands(before);
        self.add(
            "queue",
            format!("it waits: {of_host} of its host in all, {before} of them before it{about}"),
        );
    }

    /// Tells what was never in the hands of a crawl: a collection into which nobody crawled, a host that was imported.
    fn never_asked(&mut self, table: &Table, queue: &Queue, seeds: &[PageUrl]) -> bool {
        let is_met = queue.met_of_host > 0 || table.is_host_asked;
        let told = if !table.host_kept.is_empty() && !is_met {
            self.beside_the_crawl(table);
            "no address of this host was ever asked for"
        } else if !table.has_crawled && seeds.is_empty() && !queue.has_any {
            "nothing has been crawled into this collection"
        } else {
            return false;
        };
        self.add("never met", told.to_owned());
        true
    }

    /// What of a host was imported, and what was forgotten.
    fn beside_the_crawl(&mut self, table: &Table) {
        for (kept, how) in [(Kept::Imported, "imported"), (Kept::Forgotten, "forgotten")] {
            let count = table.kept(kept);
            if count > 0 {
                self.add(how, format!("{} of its host {how}", page::counted(count, "page")));
            }
        }
    }

    fn host(
        &mut self,
        host: &str,
        table: &Table,
        queue: &Queue,
        admission: &Admission,
        site: &SiteFacts,
        config: &CrawlConfig,
    ) {
        let pages = page::counted(table.kept(Kept::Fetched), "page");
        let waiting = page::counted(queue.of_host, "address");
        if queue.met_of_host == 0 && table.host_pages == 0 {
            let front = PageUrl::parse(&format!("http://{host}/")).ok();
            let is_refused = front.is_some_and(|url| self.refused(admission, &url, config));
            if !is_refused {
                self.add("never met", "no address of this host was ever admitted".to_owned());
            }
            return;
        }
        self.add("stored", format!("{pages} of it stored"));
        self.beside_the_crawl(table);
        if table.host_failures > 0 {
            let failed = page::counted(table.host_failures, "time");
            self.add(
                "failed",
                format!("its addresses failed {failed} (`crivello stats --failed` names them)"),
            );
        }
        if queue.of_host == 0 {
            self.add("queue", "nothing of it waits: all that was met is settled".to_owned());
        } else {
            let rest = config.policy.host_delay.max(site.crawl_delay);
            self.add("queue", format!("{waiting} of it in the queue, {rest:?} apart"));
        }
    }

    fn budgets(&mut self, table: &Table, config: &CrawlConfig) {
        let budget = &config.budget;
        if let Some(max) = budget.pages_max.filter(|max| table.pages >= *max) {
            self.add("budget", format!("--max-pages {max} is reached: nothing more is fetched"));
        }
        if let Some(max) = budget.pages_per_host_max.filter(|max| table.host_pages >= *max) {
            self.add(
                "budget",
                format!("--max-per-host {max} is reached: nothing more of its host is fetched"),
            );
        }
        if let Some(max) = budget.pages_per_domain_max.filter(|max| table.domain_pages >= *max) {
            self.add(
                "budget",
                format!("--max-per-domain {max} is reached: nothing more of its domain is fetched"),
            );
        }
    }
}

/// An address that was never let through: who links to it, and why that was not enough.
fn tell_links(
    collection: &Collection,
    admission: &Admission,
    url: &PageUrl,
    reasons: &mut Reasons,
) -> Result<(), Error> {
    let store = StoreReader::open(collection)?;
    let (mut pages, mut links) = (store.pages()?, store.links()?);
    let mut linked = LinkedBy::default();
    while let Some((_, record)) = pages.next()? {
        if record.links_offset.is_some() {
            linked.see(&record, &links.of(&record)?, url, admission);
        }
    }
    let (code, text) = linked.verdict();
    reasons.add(code, text);
    Ok(())
}

/// Who links to an address that was never let through.
#[derive(Debug, Default)]
struct LinkedBy {
    count: u64,
    first: Option<String>,
    is_followed: bool,
    /// A link would be followed if it stood nearer to the beginning of its page.
    is_late: bool,
    /// What leaves the links out that are not followed; the smallest depth that is too large.
    depth_min: Option<u16>,
    site_depth: Option<(u16, u16)>,
    asks: u64,
}

impl LinkedBy {
    fn see(&mut self, record: &PageRecord, links: &[Link], url: &PageUrl, admission: &Admission) {
        let mine: Vec<&Link> = links.iter().filter(|link| link.target == *url).collect();
        if mine.is_empty() {
            return;
        }
        let distance = Distance { depth: record.depth, hops: 0 };
        let depth = record.depth.saturating_add(1);
        self.count += mine.len() as u64;
        self.first.get_or_insert_with(|| record.url.as_str().to_owned());
        let is_chosen = admission.choose(links, distance).links.iter().any(|(link, _)| link.target == *url);
        self.is_followed |= is_chosen;
        for link in mine {
            match admission.judge(&link.target, link.kind, link.nofollow, distance) {
                Ok(_) => self.is_late |= !is_chosen,
                Err(Refusal::Depth(_)) => {
                    self.depth_min = Some(self.depth_min.map_or(depth, |min| min.min(depth)));
                }
                Err(Refusal::SiteDepth(max)) => self.site_depth = Some((depth, max)),
                Err(_) => self.asks += u64::from(link.nofollow),
            }
        }
    }

    fn verdict(&self) -> (&'static str, String) {
        let Some(first) = &self.first else {
            return ("never met", "no page that is stored links to it, and nobody named it".to_owned());
        };
        let who = format!("{} to it, the first on {first}", page::counted(self.count, "link"));
        if self.is_followed {
            ("on its way", format!("{who}: it is on its way to the sieve, or the next run offers it"))
        } else if self.is_late {
            ("place", format!("{who}: too many addresses stand before it there (--max-links-per-page)"))
        } else if let Some((depth, max)) = self.site_depth {
            let depth = page::counted(depth.into(), "link");
            (
                "site depth",
                format!(
                    "{who}: it is {depth} from a start address, more than {max} further than the first page of \
                     its host that was met (--max-site-depth)"
                ),
            )
        } else if let Some(depth) = self.depth_min {
            let depth = page::counted(depth.into(), "link");
            ("depth", format!("{who}: it is {depth} from a start address, further than --max-depth"))
        } else if self.asks == self.count {
            ("nofollow", format!("{who}: all of them ask not to be followed (--follow-nofollow)"))
        } else {
            ("never met", format!("{who}: none of a kind that is followed"))
        }
    }
}

/// The scope as it is typed.
struct ScopeText<'a>(&'a CrawlConfig);

impl fmt::Display for ScopeText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--scope {}", format!("{:?}", self.0.scope).to_lowercase())
    }
}

/// Shows every record of a log that may be growing, and gives the byte where the last one ends. One that cannot be read
/// ends it.
fn for_each_record(
    path: &Path,
    format: Format,
    oldest: u32,
    mut see: impl FnMut(&[u8]) -> bool,
) -> Result<u64, Error> {
    if !path.exists() {
        return Ok(0);
    }
    let mut reader = JournalReader::open_since(path, format, oldest)?;
    while let Some(record) = reader.next_record()? {
        if !see(record.payload) {
            let (path, offset) = (path.to_owned(), record.offset);
            return Err(frontier::Error::Malformed { path, offset }.into());
        }
    }
    Ok(reader.position())
}
