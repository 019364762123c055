//! The summary for people.

use super::summary::{DistanceSummary, Summary};
use super::tops::Top;
use crate::output::{counted, outln, thousands};

/// Prints the summary.
pub fn print(summary: &Summary) {
    let row = |name: &str, value: String| outln!("{name:>12}  {value}");
    row("graph", format!("{}, {}", counted(summary.nodes, "node"), counted(summary.arcs, "link")));
    if let Some(sizes) = &summary.sizes {
        if summary.arcs > 0 {
            let ef =
                sizes.ef_bits_per_link.map_or(String::new(), |bits| format!(", in Elias–Fano {bits:.3}"));
            row(
                "size",
                format!(
                    "{:.3} bits per link{ef}, transpose {:.3}, labels {:.3}; addresses {:.1} bytes each, and {:.1} bits to find them",
                    sizes.bits_per_link,
                    sizes.transpose_bits_per_link,
                    sizes.label_bits_per_link,
                    sizes.address_bytes,
                    sizes.function_bits
                ),
            );
        }
        row(
            "hosts",
            format!(
                "{} of {}, {} of them linked",
                counted(sizes.hosts, "host"),
                counted(sizes.domains, "domain"),
                counted(sizes.host_arcs, "pair")
            ),
        );
        row(
            "folded",
            format!(
                "{} of pages under another name; {} of {} to no stored page",
                counted(sizes.aliases, "address"),
                thousands(sizes.links_dropped),
                counted(sizes.links, "link")
            ),
        );
    }
    row("ranked on", format!("{}: {} of them", summary.filter, thousands(summary.arcs_ranked)));
    let degrees = &summary.degrees;
    row(
        "degrees",
        format!(
            "{:.1} on average; at most {} out and {} in; {} without links, {} without links to them",
            degrees.average,
            thousands(degrees.out_max.into()),
            thousands(degrees.in_max.into()),
            thousands(degrees.dead_ends),
            thousands(degrees.unlinked)
        ),
    );
    let parts = &summary.components;
    row("components", format!("{}, the largest of {}", thousands(parts.count), thousands(parts.largest)));
    row(
        "bow tie",
        format!(
            "core {}, in {}, out {}, tendrils {}, tubes {}, disconnected {}",
            thousands(parts.core),
            thousands(parts.inward),
            thousands(parts.out),
            thousands(parts.tendrils),
            thousands(parts.tubes),
            thousands(parts.disconnected)
        ),
    );
    row("distances", distances_text(&summary.distances));
    let noun = if summary.sizes.is_some() { "page" } else { "node" };
    for (title, lists) in [(noun, &summary.top_pages), ("host", &summary.top_hosts)] {
        for rank in ["pagerank", "harmonic", "in_degree"] {
            let Some(tops) = lists.get(rank).filter(|tops| !tops.is_empty()) else { continue };
            outln!("\nfirst {title}s by {}", rank_name(rank));
            tops.iter()
                .for_each(|Top { name, score, .. }| outln!("{:>12}  {name}", score_text(rank, *score)));
        }
    }
    if let Some(report) = &summary.report {
        outln!("\nreport: {}", report.display());
    }
}

/// Average and effective diameter, with errors where there are any.
pub fn distances_text(distances: &DistanceSummary) -> String {
    let Some(average) = distances.average else { return "no two nodes are connected".into() };
    let error = |error: f64| if distances.exact { String::new() } else { format!(" ± {error:.3}") };
    format!(
        "{average:.3}{} on average, effective diameter {:.2}{}, {:.1} % of all pairs are connected{}",
        error(distances.average_error),
        distances.effective_diameter,
        error(distances.effective_diameter_error),
        100.0 * distances.reachable_part,
        if distances.exact { "" } else { " (estimated)" }
    )
}

/// A rank for people.
pub fn rank_name(rank: &str) -> &'static str {
    match rank {
        "pagerank" => "PageRank",
        "harmonic" => "harmonic centrality",
        "in_degree" => "links to them",
        "authority" => "authority (HITS)",
        _ => "hub (HITS)",
    }
}

/// A score in as many digits as its rank needs.
pub fn score_text(rank: &str, score: f64) -> String {
    match rank {
        "in_degree" => thousands(score as u64),
        "harmonic" => format!("{score:.1}"),
        _ => format!("{score:.6}"),
    }
}
