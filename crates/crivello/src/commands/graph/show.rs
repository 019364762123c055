//! The summary for people.

use build::graphs::report::words::{distances_text, rank_name, score_text};
use build::graphs::report::{ComponentCounts, Degrees, Sizes, Summary, Top};

use crate::output::{counted, outln, thousands};

/// Prints the summary.
pub fn print(summary: &Summary) {
    row("graph", format!("{}, {}", counted(summary.nodes, "node"), counted(summary.arcs, "link")));
    if let Some(sizes) = &summary.sizes {
        print_sizes(sizes, summary.arcs > 0);
    }
    row("ranked on", format!("{}: {} of them", summary.filter, thousands(summary.arcs_ranked)));
    print_degrees(&summary.degrees);
    print_components(&summary.components);
    row("distances", distances_text(&summary.distances));
    print_tops(summary);
    if let Some(report) = &summary.report {
        outln!("\nreport: {}", report.display());
    }
}

fn row(name: &str, value: String) {
    outln!("{name:>12}  {value}");
}

fn print_sizes(sizes: &Sizes, has_links: bool) {
    if has_links {
        let ef = sizes.ef_bits_per_link.map_or(String::new(), |bits| format!(", in Elias–Fano {bits:.3}"));
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

fn print_degrees(degrees: &Degrees) {
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
}

fn print_components(parts: &ComponentCounts) {
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
}

fn print_tops(summary: &Summary) {
    let noun = if summary.sizes.is_some() { "page" } else { "node" };
    for (title, lists) in [(noun, &summary.top_pages), ("host", &summary.top_hosts)] {
        for rank in ["pagerank", "harmonic", "in_degree"] {
            let Some(tops) = lists.get(rank).filter(|tops| !tops.is_empty()) else { continue };
            outln!("\nfirst {title}s by {}", rank_name(rank));
            tops.iter()
                .for_each(|Top { name, score, .. }| outln!("{:>12}  {name}", score_text(rank, *score)));
        }
    }
}
