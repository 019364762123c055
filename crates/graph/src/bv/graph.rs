//! A graph in BV format, mapped from its file: random access and scans.
//!
//! A graph `BASENAME` is `BASENAME.graph` (the lists), `BASENAME.properties` (how to read them) and, for other tools,
//! `BASENAME.offsets`. Random access needs to know where each list starts; we keep that in `BASENAME.starts`, an
//! Elias–Fano sequence with the checksums of the two files it belongs to:
//!
//! ```text
//! starts = sealed file "strt": checksum of .graph (u64), checksum of .properties (u64), Elias–Fano of nodes + 1 places
//! ```
//!
//! If it is there and belongs to the files, they are what was written and are used at once. Otherwise every list is read
//! and checked first, which finds the places as well; then a damaged graph is an error here and not a surprise later.
//!
//! Cost: 10 ns an arc to check an unknown graph, a hundredth of that to recognise a known one. A list costs its own bits
//! and those of at most `maxrefcount` lists that it copies from. Nothing recurses, whatever the length of the chain.

use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};

use journal::{Bytes, u64_at};
use xxhash_rust::xxh3::xxh3_64;

use super::bit_reader::BitReader;
use super::jumps::Starts;
use super::list::{Damage, Scratch};
use super::properties::Properties;
use crate::elias_fano::{EliasFano, EliasFanoBuilder};
use crate::sealed::{open_sealed, write_sealed};
use crate::{Error, LinkGraph};

const STARTS_KIND: [u8; 4] = *b"strt";

/// A compressed graph on disk.
///
/// ```
/// use graph::{BvGraph, BvOptions, Csr, LinkGraph, write_bv};
/// # let folder = tempfile::tempdir().unwrap();
/// let basename = folder.path().join("small");
/// write_bv(&Csr::from_arcs(3, [(0, 2), (0, 1), (2, 0)]), &basename, &BvOptions::standard())?;
///
/// let graph = BvGraph::open(&basename)?;
/// let mut targets = Vec::new();
/// graph.successors(0, &mut targets);
/// assert_eq!(targets, [1, 2]);
/// # Ok::<(), graph::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct BvGraph {
    properties: Properties,
    bits: Bytes,
    starts: Starts,
}

impl BvGraph {
    /// Opens `BASENAME.graph` with its properties. A graph that does not have our `.starts` is checked whole; one that does
    /// not fit to it has been changed.
    pub fn open(basename: &Path) -> Result<Self, Error> {
        let (properties, bits, checksums) = open_files(basename)?;
        let path = with_extension(basename, "starts");
        let starts = match open_sealed(&path, STARTS_KIND) {
            Ok(payload) => starts_in(&payload, &path, &properties, checksums)?,
            Err(_) => check(&properties, &bits, &with_extension(basename, "graph"))?,
        };
        Ok(Self { properties, bits, starts: Starts::All(starts) })
    }

    /// Opens a graph that was written here: if its files are not exactly those that were written, that is an error.
    pub fn open_sealed(basename: &Path) -> Result<Self, Error> {
        let (properties, bits, checksums) = open_files(basename)?;
        let path = with_extension(basename, "starts");
        let starts = starts_in(&open_sealed(&path, STARTS_KIND)?, &path, &properties, checksums)?;
        Ok(Self { properties, bits, starts: Starts::All(starts) })
    }

    /// Keeps only where every J-th list starts: less memory, and up to J − 1 lists to pass over before one is found.
    /// Scans cost the same.
    pub fn with_jump(self, jump: NonZeroUsize) -> Self {
        let starts = self.starts.every(jump.get(), &self.properties, &self.bits);
        Self { starts, ..self }
    }

    fn start_of(&self, node: usize) -> u64 {
        self.starts.get(&self.properties, &self.bits, node)
    }

    /// Compares a `.offsets` file, which is there for other tools, with where the lists start.
    pub fn check_offsets(&self, path: &Path) -> Result<(), Error> {
        let bytes = Bytes::map(path)?;
        let mut reader = BitReader::new(&bytes, 0);
        let mut place = 0;
        for node in 0..=self.properties.nodes {
            let is_inside = reader.position() < 8 * bytes.len() as u64;
            place += if is_inside { reader.gamma() } else { u64::MAX >> 1 };
            if place != self.start_of(node) {
                return Err(Error::damaged(path, format!("list {node} starts elsewhere")));
            }
        }
        let end = reader.position();
        // Behind the last number stand only zeros that fill the last word.
        let is_padded =
            (end..8 * bytes.len() as u64).all(|bit| bytes[bit as usize / 8] >> (7 - bit % 8) & 1 == 0);
        if is_padded { Ok(()) } else { Err(Error::damaged(path, "there is something behind the last list")) }
    }

    /// The bits of all lists.
    pub fn bits(&self) -> u64 {
        self.start_of(self.properties.nodes)
    }

    /// The size of the lists, in bits an arc.
    pub fn bits_per_link(&self) -> f64 {
        self.bits() as f64 / self.properties.arcs.max(1) as f64
    }

    /// The size of what finds a list, in bytes.
    pub fn starts_bytes(&self) -> usize {
        self.starts.bytes()
    }

    /// Decodes one list, and those it copies from, from the farthest to the nearest.
    fn decode(&self, node: u32, work: &mut Work, targets: &mut Vec<u32>) -> Result<(), Damage> {
        let bits: &[u8] = &self.bits;
        let mut reader = BitReader::new(bits, self.start_of(node as usize));
        let mut head = self.properties.read_head(&mut reader, node)?;
        if head.reference == 0 {
            return self.properties.read_body(&mut reader, node, head, &[], &mut work.scratch, targets);
        }
        let mut chain = std::mem::take(&mut work.chain);
        chain.clear();
        let mut current = node;
        while head.reference > 0 {
            chain.push((current, head, reader.position()));
            current -= head.reference as u32;
            reader = BitReader::new(bits, self.start_of(current as usize));
            head = self.properties.read_head(&mut reader, current)?;
        }
        self.properties.read_body(&mut reader, current, head, &[], &mut work.scratch, targets)?;
        for (current, head, position) in chain.iter().rev() {
            std::mem::swap(&mut work.referred, targets);
            let mut reader = BitReader::new(bits, *position);
            let (scratch, referred) = (&mut work.scratch, &work.referred);
            self.properties.read_body(&mut reader, *current, *head, referred, scratch, targets)?;
        }
        work.chain = chain;
        Ok(())
    }
}

/// Memory for one random access, kept by each thread.
#[derive(Default)]
struct Work {
    scratch: Scratch,
    referred: Vec<u32>,
    chain: Vec<(u32, super::list::Head, u64)>,
}

thread_local! {
    static WORK: RefCell<Work> = RefCell::default();
}

/// All lists were checked when the graph was opened, and nobody changes the files of a graph.
const CHECKED: &str = "lists that were checked can be read";

impl LinkGraph for BvGraph {
    fn nodes(&self) -> usize {
        self.properties.nodes
    }

    fn arcs(&self) -> u64 {
        self.properties.arcs
    }

    fn successors(&self, node: u32, targets: &mut Vec<u32>) {
        WORK.with_borrow_mut(|work| self.decode(node, work, targets)).expect(CHECKED);
    }

    fn scan(&self, nodes: Range<u32>, see: &mut dyn FnMut(u32, &[u32])) {
        if nodes.is_empty() {
            return;
        }
        let mut window = Window::new(&self.properties);
        for node in nodes.start.saturating_sub(self.properties.window as u32)..nodes.start {
            self.successors(node, window.slot(node));
        }
        let mut reader = BitReader::new(&self.bits, self.start_of(nodes.start as usize));
        for node in nodes {
            see(node, window.read(&mut reader, node).expect(CHECKED));
        }
    }

    fn outdegree(&self, node: u32) -> usize {
        let mut reader = BitReader::new(&self.bits, self.start_of(node as usize));
        reader.read(self.properties.outdegrees) as usize
    }
}

/// The last lists of a scan, which the next ones may copy from.
struct Window<'a> {
    properties: &'a Properties,
    lists: Vec<Vec<u32>>,
    scratch: Scratch,
}

impl<'a> Window<'a> {
    fn new(properties: &'a Properties) -> Self {
        Self { properties, lists: vec![Vec::new(); properties.window + 1], scratch: Scratch::default() }
    }

    fn slot(&mut self, node: u32) -> &mut Vec<u32> {
        let place = node as usize % self.lists.len();
        &mut self.lists[place]
    }

    fn read(&mut self, reader: &mut BitReader, node: u32) -> Result<&[u32], Damage> {
        let head = self.properties.read_head(reader, node)?;
        // A list never copies from itself, so it can be taken out while the other is read.
        let mut targets = std::mem::take(self.slot(node));
        let referred = match head.reference {
            0 => &[],
            reference => &self.lists[(node as usize - reference) % self.lists.len()][..],
        };
        self.properties.read_body(reader, node, head, referred, &mut self.scratch, &mut targets)?;
        let slot = self.slot(node);
        *slot = targets;
        Ok(slot)
    }
}

pub(super) fn with_extension(basename: &Path, extension: &str) -> PathBuf {
    let mut name = basename.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}

fn open_files(basename: &Path) -> Result<(Properties, Bytes, [u64; 2]), Error> {
    let (properties, text) = Properties::read(&with_extension(basename, "properties"))?;
    let path = with_extension(basename, "graph");
    let bits = Bytes::map(&path)?;
    // An empty list takes a bit or more, so this holds for every graph, and bounds what is allocated for it.
    if properties.nodes > 8 * bits.len() {
        let reason = format!("{} bytes cannot hold {} lists", bits.len(), properties.nodes);
        return Err(Error::damaged(&path, reason));
    }
    let checksums = [xxh3_64(&bits), xxh3_64(&text)];
    Ok((properties, bits, checksums))
}

fn starts_in(
    payload: &Bytes,
    path: &Path,
    properties: &Properties,
    checksums: [u64; 2],
) -> Result<EliasFano, Error> {
    let wrong = |reason: &str| Error::damaged(path, reason);
    if payload.len() < 16 || [u64_at(payload, 0), u64_at(payload, 8)] != checksums {
        return Err(wrong("it belongs to other files, or those beside it have changed"));
    }
    let starts = payload.cut(16..payload.len()).and_then(|bytes| EliasFano::from_bytes(&bytes));
    let starts = starts.ok_or_else(|| wrong("its lengths do not add up"))?;
    if starts.len() != properties.nodes + 1 {
        return Err(wrong("it has another number of lists"));
    }
    Ok(starts)
}

/// Reads all lists, checks them, and finds where each starts.
fn check(properties: &Properties, bits: &Bytes, path: &Path) -> Result<EliasFano, Error> {
    let universe = 8 * bits.len() as u64;
    let mut starts = EliasFanoBuilder::new(properties.nodes + 1, universe);
    let mut window = Window::new(properties);
    let mut reader = BitReader::new(bits, 0);
    let mut arcs = 0;
    for node in 0..properties.nodes as u32 {
        starts.push(reader.position());
        let damaged = |Damage(reason): Damage| Error::damaged(path, format!("list {node}: {reason}"));
        let targets = window.read(&mut reader, node).map_err(damaged)?;
        if !targets.is_sorted_by(|one, next| one < next) {
            return Err(damaged(Damage("its targets do not ascend")));
        }
        arcs += targets.len() as u64;
    }
    if arcs != properties.arcs {
        let reason = format!("it holds {arcs} arcs, and its properties say {}", properties.arcs);
        return Err(Error::damaged(path, reason));
    }
    starts.push(reader.position());
    Ok(starts.build())
}

/// Writes the `.starts` of files that were just written.
pub(super) fn write_starts(basename: &Path, starts: EliasFanoBuilder) -> Result<(), Error> {
    let (_, _, checksums) = open_files(basename)?;
    let mut payload = Vec::new();
    for checksum in checksums {
        payload.extend_from_slice(&checksum.to_le_bytes());
    }
    payload.extend_from_slice(&starts.into_bytes());
    write_sealed(&with_extension(basename, "starts"), STARTS_KIND, &payload)
}
