//! `crivello graph DIR --broken`: dead links, and `--backlinks` of an address that is dead.

use std::path::Path;

use page::PageUrl;
use store::Collection;

use crate::commands::Context;
use crate::output::{Ending, counted, one_line, outln, print_json, thousands};
use build::graphs::broken::{DeadLinks, LinkToDead, ToldAddress};

/// Lists dead addresses. That there are some is a failure that was counted.
pub fn run(context: Context, count_max: Option<usize>, dir: &Path) -> anyhow::Result<Ending> {
    let dead = DeadLinks::of(&Collection::open(dir)?)?;
    let count = dead.addresses.len();
    let shown = &dead.addresses[..count.min(count_max.unwrap_or(count))];
    if context.json {
        let broken: Vec<_> = shown.iter().map(|address| dead.told(address)).collect();
        print_json(&serde_json::json!({ "count": count, "broken": broken }))?;
    } else {
        for address in shown {
            let (url, pages) = (one_line(address.url.as_str()), counted(address.pages, "page"));
            outln!("{url}\t{}\t{pages}", address.answer);
            dead.links(address).for_each(|link| print_link("\t", &link));
        }
        let links: u64 = dead.addresses.iter().map(|address| address.pages).sum();
        let left_out = match count - shown.len() {
            0 => String::new(),
            more => format!(", {} of them not shown (-n)", thousands(more as u64)),
        };
        let (targets, links) = (counted(count as u64, "dead target"), counted(links, "link"));
        context.showing.say(&format!("{targets}, {links} to them{left_out}"));
    }
    Ok(Ending::from_failures(count as u64))
}

fn print_link(indent: &str, link: &LinkToDead<'_>) {
    let flags = [(link.is_nofollow, "nofollow"), (link.is_navigation, "navigation")];
    let flags = flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, name)| name.to_owned());
    let notes: Vec<String> = flags.chain(link.via.map(|via| format!("via {}", one_line(via)))).collect();
    outln!("{indent}{}\t{}\t{}", one_line(link.page.as_str()), one_line(link.words), notes.join(", "));
}

/// Shows the links to an address that is dead, or redirects to one. False if it is not.
pub fn show_backlinks(context: Context, collection: &Collection, url: &PageUrl) -> anyhow::Result<bool> {
    let dead = DeadLinks::of(collection)?;
    let Some(address) = dead.end_of(url) else { return Ok(false) };
    if context.json {
        let ToldAddress { url, status, failure, links, .. } = dead.told(address);
        let count = links.len();
        print_json(&serde_json::json!({
            "url": url, "ranks": null, "status": status, "failure": failure, "count": count, "links": links
        }))?;
    } else {
        dead.links(address).for_each(|link| print_link("", &link));
        let links = counted(dead.links(address).count() as u64, "link");
        context.showing.say(&format!("{links} to a dead address: {}", address.answer));
    }
    Ok(true)
}
