//! The report: one HTML file that needs nothing else, neither a script nor the network, by day and by night.

use page::{counted, thousands};

use super::html::{escaped, table};
use super::plots;
use super::words::{distances_text, rank_name, score_text};
use super::{Summary, Top};

const STYLE: &str = "\
:root { color-scheme: light dark; --ground: #fcfcfa; --ink: #22262a; --quiet: #667; --line: #d8dade; --mark: #1f6f8b; --wing: #7fb3c4; --warm: #c2571a }
@media (prefers-color-scheme: dark) { :root { --ground: #16191c; --ink: #e4e6e8; --quiet: #98a0a8; --line: #343a40; --mark: #6cc3dd; --wing: #2f6475; --warm: #f0965a } }
body { margin: 2rem auto; max-width: 64rem; padding: 0 1rem; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
h1 { font-size: 1.6rem; margin-bottom: 0 } h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem } h3 { font-size: 1rem; margin: 0 0 .3rem }
a { color: inherit; text-decoration-color: var(--line) } .quiet { color: var(--quiet); margin-top: .2rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem } dt { color: var(--quiet) } dd { margin: 0 }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 1.5rem } figure { margin: 0 } figcaption { color: var(--quiet) }
svg { width: 100%; height: auto } svg text { fill: var(--quiet); font-size: 12px } .grid { stroke: var(--line); stroke-width: 1 }
.mark { fill: var(--mark) } .core { fill: var(--mark) } .wing { fill: var(--wing) } .mean { stroke: var(--warm); stroke-width: 2; stroke-dasharray: 5 4 }
.tops { display: grid; grid-template-columns: repeat(auto-fit, minmax(26rem, 1fr)); gap: 2rem }
table { border-collapse: collapse; width: 100% } th { text-align: left; color: var(--quiet); font-weight: normal; border-bottom: 1px solid var(--line) }
td { padding: .15rem .5rem .15rem 0; overflow-wrap: anywhere; vertical-align: top } td:last-child, th:last-child { text-align: right; white-space: nowrap; padding-right: 0; font-variant-numeric: tabular-nums }";

/// Writes the whole page for the graph that is called so.
pub fn html_page(summary: &Summary, name: &str) -> String {
    let name = escaped(name);
    let figure =
        |svg: String, caption: &str| format!("<figure>{svg}<figcaption>{caption}</figcaption></figure>");
    let distances = escaped(&distances_text(&summary.distances));
    let shape = [
        figure(
            plots::degrees(&summary.degrees.in_counts, "links to a page"),
            "Links to a page (means of bins)",
        ),
        figure(
            plots::degrees(&summary.degrees.out_counts, "links of a page"),
            "Links of a page (means of bins)",
        ),
        figure(
            plots::distances(&summary.distances.distribution, summary.distances.average),
            &format!("Distances: {distances}"),
        ),
    ];
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\">\
         <title>The graph of {name}</title><style>{STYLE}</style></head><body>\n\
         <h1>The graph of {name}</h1><p class=\"quiet\">Degrees, components, distances and ranks are those of {}: \
         {} of {}.</p>\n<dl>",
        escaped(&summary.filter),
        thousands(summary.arcs_ranked),
        thousands(summary.arcs)
    );
    for (term, value) in facts(summary) {
        html.push_str(&format!("<dt>{term}</dt><dd>{}</dd>", escaped(&value)));
    }
    html.push_str("</dl>\n<h2>Shape</h2><div class=\"plots\">");
    html.push_str(&shape.concat());
    html.push_str("</div>\n<h2>The bow tie</h2>");
    html.push_str(&figure(plots::bow_tie(&summary.components), &components_text(summary)));
    for (title, column, lists, is_link) in
        [("Pages", "page", &summary.top_pages, true), ("Hosts", "host", &summary.top_hosts, false)]
    {
        if lists.is_empty() {
            continue;
        }
        html.push_str(&format!("\n<h2>{title} that matter</h2><div class=\"tops\">"));
        for rank in ["pagerank", "harmonic", "in_degree", "authority", "hub"] {
            let Some(tops) = lists.get(rank) else { continue };
            let rows: Vec<(String, String)> =
                tops.iter().map(|Top { name, score, .. }| (name.clone(), score_text(rank, *score))).collect();
            html.push_str(&table(&format!("By {}", rank_name(rank)), column, &rows, is_link));
        }
        html.push_str("</div>");
    }
    html.push_str("\n</body></html>\n");
    html
}

fn components_text(summary: &Summary) -> String {
    let parts = &summary.components;
    format!(
        "{}. In the core every page reaches every other; IN reaches it, OUT is reached from it.",
        counted(parts.count, "strongly connected component")
    )
}

fn facts(summary: &Summary) -> Vec<(&'static str, String)> {
    let mut facts =
        vec![("graph", format!("{}, {}", counted(summary.nodes, "page"), counted(summary.arcs, "link")))];
    if let Some(sizes) = &summary.sizes {
        if summary.arcs > 0 {
            let ef =
                sizes.ef_bits_per_link.map_or(String::new(), |bits| format!(", {bits:.3} in Elias–Fano"));
            facts.push((
            "size",
            format!(
                "{:.3} bits per link{ef}; transpose {:.3}; flags and anchor texts {:.3}; {:.1} bytes per address",
                sizes.bits_per_link, sizes.transpose_bits_per_link, sizes.label_bits_per_link, sizes.address_bytes
            ),
        ));
        }
        facts.push((
            "hosts",
            format!("{} of {}", counted(sizes.hosts, "host"), counted(sizes.domains, "domain")),
        ));
        facts.push(("folded", format!("{} of pages under another name", counted(sizes.aliases, "address"))));
    }
    let degrees = &summary.degrees;
    facts.push((
        "degrees",
        format!(
            "{:.1} on average; {} without links, {} without links to them",
            degrees.average,
            counted(degrees.dead_ends, "page"),
            thousands(degrees.unlinked)
        ),
    ));
    facts.push(("PageRank", format!("with damping {}", summary.damping)));
    if !summary.distances.exact {
        let error = summary.distances.harmonic_error_percent;
        facts.push(("harmonic", format!("estimated by HyperBall, ± {error:.2} % (one standard error)")));
    }
    facts
}
