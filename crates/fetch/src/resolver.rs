//! From host names to addresses that may be dialled.
//!
//! A name is looked up in the user's table, then in a cache, then in the DNS of the system. Whatever comes out, an
//! address in the URL included, passes the [`AddressGuard`]: the caller connects to the returned address and to no
//! other, so a name server that changes its mind between check and connection (rebinding) changes nothing. Whoever
//! keeps an address for long asks again by [`NameResolver::resolve_near`], which stays with it as long as it is among the
//! answers: the order of several addresses changes with every question.
//!
//! Memory is bounded: the cache is two generations of at most [`GENERATION_NAMES_MAX`] names. New entries go to the
//! young one; when it is full it becomes the old one, and the old one is forgotten.

use std::collections::HashMap;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use page::FetchFailure;
use tokio::time::Instant;

use crate::{AddressGuard, Error};

const LOOKUP_TIMEOUT: Duration = Duration::from_secs(5);
const FOUND_FOR: Duration = Duration::from_secs(600);
const FAILED_FOR: Duration = Duration::from_secs(60);
const GENERATION_NAMES_MAX: usize = 50_000;
/// Of one answer, no more addresses are looked at.
const ADDRESSES_MAX: usize = 16;
/// Names that belong to a machine or a local network by convention (RFC 6761, RFC 6762, and clouds).
const LOCAL_DOMAINS: [&str; 3] = ["localhost", "local", "internal"];

/// All addresses that may be dialled, the best first.
type Resolved = Result<Vec<IpAddr>, FetchFailure>;

/// Whoever is asked instead of the DNS of the system.
struct Answers(Box<dyn Fn(&str) -> Resolved + Send + Sync>);

impl std::fmt::Debug for Answers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Answers")
    }
}

/// Finds the address of a host, and keeps what it found for a while.
#[derive(Debug)]
pub struct NameResolver {
    guard: AddressGuard,
    table: HashMap<Box<str>, IpAddr>,
    cache: Mutex<NameCache>,
    answers: Option<Answers>,
}

impl NameResolver {
    /// A resolver that only returns what `guard` permits.
    pub fn new(guard: AddressGuard) -> Self {
        Self { guard, table: HashMap::new(), cache: Mutex::default(), answers: None }
    }

    /// Asks `answers` instead of the DNS of the system.
    pub fn answered_by(
        mut self,
        answers: impl Fn(&str) -> Result<Vec<IpAddr>, FetchFailure> + Send + Sync + 'static,
    ) -> Self {
        self.answers = Some(Answers(Box::new(answers)));
        self
    }

    /// What is allowed to come out.
    pub fn guard(&self) -> &AddressGuard {
        &self.guard
    }

    /// Reads lines `address<TAB>host`, which take precedence over DNS; of two lines for a host the later one counts.
    /// Empty lines and lines that begin with `#` are skipped. Returns how many hosts the file names.
    pub fn load_table(&mut self, path: &Path) -> Result<usize, Error> {
        let read_error = |source| Error::ReadTable { path: path.to_owned(), source };
        let text = std::fs::read_to_string(path).map_err(read_error)?;
        let mut line_count = 0;
        for (index, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let (address, host) = parse_table_line(line).ok_or_else(|| Error::TableLine {
                path: path.to_owned(),
                line_number: index + 1,
                line: line.chars().take(80).collect(),
            })?;
            self.table.insert(plain_name(host).into(), address);
            line_count += 1;
        }
        Ok(line_count)
    }

    /// The address of a host name or IP literal (IPv6 in brackets), if there is one that we may connect to.
    pub async fn resolve(&self, host: &str) -> Result<IpAddr, FetchFailure> {
        Ok(self.resolve_all(host, true).await?[0])
    }

    /// The same, asked again by somebody who had `before`, which is returned if it still is an address of the host.
    pub async fn resolve_near(&self, host: &str, before: IpAddr) -> Result<IpAddr, FetchFailure> {
        let present = self.resolve_all(host, false).await?;
        Ok(if present.contains(&before) { before } else { present[0] })
    }

    /// All addresses of a host that we may connect to: at least one.
    async fn resolve_all(&self, host: &str, from_cache: bool) -> Resolved {
        if let Some(address) = parse_literal(host) {
            return self.permitted(&[address], false);
        }
        let name = plain_name(host);
        let is_local = LOCAL_DOMAINS.contains(&name.rsplit('.').next().unwrap_or(""));
        if let Some(&address) = self.table.get(name.as_str()) {
            return self.permitted(&[address], is_local);
        }
        if is_local && self.guard.allows_nothing() {
            return Err(FetchFailure::AddressNotAllowed);
        }
        if from_cache && let Some(resolved) = self.cache().get(&name, Instant::now()) {
            return resolved;
        }
        let answer = match &self.answers {
            Some(answers) => answers.0(&name),
            None => look_up(&name).await,
        };
        let resolved = match answer {
            Ok(addresses) => self.permitted(&addresses, is_local),
            Err(failure) => Err(failure),
        };
        let kept_for = if resolved.is_ok() { FOUND_FOR } else { FAILED_FOR };
        self.cache().insert(name, resolved.clone(), Instant::now() + kept_for);
        resolved
    }

    /// The addresses that pass the guard, IPv4 before IPv6. A local name must lead to a range that the user
    /// has allowed: that its address is public does not make it the host that a page could have meant.
    fn permitted(&self, addresses: &[IpAddr], is_local: bool) -> Resolved {
        let passes = |address: &IpAddr| {
            if is_local { self.guard.is_allowed_by_user(*address) } else { self.guard.permits(*address) }
        };
        let mut permitted: Vec<IpAddr> = addresses.iter().copied().filter(passes).collect();
        permitted.sort_by_key(IpAddr::is_ipv6);
        if permitted.is_empty() { Err(FetchFailure::AddressNotAllowed) } else { Ok(permitted) }
    }

    fn cache(&self) -> std::sync::MutexGuard<'_, NameCache> {
        self.cache.lock().expect("nothing panics while it holds the cache")
    }
}

async fn look_up(name: &str) -> Result<Vec<IpAddr>, FetchFailure> {
    let looking = tokio::net::lookup_host((name, 0));
    match tokio::time::timeout(LOOKUP_TIMEOUT, looking).await {
        Err(_elapsed) => Err(FetchFailure::TimedOut),
        Ok(Err(_not_found)) => Err(FetchFailure::NameNotFound),
        Ok(Ok(found)) => {
            let addresses: Vec<_> = found.take(ADDRESSES_MAX).map(|address| address.ip()).collect();
            if addresses.is_empty() { Err(FetchFailure::NameNotFound) } else { Ok(addresses) }
        }
    }
}

fn parse_literal(host: &str) -> Option<IpAddr> {
    match host.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']')?.parse().ok().map(IpAddr::V6),
        None => host.parse().ok(),
    }
}

fn plain_name(host: &str) -> String {
    host.trim_end_matches('.').to_ascii_lowercase()
}

fn parse_table_line(line: &str) -> Option<(IpAddr, &str)> {
    let mut fields = line.split_whitespace();
    let (address, host) = (fields.next()?, fields.next()?);
    fields.next().is_none().then_some(())?;
    Some((address.parse().ok()?, host))
}

#[derive(Debug, Default)]
struct NameCache {
    young: HashMap<Box<str>, Kept>,
    old: HashMap<Box<str>, Kept>,
}

/// What is known of a name until its time is over.
#[derive(Debug)]
struct Kept {
    resolved: Resolved,
    until: Instant,
}

impl NameCache {
    fn get(&self, name: &str, now: Instant) -> Option<Resolved> {
        let entry = self.young.get(name).or_else(|| self.old.get(name));
        entry.filter(|kept| now < kept.until).map(|kept| kept.resolved.clone())
    }

    fn insert(&mut self, name: String, resolved: Resolved, until: Instant) {
        if self.young.len() >= GENERATION_NAMES_MAX {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(name.into(), Kept { resolved, until });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_is_kept_until_its_time_and_of_two_generations() {
        let (mut cache, now) = (NameCache::default(), Instant::now());
        let found = || Ok(vec![IpAddr::from([8, 8, 8, 8])]);
        cache.insert("a.test".into(), found(), now + FOUND_FOR);
        assert_eq!(cache.get("a.test", now + FOUND_FOR / 2), Some(found()));
        assert_eq!(cache.get("a.test", now + FOUND_FOR), None, "it may have moved");
        for number in 0..2 * GENERATION_NAMES_MAX {
            cache.insert(format!("{number}.test"), found(), now + FOUND_FOR);
        }
        assert_eq!(cache.get("a.test", now), None);
        assert_eq!(cache.get(&format!("{GENERATION_NAMES_MAX}.test"), now), Some(found()));
        assert!(cache.young.len() + cache.old.len() <= 2 * GENERATION_NAMES_MAX);
    }
}
