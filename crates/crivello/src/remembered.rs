//! What a crawl was told and what it is told now, so that `crivello crawl DIR` alone goes on as it was.
//!
//! The collection keeps what was typed ([`Told`]). What was never typed has the default of whoever reads it. What is read
//! goes through the same parser as what is typed, so an option that is added to [`CrawlOptions`] is remembered without a
//! word here, and nothing gets in that could not be typed.

use std::path::Path;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, FromArgMatches};
use store::Told;
pub use store::Typed;

use crate::crawl_options::CrawlOptions;
use crate::output::{counted, hinted};

/// The one option whose value is a file.
const RESOLVE: &str = "resolve";

/// Finds which options of a crawl were typed.
pub fn typed(matches: &ArgMatches) -> Typed {
    let is_typed = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let text = |value: &std::ffi::OsStr| value.to_string_lossy().into_owned();
    let mut typed = Typed::new();
    for argument in parser().get_arguments() {
        let (id, name) = (argument.get_id().as_str(), argument.get_long());
        if let Some(name) = name.filter(|_| is_typed(id)) {
            typed.insert(name.to_owned(), matches.get_raw(id).into_iter().flatten().map(text).collect());
        }
    }
    typed
}

/// The command line of a crawl without anything but its options.
fn parser() -> clap::Command {
    CrawlOptions::augment_args(clap::Command::new("crawl")).no_binary_name(true)
}

/// An option as one would type it.
pub fn as_typed(name: &str, values: &[String]) -> String {
    let quoted = values.iter().map(|value| match value.as_str() {
        "true" => format!("--{name}"),
        value if value.contains([' ', '\'', '$', '*', '?', '(', '|', '&', '\\']) => {
            format!("--{name} '{value}'")
        }
        value => format!("--{name} {value}"),
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// What holds now, and how that differs from what was typed and from what held before.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct News {
    /// What holds.
    pub now: Told,
    before: Told,
    typed: Typed,
}

impl News {
    /// Puts what is told now in the place of what the collection remembers. Start addresses come on top.
    pub fn new(dir: &Path, seeds: &[String], typed: Typed, unset: &[String]) -> anyhow::Result<Self> {
        Self::between(Told::read(dir)?.unwrap_or_default(), seeds, typed, unset)
    }

    fn between(before: Told, seeds: &[String], typed: Typed, unset: &[String]) -> anyhow::Result<Self> {
        let mut now = before.clone();
        for name in unset {
            let name = name.trim_start_matches("--");
            if name == "all" {
                now.options.clear();
            } else if now.options.remove(name).is_none() {
                return Err(nothing_to_unset(name, &before));
            }
        }
        now.options.extend(typed.clone());
        now.hosts = now.hosts.filter(|_| now.options.contains_key(RESOLVE));
        let new = seeds.iter().filter(|seed| !before.seeds.contains(seed));
        now.seeds.extend(new.cloned());
        Ok(Self { now, before, typed })
    }

    /// The options that it comes to. The table of hosts is the one that is kept, unless it is given anew.
    pub fn options(&self, dir: &Path) -> anyhow::Result<CrawlOptions> {
        let kept = || vec![Told::hosts_path(dir).to_string_lossy().into_owned()];
        let words = self.now.options.iter().flat_map(|(name, values)| {
            let is_kept = name == RESOLVE && !self.typed.contains_key(RESOLVE);
            let values = if is_kept { kept() } else { values.clone() };
            values.into_iter().map(move |value| format!("--{name}={value}"))
        });
        let parsed = parser().try_get_matches_from(words);
        let parsed = parsed.and_then(|matches| CrawlOptions::from_arg_matches(&matches));
        parsed.map_err(|error| {
            let text = error.to_string();
            let reason = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
            store::Error::Told { path: Told::path(dir), reason }.into()
        })
    }

    /// Keeps it with the collection, and the table of hosts with it if that was given anew.
    pub fn remember(&mut self, dir: &Path, options: &CrawlOptions) -> anyhow::Result<()> {
        if let Some(path) = options.resolve.as_deref().filter(|_| self.typed.contains_key(RESOLVE)) {
            self.now.keep_hosts(dir, path)?;
        }
        if self.now == self.before { Ok(()) } else { Ok(self.now.write(dir)?) }
    }

    /// Tells it in sentences: what holds without having been typed, and what was something else before.
    pub fn lines(&self) -> Vec<String> {
        let Self { now, before, typed } = self;
        let recalled = now.options.iter().filter(|(name, _)| !typed.contains_key(*name));
        let mut as_before: Vec<String> = recalled.map(|(name, values)| as_typed(name, values)).collect();
        if before.seeds.len() == now.seeds.len() && !before.seeds.is_empty() {
            as_before.insert(0, counted(before.seeds.len() as u64, "start address"));
        }
        let mut lines = Vec::new();
        if !as_before.is_empty() {
            lines.push(format!("as before: {}", as_before.join(" ")));
        }
        for (name, was) in &before.options {
            match now.options.get(name) {
                Some(is) if is == was => {}
                Some(is) => lines.push(format!("new: {} (it was {})", as_typed(name, is), was.join(" "))),
                None => lines.push(format!("no longer: {}", as_typed(name, was))),
            }
        }
        lines
    }
}

fn nothing_to_unset(name: &str, before: &Told) -> anyhow::Error {
    let names: Vec<&str> = before.options.keys().map(String::as_str).collect();
    let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    hinted(
        format!("`--unset {name}`: the collection remembers no such option"),
        format!("it remembers these: {names}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(pairs: &[(&str, &[&str])]) -> Typed {
        let owned = |values: &&[&str]| values.iter().map(|value| value.to_string()).collect();
        pairs.iter().map(|(name, values)| (name.to_string(), owned(values))).collect()
    }

    fn told(seeds: &[&str], pairs: &[(&str, &[&str])]) -> Told {
        let seeds = seeds.iter().map(|seed| seed.to_string()).collect();
        Told { seeds, options: options(pairs), hosts: None }
    }

    #[test]
    fn what_is_typed_replaces_what_is_remembered_and_is_told() {
        let before =
            told(&["http://a/"], &[("delay", &["4s"]), ("exclude", &["x*", "y"]), ("sitemaps", &["true"])]);
        let typed = options(&[("delay", &["1s"]), ("scope", &["all"])]);
        let seeds = ["http://b/".to_owned(), "http://a/".to_owned()];
        let news = News::between(before.clone(), &seeds, typed, &["sitemaps".to_owned()]).unwrap();
        let expected: &[(&str, &[&str])] =
            &[("delay", &["1s"]), ("exclude", &["x*", "y"]), ("scope", &["all"])];
        assert_eq!(news.now, told(&["http://a/", "http://b/"], expected));
        let lines =
            ["as before: --exclude 'x*' --exclude y", "new: --delay 1s (it was 4s)", "no longer: --sitemaps"];
        assert_eq!(news.lines(), lines);
        let same = News::between(before.clone(), &[], Typed::new(), &[]).unwrap();
        assert_eq!(same.now, before);
        assert_eq!(
            same.lines(),
            ["as before: 1 start address --delay 4s --exclude 'x*' --exclude y --sitemaps"]
        );
        let nothing = News::between(before.clone(), &[], Typed::new(), &["all".to_owned()]).unwrap();
        assert_eq!(nothing.now, told(&["http://a/"], &[]));
        let error = News::between(before, &[], Typed::new(), &["scope".to_owned()]).unwrap_err();
        assert!(error.to_string().contains("scope"), "{error}");
    }

    #[test]
    fn every_option_of_a_crawl_can_be_remembered_and_comes_back() {
        // What is typed for each; an option that is not here has to be added.
        let rows: &[(&str, &[&str])] = VALUES;
        let all = told(&[], rows);
        for name in parser().get_arguments().filter_map(|argument| argument.get_long()) {
            assert!(all.options.contains_key(name), "--{name} has no row");
        }
        let words = rows
            .iter()
            .flat_map(|(name, values)| values.iter().map(move |value| format!("--{name}={value}")));
        let matches = parser().try_get_matches_from(words).unwrap();
        assert_eq!(typed(&matches), all.options);
        let news = News { now: all.clone(), before: Told::default(), typed: Typed::new() };
        let recalled = news.options(Path::new("c.crivello")).unwrap();
        assert_eq!(recalled.resolve.as_deref(), Some(Path::new("c.crivello/hosts.tsv")));
        assert_eq!((recalled.max_pages, recalled.sitemaps, recalled.exclude.len()), (Some(7), true, 2));
    }

    const VALUES: &[(&str, &[&str])] = &[
        ("max-pages", &["7"]),
        ("max-depth", &["3"]),
        ("max-site-depth", &["4"]),
        ("max-per-host", &["5"]),
        ("max-per-domain", &["6"]),
        ("duration", &["10m"]),
        ("memory", &["64MiB"]),
        ("scope", &["domain"]),
        ("include", &["/docs/"]),
        ("exclude", &["[?]sort=", "\\.pdf$"]),
        ("max-links-per-page", &["100"]),
        ("max-url-bytes", &["200"]),
        ("max-url-parameters", &["3"]),
        ("max-url-repeats", &["1"]),
        ("sitemaps", &["true"]),
        ("follow-nofollow", &["false"]),
        ("delay", &["250ms"]),
        ("ip-delay", &["1s"]),
        ("rest-ratio", &["2.5"]),
        ("visit-time", &["1s"]),
        ("audit", &["requests.tsv"]),
        ("user-agent", &["somebody/1.0 (+http://somebody.test/)"]),
        ("resolve", &["hosts.tsv"]),
        ("allow-net", &["127.0.0.0/8", "10.0.0.0/8"]),
        ("signature-bits", &["60"]),
        ("sieve", &["mercator"]),
        ("copies", &["skip"]),
        ("priority", &["topic", "short"]),
        ("topic", &["rust book"]),
        ("workers", &["2"]),
        ("readers", &["1"]),
        ("checkpoint-every", &["500"]),
        ("store", &["none"]),
    ];
}
