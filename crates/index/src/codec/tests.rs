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
                name.codec().read(&mut reader, &LIST, &mut read);
                prop_assert_eq!(&read, expected, "{:?}", name);
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
        }
    }
}

#[test]
fn code_words_are_those_of_the_books() {
    // Read from left to right, as they are written.
    let word = |codec: CodecName, number: u32| {
        let mut bits = BitWriter::default();
        codec.codec().write(&[number], &LIST, &mut bits);
        let length = bits.bits();
        bits.align();
        let bytes = bits.take_bytes();
        let mut reader = BitReader::new(bytes.as_ref(), 0);
        (0..length).map(|_| if reader.read_bits(1) == 1 { '1' } else { '0' }).collect::<String>()
    };
    let rows =
        [(0, "1", "1"), (1, "010", "0100"), (2, "011", "0101"), (3, "00100", "01100"), (4, "00110", "01110")];
    for (number, gamma, delta) in rows {
        assert_eq!(
            (&*word(CodecName::Gamma, number), &*word(CodecName::Delta, number)),
            (gamma, delta),
            "{number}"
        );
    }
}

#[test]
fn elias_codes_are_read_by_another_implementation() {
    use dsi_bitstream::prelude::{BufBitReader, DeltaRead, GammaRead, LE, MemWordReader};
    let numbers: Vec<u32> = (0..100).chain([1 << 20, (1 << 28) - 1]).collect();
    let mut bits = BitWriter::default();
    for number in &numbers {
        gamma::write(*number, &mut bits);
        delta::write(*number, &mut bits);
    }
    bits.align();
    let mut bytes = bits.take_bytes().as_ref().to_vec();
    bytes.resize(bytes.len().next_multiple_of(4) + 4, 0);
    let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let mut reader = BufBitReader::<LE, _>::new(MemWordReader::new(words));
    for number in numbers {
        let read = (reader.read_gamma().unwrap(), reader.read_delta().unwrap());
        assert_eq!(read, (number.into(), number.into()));
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
