//! Canonical codes: words from lengths alone.
//!
//! If lengths obey Kraft's inequality there is an instantaneous code that has them, and the proof says which: the words in the
//! order of their lengths, each the one whose interval begins where the intervals before end. So a code is told by its lengths.
//!
//! Numbers below eight have words of their own; greater ones share a word with those of as many bits, which follow it. A full
//! block begins with its lengths, by Huffman for its own numbers; shorter ones have the lengths that suit counts, which are
//! small: half of all words occur once in a document.
//!
//! ```text
//! symbols   6 bits        how many lengths follow        (full blocks only)
//! lengths   4 bits each   0: it does not occur           (full blocks only)
//! numbers   the word of each, then its bits below the highest if it is not below eight
//! ```

use super::{BLOCK, BitReader, BitWriter, Codec, ListShape};

/// Numbers that have their own words.
const OWN: u32 = 8;
const SYMBOLS: usize = OWN as usize + 29;
const SYMBOL_COUNT_BITS: u32 = 6;
const LENGTH_BITS: u32 = 4;
const LENGTH_MAX: usize = (1 << LENGTH_BITS) - 1;

/// Lengths of the words where a block has none of its own: those of counts − 1. The sum of 2 to the minus length is 1.
pub(super) const LENGTHS_OF_COUNTS: [u8; SYMBOLS] = [
    1, 3, 3, 4, 5, 5, 5, 6, 5, 6, 6, 7, 8, 9, 11, 12, 13, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14,
    14, 14, 14, 15, 15, 15, 15,
];

/// Words from lengths.
#[derive(Debug)]
pub(super) struct Canonical;

impl Codec for Canonical {
    fn write(&self, numbers: &[u32], _list: &ListShape, bits: &mut BitWriter) {
        let mut lengths = LENGTHS_OF_COUNTS.to_vec();
        if numbers.len() == BLOCK {
            let mut weights = [0; SYMBOLS];
            numbers.iter().for_each(|&number| weights[symbol_of(number)] += 1);
            let symbols = weights.iter().rposition(|&weight| weight > 0).map_or(0, |last| last + 1);
            lengths = huffman_lengths(&weights[..symbols]);
            bits.write_bits(symbols as u32, SYMBOL_COUNT_BITS);
            lengths.iter().for_each(|&length| bits.write_bits(length.into(), LENGTH_BITS));
        }
        let words = words_of(&lengths);
        for &number in numbers {
            let symbol = symbol_of(number);
            bits.write_number(words[symbol].into(), lengths[symbol].into());
            let width = below_bits(symbol);
            bits.write_number(u64::from(number) & ((1 << width) - 1), width);
        }
    }

    fn read(&self, bits: &mut BitReader<'_>, _list: &ListShape, numbers: &mut [u32]) {
        let mut lengths = LENGTHS_OF_COUNTS;
        if numbers.len() == BLOCK {
            let symbols = (bits.read_bits(SYMBOL_COUNT_BITS) as usize).min(SYMBOLS);
            lengths = [0; SYMBOLS];
            lengths[..symbols].iter_mut().for_each(|length| *length = bits.read_bits(LENGTH_BITS) as u8);
        }
        let decoder = Decoder::new(&lengths);
        for number in numbers {
            let symbol = decoder.read(bits);
            let width = below_bits(symbol);
            let base = if width == 0 { symbol as u64 } else { 1 << width };
            *number = (base + bits.read_number(width)) as u32;
        }
    }
}

/// What a number shares its word with: itself below eight, else all numbers of as many bits.
fn symbol_of(number: u32) -> usize {
    if number < OWN { number as usize } else { (OWN + number.ilog2() - OWN.ilog2()) as usize }
}

/// Bits that follow the word of a symbol.
fn below_bits(symbol: usize) -> u32 {
    (symbol as u32 + 1).saturating_sub(OWN).min(29).checked_sub(1).map_or(0, |beyond| beyond + OWN.ilog2())
}

/// The words of some lengths, by symbol; of a length of 0 there is none.
pub(super) fn words_of(lengths: &[u8]) -> Vec<u32> {
    let mut words = vec![0; lengths.len()];
    let (mut next, mut last_length) = (0u64, 0u8);
    for symbol in in_order(lengths) {
        next <<= lengths[symbol] - last_length;
        last_length = lengths[symbol];
        words[symbol] = next as u32;
        next += 1;
    }
    words
}

/// Symbols that have words, by length and then by number.
fn in_order(lengths: &[u8]) -> Vec<usize> {
    let mut symbols: Vec<usize> = (0..lengths.len()).filter(|&symbol| lengths[symbol] > 0).collect();
    symbols.sort_by_key(|&symbol| lengths[symbol]);
    symbols
}

/// The lengths of Huffman's code for symbols of these weights; 0 for a weight of 0, 1 for a symbol that is alone. So few
/// numbers as a block has never make a word longer than fifteen bits.
pub(super) fn huffman_lengths(weights: &[u32]) -> Vec<u8> {
    let mut lengths = vec![0; weights.len()];
    // The symbols below each node that has no parent yet.
    let mut nodes: Vec<(u32, Vec<usize>)> = (0..weights.len())
        .filter(|&symbol| weights[symbol] > 0)
        .map(|symbol| (weights[symbol], vec![symbol]))
        .collect();
    if let [(_, only)] = &nodes[..] {
        lengths[only[0]] = 1;
    }
    while nodes.len() > 1 {
        nodes.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
        let (lightest, second) = (nodes.pop(), nodes.pop());
        let mut joined = lightest.unwrap_or_default();
        let (weight, symbols) = second.unwrap_or_default();
        joined.0 += weight;
        joined.1.extend(symbols);
        joined.1.iter().for_each(|&symbol| lengths[symbol] += 1);
        nodes.push(joined);
    }
    lengths
}

/// Finds the symbol of a word.
struct Decoder {
    /// For each length its first word, how many it has, and where their symbols begin.
    lengths: [(u32, u32, usize); LENGTH_MAX + 1],
    symbols: Vec<usize>,
}

impl Decoder {
    fn new(lengths: &[u8]) -> Self {
        let symbols = in_order(lengths);
        let mut table = [(0u32, 0u32, 0usize); LENGTH_MAX + 1];
        let (mut next, mut place) = (0u32, 0);
        for (length, entry) in table.iter_mut().enumerate().skip(1) {
            next = next.wrapping_shl(1);
            let count = symbols.iter().filter(|&&symbol| usize::from(lengths[symbol]) == length).count();
            *entry = (next, count as u32, place);
            next = next.wrapping_add(count as u32);
            place += count;
        }
        Self { lengths: table, symbols }
    }

    /// The symbol of the next word; 0 if no word begins so.
    fn read(&self, bits: &mut BitReader<'_>) -> usize {
        let mut word = 0u32;
        for &(first, count, place) in &self.lengths[1..] {
            word = word << 1 | bits.read_bits(1);
            if word.wrapping_sub(first) < count {
                return self.symbols[place + word.wrapping_sub(first) as usize];
            }
        }
        0
    }
}
