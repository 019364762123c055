//! Compresses a stretch of consecutive lists with the compressors of `webgraph`, in memory.
//!
//! The codec is the library's: it reproduces published graphs byte for byte. Its two ways to choose references are the
//! greedy one of the first paper, and the one of Zuckerli (Versari, Comsa, Conte, Grossi 2020), which looks at chunks of
//! lists and finds the best forest of references under the bound on chains by dynamic programming.

use std::io::Write;

use dsi_bitstream::dispatch::code_consts;
use dsi_bitstream::prelude::{BE, BufBitWriter, Codes, MemWordWriterVec};
use webgraph::prelude::{
    BvComp, BvCompZ, CompFlags, CompStats, ConstCodesEncoder, EncodeAndEstimate, OffsetsWriter,
};

/// How a graph is compressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BvOptions {
    /// How many nodes back a list may copy from.
    pub window: usize,
    /// How long a chain of copies may be: what random access costs at most.
    pub reference_chain_max: usize,
    /// From how many consecutive targets on they are an interval; zero for never.
    pub min_interval: usize,
    /// π₂ instead of ζ₃ for residuals. Smaller, but other tools must know version 1 of the format.
    pub use_pi_codes: bool,
    /// Look for the best references instead of the next best ones.
    pub plan_references: bool,
    /// After how many arcs a new stretch begins that can be compressed by another thread. Nothing is copied across.
    /// The bytes depend on this and not on the number of threads.
    pub stretch_arcs: usize,
}

impl BvOptions {
    /// What published graphs use: window 7, chains of 3, intervals from 4, ζ₃. Every tool can read it.
    pub fn standard() -> Self {
        Self {
            window: 7,
            reference_chain_max: 3,
            min_interval: 4,
            use_pi_codes: false,
            plan_references: false,
            stretch_arcs: 4 << 20,
        }
    }

    /// Some 4 % smaller for thrice the time, at the same cost of access: window 16, intervals from 2, planned references,
    /// π₂. Read by this crate and by WebGraph in Rust; not by WebGraph in Java.
    pub fn optimised() -> Self {
        Self { window: 16, min_interval: 2, use_pi_codes: true, plan_references: true, ..Self::standard() }
    }

    pub(super) fn flags(&self) -> CompFlags {
        let residuals = if self.use_pi_codes { Codes::Pi(2) } else { Codes::Zeta(3) };
        CompFlags {
            residuals,
            min_interval_length: self.min_interval,
            compression_window: self.window,
            max_ref_count: self.reference_chain_max,
            ..CompFlags::default()
        }
    }
}

/// Consecutive lists.
#[derive(Debug, Default)]
pub(super) struct Stretch {
    pub(super) first_node: usize,
    /// Where each list ends among the targets.
    pub(super) ends: Vec<u32>,
    pub(super) targets: Vec<u32>,
}

impl Stretch {
    fn lists(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.targets[start as usize..*end as usize])
    }
}

/// What became of a stretch.
#[derive(Debug)]
pub(super) struct Compressed {
    /// Big-endian words; the bits behind `stats.written_bits` are padding.
    pub(super) words: Vec<u64>,
    /// γ codes of the length of each list, in big-endian words.
    pub(super) lengths: Vec<u8>,
    pub(super) stats: CompStats,
}

type WordWriter<'a> = BufBitWriter<BE, MemWordWriterVec<u64, &'a mut Vec<u64>>>;
type PiEncoder<'a> = ConstCodesEncoder<
    BE,
    WordWriter<'a>,
    { code_consts::GAMMA },
    { code_consts::UNARY },
    { code_consts::GAMMA },
    { code_consts::GAMMA },
    { code_consts::PI2 },
>;
type ZetaEncoder<'a> = ConstCodesEncoder<BE, WordWriter<'a>>;

/// How many lists are planned together.
const PLANNED_LISTS: usize = 10_000;

/// Compresses a stretch. Fails only for lack of memory, which does not return.
pub(super) fn compress(stretch: &Stretch, options: &BvOptions) -> Compressed {
    let (mut words, mut lengths) = (Vec::with_capacity(stretch.targets.len() / 16), Vec::new());
    let writer = BufBitWriter::new(MemWordWriterVec::new(&mut words));
    let stats = match options.use_pi_codes {
        true => encode(PiEncoder::new(writer), &mut lengths, stretch, options),
        false => encode(ZetaEncoder::new(writer), &mut lengths, stretch, options),
    };
    Compressed { words, lengths, stats: stats.expect("writing to memory does not fail") }
}

type Outcome = Result<CompStats, Box<dyn std::error::Error + Send + Sync>>;

fn encode<E: EncodeAndEstimate>(
    encoder: E,
    lengths: impl Write,
    stretch: &Stretch,
    options: &BvOptions,
) -> Outcome {
    let lengths = OffsetsWriter::from_write(lengths, false)?;
    let (window, chain, interval) = (options.window, options.reference_chain_max, options.min_interval);
    if options.plan_references {
        let mut compressor =
            BvCompZ::new(encoder, lengths, window, PLANNED_LISTS, chain, interval, stretch.first_node, ());
        for list in stretch.lists() {
            compressor.push(list.iter().map(|target| (*target as usize, ())))?;
        }
        return Ok(compressor.flush()?);
    }
    let mut compressor = BvComp::new(encoder, lengths, window, chain, interval, stretch.first_node, ());
    for list in stretch.lists() {
        compressor.push(list.iter().map(|target| (*target as usize, ())))?;
    }
    Ok(compressor.flush()?)
}
