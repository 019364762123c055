//! Where lists start, for whoever has little memory: only every J-th start is kept.
//!
//! Whoever wants another list jumps to the start before it and passes over at most J − 1 lists. To pass over a list that
//! copies from another takes the other's outdegree; so with each start the outdegrees of the lists in the window before it
//! are kept, a byte or more each. Otherwise a list would lead to one before it, and that to one before it, to the
//! beginning.
//!
//! Cost on cnr-2000, in bytes a list: 0.91 with all starts; 2.2, 0.57 and 0.15 with every 4th, 16th and 64th. A single list
//! takes 2, 3 and 8 times as long.
//!
//! After chapter 10.4 of the notes, and Boldi and Vigna, "The WebGraph Framework I" (2004), section 4.

use journal::varint;

use super::bit_reader::BitReader;
use super::list::Damage;
use super::properties::Properties;
use crate::elias_fano::{EliasFano, EliasFanoBuilder};

/// The places of all lists, or of some.
#[derive(Debug, Clone)]
pub(super) enum Starts {
    All(EliasFano),
    Every(Jumps),
}

#[derive(Debug, Clone)]
pub(super) struct Jumps {
    jump: usize,
    /// Of the lists 0, J, 2J, …, and where the last list ends.
    starts: EliasFano,
    /// Of as many lists as the window has before each of these, the nearest first, as varints.
    outdegrees: Vec<u8>,
    /// Where those of each start begin.
    places: EliasFano,
}

impl Starts {
    /// Where the list of a node starts, or, of the node behind the last, where the lists end.
    pub(super) fn get(&self, properties: &Properties, bits: &[u8], node: usize) -> u64 {
        match self {
            Self::All(starts) => starts.get(node),
            Self::Every(jumps) => {
                jumps.find(properties, bits, node).expect("lists that were checked can be read")
            }
        }
    }

    /// Keeps every J-th.
    pub(super) fn every(self, jump: usize, properties: &Properties, bits: &[u8]) -> Self {
        let start_of = |node: usize| self.get(properties, bits, node);
        let end = start_of(properties.nodes);
        let kept = properties.nodes.div_ceil(jump);
        let mut starts = EliasFanoBuilder::new(kept + 1, end);
        let (mut outdegrees, mut places) = (Vec::new(), vec![0]);
        for first in (0..properties.nodes).step_by(jump) {
            starts.push(start_of(first));
            for back in 1..=properties.window.min(first) {
                let mut reader = BitReader::new(bits, start_of(first - back));
                varint::put(&mut outdegrees, reader.read(properties.outdegrees));
            }
            places.push(outdegrees.len() as u64);
        }
        starts.push(end);
        let mut builder = EliasFanoBuilder::new(places.len(), outdegrees.len() as u64);
        places.iter().for_each(|place| builder.push(*place));
        Self::Every(Jumps { jump, starts: starts.build(), outdegrees, places: builder.build() })
    }

    /// The bytes of everything that finds a list.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::All(starts) => starts.bytes(),
            Self::Every(jumps) => jumps.starts.bytes() + jumps.outdegrees.len() + jumps.places.bytes(),
        }
    }
}

impl Jumps {
    fn find(&self, properties: &Properties, bits: &[u8], node: usize) -> Result<u64, Damage> {
        if node == properties.nodes {
            return Ok(self.starts.get(self.starts.len() - 1));
        }
        let (kept, first) = (node / self.jump, node / self.jump * self.jump);
        let mut reader = BitReader::new(bits, self.starts.get(kept));
        if first == node {
            return Ok(reader.position());
        }
        let mut window = self.window_before(kept, first, properties.window);
        let places = window.len();
        for current in first..node {
            let head = properties.read_head(&mut reader, current as u32)?;
            let referred = window[(current + places - head.reference) % places];
            properties.skip_body(&mut reader, head, if head.reference > 0 { referred } else { 0 })?;
            window[current % places] = head.outdegree;
        }
        Ok(reader.position())
    }

    /// The outdegrees of the lists before a kept one, each at its node modulo the length.
    fn window_before(&self, kept: usize, first: usize, window: usize) -> Vec<usize> {
        let mut outdegrees = vec![0; window + 1];
        let mut bytes = &self.outdegrees[self.places.get(kept) as usize..];
        for back in 1..=window.min(first) {
            outdegrees[(first - back) % (window + 1)] = varint::take(&mut bytes).unwrap_or_default() as usize;
        }
        outdegrees
    }
}
