//! What every codec promises: what is written is read, wherever it begins, and nothing that somebody else wrote harms.

use proptest::prelude::*;

use super::*;

/// Numbers as lists have them: mostly small, some large, in blocks of all lengths.
fn any_numbers() -> impl Strategy<Value = Vec<u32>> {
    let number = prop_oneof![8 => 0u32..4, 4 => 0u32..300, 2 => 0u32..1 << 20, 1 => Just((1 << 28) - 1)];
    let length = prop_oneof![3 => 1..BLOCK, 2 => Just(BLOCK), 1 => Just(1usize)];
    length.prop_flat_map(move |length| proptest::collection::vec(number.clone(), length))
}

/// Dense values, sparse ones, and runs.
fn any_increasing() -> impl Strategy<Value = Vec<u32>> {
    let gap = prop_oneof![1 => 0u32..1, 1 => 0u32..4, 1 => 0u32..500];
    let length = prop_oneof![3 => 1..BLOCK, 2 => Just(BLOCK)];
    (length, gap, any::<bool>(), 0u32..1_000_000).prop_flat_map(|(length, gap, is_clustered, first)| {
        let gaps = if is_clustered { 0..=gap } else { gap..=gap + 3 };
        proptest::collection::vec(gaps, length).prop_map(move |gaps| {
            let mut next = first;
            gaps.iter()
                .map(|gap| {
                    let value = next + gap;
                    next = value + 1;
                    value
                })
                .collect()
        })
    })
}

const LIST: ListShape = ListShape { documents_all: 2_000_000, documents: 300 };

proptest! {
    #[test]
    fn numbers_come_back(numbers in any_numbers(), before in 0u32..8, others in any_numbers()) {
        for name in CodecName::ALL {
            let mut bits = BitWriter::default();
            bits.write_bits(0, before);
            name.codec().write(&numbers, &LIST, &mut bits);
            name.codec().write(&others, &LIST, &mut bits);
            let end = bits.bits();
            bits.align();
            let bytes = bits.take_bytes();
            let mut reader = BitReader::new(bytes.as_ref(), before.into());
            for expected in [&numbers, &others] {
                let mut read = vec![u32::MAX; expected.len()];
                let begin = reader.clone();
                name.codec().read(&mut reader, &LIST, &mut read);
                prop_assert_eq!(&read, expected, "{:?}", name);
                for (place, number) in expected.iter().enumerate() {
                    let mut alone = begin.clone();
                    if let Some(read) = name.codec().read_one(&mut alone, expected.len(), place) {
                        prop_assert_eq!((read, alone.bit()), (*number, reader.bit()), "{:?} at {}", name, place);
                    }
                }
            }
            prop_assert_eq!(reader.bit(), end);
        }
    }

    #[test]
    fn increasing_values_come_back(values in any_increasing(), before in 0u32..8, is_last_known: bool) {
        let first = values[0] / 2;
        let last = if is_last_known { values[values.len() - 1] } else { LIST.documents_all - 1 };
        let within = Within { first, last };
        for name in CodecName::ALL {
            let mut bits = BitWriter::default();
            bits.write_bits(0, before);
            name.codec().write_increasing(&values, within, &LIST, &mut bits);
            let end = bits.bits();
            bits.align();
            let bytes = bits.take_bytes();
            let mut reader = BitReader::new(bytes.as_ref(), before.into());
            let mut read = vec![u32::MAX; values.len()];
            if values.len() == BLOCK && let Some(first) = name.codec().peek_first(&reader, within) {
                prop_assert_eq!(first, values[0], "{:?}", name);
            }
            name.codec().read_increasing(&mut reader, within, &LIST, &mut read);
            prop_assert_eq!(&read, &values, "{:?}", name);
            prop_assert_eq!(reader.bit(), end, "{:?}", name);
        }
    }

    #[test]
    fn bytes_that_nobody_wrote_are_read_without_harm(bytes: Vec<u8>, bit in 0u64..64, length in 1..=BLOCK) {
        for name in CodecName::ALL {
            let mut numbers = [0; BLOCK];
            name.codec().read(&mut BitReader::new(&bytes, bit), &LIST, &mut numbers[..length]);
            let within = Within { first: 7, last: 5_000 };
            name.codec().read_increasing(&mut BitReader::new(&bytes, bit), within, &LIST, &mut numbers[..length]);
            name.codec().peek_first(&BitReader::new(&bytes, bit), within);
            name.codec().read_one(&mut BitReader::new(&bytes, bit), BLOCK, length - 1);
        }
    }
}

/// The bits that something writes, from left to right.
fn word(write: impl FnOnce(&mut BitWriter)) -> String {
    let mut bits = BitWriter::default();
    write(&mut bits);
    let length = bits.bits();
    bits.align();
    let bytes = bits.take_bytes();
    let mut reader = BitReader::new(bytes.as_ref(), 0);
    (0..length).map(|_| if reader.read_bits(1) == 1 { '1' } else { '0' }).collect()
}

type Write = fn(u32, &mut BitWriter);

/// Codes that have a word for each number.
const CODES: [(&str, Write); 9] = [
    ("unary", |number, bits| bits.write_unary(number)),
    ("gamma", gamma::write),
    ("delta", delta::write),
    ("golomb 3", |number, bits| golomb::write(number, 3, bits)),
    ("golomb 7", |number, bits| golomb::write(number, 7, bits)),
    ("golomb 8", |number, bits| golomb::write(number, 8, bits)),
    ("variable byte", variable::write::<8>),
    ("nibble", variable::write::<4>),
    ("length first", length_first::write),
];

#[test]
fn code_words_are_those_of_the_books() {
    let rows: [(&str, &[&str]); 7] = [
        ("unary", &["1", "01", "001", "0001"]),
        ("gamma", &["1", "010", "011", "00100", "00101", "00110", "00111", "0001000"]),
        ("delta", &["1", "0100", "0101", "01100", "01101", "01110", "01111", "00100000"]),
        ("golomb 3", &["10", "110", "111", "010", "0110", "0111", "0010"]),
        ("variable byte", &["00000000", "00000001", "00000010"]),
        ("nibble", &["0000", "0001", "0010", "0011", "0100", "0101", "0110", "0111", "10010000"]),
        ("length first", &["10000000", "10000001"]),
    ];
    for (name, words) in rows {
        let (_, write) = CODES.iter().find(|(other, _)| *other == name).unwrap();
        for (number, expected) in (0u32..).zip(words) {
            assert_eq!(word(|bits| write(number, bits)), *expected, "{name} of {number}");
        }
    }
    assert_eq!(word(|bits| length_first::write(128, bits)), "0100000010000000");
    assert_eq!(word(|bits| variable::write::<8>(128, bits)), "1000000100000000");
}

#[test]
fn minimal_binary_words_are_those_of_the_table() {
    let table: [&[&str]; 7] = [
        &[""],
        &["0", "1"],
        &["0", "10", "11"],
        &["00", "01", "10", "11"],
        &["00", "01", "10", "110", "111"],
        &["00", "01", "100", "101", "110", "111"],
        &["00", "010", "011", "100", "101", "110", "111"],
    ];
    for (count, words) in (1u64..).zip(table) {
        for (number, expected) in (0u64..).zip(words) {
            let written = word(|bits| minimal_binary::write(number, count, bits));
            assert_eq!(written, *expected, "{number} of {count}");
        }
    }
}

/// Σ 2^−length over the first numbers, and no word begins another.
#[test]
fn codes_are_instantaneous_and_their_kraft_sums_are_known() {
    // Of the first 255 numbers: what a complete code leaves is the interval of the words that come after.
    let sums = [
        ("unary", 1.0),
        ("gamma", 1.0 - 1.0 / 256.0),
        ("golomb 3", 1.0),
        ("golomb 7", 1.0),
        ("golomb 8", 1.0 - 2f64.powi(-32) * 9.0 / 8.0),
        ("variable byte", 0.5 + 127.0 / 65_536.0),
        ("nibble", 0.5 + 56.0 / 256.0 + 191.0 / 4_096.0),
        ("length first", 0.5 + 127.0 / 65_536.0),
    ];
    for (name, write) in CODES {
        let mut words: Vec<String> = (0..255).map(|number| word(|bits| write(number, bits))).collect();
        let sum: f64 = words.iter().map(|word| 2f64.powi(-(word.len() as i32))).sum();
        words.sort();
        assert!(words.windows(2).all(|pair| !pair[1].starts_with(&*pair[0])), "{name}");
        if let Some((_, expected)) = sums.iter().find(|(other, _)| *other == name) {
            assert!((sum - expected).abs() < 1e-9, "{name}: {sum} instead of {expected}");
        }
        assert!(sum <= 1.0, "{name}");
    }
    for count in 1..300 {
        let length = |number| word(|bits| minimal_binary::write(number, count, bits)).len() as i32;
        let sum: f64 = (0..count).map(|number| 2f64.powi(-length(number))).sum();
        assert_eq!(sum, 1.0, "minimal binary of {count} is complete");
    }
}

#[test]
fn the_modulus_is_that_of_the_bernoulli_model() {
    for all in [10u64, 1_000, 123_457, 50_000_000] {
        for frequency in
            [1, 2, 3, 7, 100, all / 3, all / 2, all - 1].into_iter().filter(|&f| f > 0 && f < all)
        {
            let p = frequency as f64 / all as f64;
            let exact = -(2.0 - p).ln() / (-p).ln_1p();
            let modulus = f64::from(golomb::modulus_of(frequency, all));
            // Among millions of documents the last bit of p moves the modulus.
            let tolerance = if all > 1_000_000 { 1.0 } else { 0.0 };
            assert!((modulus - exact.ceil()).abs() <= tolerance, "{frequency} of {all}: {modulus}, {exact}");
        }
        assert_eq!(golomb::modulus_of(all, all), 1);
    }
    assert_eq!([(1, 2), (1, 10), (1, 100)].map(|(f, n)| golomb::modulus_of(f, n)), [1, 7, 69]);
}

#[test]
fn words_follow_from_lengths_as_krafts_theorem_has_it() {
    let binary = |words: Vec<u32>, lengths: &[u8]| -> Vec<String> {
        words
            .iter()
            .zip(lengths)
            .map(|(word, length)| format!("{word:0width$b}", width = usize::from(*length)))
            .collect()
    };
    let lengths = [2, 1, 3, 3];
    assert_eq!(binary(canonical::words_of(&lengths), &lengths), ["10", "0", "110", "111"]);
    assert_eq!(canonical::huffman_lengths(&[8, 4, 2, 1, 1]), [1, 2, 3, 4, 4]);
    assert_eq!(canonical::huffman_lengths(&[0, 5, 0]), [0, 1, 0]);
    // The longest that numbers of a block can have: weights as Fibonacci counted.
    let weights = [1, 1, 2, 3, 5, 8, 13, 21, 34, 40];
    let lengths = canonical::huffman_lengths(&weights);
    assert!(lengths.iter().all(|&length| length <= 15));
    let sum = |lengths: &[u8]| lengths.iter().map(|&length| 2f64.powi(-i32::from(length))).sum::<f64>();
    assert_eq!((sum(&lengths), sum(&canonical::LENGTHS_OF_COUNTS)), (1.0, 1.0), "both are complete");
}

#[test]
fn codes_are_read_by_another_implementation() {
    use dsi_bitstream::prelude::{
        BE, BufBitReader, DeltaRead, GammaRead, GolombRead, MemWordReader, MinimalBinaryRead,
    };
    let numbers: Vec<u32> = (0..100).chain([1 << 20, (1 << 28) - 1]).collect();
    let mut bits = BitWriter::default();
    for &number in &numbers {
        gamma::write(number, &mut bits);
        delta::write(number, &mut bits);
        golomb::write(number, (1 << 27) / 3, &mut bits);
        golomb::write(number % 1000, 11, &mut bits);
        minimal_binary::write((number % 1000).into(), 1000, &mut bits);
    }
    bits.align();
    let mut bytes = bits.take_bytes().as_ref().to_vec();
    bytes.resize(bytes.len().next_multiple_of(4) + 8, 0);
    // The first bit of a byte is its lowest for us, its highest for them.
    bytes.iter_mut().for_each(|byte| *byte = byte.reverse_bits());
    let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_ne_bytes(*word)).collect();
    let mut reader = BufBitReader::<BE, _>::new(MemWordReader::new(words));
    for number in numbers {
        let read = [
            reader.read_gamma().unwrap(),
            reader.read_delta().unwrap(),
            reader.read_golomb((1 << 27) / 3).unwrap(),
            reader.read_golomb(11).unwrap(),
            reader.read_minimal_binary(1000).unwrap(),
        ];
        assert_eq!(read, [number, number, number, number % 1000, number % 1000].map(u64::from));
    }
}

#[test]
fn a_run_takes_a_byte_and_a_dense_block_a_bitmap() {
    let run: Vec<u32> = (1000..1128).collect();
    let dense: Vec<u32> = (0..128).map(|number| 1000 + number * 2 + number % 2).collect();
    for (values, bytes) in [(run, 1), (dense, 1 + 32)] {
        let mut bits = BitWriter::default();
        let within = Within { first: 1000, last: values[127] };
        CodecName::Packed.codec().write_increasing(&values, within, &LIST, &mut bits);
        assert_eq!(bits.bits(), 8 * bytes);
    }
}

#[test]
fn a_bitmap_gives_next_values_and_ranks_without_being_decoded() {
    for step in 1..6 {
        let values: Vec<u32> = (0..BLOCK as u32).map(|number| 1_000 + number * step + number / 7).collect();
        let within = Within { first: 990, last: values[BLOCK - 1] };
        let mut bytes = vec![0u8; (within.last - within.first) as usize / 8 + 1];
        for value in &values {
            bytes[(value - within.first) as usize / 8] |= 1 << ((value - within.first) % 8);
        }
        let bitmap = Bitmap::new(&bytes, within);
        let mut spread = [0; BLOCK];
        bitmap.spread(&mut spread);
        assert_eq!(values, spread);
        for target in within.first..=within.last {
            let place = values.partition_point(|value| *value < target);
            assert_eq!((bitmap.next_from(target), bitmap.rank(values[place])), (values[place], place));
        }
        // Bits that nobody wrote.
        let none = Bitmap::new(&[], within);
        assert_eq!((none.next_from(995), none.rank(within.last)), (within.last, 0));
        let all = vec![255; bytes.len()];
        assert_eq!(
            Bitmap::new(&all, within).rank(within.last),
            (within.last - within.first).min(127) as usize
        );
    }
}
