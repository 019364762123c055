//! The graph of hosts, or of domains: who links to whom, and how many links of pages that is.
//!
//! There are far fewer hosts than pages, so it lives in memory. Its file:
//!
//! ```text
//! payload = count ; for each node: shared, length, rest of the name ; degree ; for each arc: gap, weight
//!           numbers of 7 bits a byte; a name leaves out what it shares with the one before
//! ```

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use journal::varint;

use crate::sealed::{open_sealed, write_sealed};
use crate::{Csr, Error, LinkGraph, reversed};

const KIND: [u8; 4] = *b"host";

/// A graph whose nodes have names and whose arcs have weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightedGraph {
    names: Vec<String>,
    graph: Csr,
    weights: Vec<u64>,
}

impl WeightedGraph {
    /// From the lists of all nodes: targets with weights, ascending.
    pub(crate) fn new(names: Vec<String>, lists: &[Vec<(u32, u64)>]) -> Self {
        let arcs = lists
            .iter()
            .zip(0..)
            .flat_map(|(list, source)| list.iter().map(move |(target, _)| (source, *target)));
        let graph = Csr::from_arcs(names.len(), arcs);
        let weights = lists.iter().flatten().map(|(_, weight)| *weight).collect();
        Self { names, graph, weights }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The name of a node, such as `www.example.org`.
    pub fn name(&self, node: u32) -> &str {
        &self.names[node as usize]
    }

    /// The graph without its weights.
    pub fn graph(&self) -> &Csr {
        &self.graph
    }

    /// The arcs of a node: target, and how many links of pages it stands for. Links within a host are an arc to itself.
    pub fn arcs_of(&self, node: u32) -> impl Iterator<Item = (u32, u64)> {
        let start = self.graph.start_of(node) as usize;
        let targets = self.graph.targets(node);
        targets.iter().copied().zip(self.weights[start..start + targets.len()].iter().copied())
    }

    /// Joins nodes whose names `group` maps to the same name. New nodes stand in order of their first member.
    pub fn grouped(&self, group: impl Fn(&str) -> &str) -> Self {
        let (mut names, mut numbers) = (Vec::new(), HashMap::new());
        let members: Vec<u32> = self
            .names
            .iter()
            .map(|name| {
                *numbers.entry(group(name)).or_insert_with_key(|group| {
                    names.push((*group).to_owned());
                    names.len() as u32 - 1
                })
            })
            .collect();
        let mut sums: Vec<BTreeMap<u32, u64>> = vec![BTreeMap::new(); names.len()];
        for node in 0..self.len() as u32 {
            for (target, weight) in self.arcs_of(node) {
                *sums[members[node as usize] as usize].entry(members[target as usize]).or_default() += weight;
            }
        }
        let lists: Vec<Vec<(u32, u64)>> = sums.into_iter().map(|list| list.into_iter().collect()).collect();
        Self::new(names, &lists)
    }

    /// Writes the file.
    pub(crate) fn write(&self, path: &Path) -> Result<(), Error> {
        let mut payload = Vec::new();
        varint::put(&mut payload, self.len() as u64);
        let mut before = String::new();
        for node in 0..self.len() as u32 {
            let name = reversed(self.name(node));
            let shared = name.bytes().zip(before.bytes()).take_while(|(one, other)| one == other).count();
            varint::put(&mut payload, shared as u64);
            varint::put(&mut payload, (name.len() - shared) as u64);
            payload.extend_from_slice(&name.as_bytes()[shared..]);
            before = name;
            varint::put(&mut payload, self.graph.outdegree(node) as u64);
            let mut last = 0;
            for (target, weight) in self.arcs_of(node) {
                varint::put(&mut payload, u64::from(target - last));
                varint::put(&mut payload, weight);
                last = target;
            }
        }
        write_sealed(path, KIND, &payload)
    }

    /// Reads the file.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let payload = open_sealed(path, KIND)?;
        Self::parse(&payload).ok_or_else(|| Error::damaged(path, "its numbers do not add up"))
    }

    fn parse(mut rest: &[u8]) -> Option<Self> {
        let count = varint::take(&mut rest)?;
        let (mut names, mut lists, mut name) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..count {
            name.truncate(varint::take(&mut rest)? as usize);
            let length = varint::take(&mut rest)? as usize;
            name.extend_from_slice(rest.get(..length)?);
            rest = &rest[length..];
            names.push(reversed(std::str::from_utf8(&name).ok()?));
            let (mut list, mut target) = (Vec::new(), 0);
            for _ in 0..varint::take(&mut rest)? {
                let gap = varint::take(&mut rest)?;
                target = gap.checked_add(target)?;
                (target < count && (gap > 0 || list.is_empty())).then_some(())?;
                list.push((target as u32, varint::take(&mut rest)?));
            }
            lists.push(list);
        }
        rest.is_empty().then(|| Self::new(names, &lists))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts() -> WeightedGraph {
        let names = ["a.org", "www.a.org", "b.net"].map(str::to_owned).to_vec();
        WeightedGraph::new(names, &[vec![(0, 5), (1, 2)], vec![(0, 1), (2, 7)], vec![]])
    }

    #[test]
    fn weights_stay_with_their_arcs_on_disk() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("hosts");
        hosts().write(&path).unwrap();
        let read = WeightedGraph::open(&path).unwrap();
        assert_eq!(read, hosts());
        assert_eq!(read.arcs_of(1).collect::<Vec<_>>(), [(0, 1), (2, 7)]);
    }

    #[test]
    fn hosts_of_a_domain_are_joined_and_their_weights_added() {
        let domain = |host: &str| -> &'static str { if host.ends_with("a.org") { "a.org" } else { "b.net" } };
        let domains = hosts().grouped(|host| domain(host));
        assert_eq!(domains.len(), 2);
        assert_eq!(domains.arcs_of(0).collect::<Vec<_>>(), [(0, 8), (1, 7)]);
        assert_eq!(domains.name(1), "b.net");
    }
}
