//! Graphs from and to other tools: lists of arcs, GraphML. (BV is [`crate::BvGraph`] and [`crate::write_bv`].)

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use crate::from_arcs::write_lists;
use crate::{ArcSorter, BvOptions, BvReport, Error, LinkGraph, WeightedGraph};

/// What a list of arcs became.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportReport {
    /// The graph that was written.
    pub graph: BvReport,
    /// The names of the nodes, if they were not numbers: sorted, so the node is the place.
    pub names: Option<Vec<String>>,
}

/// Reads lines `source target`, separated by tabs or spaces, and writes the graph in BV format.
///
/// Numbers are kept as they are: the nodes of a list that counts from one are 0 (without arcs) to n. If any end is not a
/// number, all are names, and nodes are numbered in the order of their names. More columns are ignored, and so are empty
/// lines and lines that start with `#` or `%`.
pub fn import_arcs(
    path: &Path,
    basename: &Path,
    options: &BvOptions,
    memory_bytes: usize,
) -> Result<ImportReport, Error> {
    let (mut largest, mut arcs) = (None, 0u64);
    let mut are_numbers = true;
    for_each_arc(path, |source, target, _| {
        arcs += 1;
        for end in [source, target] {
            match end.parse::<u32>() {
                Ok(number) if number < u32::MAX => largest = largest.max(Some(number)),
                _ => are_numbers = false,
            }
        }
        Ok(())
    })?;
    let scratch = basename.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if are_numbers {
        let nodes = largest.map_or(0, |largest| largest as usize + 1);
        if nodes as u64 > SPARSE_NODES_MAX.max(NODES_PER_ARC_MAX * arcs) {
            let reason = format!("node {} is named, and there are only {arcs} arcs", nodes - 1);
            return Err(Error::Unsupported { path: path.to_owned(), reason });
        }
        let mut sorter = ArcSorter::new(nodes, memory_bytes, scratch)?;
        for_each_arc(path, |source, target, _| {
            let number = |end: &str| end.parse::<u32>().expect("all ends were seen to be numbers");
            sorter.push(number(source), number(target))
        })?;
        return Ok(ImportReport { graph: write_lists(sorter.finish()?, basename, options)?, names: None });
    }
    let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
    for_each_arc(path, |source, target, _| {
        for end in [source, target] {
            if !numbers.contains_key(end) {
                numbers.insert(end.to_owned(), 0);
            }
        }
        Ok(())
    })?;
    numbers.values_mut().zip(0..).for_each(|(number, place)| *number = place);
    let mut sorter = ArcSorter::new(numbers.len(), memory_bytes, scratch)?;
    for_each_arc(path, |source, target, line| match (numbers.get(source), numbers.get(target)) {
        (Some(source), Some(target)) => sorter.push(*source, *target),
        _ => Err(Error::Line {
            path: path.to_owned(),
            line,
            reason: "the file changed while it was read".into(),
        }),
    })?;
    let graph = write_lists(sorter.finish()?, basename, options)?;
    Ok(ImportReport { graph, names: Some(numbers.into_keys().collect()) })
}

/// A list with larger numbers than this names most of them: else a typing error would be gigabytes of empty lists.
const SPARSE_NODES_MAX: u64 = 1 << 24;
const NODES_PER_ARC_MAX: u64 = 64;

fn for_each_arc(path: &Path, mut see: impl FnMut(&str, &str, u64) -> Result<(), Error>) -> Result<(), Error> {
    let mut file = BufReader::new(File::open(path).map_err(Error::io("open", path))?);
    let mut text = Vec::new();
    for line in 1.. {
        text.clear();
        if file.read_until(b'\n', &mut text).map_err(Error::io("read", path))? == 0 {
            break;
        }
        let wrong = |reason: &str| Error::Line { path: path.to_owned(), line, reason: reason.to_owned() };
        let text = std::str::from_utf8(&text).map_err(|_| wrong("it is not text"))?.trim();
        if text.is_empty() || text.starts_with(['#', '%']) {
            continue;
        }
        let mut ends = text.split_whitespace();
        let (Some(source), Some(target)) = (ends.next(), ends.next()) else {
            return Err(wrong("an arc has two ends"));
        };
        see(source, target, line)?;
    }
    Ok(())
}

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
    use crate::{BvGraph, Csr};

    fn import(text: &str) -> Result<(ImportReport, Csr), Error> {
        let scratch = tempfile::tempdir().unwrap();
        let (arcs, basename) = (scratch.path().join("arcs.tsv"), scratch.path().join("graph"));
        std::fs::write(&arcs, text).unwrap();
        let report = import_arcs(&arcs, &basename, &BvOptions::standard(), 0)?;
        Ok((report, Csr::from_graph(&BvGraph::open(&basename)?)))
    }

    #[test]
    fn numbers_stay_and_names_are_sorted() {
        for (text, nodes, names, arcs) in [
            ("", 0, None, vec![]),
            ("# comment\n1\t3\n\n3 1 7\n1\t3\n", 4, None, vec![(1, 3), (3, 1)]),
            ("b\ta\na\t5\n", 3, Some(vec!["5", "a", "b"]), vec![(2, 1), (1, 0)]),
        ] {
            let (report, graph) = import(text).unwrap();
            assert_eq!(graph, Csr::from_arcs(nodes, arcs), "{text}");
            assert_eq!(report.names, names.map(|names| names.into_iter().map(str::to_owned).collect()));
            let mut exported = Vec::new();
            export_arcs(&graph, &mut exported).unwrap();
            let back = import(std::str::from_utf8(&exported).unwrap()).unwrap().1;
            assert_eq!(back.arcs(), graph.arcs());
        }
    }

    #[test]
    fn a_number_that_must_be_a_mistake_is_refused() {
        let error = import("4000000000 1\n").unwrap_err();
        assert!(error.to_string().contains("4000000000"), "{error}");
    }

    #[test]
    fn a_line_that_is_no_arc_is_named() {
        let error = import("1 2\n3\n").unwrap_err();
        assert!(error.to_string().contains("line 2") && error.hint().is_some(), "{error}");
    }

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
