//! From a list of arcs to a graph in BV format.
//!
//! Nodes that are numbers from 0 on keep their numbers: a list that counts from one has a node 0 without arcs. Everything
//! else is a name, and nodes are numbered in the order of their names: by value if all are whole numbers (as those of users,
//! which are large and have holes), else by letters.
//!
//! Cost: the file is read two or three times. Arcs are sorted within the budget; names, if there are any, are kept in memory.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use super::arc_lines::{ArcLine, for_each_arc};
use crate::from_arcs::{folder_of, write_lists};
use crate::{ArcSorter, BvOptions, BvReport, Error};

/// What a list of arcs became.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportReport {
    /// The graph that was written.
    pub graph: BvReport,
    /// The names of the nodes, if they do not count from 0. The node is the place.
    pub names: Option<Vec<String>>,
    /// The first arc was not taken for one: it has names, and all others have numbers, or the names are those of columns.
    pub has_header: bool,
    /// How many arcs have more columns than two. They are not looked at.
    pub arcs_with_more: u64,
}

/// Reads a list of arcs, plain or gzipped, and writes the graph.
pub fn import_arcs(
    path: &Path,
    basename: &Path,
    options: &BvOptions,
    memory_bytes: usize,
) -> Result<ImportReport, Error> {
    let survey = Survey::of(path)?;
    let list = List { path, header: survey.header(), basename, options, memory_bytes };
    let (graph, names) = if survey.counts_from_zero() {
        (list.write(survey.nodes(), |end| end.parse().ok())?, None)
    } else {
        list.write_named(survey.are_whole_numbers())?
    };
    let arcs_with_more = survey.arcs_with_more - u64::from(survey.header_has_more());
    Ok(ImportReport { graph, names, has_header: list.header.is_some(), arcs_with_more })
}

/// What is known after the file was read once.
#[derive(Default)]
struct Survey {
    arcs: u64,
    arcs_with_more: u64,
    /// Line of the first arc, if its ends are names, and whether it has more columns.
    first_is_named: Option<(u64, bool)>,
    /// Its names are such as columns have.
    first_names_columns: bool,
    /// Arcs with an end that is no whole number.
    named: u64,
    /// An end is a whole number, but none of a node: negative, or too large.
    is_beyond: bool,
    largest: Option<u32>,
}

/// A list with larger numbers than this names most of them: else a few arcs would be gigabytes of empty lists.
const SPARSE_NODES_MAX: u64 = 1 << 24;
const NODES_PER_ARC_MAX: u64 = 64;

/// How columns are called.
const COLUMN_NAMES: [[&str; 2]; 5] =
    [["source", "target"], ["from", "to"], ["src", "dst"], ["head", "tail"], ["fromnode", "tonode"]];

impl Survey {
    fn of(path: &Path) -> Result<Self, Error> {
        let mut survey = Self::default();
        for_each_arc(path, |arc| {
            survey.see(&arc);
            Ok(())
        })?;
        Ok(survey)
    }

    fn see(&mut self, arc: &ArcLine) {
        let mut names = 0;
        for end in [arc.source, arc.target] {
            match end.parse::<u32>() {
                Ok(number) if number < u32::MAX => self.largest = self.largest.max(Some(number)),
                _ if end.parse::<i128>().is_ok() => self.is_beyond = true,
                _ => names += 1,
            }
        }
        if self.arcs == 0 && names == 2 {
            self.first_is_named = Some((arc.line, arc.has_more));
            self.first_names_columns = COLUMN_NAMES.iter().any(|names| {
                names[0].eq_ignore_ascii_case(arc.source) && names[1].eq_ignore_ascii_case(arc.target)
            });
        }
        self.arcs += 1;
        self.arcs_with_more += u64::from(arc.has_more);
        self.named += u64::from(names > 0);
    }

    /// The line of the header: any names above numbers, or `source target` above names.
    fn header(&self) -> Option<u64> {
        let (line, _) = self.first_is_named?;
        (self.named == 1 && self.arcs > 1 || self.first_names_columns).then_some(line)
    }

    fn header_has_more(&self) -> bool {
        self.header().is_some() && self.first_is_named.is_some_and(|(_, has_more)| has_more)
    }

    fn are_whole_numbers(&self) -> bool {
        self.named == u64::from(self.header().is_some())
    }

    fn nodes(&self) -> usize {
        self.largest.map_or(0, |largest| largest as usize + 1)
    }

    fn counts_from_zero(&self) -> bool {
        let is_sparse = self.nodes() as u64 > SPARSE_NODES_MAX.max(NODES_PER_ARC_MAX * self.arcs);
        self.are_whole_numbers() && !self.is_beyond && !is_sparse
    }
}

/// A list that was surveyed, and where it goes.
struct List<'a> {
    path: &'a Path,
    header: Option<u64>,
    basename: &'a Path,
    options: &'a BvOptions,
    memory_bytes: usize,
}

impl List<'_> {
    fn for_each(&self, mut see: impl FnMut(ArcLine) -> Result<(), Error>) -> Result<(), Error> {
        for_each_arc(self.path, |arc| if Some(arc.line) == self.header { Ok(()) } else { see(arc) })
    }

    fn write(&self, nodes: usize, node: impl Fn(&str) -> Option<u32>) -> Result<BvReport, Error> {
        let mut sorter = ArcSorter::new(nodes, self.memory_bytes, folder_of(self.basename))?;
        self.for_each(|arc| match (node(arc.source), node(arc.target)) {
            (Some(source), Some(target)) => sorter.push(source, target),
            _ => Err(self.changed(arc.line)),
        })?;
        write_lists(sorter.finish()?, self.basename, self.options)
    }

    fn write_named(&self, are_whole_numbers: bool) -> Result<(BvReport, Option<Vec<String>>), Error> {
        let mut numbers: HashMap<String, u32> = HashMap::new();
        self.for_each(|arc| {
            for end in [arc.source, arc.target] {
                let name = name_of(end, are_whole_numbers);
                if !numbers.contains_key(&*name) {
                    numbers.insert(name.into_owned(), 0);
                }
            }
            Ok(())
        })?;
        if numbers.len() >= u32::MAX as usize {
            return Err(Error::TooMany { what: "nodes", limit: u64::from(u32::MAX) - 1 });
        }
        let mut sorted: Vec<(&String, &mut u32)> = numbers.iter_mut().collect();
        if are_whole_numbers {
            sorted.sort_by_cached_key(|(name, _)| name.parse::<i128>().ok());
        } else {
            sorted.sort_unstable();
        }
        let mut names = Vec::with_capacity(sorted.len());
        for (place, (name, number)) in sorted.into_iter().enumerate() {
            *number = place as u32;
            names.push(name.clone());
        }
        let graph = self.write(names.len(), |end| numbers.get(&*name_of(end, are_whole_numbers)).copied())?;
        Ok((graph, Some(names)))
    }

    fn changed(&self, line: u64) -> Error {
        Error::Line { path: self.path.to_owned(), line, reason: "the file changed while it was read".into() }
    }
}

/// The name of an end; a whole number has one name, however many zeros are before it.
fn name_of(end: &str, are_whole_numbers: bool) -> Cow<'_, str> {
    let is_usual = !end.starts_with('+') && !end.trim_start_matches('-').starts_with('0');
    match end.parse::<i128>() {
        Ok(number) if are_whole_numbers && !is_usual => Cow::Owned(number.to_string()),
        _ => Cow::Borrowed(end),
    }
}

#[cfg(test)]
#[path = "import_tests.rs"]
mod tests;
