//! What holds for any bytes, also for those with good checksums that somebody else wrote.

use std::fs;

use journal::{FieldWriter, JournalWriter};
use page::{PageUrl, Timestamp};
use proptest::prelude::*;
use store::{PageRecord, RecordKind, StoreWriter, WarcHead, WarcPlace, decode_links};

use crate::disk::{Folder, PAGES};

/// Pieces of heads, most of them well-formed, so that random sequences of them get far.
fn head_piece() -> impl Strategy<Value = Vec<u8>> {
    let pieces: [&[u8]; 12] = [
        b"WARC/1.1\r\n",
        b"WARC/1.0\r\n",
        b"Content-Length: 3\r\n",
        b"content-length:0\r\n",
        b"Content-Length: 18446744073709551615\r\n",
        b"Content-Length: -1\r\n",
        b"WARC-Type: response\r\n",
        b"no colon\r\n",
        b"\r\n",
        b"\n",
        b"abc",
        b"\xff",
    ];
    prop_oneof![
        8 => prop::sample::select(pieces.to_vec()).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 0..20),
    ]
}

proptest! {
    #[test]
    fn no_warc_head_is_too_strange(pieces in prop::collection::vec(head_piece(), 0..8)) {
        let record = pieces.concat();
        if let Some(head) = WarcHead::parse(&record) {
            prop_assert!(head.block_start + head.block_bytes <= record.len());
            prop_assert_eq!(&record[head.block_start - 4..head.block_start], b"\r\n\r\n");
        }
    }

    #[test]
    fn no_record_of_the_table_is_too_strange(payload in prop::collection::vec(any::<u8>(), 0..120), kind in 0u8..6) {
        let _ = PageRecord::decode(&payload);
        // Past the front, which random bytes seldom get right.
        let mut fields = FieldWriter::new();
        fields.number(u64::from(kind)).number(0).number(1).text("http://a.test/").fixed(&payload);
        let _ = PageRecord::decode(fields.as_bytes());
    }

    #[test]
    fn no_record_of_links_is_too_strange(payload in prop::collection::vec(any::<u8>(), 0..200)) {
        let page = PageUrl::parse("http://a.test/").unwrap();
        let _ = decode_links(&page, &payload);
        let mut fields = FieldWriter::new();
        fields.number(3).number(7).text("b.test/").number(0).text("words").fixed(&payload);
        let _ = decode_links(&page, fields.as_bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn a_foreign_table_is_opened_or_refused_but_never_panics(table in prop::collection::vec(any::<u8>(), 0..200), keeps_header in any::<bool>()) {
        let folder = Folder::new();
        folder.write(&[], 1 << 20, || false);
        let header = fs::read(folder.table()).unwrap();
        let bytes = if keeps_header { [header, table].concat() } else { table };
        fs::write(folder.table(), &bytes).unwrap();
        let _ = StoreWriter::open(&folder.collection());
    }

    #[test]
    fn places_that_cannot_be_are_errors(file in any::<u32>(), offset in edges(), bytes in edges(), links_offset in prop::option::of(edges())) {
        let folder = Folder::new();
        folder.write(&[], 1 << 20, || false);
        let url = PageUrl::parse("http://a.test/").unwrap();
        let record = PageRecord {
            warc: Some(WarcPlace { file, offset, bytes }),
            links_offset: links_offset.map(|offset| offset.min(u64::MAX - 1)),
            ..PageRecord::new(RecordKind::Fetched, url, Timestamp(0))
        };
        let mut fields = FieldWriter::new();
        record.encode(&mut fields);
        let mut table = JournalWriter::open(&folder.table(), PAGES).unwrap();
        table.append(fields.as_bytes());
        table.flush().unwrap();
        let reader = folder.reader();
        prop_assert!(reader.read(&record).is_err());
        prop_assert!(links_offset.is_none() || reader.links().unwrap().of(&record).is_err());
        let opened = StoreWriter::open(&folder.collection());
        // A record of no bytes at the very front is the one that does not reach beyond the end.
        let fits = (offset, bytes) == (0, 0);
        prop_assert!(opened.is_err() || fits || opened.is_ok_and(|(_, recovery)| recovery.dropped_records == 1));
    }
}

/// Numbers where sums go wrong.
fn edges() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(u64::MAX), Just(u64::MAX / 2), Just(1 << 40), any::<u64>()]
}
