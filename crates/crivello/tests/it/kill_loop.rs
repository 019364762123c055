//! `kill -9`, again and again, at moments that nothing in the crawl can foresee.

use std::io::Read;
use std::time::Duration;

use flate2::bufread::GzDecoder;
use lab::LabConfig;

use crate::command::{Lab, warc_files};

#[test]
fn a_crawl_that_is_killed_twenty_times_ends_with_the_same_collection() {
    let config = LabConfig {
        seed: 31,
        hosts: 25,
        pages: 2500,
        hosts_per_address: 2,
        slow_ms: 10,
        ..LabConfig::default()
    };
    kill_again_and_again(config, 20, &[]);
}

#[test]
fn a_crawl_by_rank_that_is_killed_ends_with_the_same_collection() {
    let config = LabConfig { seed: 32, hosts: 12, pages: 900, slow_ms: 10, ..LabConfig::default() };
    // The order of the last run is that of nobody before it: what was estimated dies with each run.
    kill_again_and_again(config, 6, &["--priority", "rank", "--max-per-host", "1000"]);
}

/// Kills a crawl up to so often, lets it end, and compares.
fn kill_again_and_again(config: LabConfig, kills_max: u32, options: &[&str]) {
    let lab = Lab::start(config, Duration::from_millis(1));
    let mut kills = 0;
    // A little generator of moments: between 15 and 250 ms after the start.
    let mut random: u64 = 0x2545_f491_4f6c_dd1d;
    while kills < kills_max {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let mut child = lab.crawl().args(options).stdout(std::process::Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(15 + random % 235));
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "it ended with {status}");
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
    }
    assert!(2 * kills >= kills_max, "it was done after {kills} kills: the web is too small for this machine");
    let output = lab.crawl().args(options).output().unwrap();
    assert!(output.status.success(), "{}", crate::command::errors_of(&output));
    lab.assert_truth();
    lab.assert_polite();
    for file in warc_files(&lab.collection()) {
        assert_whole_members(&std::fs::read(file).unwrap());
    }
}

/// Every gzip member is complete, begins a WARC record, and the file ends with the last one.
fn assert_whole_members(mut bytes: &[u8]) {
    while !bytes.is_empty() {
        let mut decoder = GzDecoder::new(bytes);
        let mut record = Vec::new();
        decoder.read_to_end(&mut record).expect("no torn member");
        assert!(record.starts_with(b"WARC/1.1\r\n") && record.ends_with(b"\r\n\r\n"));
        bytes = decoder.into_inner();
    }
}
