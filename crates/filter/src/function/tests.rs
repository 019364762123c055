use super::*;
use proptest::prelude::*;

fn hash(key: u64) -> u64 {
    mix(key ^ 0x1234_5678)
}

fn construction() -> impl Strategy<Value = Construction> {
    prop::sample::select(Construction::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_key_has_its_number(keys in 0u64..9000, width in 0u32..=WIDTH_MAX, construction in construction()) {
        let hashes: Vec<u64> = (0..keys).map(hash).collect();
        let number = |key: usize| hash(key as u64 + 77);
        let (bytes, repeated) = solve(&hashes, number, width, construction);
        prop_assert!(repeated.is_empty());
        let start = FunctionTable::length(&bytes).unwrap();
        let (table, values) = bytes.split_at(start);
        let table = FunctionTable::parse(table, values.len() as u64).unwrap();
        let function = StaticFunction::from_bytes(&*bytes).unwrap();
        for (key, hash) in hashes.iter().enumerate() {
            let expected = Some(number(key) & ((1 << width) - 1));
            prop_assert_eq!(function.get(*hash), expected);
            let range = table.range(*hash).unwrap();
            prop_assert_eq!(table.get(*hash, &values[range.start as usize..range.end as usize]), expected);
        }
    }

    #[test]
    fn any_bytes_are_a_function_or_none(
        keys in 1u64..40, place in 0usize..60, byte in any::<u8>(), end in 0usize..200, asked in any::<u64>(),
        construction in construction(),
    ) {
        let hashes: Vec<u64> = (0..keys).map(hash).collect();
        let (mut bytes, _) = solve(&hashes, |key| key as u64, 9, construction);
        let (length, at) = (bytes.len(), place % bytes.len());
        bytes[at] = byte;
        bytes.truncate(end.max(length.saturating_sub(end)));
        if let Some(function) = StaticFunction::from_bytes(bytes) {
            let _ = function.get(asked);
        }
    }
}

#[test]
fn keys_of_many_shards_have_their_numbers_in_few_bits() {
    for (construction, bits_max) in
        [(Construction::Hypergraph, 1.16 * 22.0), (Construction::Graph, 22.0 + 2.6)]
    {
        let keys = 2 * fuse::SHARD_KEYS + 9;
        let hashes: Vec<u64> = (0..keys as u64).map(hash).collect();
        let (bytes, _) = solve(&hashes, |key| key as u64, 22, construction);
        let bits = bytes.len() as f64 * 8.0 / keys as f64;
        assert!(bits < bits_max, "{}: {bits} bits a key", construction.name());
        let (table, values) = bytes.split_at(FunctionTable::length(&bytes).unwrap());
        let table = FunctionTable::parse(table, values.len() as u64).unwrap();
        let function = StaticFunction::from_bytes(&*bytes).unwrap();
        for (key, hash) in hashes.iter().enumerate() {
            assert_eq!(function.get(*hash), Some(key as u64));
            // What a look-up reads is near, however many keys there are.
            let range = table.range(*hash).unwrap();
            assert!(range.end - range.start < 96 << 10, "{}: {range:?}", construction.name());
            assert_eq!(table.get(*hash, &values[range.start as usize..range.end as usize]), Some(key as u64));
        }
    }
}

#[test]
fn keys_that_cannot_be_told_apart_are_told() {
    for construction in Construction::ALL {
        let mut hashes: Vec<u64> = (0..500).map(hash).collect();
        hashes.extend([hash(7), hash(9), hash(7)]);
        let (bytes, mut repeated) = solve(&hashes, |key| key as u64, 10, construction);
        repeated.sort_unstable();
        assert_eq!(repeated, [500, 501, 502]);
        let function = StaticFunction::from_bytes(bytes).unwrap();
        assert!((0..500).all(|key| function.get(hash(key)) == Some(key)));
    }
}
