//! `kill -9`, again and again, at moments that nothing in the crawl can foresee.

use std::io::Read;
use std::process::Command;
use std::time::Duration;

use flate2::bufread::GzDecoder;
use lab::{AuditPolicy, LabConfig};

use crate::command::{Lab, crivello, succeeds, succeeds_with_json, warc_files};

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
fn a_crawl_that_is_killed_among_checkpoints_ends_with_the_same_collection() {
    let config = LabConfig { seed: 36, hosts: 30, pages: 2400, slow_ms: 10, ..LabConfig::default() };
    let delay = Duration::from_millis(40);
    let (lab, options) = (Lab::start(config, delay), ["--checkpoint-every", "15", "--readers", "2"]);
    // So long a run makes checkpoints, and trims what came before them.
    let (mut kills, mut met) = (0, 0);
    while kills < 4 && killed_after(&lab, &options, delay, Duration::from_millis(2300 + 170 * kills)) {
        (kills, met) = (kills + 1, met + u64::from(lab.collection().join("frontier/checkpoint").exists()));
    }
    assert!(met >= 2, "{met} of {kills} kills came behind a checkpoint");
    end_and_compare(&lab, &options);
}

#[test]
fn a_crawl_by_rank_that_is_killed_ends_with_the_same_collection() {
    let config = LabConfig { seed: 32, hosts: 12, pages: 900, slow_ms: 10, ..LabConfig::default() };
    // The order of the last run is that of nobody before it: what was estimated dies with each run.
    kill_again_and_again(config, 6, &["--priority", "rank", "--max-per-host", "1000"]);
}

#[test]
fn a_crawl_with_any_sieve_that_is_killed_ends_with_the_same_collection() {
    // The default is killed above; these are the other kinds that keep what they have seen on disk.
    for (number, kind) in ["mercator", "offline", "lsm", "btree"].into_iter().enumerate() {
        let seed = 34 + number as u64;
        let config = LabConfig { seed, hosts: 8, pages: 400, slow_ms: 10, ..LabConfig::default() };
        kill_again_and_again(config, 3, &["--sieve", kind]);
    }
}

#[test]
fn a_crawl_that_is_killed_again_and_again_stays_polite() {
    let config = LabConfig {
        seed: 33,
        hosts: 10,
        pages: 50,
        hosts_per_address: 2,
        crawl_delay_rate: 0.3,
        crawl_delay_s: 0.6,
        links_per_page: 8,
        ..LabConfig::default()
    };
    kill_slowly(config, 10, Duration::from_millis(300), &["--sitemaps"]);
}

#[test]
fn rests_by_the_ratio_rule_hold_after_kills() {
    let config = LabConfig {
        seed: 34,
        hosts: 8,
        pages: 32,
        hosts_per_address: 2,
        slow_host_rate: 0.6,
        slow_ms: 60,
        links_per_page: 8,
        ..LabConfig::default()
    };
    let delay = Duration::from_millis(100);
    let policy = AuditPolicy {
        host_delay: delay,
        address_delay: delay,
        // A slow visit has a rest of three seconds, much longer than the one that everybody has at a restart.
        rest_ratio: 24.0,
        visit_time: Duration::from_millis(80),
        error_rest: Duration::from_secs(1),
    };
    let lab = Lab::start_audited(config, policy);
    // With a ratio, everybody rests for a second at a restart.
    kill_and_compare(&lab, 6, Duration::from_secs(1), &["--rest-ratio", "24", "--visit-time", "80ms"]);
}

fn kill_again_and_again(config: LabConfig, kills_max: u32, options: &[&str]) {
    kill_slowly(config, kills_max, Duration::from_millis(1), options);
}

/// Kills a crawl up to so often, lets it end, and compares.
fn kill_slowly(config: LabConfig, kills_max: u32, delay: Duration, options: &[&str]) {
    kill_and_compare(&Lab::start(config, delay), kills_max, delay, options);
}

fn kill_and_compare(lab: &Lab, kills_max: u32, delay: Duration, options: &[&str]) {
    let mut kills = 0;
    // A little generator of moments: between 15 and 250 ms after the first rest.
    let mut random: u64 = 0x2545_f491_4f6c_dd1d;
    while kills < kills_max {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        if !killed_after(lab, options, delay, delay + Duration::from_millis(15 + random % 235)) {
            break;
        }
        kills += 1;
    }
    assert!(2 * kills >= kills_max, "it was done after {kills} kills: the web is too small for this machine");
    end_and_compare(lab, options);
}

/// Whether a crawl goes on for so long, and is killed then.
fn killed_after(lab: &Lab, options: &[&str], delay: Duration, time: Duration) -> bool {
    let mut child = lab.crawl().args(options).stdout(std::process::Stdio::null()).spawn().unwrap();
    std::thread::sleep(time);
    if let Some(status) = child.try_wait().unwrap() {
        assert!(status.success(), "it ended with {status}");
        return false;
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // What the last run had sent may still be on its way, and answers to it; a fifth of a long rest is no rest.
    std::thread::sleep((delay / 5).max(Duration::from_millis(20)));
    let since = std::time::Instant::now();
    while !lab.server.is_idle() && since.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

/// Lets a crawl end, and compares.
fn end_and_compare(lab: &Lab, options: &[&str]) {
    let output = lab.crawl().args(options).output().unwrap();
    assert!(output.status.success(), "{}", crate::command::errors_of(&output));
    lab.assert_truth();
    lab.assert_polite();
    for file in warc_files(&lab.collection()) {
        assert_whole_members(&std::fs::read(file).unwrap());
    }
}

#[test]
fn a_process_that_ends_inside_a_flush_leaves_no_page_without_its_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let (collection, file) = (dir.path().join("c.crivello"), dir.path().join("pages.jsonl"));
    let mut random: u64 = 7;
    let mut word = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("{:x} ", random >> 20)
    };
    let mut line = |number: u32| {
        let text: String = (0..200).map(|_| word()).collect();
        serde_json::json!({ "url": format!("http://a.test/{number}"), "text": text }).to_string() + "\n"
    };
    std::fs::write(&file, (0..100).map(&mut line).collect::<String>()).unwrap();
    // The archive grows beyond what the system allows a file, and the process is ended in the middle of writing it.
    let limited = "ulimit -c 0; ulimit -f 64 && exec \"$0\" \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", limited]).arg(crivello().get_program()).arg("import").args([&collection, &file]);
    assert!(!command.output().unwrap().status.success(), "the limit was not met");
    assert!(
        std::fs::metadata(collection.join("store/warc/crivello-00000.warc.gz")).unwrap().len() > 16 << 10
    );
    succeeds(&["export", collection.to_str().unwrap(), "pages"]);
    let imported =
        succeeds_with_json(&["import", collection.to_str().unwrap(), file.to_str().unwrap(), "--json"]);
    let there = |name: &str| imported[name].as_u64().unwrap();
    assert_eq!(there("imported") + there("already_there"), 100, "{imported}");
    assert_eq!(succeeds(&["export", collection.to_str().unwrap(), "pages"]).lines().count(), 100);
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
