//! `kill -9` at any byte: what was flushed is there, what was not is gone without a trace, and writing goes on.
//!
//! All files of a store only grow, and a flush hands them to the system in the order WARC, links, table. So every state
//! that a kill can leave is: all files as they were after some flush, and of the next flush the first so many bytes.

use store::WARC_BYTES_MAX;

use crate::disk::{Files, Folder, History, Lengths};
use crate::sample::{Rng, samples};

/// Opens what a kill left, and checks everything that the store promises.
fn assert_survives(history: &History, left: &Lengths, flushed: usize, warc_bytes_max: u64) {
    let folder = history.files.cut(left);
    let recovery = folder.write(&[], warc_bytes_max, || false);
    let kept = recovery.record_count as usize;
    assert!(kept >= flushed, "{flushed} records were flushed and {kept} are left");
    assert_eq!((kept, recovery.dropped_records), (history.records_within(left.table), 0));
    folder.assert_holds(&history.samples[..kept]);
    folder.assert_ends_are_clean();
    assert_eq!(folder.records(), history.records[..kept], "no record has moved");

    let mut expected = history.samples[..kept].to_vec();
    let more = samples(left.table as u64, 4);
    folder.write(&more, warc_bytes_max, || true);
    expected.extend(more);
    folder.assert_holds(&expected);
    folder.assert_ends_are_clean();
}

#[test]
fn a_kill_at_any_byte_leaves_a_prefix_with_everything_that_was_flushed() {
    for (warc_bytes_max, seeds) in [(WARC_BYTES_MAX, 0..6), (4000, 6..9)] {
        for seed in seeds {
            let history = History::write(seed, 30, warc_bytes_max);
            let mut rng = Rng(seed);
            for _ in 0..60 {
                let flush = rng.below(history.flushes.len() - 1);
                let ((flushed, before), (_, after)) = (&history.flushes[flush], &history.flushes[flush + 1]);
                let span = bytes_between(before, after);
                let bytes = rng.below(span + 1);
                println!(
                    "seed {seed}, WARC files of {warc_bytes_max}, flush {flush}, {bytes} of {span} bytes"
                );
                let left = before.plus(bytes, after).unwrap();
                assert_survives(&history, &left, *flushed, warc_bytes_max);
            }
        }
    }
}

fn bytes_between(before: &Lengths, after: &Lengths) -> usize {
    let sum = |lengths: &Lengths| lengths.warc.iter().sum::<usize>() + lengths.links + lengths.table;
    sum(after) - sum(before)
}

#[test]
fn a_kill_at_every_byte_of_one_flush() {
    let history = History::write(20, 3, 700);
    let ((_, start), (_, end)) = (&history.flushes[0], history.flushes.last().unwrap());
    let span = bytes_between(start, end);
    // Between the first byte and the last nothing else was flushed as far as the order of files is concerned.
    for bytes in 0..=span {
        let left = start.plus(bytes, end).unwrap();
        let folder = history.files.cut(&left);
        let recovery = folder.write(&[], 700, || false);
        assert_eq!(recovery.record_count as usize, history.records_within(left.table), "after {bytes} bytes");
        folder.assert_holds(&history.samples[..recovery.record_count as usize]);
        folder.assert_ends_are_clean();
    }
    assert_eq!(start.plus(span + 1, end), None, "the last cut was at the end");
}

#[test]
fn a_kill_while_a_store_is_being_made_leaves_an_empty_one() {
    let empty = Folder::new();
    empty.write(&[], WARC_BYTES_MAX, || false);
    let files = Files::read(&empty);
    let more = samples(1, 5);
    // The table is made first, then the links, then the first WARC file.
    let table_only = (0..=16).map(|table| (table, None));
    let with_links = (0..=16).map(|links| (16, Some(links)));
    for (table, links) in table_only.chain(with_links) {
        let folder = files.cut(&Lengths { warc: vec![], links: links.unwrap_or(0), table });
        if links.is_none() {
            std::fs::remove_file(folder.links()).unwrap();
        }
        let recovery = folder.write(&more, WARC_BYTES_MAX, || false);
        assert_eq!(
            (recovery.record_count, recovery.dropped_records),
            (0, 0),
            "table {table}, links {links:?}"
        );
        folder.assert_holds(&more);
        folder.assert_ends_are_clean();
    }
}

#[test]
fn a_kill_during_recovery_is_recovered_from() {
    let history = History::write(30, 20, 4000);
    let (_, before) = &history.flushes[history.flushes.len() - 2];
    let (_, after) = history.flushes.last().unwrap();
    let left = before.plus(bytes_between(before, after) / 2, after).unwrap();
    let once = history.files.cut(&left);
    once.write(&[], 4000, || false);
    let recovered = Files::read(&once);
    // Recovery cuts the table, then the links, then the WARC files; a kill comes between two of them.
    let table_is_cut = Lengths { table: recovered.table.len(), ..left.clone() };
    let links_are_cut = Lengths { links: recovered.links.len(), ..table_is_cut.clone() };
    for half_way in [left, table_is_cut, links_are_cut] {
        let folder = history.files.cut(&half_way);
        folder.write(&[], 4000, || false);
        assert_eq!(Files::read(&folder).lengths(), recovered.lengths(), "from {half_way:?}");
        folder.assert_ends_are_clean();
    }
}

#[test]
fn a_store_that_is_opened_again_and_again_goes_on() {
    let folder = Folder::new();
    let all = samples(40, 40);
    let mut rng = Rng(40);
    let mut written = 0;
    while written < all.len() {
        let part = (1 + rng.below(5)).min(all.len() - written);
        let recovery = folder.write(&all[written..written + part], 3000, || rng.below(2) == 0);
        assert_eq!((recovery.record_count as usize, recovery.dropped_records), (written, 0));
        written += part;
    }
    folder.assert_holds(&all);
    folder.assert_ends_are_clean();
}

#[test]
fn what_was_never_flushed_is_gone_and_counted_nowhere() {
    let folder = Folder::new();
    let all = samples(50, 10);
    folder.write(&all[..4], WARC_BYTES_MAX, || false);
    {
        let collection = folder.collection();
        let (mut writer, _) = store::StoreWriter::open(&collection).unwrap();
        let mut builder = store::WarcRecordBuilder::new(1);
        for sample in &all[4..] {
            writer.append(sample.new_page(&mut builder), crate::disk::NOW).unwrap();
        }
        assert_eq!(writer.record_count(), 10);
        assert!(writer.buffered_bytes() > 0);
        // Dropped without a flush, as a kill would.
    }
    folder.assert_holds(&all[..4]);
    folder.assert_ends_are_clean();
}
