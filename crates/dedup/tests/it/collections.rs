//! Collections with planted families of copies, and the obvious way to find them.

use std::collections::BTreeMap;
use std::path::Path;

use dedup::{
    CopyPair, DedupConfig, Deduplicator, DuplicateGroups, Execution, Shingler, Shingling, jaccard, make_set,
};

/// A plain sequence of numbers that look random.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % sides as u64) as usize
    }

    pub fn words(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| format!("w{}", self.roll(3000))).collect()
    }
}

/// So many texts: families of variants of one text, exact copies, lone texts, short ones and empty ones, mixed.
pub fn planted(seed: u64, count: usize) -> Vec<String> {
    let mut dice = Dice(seed);
    let mut texts = Vec::new();
    while texts.len() < count {
        let length = 20 + dice.roll(200);
        let base = dice.words(length);
        let members = [1, 1, 1, 2, 3, 5, 12][dice.roll(7)];
        for _ in 0..members {
            let mut words = base.clone();
            // None, few or many words are changed: similarities of 1 down to about 0.3.
            for _ in 0..dice.roll(3) * dice.roll(1 + length / 15) {
                let place = dice.roll(words.len());
                words[place] = format!("n{}", dice.roll(1_000_000));
            }
            texts.push(words.join(" "));
        }
        if dice.roll(10) == 0 {
            let few = dice.roll(4);
            texts.push(dice.words(few).join(" "));
        }
    }
    texts.truncate(count);
    // Members of a family should not be neighbours.
    for place in (1..texts.len()).rev() {
        texts.swap(place, dice.roll(place + 1));
    }
    texts
}

/// Small settings under which a test is quick.
pub fn config() -> DedupConfig {
    DedupConfig { shingling: Shingling::Words(3), execution: Execution::Serial, ..DedupConfig::default() }
}

pub type Pairs = BTreeMap<(u32, u32), f64>;

/// All pairs at or above the threshold, by comparing all with all.
pub fn all_pairs(texts: &[String], config: &DedupConfig) -> Pairs {
    let mut shingler = Shingler::new(config.shingling, config.text);
    let sets: Vec<Vec<u64>> = texts
        .iter()
        .map(|text| {
            let mut set = Vec::new();
            shingler.shingle(text.as_bytes(), &mut set);
            make_set(&mut set);
            set
        })
        .collect();
    let mut pairs = Pairs::new();
    for second in 0..sets.len() {
        for first in 0..second {
            let similarity = jaccard(&sets[first], &sets[second]);
            if similarity >= config.threshold && similarity > 0.0 {
                pairs.insert((first as u32, second as u32), similarity);
            }
        }
    }
    pairs
}

/// Connected components, by repainting.
pub fn components(pairs: &Pairs, count: usize) -> Vec<Vec<u32>> {
    let mut colours: Vec<u32> = (0..count as u32).collect();
    for (first, second) in pairs.keys() {
        let (left, right) = (colours[*first as usize], colours[*second as usize]);
        for colour in colours.iter_mut().filter(|colour| **colour == left.max(right)) {
            *colour = left.min(right);
        }
    }
    let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (document, colour) in (0..).zip(colours) {
        groups.entry(colour).or_default().push(document);
    }
    groups.into_values().filter(|group| group.len() > 1).collect()
}

/// Sketches and finds groups in a folder of its own, or in a given one.
pub fn groups_in(folder: &Path, texts: &[String], config: &DedupConfig) -> DuplicateGroups {
    let mut deduplicator = Deduplicator::open(folder, config.clone(), "test").unwrap();
    deduplicator.sketch(&texts, &()).unwrap();
    deduplicator.groups(&texts, &()).unwrap()
}

pub fn groups(texts: &[String], config: &DedupConfig) -> Vec<Vec<u32>> {
    let folder = tempfile::tempdir().unwrap();
    lists(&groups_in(folder.path(), texts, config))
}

pub fn lists(groups: &DuplicateGroups) -> Vec<Vec<u32>> {
    groups.iter().map(<[u32]>::to_vec).collect()
}

/// Sketches and finds pairs, which must come in order.
pub fn pairs(texts: &[String], config: &DedupConfig) -> Pairs {
    let folder = tempfile::tempdir().unwrap();
    let mut deduplicator = Deduplicator::open(folder.path(), config.clone(), "test").unwrap();
    deduplicator.sketch(&texts, &()).unwrap();
    let mut pairs = Pairs::new();
    let mut see = |CopyPair { first, second, similarity }| {
        assert!(pairs.last_key_value().is_none_or(|(last, _)| *last < (first, second)));
        pairs.insert((first, second), similarity);
        Ok(())
    };
    let report = deduplicator.pairs(&texts, &(), &mut see).unwrap();
    assert_eq!(report.pairs, pairs.len() as u64);
    pairs
}
