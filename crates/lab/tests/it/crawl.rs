//! A naive crawl: one request after the other, everything in memory.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use lab::LabServer;
use page::PageUrl;

use crate::client::Client;
use crate::html;
use crate::robots::Rules;

#[derive(Default)]
pub struct Crawled {
    /// Address and text of the body.
    pub pages: BTreeMap<String, String>,
    /// As links stand, before it is known where they lead.
    links: Vec<(String, String)>,
    pub forbidden: BTreeSet<String>,
    pub redirects: BTreeSet<String>,
    pub missing: BTreeSet<String>,
    pub noindex: BTreeSet<String>,
}

impl Crawled {
    /// Links between pages.
    pub fn arcs(&self) -> BTreeSet<(&str, &str)> {
        let between_pages = self.links.iter().filter(|(_, target)| self.pages.contains_key(target));
        between_pages.map(|(source, target)| (source.as_str(), target.as_str())).collect()
    }

    fn read_page(&mut self, url: &PageUrl, body: &str) -> Vec<PageUrl> {
        let (tags, text) = html::read(body);
        self.pages.insert(url.to_string(), text);
        let robots = tags.iter().find(|tag| tag.name == "meta" && tag.has_word("name", "robots"));
        if robots.is_some_and(|tag| tag.has_word("content", "noindex")) {
            self.noindex.insert(url.to_string());
        }
        if robots.is_some_and(|tag| tag.has_word("content", "nofollow")) {
            return Vec::new();
        }
        let base = tags.iter().find(|tag| tag.name == "base").and_then(|tag| tag.get("href"));
        let base = base.map_or_else(|| url.clone(), |base| url.join(base).expect("a sound base"));
        let is_link = |tag: &&html::Tag| tag.name == "a" || tag.name == "area";
        let links = tags.iter().filter(is_link).filter(|tag| !tag.has_word("rel", "nofollow"));
        let targets: Vec<_> = links.filter_map(|tag| base.join(tag.get("href")?).ok()).collect();
        self.links.extend(targets.iter().map(|target| (url.to_string(), target.to_string())));
        targets
    }
}

pub fn crawl(server: &LabServer) -> Crawled {
    let mut client = Client::new(&server.hosts_tsv());
    let mut rules: HashMap<String, Rules> = HashMap::new();
    let mut crawled = Crawled::default();
    let mut queue: VecDeque<PageUrl> =
        server.seeds().iter().map(|seed| PageUrl::parse(seed).unwrap()).collect();
    let mut seen: HashSet<PageUrl> = queue.iter().cloned().collect();
    while let Some(url) = queue.pop_front() {
        let of_site = rules.entry(url.site().to_string()).or_insert_with(|| {
            let robots = client.get(&url.site().robots_url());
            Rules::read(if robots.status == 200 { &robots.body } else { "" })
        });
        if !of_site.allow(url.path_and_query()) {
            crawled.forbidden.insert(url.to_string());
            continue;
        }
        let answer = client.get(&url);
        let found = match answer.status {
            200 => crawled.read_page(&url, &answer.body),
            301..=308 => {
                crawled.redirects.insert(url.to_string());
                vec![url.join(&answer.headers["location"]).expect("a sound location")]
            }
            _ => {
                assert!(matches!(answer.status, 404 | 410), "{url} answered {}", answer.status);
                crawled.missing.insert(url.to_string());
                Vec::new()
            }
        };
        queue.extend(found.into_iter().filter(|url| seen.insert(url.clone())));
    }
    crawled
}
