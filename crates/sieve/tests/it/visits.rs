//! What the tiered sieve keeps of an address beside that it was seen.

use std::collections::HashMap;

use proptest::collection::vec;
use proptest::prelude::*;
use sieve::{Error, Known, Sieve, SieveKind, Visit};

use crate::worlds::{Passed, all_sorts, fingerprint, folder, offer, open, url};

const TINY: u64 = 8 << 10;

fn visit(number: u64) -> Visit {
    Visit {
        at_seconds: 1_700_000_000 + number,
        outcome: 200 + (number % 300) as u16,
        digest: number as u32 ^ 0xdead_beef,
    }
}

fn known(sieve: &dyn Sieve, number: u64) -> Known {
    sieve.look_up(fingerprint(number), &url(number)).unwrap().expect("this kind can tell")
}

#[test]
fn the_newest_visit_is_kept_through_runs_merges_and_restarts() {
    for bits in [64, 128, 52] {
        let dir = folder();
        let mut sieve = open((SieveKind::Tiered, bits), dir.path(), TINY, &[]).unwrap();
        for round in 0..12 {
            (0..150).for_each(|number| offer(&mut *sieve, round * 100 + number, 0, 0));
            sieve.flush(&mut Passed::default()).unwrap();
            for number in (0..round * 100).step_by(7) {
                sieve.note_visit(fingerprint(number), &url(number), visit(number + round)).unwrap();
            }
            sieve.flush(&mut Passed::default()).unwrap();
            if round % 4 == 3 {
                drop(sieve);
                sieve = open((SieveKind::Tiered, bits), dir.path(), TINY, &[]).unwrap();
            }
        }
        // What was visited last is merged with what was visited before.
        for number in 10_000..12_000 {
            offer(&mut *sieve, number, 0, 0);
            if number % 50 == 49 {
                sieve.flush(&mut Passed::default()).unwrap();
                sieve.settle().unwrap();
            }
        }
        for number in 0..1100 {
            let expected = if number % 7 == 0 { Known::Visited(visit(number + 11)) } else { Known::Seen };
            assert_eq!(known(&*sieve, number), expected, "{number} with {bits} bits");
        }
        assert_eq!(known(&*sieve, 5000), Known::Unseen);
        assert_eq!(sieve.seen(), 1250 + 2000);
    }
}

#[test]
fn what_was_never_seen_cannot_be_visited_or_forgotten() {
    let dir = folder();
    let mut sieve = open((SieveKind::Tiered, 64), dir.path(), TINY, &[]).unwrap();
    sieve.note_visit(fingerprint(1), &url(1), visit(1)).unwrap();
    sieve.forget(fingerprint(2), &url(2)).unwrap();
    sieve.flush(&mut Passed::default()).unwrap();
    assert_eq!((known(&*sieve, 1), known(&*sieve, 2), sieve.seen()), (Known::Unseen, Known::Unseen, 0));
    offer(&mut *sieve, 1, 0, 0);
    let mut passed = Passed::default();
    sieve.flush(&mut passed).unwrap();
    assert_eq!(passed.numbers(), [1], "a visit does not hide an address from the crawl");
}

#[test]
fn other_kinds_keep_no_visits_and_say_that_they_cannot_forget() {
    for sort in all_sorts().into_iter().filter(|(kind, _)| *kind != SieveKind::Tiered) {
        let dir = folder();
        let mut sieve = open(sort, dir.path(), 1 << 20, &[]).unwrap();
        sieve.note_visit(fingerprint(1), &url(1), visit(1)).unwrap();
        assert_eq!(sieve.look_up(fingerprint(1), &url(1)).unwrap(), None);
        assert!(matches!(sieve.forget(fingerprint(1), &url(1)), Err(Error::CannotForget { .. })));
    }
}

/// What happens to an address.
#[derive(Debug, Clone, Copy)]
enum Event {
    Offer,
    Visit(u64),
    Forget,
    Flush,
    Restart,
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 90, ..ProptestConfig::default() })]
    #[test]
    fn remarks_are_those_of_a_dictionary(bits in prop_oneof![Just(64u32), Just(52)], events in vec((0u64..120, prop_oneof![
        12 => Just(Event::Offer),
        4 => (0u64..1000).prop_map(Event::Visit),
        3 => Just(Event::Forget),
        1 => Just(Event::Flush),
        1 => Just(Event::Restart),
    ]), 0..1500)) {
        // Signatures of 52 bits are held in memory at first, as far as there is room for them; others ask runs.
        let (dir, sort) = (folder(), (SieveKind::Tiered, bits));
        let mut sieve = open(sort, dir.path(), 1 << 10, &[]).unwrap();
        let mut model: HashMap<u64, Option<Visit>> = HashMap::new();
        let (mut waiting, mut remarks): (Vec<u64>, Vec<(u64, Option<Visit>)>) = (Vec::new(), Vec::new());
        for (number, event) in events.into_iter().chain([(0, Event::Flush)]) {
            match event {
                Event::Offer => {
                    offer(&mut *sieve, number, 0, 0);
                    if !model.contains_key(&number) && !waiting.contains(&number) {
                        waiting.push(number);
                    }
                }
                Event::Visit(at) => {
                    sieve.note_visit(fingerprint(number), &url(number), visit(at)).unwrap();
                    remarks.push((number, Some(visit(at))));
                }
                Event::Forget => {
                    sieve.forget(fingerprint(number), &url(number)).unwrap();
                    remarks.push((number, None));
                }
                Event::Flush => {
                    let mut passed = Passed::default();
                    sieve.flush(&mut passed).unwrap();
                    prop_assert_eq!(passed.numbers(), waiting.clone());
                    model.extend(waiting.drain(..).map(|number| (number, None)));
                    let there: Vec<u64> = model.keys().copied().collect();
                    for (number, remark) in remarks.drain(..).filter(|(number, _)| there.contains(number)) {
                        match remark {
                            Some(visit) => drop(model.insert(number, Some(visit))),
                            None => drop(model.remove(&number)),
                        }
                    }
                }
                Event::Restart => {
                    drop(sieve);
                    (waiting, remarks) = Default::default();
                    sieve = open(sort, dir.path(), 1 << 10, &[]).unwrap();
                }
            }
        }
        prop_assert_eq!(sieve.seen(), model.len() as u64);
        for number in 0..120 {
            let expected = match model.get(&number) {
                None => Known::Unseen,
                Some(None) => Known::Seen,
                Some(Some(visit)) => Known::Visited(*visit),
            };
            prop_assert_eq!(known(&*sieve, number), expected);
        }
    }
}
