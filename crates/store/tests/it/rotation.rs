//! A new WARC file is begun when the last is full; each of them stands for itself.

use std::fs;

use store::WarcHead;

use crate::disk::{Folder, assert_whole_members};
use crate::sample::{Rng, Sample, Sort, sample};

#[test]
fn full_files_are_followed_by_new_ones_and_each_can_be_read_alone() {
    for warc_bytes_max in [1, 2000, 6000] {
        let mut rng = Rng(warc_bytes_max);
        let samples: Vec<Sample> = (0..20).map(|number| sample(Sort::Plain, number, &mut rng)).collect();
        let folder = Folder::new();
        folder.write(&samples, warc_bytes_max, || false);
        folder.assert_holds(&samples);
        folder.assert_ends_are_clean();

        let file_count = fs::read_dir(folder.store().join("warc")).unwrap().count();
        assert!(file_count > 1, "{warc_bytes_max} bytes are not enough for all");
        let mut answers = 0;
        for number in 0..file_count {
            let bytes = fs::read(folder.warc(number)).unwrap();
            let is_last = number + 1 == file_count;
            assert!(is_last || bytes.len() as u64 >= warc_bytes_max, "file {number} was left too early");
            let records = assert_whole_members(&bytes);
            let types: Vec<String> = records
                .iter()
                .map(|record| WarcHead::parse(record).unwrap().header("warc-type").unwrap().to_owned())
                .collect();
            assert_eq!(types[0], "warcinfo", "file {number} says what it is");
            let head = WarcHead::parse(&records[0]).unwrap();
            assert_eq!(head.header("warc-filename"), Some(&*format!("crivello-{number:05}.warc.gz")));
            for pair in types[1..].chunks(2) {
                assert_eq!(pair, ["request", "response"], "a pair is never divided");
                answers += 1;
            }
        }
        assert_eq!(answers, samples.len());
    }
}

#[test]
fn a_smaller_limit_holds_from_the_next_run_on() {
    let folder = Folder::new();
    let mut rng = Rng(9);
    let samples: Vec<Sample> = (0..6).map(|number| sample(Sort::Gzip, number, &mut rng)).collect();
    folder.write(&samples[..3], store::WARC_BYTES_MAX, || false);
    folder.write(&samples[3..], 1, || false);
    folder.assert_holds(&samples);
    folder.assert_ends_are_clean();
    assert_eq!(fs::read_dir(folder.store().join("warc")).unwrap().count(), 4);
}
