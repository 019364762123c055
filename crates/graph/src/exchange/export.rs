//! Graphs for other tools, as text.

use std::io::{self, Write};

use crate::{LinkGraph, WeightedGraph};

/// Writes a line `source<TAB>target` for each arc.
pub fn export_arcs(graph: &dyn LinkGraph, out: &mut dyn Write) -> io::Result<()> {
    let mut outcome = Ok(());
    graph.scan(0..graph.nodes() as u32, &mut |node, targets| {
        for target in targets {
            if outcome.is_ok() {
                outcome = writeln!(out, "{node}\t{target}");
            }
        }
    });
    outcome
}

/// Writes the graph of hosts or domains as GraphML, with names and weights.
pub fn export_graphml(graph: &WeightedGraph, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(out, r#"<graphml xmlns="http://graphml.graphdrawing.org/xmlns">"#)?;
    writeln!(out, r#"  <key id="name" for="node" attr.name="name" attr.type="string"/>"#)?;
    writeln!(out, r#"  <key id="weight" for="edge" attr.name="weight" attr.type="long"/>"#)?;
    writeln!(out, r#"  <graph id="hosts" edgedefault="directed">"#)?;
    for node in 0..graph.len() as u32 {
        let name = escaped(graph.name(node));
        writeln!(out, r#"    <node id="n{node}"><data key="name">{name}</data></node>"#)?;
    }
    for node in 0..graph.len() as u32 {
        for (target, weight) in graph.arcs_of(node) {
            let data = format!(r#"<data key="weight">{weight}</data>"#);
            writeln!(out, r#"    <edge source="n{node}" target="n{target}">{data}</edge>"#)?;
        }
    }
    writeln!(out, "  </graph>\n</graphml>")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_written_as_graphml() {
        let hosts = WeightedGraph::new(vec!["a.org".into(), "b&c".into()], &[vec![(1, 7)], vec![]]);
        let mut text = Vec::new();
        export_graphml(&hosts, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains(r#"<edge source="n0" target="n1"><data key="weight">7</data></edge>"#));
        assert!(text.contains("b&amp;c"));
    }
}
