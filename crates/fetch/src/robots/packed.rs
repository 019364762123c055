//! Rules as bytes, for whoever keeps those of many sites elsewhere than in memory.
//!
//! ```text
//! rules = crawl delay in ns + 1 or 0 (u64), number of rules (u32), rule*, number of sitemaps (u32), sitemap*, patterns
//! rule  = start, end, weight (u32 each), is allow (u8)      sitemap = length (u32), text
//! ```

use std::time::Duration;

use super::{RobotsRules, Rule};

impl RobotsRules {
    /// The rules as bytes.
    pub fn pack(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.memory_bytes());
        let delay = self.crawl_delay.map_or(0, |delay| delay.as_nanos().saturating_add(1));
        bytes.extend_from_slice(&u64::try_from(delay).unwrap_or(u64::MAX).to_le_bytes());
        let put = |bytes: &mut Vec<u8>, number: u32| bytes.extend_from_slice(&number.to_le_bytes());
        put(&mut bytes, self.rules.len() as u32);
        for Rule { start, end, weight, is_allow } in &self.rules {
            [*start, *end, *weight].into_iter().for_each(|number| put(&mut bytes, number));
            bytes.push(u8::from(*is_allow));
        }
        put(&mut bytes, self.sitemaps.len() as u32);
        for url in &self.sitemaps {
            put(&mut bytes, url.len() as u32);
            bytes.extend_from_slice(url.as_bytes());
        }
        bytes.extend_from_slice(&self.patterns);
        bytes
    }

    /// Reads what [`pack`](Self::pack) has written; nothing of other bytes.
    pub fn unpack(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let (delay, after) = rest.split_first_chunk::<8>()?;
        rest = after;
        let crawl_delay = u64::from_le_bytes(*delay).checked_sub(1).map(Duration::from_nanos);
        let mut rules = Vec::new();
        for _ in 0..take_number(&mut rest)? {
            let (start, end) = (take_number(&mut rest)?, take_number(&mut rest)?);
            let weight = take_number(&mut rest)?;
            let (is_allow, after) = rest.split_first()?;
            rest = after;
            rules.push(Rule { start, end, weight, is_allow: *is_allow == 1 });
        }
        let mut sitemaps = Vec::new();
        for _ in 0..take_number(&mut rest)? {
            let length = take_number(&mut rest)? as usize;
            let (url, after) = rest.split_at_checked(length)?;
            rest = after;
            sitemaps.push(String::from_utf8(url.to_vec()).ok()?);
        }
        let fits = |rule: &Rule| rule.start <= rule.end && rule.end as usize <= rest.len();
        let is_sound = rules.iter().all(fits);
        is_sound.then(|| Self {
            patterns: rest.into(),
            rules: rules.into(),
            crawl_delay,
            sitemaps: sitemaps.into(),
        })
    }
}

fn take_number(rest: &mut &[u8]) -> Option<u32> {
    let (number, after) = rest.split_first_chunk::<4>()?;
    *rest = after;
    Some(u32::from_le_bytes(*number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_rules_are_those_that_were_packed() {
        let text = b"User-agent: *\nDisallow: /a*b$\nAllow: /a/index.html\nCrawl-delay: 2.5\nSitemap: http://a.test/s.xml";
        for rules in [RobotsRules::parse(text, "x"), RobotsRules::allow_all(), RobotsRules::disallow_all()] {
            let bytes = rules.pack();
            let back = RobotsRules::unpack(&bytes).unwrap();
            assert_eq!(format!("{back:?}"), format!("{rules:?}"));
            for length in 0..bytes.len() - rules.patterns.len() {
                assert!(RobotsRules::unpack(&bytes[..length]).is_none(), "{length} of {} bytes", bytes.len());
            }
        }
    }
}
