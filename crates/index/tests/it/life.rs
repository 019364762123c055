//! An index that lives: documents come, are replaced and go, in many small steps, and the process that does it is killed
//! now and then. What is there is what a map has after the last step that was committed.
//!
//! 300 steps and 6 kills; with `CRIVELLO_LONG_TESTS=1`, 10,000 and 200.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use index::{Index, IndexBuilder, IndexDocument, Piece, bury, merge_tiers};
use page::{DocId, PageKey};

const DIR_VARIABLE: &str = "CRIVELLO_TEST_INDEX_LIFE";
const SEGMENTS_MAX: u64 = 40;

fn step_count() -> u64 {
    let is_long = std::env::var_os("CRIVELLO_LONG_TESTS").is_some_and(|value| value == "1");
    if is_long { 10_000 } else { 300 }
}

/// What is committed at once.
enum Step {
    Add(u64),
    Bury(u64),
    /// A document that lives comes anew under its key, and its old version goes.
    Replace(u64),
}

/// Some number that depends on another one only.
fn random(number: u64) -> u64 {
    let mixed = (number ^ number >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33
}

/// Step `number` of all: every third makes some earlier document go or come anew.
fn step(number: u64) -> Step {
    match number % 6 {
        2 => Step::Bury(random(number) % number),
        5 => Step::Replace(random(number) % number),
        _ => Step::Add(number),
    }
}

/// The text of a document that came in a step.
fn text_of(key: u64, number: u64) -> String {
    format!("all w{} x{} only{key}", random(number) % 7, random(number) % 53)
}

/// The documents that live after so many steps, and the step in which each came last.
fn model(steps: u64) -> BTreeMap<u64, u64> {
    let mut living = BTreeMap::new();
    for number in 0..steps {
        match step(number) {
            Step::Add(key) => _ = living.insert(key, number),
            Step::Bury(key) => _ = living.remove(&key),
            Step::Replace(key) => _ = living.get_mut(&key).map(|step| *step = number),
        }
    }
    living
}

/// Does a step; its number is then in one of the stamps.
fn take_step(dir: &Path, number: u64) {
    let stamp = (number + 1).to_string();
    match step(number) {
        Step::Add(key) => {
            let mut builder = match number {
                0 => IndexBuilder::create(dir, 1 << 20).unwrap(),
                _ => IndexBuilder::append(dir, 1 << 20).unwrap(),
            };
            add(&mut builder, key, number);
            builder.finish(&stamp).unwrap();
        }
        Step::Bury(key) => {
            bury(dir, &[PageKey::new(key)], &stamp).unwrap();
        }
        Step::Replace(key) => {
            let lives = Index::open(dir).unwrap().find_key(PageKey::new(key)).is_some();
            let mut builder = IndexBuilder::append(dir, 1 << 20).unwrap();
            if lives {
                add(&mut builder, key, number);
            }
            builder.bury(&[PageKey::new(key)], &stamp);
            builder.finish(&stamp).unwrap();
        }
    }
}

/// Adds a document as it is after a step, which is its print.
fn add(builder: &mut IndexBuilder, key: u64, number: u64) {
    let text = text_of(key, number);
    let pieces = Piece::title_and_text("", &text);
    let document = IndexDocument { key: PageKey::new(key), language: None, pieces: &pieces };
    builder.add_with_print(&document, number as u32).unwrap();
}

/// How many steps have been committed.
fn steps_done(dir: &Path) -> u64 {
    let Ok(index) = Index::open(dir) else { return 0 };
    index.source_stamp().parse::<u64>().unwrap().max(index.dead_stamp().parse().unwrap_or(0))
}

fn assert_equals_model(dir: &Path, steps: u64) {
    let index = Index::open(dir).unwrap();
    let living = model(steps);
    assert_eq!(index.report().documents, living.len() as u64);
    let mut found: Vec<(u64, u64)> = (0..index.documents())
        .map(DocId::new)
        .filter(|&doc| !index.is_dead(doc))
        .map(|doc| (index.doc_key(doc).get(), u64::from(index.print(doc))))
        .collect();
    found.sort_unstable();
    assert_eq!(found, living.iter().map(|(&key, &number)| (key, number)).collect::<Vec<_>>());
    for doc in (0..index.documents()).map(DocId::new).filter(|&doc| !index.is_dead(doc)) {
        assert_eq!(index.find_key(index.doc_key(doc)), Some(doc));
    }
    let mut by_term = BTreeMap::<String, Vec<u64>>::new();
    for (&key, &number) in &living {
        for word in text_of(key, number).split(' ') {
            by_term.entry(word.to_owned()).or_default().push(key);
        }
    }
    for (term, expected) in by_term {
        let entry = index.term(&term).unwrap().unwrap();
        let (mut cursor, mut found, mut positions) = (index.cursor(&entry), Vec::new(), Vec::new());
        while cursor.doc() != DocId::END {
            found.push(index.doc_key(cursor.doc()).get());
            cursor.positions(&mut positions).unwrap();
            assert_eq!(positions.len(), 1);
            cursor.next();
        }
        found.sort_unstable();
        assert_eq!(found, expected, "{term} after {steps} steps");
    }
    assert!(index.report().segments <= SEGMENTS_MAX, "{} segments", index.report().segments);
}

/// What the killed process does; without the variable it is no test.
#[test]
fn steps_of_a_process_that_is_killed() {
    let Some(dir) = std::env::var_os(DIR_VARIABLE) else { return };
    let dir = Path::new(&dir);
    for number in steps_done(dir)..step_count() {
        take_step(dir, number);
        merge_tiers(dir).unwrap();
        println!("step {number}");
    }
}

#[test]
fn steps_and_kills_leave_what_was_committed_in_few_segments() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    let kills = step_count() / 50;
    for kill in 0..=kills {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["life::steps_of_a_process_that_is_killed", "--exact", "--nocapture"])
            .env(DIR_VARIABLE, &dir)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let before = steps_done(&dir);
        let until = if kill < kills { (kill + 1) * 50 - random(kill) % 20 } else { step_count() };
        while steps_done_line(&mut lines).is_some_and(|done| done < until) {}
        if kill < kills {
            // Somewhere in the next steps.
            std::thread::sleep(std::time::Duration::from_micros(random(kill) % 9_000));
            child.kill().unwrap();
        }
        child.wait().unwrap();
        let done = steps_done(&dir);
        assert!(done >= before && done >= until.min(step_count()), "{before}, {until}, {done}");
        assert_equals_model(&dir, done);
    }
    assert_eq!(steps_done(&dir), step_count());
}

/// The steps that a process says it has done; nothing at its end.
fn steps_done_line(lines: &mut impl Iterator<Item = std::io::Result<String>>) -> Option<u64> {
    lines.find_map(|line| line.ok()?.strip_prefix("step ")?.parse::<u64>().ok()).map(|number| number + 1)
}
