//! All kinds beside a naive model: a set of everything seen, and a list of what waits.

use std::collections::HashSet;

use proptest::collection::vec;
use proptest::prelude::*;

use crate::worlds::{Passed, Refusing, all_sorts, folder, offer, open};

/// Something that happens to a sieve.
#[derive(Debug, Clone)]
enum Event {
    /// Offers: number, depth, hops.
    Offers(Vec<(u64, u16, u8)>),
    Flush,
    /// A flush that the outlet refuses.
    Refuse,
    /// The process ends without a word and another one begins.
    Restart,
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        6 => vec((0u64..300, 0u16..5, 0u8..3), 0..250).prop_map(Event::Offers),
        4 => Just(Event::Flush),
        1 => Just(Event::Refuse),
        2 => Just(Event::Restart),
    ];
    vec(event, 1..16)
}

/// What a sieve should do.
#[derive(Debug, Default)]
struct Model {
    seen: HashSet<u64>,
    waiting: Vec<(u64, u16, u8)>,
}

impl Model {
    fn offer(&mut self, number: u64, depth: u16, hops: u8) {
        if self.seen.contains(&number) {
            return;
        }
        match self.waiting.iter_mut().find(|(waiting, ..)| *waiting == number) {
            Some(waiting) => *waiting = (number, waiting.1.min(depth), waiting.2.min(hops)),
            None => self.waiting.push((number, depth, hops)),
        }
    }

    fn flush(&mut self) -> Vec<(u64, u16, u8)> {
        self.seen.extend(self.waiting.iter().map(|(number, ..)| number));
        std::mem::take(&mut self.waiting)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    #[test]
    fn it_lets_through_what_a_hash_set_would(events in events()) {
        for sort in all_sorts() {
            // So little that addresses that wait are on disk, and runs are made and merged all the time. A Bloom filter
            // must be large enough not to err here.
            let memory_bytes = if sort.0 == sieve::SieveKind::Bloom { 1 << 20 } else { 8 << 10 };
            let dir = folder();
            let (mut model, mut passed) = (Model::default(), Vec::new());
            let mut sieve = open(sort, dir.path(), memory_bytes, &[]).unwrap();
            for event in &events {
                match event {
                    Event::Offers(offers) => for &(number, depth, hops) in offers {
                        model.offer(number, depth, hops);
                        offer(&mut *sieve, number, depth, hops);
                    },
                    Event::Flush => {
                        let mut outlet = Passed::default();
                        sieve.flush(&mut outlet).unwrap();
                        prop_assert_eq!(&outlet.0, &model.flush(), "{:?}", sort);
                        passed.extend(outlet.numbers());
                    }
                    Event::Refuse => prop_assert!(sieve.flush(&mut Refusing).is_err()),
                    Event::Restart => {
                        model.waiting.clear();
                        drop(sieve);
                        sieve = open(sort, dir.path(), memory_bytes, &passed).unwrap();
                    }
                }
                prop_assert_eq!(sieve.seen(), model.seen.len() as u64, "{:?}", sort);
            }
        }
    }
}
