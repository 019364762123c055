//! Numbers about a graph as people read them, on a terminal as on a page.

use page::thousands;

use super::DistanceSummary;

/// Tells average and effective diameter, with errors where there are any.
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

/// Names a rank for people.
pub fn rank_name(rank: &str) -> &'static str {
    match rank {
        "pagerank" => "PageRank",
        "harmonic" => "harmonic centrality",
        "in_degree" => "links to them",
        "authority" => "authority (HITS)",
        _ => "hub (HITS)",
    }
}

/// Writes a score in as many digits as its rank needs.
pub fn score_text(rank: &str, score: f64) -> String {
    match rank {
        "in_degree" => thousands(score as u64),
        "harmonic" => format!("{score:.1}"),
        _ => format!("{score:.6}"),
    }
}
