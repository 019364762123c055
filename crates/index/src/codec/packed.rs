//! Packed: the default, made to be read fast and to be small at once.
//!
//! A full block, of 128 numbers, begins at a byte:
//!
//! ```text
//! width        u8           w, the bits that each number has in the array; 0x40 set: there are exceptions
//! exceptions   u8, u8       how many, and the bits v that each has beyond the lowest w        (only with 0x40)
//! array        16 · w bytes the lowest w bits of each number, in four lanes, as vectors read them
//! places       u8 each      which numbers are exceptions                                     (only with 0x40)
//! rest         v bits each  what these have beyond, up to a byte                             (only with 0x40)
//! ```
//!
//! Of all widths the one that takes the fewest bytes is taken: PForDelta, patched by place. Increasing values are the gaps
//! between them, or, where that takes fewer bytes, a bitmap:
//!
//! ```text
//! 0x80         u8
//! bitmap       a bit for each value from the first that is possible to the last
//! ```
//!
//! Shorter blocks, the ends of lists and nearly all lists there are, begin at any bit: a bit for the kind, then Elias' code
//! (γ for counts and positions, δ for gaps) or Rice's, whichever is shorter. An increasing block begins with its
//! first value in as many bits as the possible values need: a word of one document, as most words are, needs no more.
//!
//! The array is that of the crate `bitpacking`, which reads four numbers at a time with SSE3 and the same bytes without.

use bitpacking::{BitPacker, BitPacker4x};

use super::{
    BLOCK, BitReader, BitWriter, Bitmap, Codec, ListShape, Within, delta, gamma, gaps_of, rice, sum_up,
};

const HAS_EXCEPTIONS: u8 = 0x40;
const IS_BITMAP: u8 = 0x80;

/// PForDelta, bitmaps, and short codes for short blocks.
#[derive(Debug)]
pub(super) struct Packed;

impl Codec for Packed {
    fn is_alike_in_all_lists(&self) -> bool {
        true
    }

    fn write(&self, numbers: &[u32], _list: &ListShape, bits: &mut BitWriter) {
        match numbers.try_into() {
            Ok(full) => write_array(full, best_width(full), bits),
            Err(_) => write_short(numbers, Elias::Gamma, bits),
        }
    }

    fn read(&self, bits: &mut BitReader<'_>, _list: &ListShape, numbers: &mut [u32]) {
        match numbers.try_into() {
            Ok(full) => {
                bits.align();
                let head = bits.read_bits(8) as u8;
                read_array(head, bits, full);
            }
            Err(_) => read_short(Elias::Gamma, bits, numbers),
        }
    }

    #[inline]
    fn read_zeros(&self, bits: &mut BitReader<'_>, count: usize) -> bool {
        if count != BLOCK {
            return false;
        }
        let mut behind = bits.clone();
        behind.align();
        // An array of no bits without exceptions.
        let are_zeros = behind.read_bits(8) == 0 && !behind.is_exhausted();
        if are_zeros {
            *bits = behind;
        }
        are_zeros
    }

    fn read_one(&self, bits: &mut BitReader<'_>, count: usize, place: usize) -> Option<u32> {
        if count != BLOCK {
            return None;
        }
        let mut behind = bits.clone();
        let array = Array::read(&mut behind);
        *bits = behind;
        Some(array.number(place))
    }

    fn first_bits(&self, within: Within) -> Option<u32> {
        Some(value_bits(within))
    }

    fn peek_first(&self, bits: &BitReader<'_>, within: Within) -> Option<u32> {
        let mut bits = bits.clone();
        if let Some(bitmap) = self.read_bitmap(&mut bits, within) {
            return Some(bitmap.next_from(within.first));
        }
        Some(within.first.wrapping_add(Array::read(&mut bits).number(0)))
    }

    fn write_increasing(&self, values: &[u32], within: Within, _list: &ListShape, bits: &mut BitWriter) {
        let mut room = [0; BLOCK];
        let gaps = gaps_of(values, within.first, &mut room);
        let Ok(full) = gaps.try_into() else {
            return write_short_increasing(values, gaps, within, bits);
        };
        let choice = best_width(full);
        let bitmap_bytes = bitmap_bytes(within);
        if bitmap_bytes + 1 < choice.bytes {
            write_bitmap(values, within.first, bitmap_bytes, bits);
        } else {
            write_array(full, choice, bits);
        }
    }

    fn read_increasing(
        &self,
        bits: &mut BitReader<'_>,
        within: Within,
        _list: &ListShape,
        values: &mut [u32],
    ) {
        let Ok(full) = <&mut [u32; BLOCK]>::try_from(&mut *values) else {
            return read_short_increasing(bits, within, values);
        };
        bits.align();
        let head = bits.read_bits(8) as u8;
        if head & IS_BITMAP != 0 {
            Bitmap::new(bits.read_bytes(bitmap_bytes(within)), within).spread(full);
        } else if head & HAS_EXCEPTIONS == 0 {
            read_increasing_array(head, bits, within.first, full);
        } else {
            read_array(head, bits, full);
            sum_up(within.first, full);
        }
    }

    #[inline]
    fn read_bitmap<'a>(&self, bits: &mut BitReader<'a>, within: Within) -> Option<Bitmap<'a>> {
        let mut behind = bits.clone();
        behind.align();
        if behind.read_bits(8) as u8 & IS_BITMAP == 0 {
            return None;
        }
        *bits = behind;
        Some(Bitmap::new(bits.read_bytes(bitmap_bytes(within)), within))
    }
}

/// The bits of the array, and what a block takes with them.
#[derive(Debug, Clone, Copy)]
struct Width {
    array: u32,
    rest: u32,
    exceptions: usize,
    bytes: usize,
}

fn best_width(numbers: &[u32; BLOCK]) -> Width {
    // How many numbers have so many bits. Four tables, so that no count waits for the one before.
    let mut tables = [[0u8; 33]; 4];
    for four in numbers.as_chunks::<4>().0 {
        for (table, number) in tables.iter_mut().zip(four) {
            table[(32 - number.leading_zeros()) as usize] += 1;
        }
    }
    let lengths: [usize; 33] =
        std::array::from_fn(|bits| tables.iter().map(|table| usize::from(table[bits])).sum());
    let longest = lengths.iter().rposition(|&count| count > 0).unwrap_or(0) as u32;
    let mut exceptions = 0;
    let mut best = Width { array: longest, rest: 0, exceptions: 0, bytes: 1 + 16 * longest as usize };
    for array in (0..longest).rev() {
        exceptions += lengths[array as usize + 1];
        let rest = longest - array;
        let bytes = 3 + 16 * array as usize + exceptions + (exceptions * rest as usize).div_ceil(8);
        if bytes < best.bytes {
            best = Width { array, rest, exceptions, bytes };
        }
    }
    best
}

fn write_array(numbers: &[u32; BLOCK], width: Width, bits: &mut BitWriter) {
    bits.align();
    if width.exceptions == 0 {
        bits.write_bytes(&[width.array as u8]);
        compress(numbers, width.array, bits);
        return;
    }
    let mask = ((1u64 << width.array) - 1) as u32;
    bits.write_bytes(&[width.array as u8 | HAS_EXCEPTIONS, width.exceptions as u8, width.rest as u8]);
    compress(&numbers.map(|number| number & mask), width.array, bits);
    // Without branches: which numbers are exceptions nobody can foresee.
    let (mut places, mut rests, mut exceptions) = ([0u8; BLOCK], [0; BLOCK], 0);
    for (place, &number) in (0u8..).zip(numbers) {
        places[exceptions] = place;
        rests[exceptions] = number >> width.array;
        exceptions += usize::from(number & !mask != 0);
    }
    bits.write_bytes(&places[..exceptions]);
    rests[..exceptions].iter().for_each(|&rest| bits.write_bits(rest, width.rest));
    bits.align();
}

fn compress(numbers: &[u32; BLOCK], width: u32, bits: &mut BitWriter) {
    BitPacker4x::new().compress(numbers, bits.write_zeros(16 * width as usize), width as u8);
}

/// A full block that is not decoded: any number of it can be read alone.
struct Array<'a> {
    width: u32,
    lanes: &'a [u8],
    places: &'a [u8],
    rest_width: u32,
    rests: BitReader<'a>,
}

impl<'a> Array<'a> {
    /// The block at the next byte; then `bits` are behind it.
    fn read(bits: &mut BitReader<'a>) -> Self {
        bits.align();
        let head = bits.read_bits(8) as u8;
        let width = u32::from(head & (HAS_EXCEPTIONS - 1)).min(32);
        let [exceptions, rest_width] =
            if head & HAS_EXCEPTIONS == 0 { [0; 2] } else { [bits.read_bits(8), bits.read_bits(8).min(32)] };
        let (lanes, places) = (bits.read_bytes(16 * width as usize), bits.read_bytes(exceptions as usize));
        let rests = bits.clone();
        bits.read_bytes((exceptions * rest_width).div_ceil(8) as usize);
        Self { width, lanes, places, rest_width, rests }
    }

    /// The number at a place; 0 where the block is cut off.
    fn number(&self, place: usize) -> u32 {
        // The numbers of a lane stand one behind the other in every fourth word.
        let (lane, bit) = (place % 4, (place / 4) as u32 * self.width);
        let word = |number: usize| {
            let bytes = self.lanes.get(16 * number + 4 * lane..16 * number + 4 * lane + 4);
            bytes.map_or(0, |bytes| u64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])))
        };
        let (first, mask) = ((bit / 32) as usize, (1u64 << self.width) - 1);
        let low = (word(first) | word(first + 1) << 32) >> (bit % 32) & mask;
        let rest = match self.places.iter().position(|&exception| usize::from(exception) == place) {
            Some(exception) => {
                let mut bits = self.rests.clone();
                bits.skip(exception as u64 * u64::from(self.rest_width));
                u64::from(bits.read_bits(self.rest_width)) << self.width
            }
            None => 0,
        };
        (low | rest) as u32
    }
}

fn read_array(head: u8, bits: &mut BitReader<'_>, numbers: &mut [u32; BLOCK]) {
    let width = u32::from(head & (HAS_EXCEPTIONS - 1)).min(32);
    let [exceptions, rest_width] =
        if head & HAS_EXCEPTIONS == 0 { [0; 2] } else { [bits.read_bits(8), bits.read_bits(8).min(32)] };
    let array = bits.read_bytes(16 * width as usize);
    if array.len() == 16 * width as usize {
        BitPacker4x::new().decompress(array, numbers, width as u8);
    } else {
        numbers.fill(0);
    }
    let places = bits.read_bytes(exceptions as usize);
    for &place in places {
        let rest = u64::from(bits.read_bits(rest_width)) << width;
        numbers[usize::from(place) % BLOCK] |= rest as u32;
    }
    bits.align();
}

/// Reads an array without exceptions and adds its gaps up on the way.
fn read_increasing_array(head: u8, bits: &mut BitReader<'_>, first: u32, values: &mut [u32; BLOCK]) {
    let width = head.min(32);
    let array = bits.read_bytes(16 * usize::from(width));
    if array.len() == 16 * usize::from(width) {
        BitPacker4x::new().decompress_strictly_sorted(first.checked_sub(1), array, values, width);
    } else {
        values.fill(first);
    }
}

fn bitmap_bytes(within: Within) -> usize {
    within.last.saturating_sub(within.first) as usize / 8 + 1
}

fn write_bitmap(values: &[u32], first: u32, bytes: usize, bits: &mut BitWriter) {
    let mut bitmap = vec![0u8; bytes];
    for value in values {
        let place = (value - first) as usize;
        bitmap[place / 8] |= 1 << (place % 8);
    }
    bits.align();
    bits.write_bytes(&[IS_BITMAP]);
    bits.write_bytes(&bitmap);
}

/// Which of Elias' codes suits the numbers.
#[derive(Debug, Clone, Copy)]
enum Elias {
    Gamma,
    Delta,
}

impl Elias {
    fn length(self, number: u32) -> u32 {
        match self {
            Self::Gamma => gamma::length(number),
            Self::Delta => delta::length(number),
        }
    }
}

fn write_short(numbers: &[u32], elias: Elias, bits: &mut BitWriter) {
    if numbers.is_empty() {
        return;
    }
    let elias_bits: u64 = numbers.iter().map(|&number| u64::from(elias.length(number))).sum();
    let rice = rice::best(numbers);
    let is_rice = rice.bits < elias_bits;
    bits.write_bits(u32::from(is_rice), 1);
    match (is_rice, elias) {
        (true, _) => rice::write(numbers, rice.width, bits),
        (false, Elias::Gamma) => numbers.iter().for_each(|&number| gamma::write_turned(number, bits)),
        (false, Elias::Delta) => numbers.iter().for_each(|&number| delta::write_turned(number, bits)),
    }
}

fn read_short(elias: Elias, bits: &mut BitReader<'_>, numbers: &mut [u32]) {
    if numbers.is_empty() {
        return;
    }
    match (bits.read_bits(1) == 1, elias) {
        (true, _) => rice::Rice.read(bits, &ListShape::default(), numbers),
        (false, Elias::Gamma) => numbers.iter_mut().for_each(|number| *number = gamma::read_turned(bits)),
        (false, Elias::Delta) => numbers.iter_mut().for_each(|number| *number = delta::read_turned(bits)),
    }
}

/// Bits of a value within these.
fn value_bits(within: Within) -> u32 {
    32 - within.last.saturating_sub(within.first).leading_zeros()
}

fn write_short_increasing(values: &[u32], gaps: &[u32], within: Within, bits: &mut BitWriter) {
    let Some(first) = values.first() else { return };
    bits.write_bits(first - within.first, value_bits(within));
    write_short(&gaps[1..], Elias::Delta, bits);
}

fn read_short_increasing(bits: &mut BitReader<'_>, within: Within, values: &mut [u32]) {
    let Some((first, rest)) = values.split_first_mut() else { return };
    *first = within.first.wrapping_add(bits.read_bits(value_bits(within)));
    read_short(Elias::Delta, bits, rest);
    sum_up(first.wrapping_add(1), rest);
}
