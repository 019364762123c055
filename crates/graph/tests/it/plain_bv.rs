//! Reads a graph in BV format bit by bit. Too slow for use and small enough to be seen to be right: an oracle.
//!
//! After Boldi and Vigna, "The WebGraph Framework I: Compression Techniques" (2004), default codes only.

use std::fs;
use std::path::Path;

use graph::Csr;

struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    fn bit(&mut self) -> u64 {
        let bit = self.bytes[self.at / 8] >> (7 - self.at % 8) & 1;
        self.at += 1;
        u64::from(bit)
    }

    fn number(&mut self, bits: u64) -> u64 {
        (0..bits).fold(0, |number, _| number << 1 | self.bit())
    }

    fn unary(&mut self) -> u64 {
        (0..).find(|_| self.bit() == 1).expect("endless")
    }

    fn gamma(&mut self) -> u64 {
        let bits = self.unary();
        (1 << bits | self.number(bits)) - 1
    }

    fn zeta(&mut self, shrink: u64) -> u64 {
        let step = self.unary();
        let base = 1 << (step * shrink);
        let short = self.number(step * shrink + shrink - 1);
        if short < base { short + base - 1 } else { (short << 1 | self.bit()) - 1 }
    }

    /// A natural number that stands for an integer: 0, -1, 1, -2, …
    fn signed(natural: u64) -> i64 {
        if natural.is_multiple_of(2) { natural as i64 / 2 } else { -(natural as i64 + 1) / 2 }
    }
}

/// The graph of `basename.graph` and `basename.properties`.
pub fn read_bv(basename: &Path) -> Csr {
    let properties = fs::read_to_string(basename.with_extension("properties")).expect("properties");
    let property = |name: &str| -> u64 {
        let value = properties.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        value.and_then(|value| value.trim().parse().ok()).unwrap_or_else(|| panic!("no property {name}"))
    };
    let (nodes, interval_min, shrink) =
        (property("nodes") as usize, property("minintervallength"), property("zetak"));
    let bytes = fs::read(basename.with_extension("graph")).expect("graph");
    let mut bits = Bits { bytes: &bytes, at: 0 };
    let mut lists: Vec<Vec<u32>> = Vec::with_capacity(nodes);
    for node in 0..nodes {
        let degree = bits.gamma() as usize;
        let mut list = Vec::with_capacity(degree);
        if degree > 0 {
            let back = bits.unary() as usize;
            if back > 0 {
                copy_blocks(&mut bits, &lists[node - back], &mut list);
            }
            let mut left = 0;
            let intervals = if list.len() < degree { bits.gamma() } else { 0 };
            for interval in 0..intervals {
                let gap = bits.gamma();
                left = if interval == 0 { node as i64 + Bits::signed(gap) } else { left + 1 + gap as i64 };
                let length = (bits.gamma() + interval_min) as i64;
                list.extend((left..left + length).map(|target| target as u32));
                left += length;
            }
            let mut last = 0;
            for place in 0..degree - list.len() {
                let gap = bits.zeta(shrink);
                last = if place == 0 { node as i64 + Bits::signed(gap) } else { last + 1 + gap as i64 };
                list.push(last as u32);
            }
        }
        list.sort_unstable();
        lists.push(list);
    }
    let arcs = lists.iter().zip(0..).flat_map(|(list, node)| list.iter().map(move |target| (node, *target)));
    Csr::from_arcs(nodes, arcs)
}

/// Blocks are copied and left out in turn; what is behind the last one is the opposite of it.
fn copy_blocks(bits: &mut Bits, from: &[u32], list: &mut Vec<u32>) {
    let blocks = bits.gamma();
    let mut at = 0;
    for block in 0..blocks {
        let length = bits.gamma() as usize + usize::from(block > 0);
        if block % 2 == 0 {
            list.extend_from_slice(&from[at..at + length]);
        }
        at += length;
    }
    if blocks.is_multiple_of(2) {
        list.extend_from_slice(&from[at..]);
    }
}
