//! What every kind of sieve does, one by one.

use std::path::Path;

use sieve::{Error, Outlet, SieveKind, SieveOptions, SieveState};

use crate::worlds::{Passed, Refusing, all_sorts, copy_folder, fingerprint, folder, offer, open};

/// Tables that are full after a hundred addresses.
const TINY: u64 = 8 << 10;
const ROOMY: u64 = 1 << 20;

#[test]
fn addresses_pass_once_in_the_order_of_their_first_arrival() {
    for sort in all_sorts() {
        let dir = folder();
        let mut sieve = open(sort, dir.path(), ROOMY, &[]).unwrap();
        for number in [7, 3, 7, 9, 3, 1, 7] {
            offer(&mut *sieve, number, 1, 0);
        }
        assert!(sieve.pending() >= 4, "{sort:?}");
        let mut passed = Passed::default();
        let flushed = sieve.flush(&mut passed).unwrap();
        assert_eq!((passed.numbers(), flushed.passed, flushed.offered), (vec![7, 3, 9, 1], 4, 7), "{sort:?}");
        for number in [9, 2, 7, 2] {
            offer(&mut *sieve, number, 1, 0);
        }
        let mut passed = Passed::default();
        sieve.flush(&mut passed).unwrap();
        assert_eq!((passed.numbers(), sieve.seen(), sieve.pending()), (vec![2], 5, 0), "{sort:?}");
    }
}

#[test]
fn equal_offers_pass_once_with_the_smallest_depth() {
    for sort in all_sorts() {
        let dir = folder();
        let mut sieve = open(sort, dir.path(), ROOMY, &[]).unwrap();
        for (number, depth, hops) in [(9, 5, 0), (4, 2, 3), (9, 3, 2), (9, 4, 1), (4, 2, 4)] {
            offer(&mut *sieve, number, depth, hops);
        }
        let mut passed = Passed::default();
        sieve.flush(&mut passed).unwrap();
        assert_eq!(passed.0, [(9, 3, 0), (4, 2, 3)], "{sort:?}");
    }
}

#[test]
fn the_note_is_that_of_the_last_flush_after_a_restart_too() {
    for sort in all_sorts() {
        let dir = folder();
        let mut passed = Passed::default();
        for count in 1..=3 {
            let mut sieve = open(sort, dir.path(), TINY, &passed.numbers()).unwrap();
            offer(&mut *sieve, count, 1, 0);
            sieve.flush(&mut passed).unwrap();
            // Nothing is new, and there is a note all the same.
            sieve.flush(&mut passed).unwrap();
            assert_eq!(sieve.note(), (count as usize).to_le_bytes(), "{sort:?}");
            drop(sieve);
            let sieve = open(sort, dir.path(), TINY, &passed.numbers()).unwrap();
            assert_eq!(
                (sieve.note(), sieve.seen()),
                (&(count as usize).to_le_bytes()[..], count),
                "{sort:?}"
            );
        }
    }
}

#[test]
fn a_flush_that_fails_leaves_the_old_state_in_force() {
    for sort in all_sorts() {
        // In the smaller one the addresses that wait are on disk, and tables are full.
        for memory_bytes in [ROOMY, TINY] {
            let (dir, copy) = (folder(), folder());
            let mut sieve = open(sort, dir.path(), memory_bytes, &[]).unwrap();
            let mut passed = Passed::default();
            (0..200).for_each(|number| offer(&mut *sieve, number, 1, 0));
            sieve.flush(&mut passed).unwrap();
            sieve.settle().unwrap();
            (100..400).for_each(|number| offer(&mut *sieve, number, 1, 0));
            assert!(sieve.flush(&mut Refusing).is_err());
            if sort.0 != SieveKind::Lsm {
                // Its files change while they are copied.
                copy_folder(dir.path(), copy.path());
                let killed = open(sort, copy.path(), memory_bytes, &passed.numbers()).unwrap();
                assert_eq!(killed.seen(), 200, "{sort:?}");
            }
            (300..600).for_each(|number| offer(&mut *sieve, number, 1, 0));
            sieve.flush(&mut passed).unwrap();
            assert_eq!(
                passed.numbers(),
                (0..600).collect::<Vec<_>>(),
                "{sort:?}: the same call can be repeated"
            );
        }
    }
}

/// An outlet during whose last act the folder is copied: what a kill at this moment leaves.
struct Killed<'p> {
    passed: Passed,
    from: &'p Path,
    to: &'p Path,
}

impl Outlet for Killed<'_> {
    fn pass(&mut self, candidate: sieve::Candidate<'_>) -> std::io::Result<()> {
        self.passed.pass(candidate)
    }

    fn seal(&mut self) -> std::io::Result<Vec<u8>> {
        copy_folder(self.from, self.to);
        self.passed.seal()
    }
}

#[test]
fn a_kill_inside_a_flush_leaves_the_flush_before() {
    for sort in all_sorts().into_iter().filter(|(kind, _)| *kind != SieveKind::Lsm) {
        let (dir, copy) = (folder(), folder());
        let mut sieve = open(sort, dir.path(), TINY, &[]).unwrap();
        let mut passed = Passed::default();
        (0..150).for_each(|number| offer(&mut *sieve, number, 1, 0));
        sieve.flush(&mut passed).unwrap();
        sieve.settle().unwrap();
        (100..300).for_each(|number| offer(&mut *sieve, number, 1, 0));
        let mut killed = Killed { passed: Passed::default(), from: dir.path(), to: copy.path() };
        sieve.flush(&mut killed).unwrap();
        assert_eq!(killed.passed.numbers(), (150..300).collect::<Vec<_>>());
        let mut sieve = open(sort, copy.path(), TINY, &passed.numbers()).unwrap();
        assert_eq!((sieve.seen(), sieve.note()), (150, &150usize.to_le_bytes()[..]), "{sort:?}");
        (100..300).for_each(|number| offer(&mut *sieve, number, 1, 0));
        sieve.flush(&mut passed).unwrap();
        assert_eq!(passed.numbers(), (0..300).collect::<Vec<_>>(), "{sort:?}");
    }
}

#[test]
fn a_sieve_of_another_kind_is_refused_by_name() {
    for (kind, bits) in all_sorts().into_iter().filter(|(_, bits)| *bits == 64) {
        let dir = folder();
        open((kind, bits), dir.path(), ROOMY, &[]).unwrap().flush(&mut Passed::default()).unwrap();
        for other in SieveKind::ALL.into_iter().filter(|other| *other != kind && other.is_available()) {
            let is_taken_over =
                other == SieveKind::Tiered && matches!(kind, SieveKind::Mercator | SieveKind::Offline);
            let opened = sieve::open(dir.path(), Some(other), SieveOptions::new(ROOMY));
            match opened {
                Err(Error::OtherKind { kind: found, .. }) => assert_eq!(found, kind.name()),
                Err(error) => panic!("{kind:?} as {other:?}: {error}"),
                Ok(_) if is_taken_over => break,
                Ok(_) => panic!("{kind:?} was opened as {other:?}"),
            }
        }
    }
}

#[test]
fn without_a_kind_one_goes_on_with_what_is_there() {
    for (kind, bits) in all_sorts() {
        let dir = folder();
        open((kind, bits), dir.path(), ROOMY, &[]).unwrap().flush(&mut Passed::default()).unwrap();
        let sieve = sieve::open(dir.path(), None, SieveOptions::new(ROOMY)).unwrap();
        assert_eq!(sieve.kind(), kind);
        assert_eq!(SieveState::of(dir.path()).unwrap().unwrap().signature_bits(), bits);
    }
    let sieve = sieve::open(folder().path(), None, SieveOptions::new(ROOMY)).unwrap();
    assert_eq!(sieve.kind(), SieveKind::Tiered);
}

#[test]
fn signatures_of_another_length_are_refused_by_name() {
    let dir = folder();
    let with = |bits| {
        sieve::open(dir.path(), None, SieveOptions { memory_bytes: ROOMY, signature_bits: Some(bits) })
    };
    with(64).unwrap().flush(&mut Passed::default()).unwrap();
    for bits in [52, 128] {
        let Err(error) = with(bits) else { panic!("{bits} bits were taken") };
        assert!(matches!(error, Error::OtherSignatures { found: 64, .. }), "{error}");
    }
    for (kind, bits) in [(SieveKind::Mercator, 128), (SieveKind::Bloom, 60)] {
        let options = SieveOptions { memory_bytes: ROOMY, signature_bits: Some(bits) };
        assert!(matches!(
            sieve::open(folder().path(), Some(kind), options),
            Err(Error::SignatureBits { .. })
        ));
    }
    for bits in [0, 47, 65, 127, 129] {
        let options = SieveOptions { memory_bytes: ROOMY, signature_bits: Some(bits) };
        assert!(
            matches!(sieve::open(folder().path(), None, options), Err(Error::NoSuchSignature { .. })),
            "{bits}"
        );
    }
}

/// Two addresses whose first 64 bits are the same are one for 64 bits, and two for 128.
#[test]
fn with_128_bits_addresses_with_the_same_fingerprint_are_two() {
    for (bits, expected) in [(64, 1), (128, 2)] {
        let dir = folder();
        for restart in 0..2 {
            let mut sieve = open((SieveKind::Tiered, bits), dir.path(), TINY, &[]).unwrap();
            let mut passed = sieve::Collected::default();
            for url in ["http://a.test/", "http://b.test/"] {
                sieve
                    .offer(sieve::Candidate { fingerprint: fingerprint(1), depth: 0, hops: 0, url })
                    .unwrap();
            }
            sieve.flush(&mut passed).unwrap();
            assert_eq!(passed.urls.len(), if restart == 0 { expected } else { 0 }, "{bits} bits");
            // Enough to make runs.
            (10..400).for_each(|number| offer(&mut *sieve, number, 0, 0));
            sieve.flush(&mut Passed::default()).unwrap();
            sieve.settle().unwrap();
            sieve.flush(&mut Passed::default()).unwrap();
        }
    }
}

/// Written by the version before the tiered sieve, when nobody had asked for a kind.
#[test]
fn the_list_of_an_earlier_version_is_gone_on_with() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/mercator-v1");
    let as_was = |kind: Option<SieveKind>, expected: SieveKind| {
        let dir = folder();
        copy_folder(&fixture, dir.path());
        let mut passed = Passed::default();
        for restart in 0..2 {
            let mut sieve = sieve::open(dir.path(), kind, SieveOptions::new(TINY)).unwrap();
            assert_eq!((sieve.kind(), sieve.seen()), (expected, 300 + 100 * restart));
            (0..400).for_each(|number| offer(&mut *sieve, number, 1, 0));
            if restart == 0 {
                assert_eq!(sieve.note(), b"a note of version 1");
            }
            sieve.flush(&mut passed).unwrap();
            sieve.settle().unwrap();
        }
        assert_eq!(passed.numbers(), (300..400).collect::<Vec<_>>(), "{expected:?}");
        dir
    };
    let dir = as_was(None, SieveKind::Tiered);
    assert!(!dir.path().join("seen-1").exists(), "the list is not needed any more");
    as_was(Some(SieveKind::Mercator), SieveKind::Mercator);
    as_was(Some(SieveKind::Tiered), SieveKind::Tiered);
}

#[test]
fn the_expected_number_of_collisions_is_told() {
    let state = |kind, seen| SieveState { kind, seen, ..SieveState::default() };
    let of = |kind, seen| state(kind, seen).expected_collisions();
    assert!((of(SieveKind::Mercator, 1 << 33) - 2.0).abs() < 1e-9, "k²/2n");
    assert!(of(SieveKind::Memory, 1_000_000) < 1e-7);
}

#[test]
fn what_is_held_in_memory_and_what_is_asked_for_on_disk_answer_alike() {
    // Of signatures of 64 bits nothing is held in the first budget, two shards in the second, all in the third; those of
    // 52 bits are held until they are too many. Each start may have another budget than the one before.
    let budgets = [[TINY, ROOMY, 16 << 20], [16 << 20, TINY, ROOMY], [ROOMY, TINY, 4 * TINY]];
    for (bits, budgets) in [64, 52].into_iter().flat_map(|bits| budgets.map(|budgets| (bits, budgets))) {
        let dir = folder();
        for (round, budget) in budgets.into_iter().enumerate() {
            let mut sieve = open((SieveKind::Tiered, bits), dir.path(), budget, &[]).unwrap();
            let first = round as u64 * 4000;
            for number in 0..first + 4000 {
                offer(&mut *sieve, number, 1, 0);
                if number % 700 == 699 {
                    sieve.flush(&mut Known(first)).unwrap();
                }
            }
            let mut passed = Known(first);
            sieve.flush(&mut passed).unwrap();
            assert_eq!((sieve.seen(), passed.0), (first + 4000, first), "{bits} bits, {budgets:?}");
            (0..first + 4000).for_each(|number| offer(&mut *sieve, number, 1, 0));
            assert_eq!(sieve.flush(&mut Passed::default()).unwrap().passed, 0, "{bits} bits, {budgets:?}");
        }
    }
}

/// Lets nothing pass that has passed before: numbers below this one.
struct Known(u64);

impl Outlet for Known {
    fn pass(&mut self, candidate: sieve::Candidate<'_>) -> std::io::Result<()> {
        let mut one = Passed::default();
        one.pass(candidate)?;
        assert!(one.0[0].0 >= self.0, "{} passes again", one.0[0].0);
        Ok(())
    }

    fn seal(&mut self) -> std::io::Result<Vec<u8>> {
        Ok(Vec::new())
    }
}
