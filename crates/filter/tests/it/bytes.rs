//! Filters as bytes: what was written is read, damage is noticed, and the fixtures of version 1 stay readable.
//!
//! The fixtures were written by `CRIVELLO_BLESS=1 cargo test -p filter fixtures`; they hold the words below.

use std::path::PathBuf;

use filter::{
    BlockedBloomFilter, BlockedShape, BlockedView, BloomFilter, BloomView, CountingBloomFilter, DecodeError,
    FilterKind, FilterShape, FuseFilter, KeyHash,
};

const WORDS: [&str; 5] = ["crivello", "setaccio", "vaglio", "staccio", ""];
const SEED: u64 = 7;

fn hashes() -> impl Iterator<Item = KeyHash> {
    WORDS.iter().map(|word| KeyHash::of(word.as_bytes(), SEED))
}

fn classic() -> BloomFilter {
    let mut filter = BloomFilter::new(FilterShape::for_rate(20, 0.01).with_seed(SEED));
    hashes().for_each(|hash| assert!(filter.insert(&hash)));
    filter
}

fn blocked() -> BlockedBloomFilter {
    let mut filter = BlockedBloomFilter::new(BlockedShape::for_rate(100, 0.01).with_seed(SEED));
    hashes().for_each(|hash| assert!(filter.insert(hash.as_u64())));
    filter
}

fn counting() -> CountingBloomFilter {
    let mut filter = CountingBloomFilter::new(FilterShape::for_rate(20, 0.01).with_seed(SEED));
    hashes().chain(hashes()).for_each(|hash| filter.insert(&hash));
    filter
}

fn fuse() -> FuseFilter {
    FuseFilter::build(hashes().map(KeyHash::as_u64).collect()).unwrap()
}

/// Every kind: its name, its bytes, and what reading some as this kind says.
type Read = fn(&[u8]) -> Result<(), DecodeError>;
fn kinds() -> [(&'static str, Vec<u8>, Read); 4] {
    [
        ("classic", classic().to_bytes(), |bytes| BloomFilter::from_bytes(bytes).map(drop)),
        ("blocked", blocked().to_bytes(), |bytes| BlockedBloomFilter::from_bytes(bytes).map(drop)),
        ("counting", counting().to_bytes(), |bytes| CountingBloomFilter::from_bytes(bytes).map(drop)),
        ("fuse", fuse().to_bytes(), |bytes| FuseFilter::from_bytes(bytes).map(drop)),
    ]
}

#[test]
fn what_was_written_is_read() {
    assert_eq!(BloomFilter::from_bytes(&classic().to_bytes()), Ok(classic()));
    assert_eq!(BlockedBloomFilter::from_bytes(&blocked().to_bytes()), Ok(blocked()));
    assert_eq!(CountingBloomFilter::from_bytes(&counting().to_bytes()), Ok(counting()));
    assert_eq!(FuseFilter::from_bytes(&fuse().to_bytes()), Ok(fuse()));
    let nothing = FuseFilter::build(Vec::new()).unwrap();
    assert_eq!(FuseFilter::from_bytes(&nothing.to_bytes()), Ok(nothing));
}

#[test]
fn every_flipped_bit_is_an_error() {
    for (kind, bytes, read) in kinds() {
        assert_eq!(read(&bytes), Ok(()), "{kind}");
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(read(&damaged).is_err(), "{kind}, bit {bit}");
        }
    }
}

#[test]
fn every_missing_or_additional_byte_is_an_error() {
    for (kind, bytes, read) in kinds() {
        for length in 0..bytes.len() {
            assert!(read(&bytes[..length]).is_err(), "{kind}, {length} bytes");
        }
        assert!(read(&[&bytes[..], &[0]].concat()).is_err(), "{kind}");
    }
}

#[test]
fn errors_tell_what_is_wrong() {
    let bytes = classic().to_bytes();
    let changed = |at: usize, to: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = to;
        BloomFilter::from_bytes(&bytes).unwrap_err().to_string()
    };
    assert_eq!(changed(0, b'X'), "these bytes are not a filter (their first ones are wrong)");
    assert_eq!(changed(8, 9), "the filter was written by format 9, this build reads 1");
    assert_eq!(changed(80, bytes[80] ^ 1), "the filter is damaged (its checksum is wrong)");
    assert_eq!(
        BloomFilter::from_bytes(&bytes[..70]),
        Err(DecodeError::Length { found: 70, expected: bytes.len() as u64 })
    );
    assert_eq!(BloomFilter::from_bytes(b"not a filter"), Err(DecodeError::Foreign));
    assert_eq!(
        BlockedBloomFilter::from_bytes(&bytes),
        Err(DecodeError::Kind { found: 1, expected: FilterKind::Blocked })
    );
    let error = FuseFilter::from_bytes(&bytes).unwrap_err();
    assert_eq!(error.to_string(), "the filter is of kind 1, not fuse (4)");
}

#[test]
fn fixtures_of_version_1_hold_their_words() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let read = |name: &str, now: Vec<u8>| {
        let path = folder.join(format!("{name}-v1"));
        if std::env::var_os("CRIVELLO_BLESS").is_some() {
            std::fs::write(&path, &now).unwrap();
        }
        std::fs::read(&path).unwrap()
    };
    let stranger = KeyHash::of(b"colino", SEED);

    let bytes = read("classic", classic().to_bytes());
    let view = BloomView::open(&bytes).unwrap();
    assert_eq!((view.shape().bits(), view.shape().probes(), view.shape().seed()), (192, 7, SEED));
    assert!(hashes().all(|hash| view.contains(&hash)) && !view.contains(&stranger));
    // The same words are still written as the same bytes.
    assert_eq!(bytes, classic().to_bytes());

    let bytes = read("blocked", blocked().to_bytes());
    let view = BlockedView::open(&bytes).unwrap();
    assert_eq!((view.shape().block_count(), view.shape().seed()), (2, SEED));
    assert!(hashes().all(|hash| view.contains(hash.as_u64())) && !view.contains(stranger.as_u64()));
    assert_eq!(bytes, blocked().to_bytes());

    let filter = CountingBloomFilter::from_bytes(&read("counting", counting().to_bytes())).unwrap();
    assert!(hashes().all(|hash| filter.count_of(&hash) >= 2) && filter.count_of(&stranger) == 0);
    assert_eq!(filter.to_bloom(), classic());

    // How a fuse filter is built may change with the library, so its bytes may too; what these mean may not.
    let filter = FuseFilter::from_bytes(&read("fuse", fuse().to_bytes())).unwrap();
    assert_eq!(filter.key_count(), 5);
    assert!(hashes().all(|hash| filter.contains(hash.as_u64())) && !filter.contains(stranger.as_u64()));
}
