//! Labels against lists of them, and against files that somebody changed.

use std::fs;

use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::*;

/// Tables and usual flags by target, and the arcs of each node.
#[derive(Debug, Clone)]
struct Model {
    tables: Vec<(Vec<u32>, u8)>,
    arcs: Vec<Vec<ArcLabel>>,
}

const WORDS: u32 = 40;

/// Few words, so that some are in several tables and some in one. Most arcs are as expected.
fn model() -> impl Strategy<Value = Model> {
    let flags = || prop_oneof![5 => Just(0u8), 1 => 0u8..4];
    let rank = prop_oneof![5 => Just(0usize), 1 => 0usize..40];
    let table = (prop::collection::btree_set(0..WORDS, 0..6), flags());
    (
        prop::collection::vec(table, 1..70),
        prop::collection::vec((any::<usize>(), any::<usize>(), rank, flags()), 0..400),
    )
        .prop_map(|(tables, drawn)| {
            let tables: Vec<(Vec<u32>, u8)> =
                tables.into_iter().map(|(words, flags)| (words.into_iter().rev().collect(), flags)).collect();
            let mut arcs: Vec<Vec<ArcLabel>> = vec![Vec::new(); tables.len()];
            for (source, target, rank, flags) in drawn {
                let target = target % tables.len();
                let (words, usual) = &tables[target];
                if !words.is_empty() {
                    let (flags, rank) = (LinkFlags::from_stored(usual ^ flags), (rank % words.len()) as u32);
                    arcs[source % tables.len()].push(ArcLabel { target: target as u32, flags, rank });
                }
            }
            for list in &mut arcs {
                list.sort_by_key(|arc| arc.target);
                list.dedup_by_key(|arc| arc.target);
            }
            Model { tables, arcs }
        })
}

/// Writes the labels; returns which word has which number.
fn write(model: &Model, path: &Path) -> Vec<u32> {
    let mut tables = TableWriter::default();
    for (words, flags) in &model.tables {
        tables.push(words.iter().copied(), *flags);
    }
    let (tables, order) = tables.compress(WORDS as usize);
    let mut writer = LabelWriter::create(path, tables).unwrap();
    for arcs in &model.arcs {
        writer.push(arcs).unwrap();
    }
    writer.finish().unwrap();
    order
}

fn read_all(labels: &Labels, model: &Model) {
    for (node, arcs) in (0..).zip(&model.arcs) {
        let targets: Vec<u32> = arcs.iter().map(|arc| arc.target).collect();
        assert_eq!(labels.flags(node, &targets).len(), targets.len());
        assert_eq!(labels.of_node(node, &targets).len(), targets.len());
        labels.table(node).for_each(drop);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn labels_come_back(model in model()) {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("labels");
        let order = write(&model, &path);
        let labels = Labels::open(&path, model.tables.len()).unwrap();
        for (node, arcs) in (0..).zip(&model.arcs) {
            let targets: Vec<u32> = arcs.iter().map(|arc| arc.target).collect();
            let flags: Vec<LinkFlags> = arcs.iter().map(|arc| arc.flags).collect();
            prop_assert_eq!(labels.flags(node, &targets), flags);
            let word = |arc: &ArcLabel| model.tables[arc.target as usize].0[arc.rank as usize];
            let expected: Vec<(LinkFlags, u32)> = arcs.iter().map(|arc| (arc.flags, word(arc))).collect();
            let found = labels.of_node(node, &targets);
            let found: Vec<(LinkFlags, u32)> =
                found.into_iter().map(|(flags, number)| (flags, order[number as usize])).collect();
            prop_assert_eq!(found, expected);
        }
        for (target, (words, _)) in (0..).zip(&model.tables) {
            prop_assert!(labels.table(target).map(|number| &order[number as usize]).eq(words));
        }
    }

    /// Nothing but the checksum protects what we wrote; whoever makes a right checksum gets wrong labels, not a crash.
    #[test]
    fn a_changed_file_is_noticed_and_a_forged_one_harmless(model in model(), place in any::<usize>(), bits in 1u8..) {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("labels");
        write(&model, &path);
        let mut bytes = fs::read(&path).unwrap();
        let place = place % bytes.len();
        bytes[place] ^= bits;
        fs::write(&path, &bytes).unwrap();
        prop_assert!(Labels::open(&path, model.tables.len()).is_err());
        let checksum = xxh3_64(&bytes[32..]);
        bytes[24..32].copy_from_slice(&checksum.to_le_bytes());
        fs::write(&path, &bytes).unwrap();
        if let Ok(labels) = Labels::open(&path, model.tables.len()) {
            read_all(&labels, &model);
        }
    }
}

#[test]
fn arcs_as_expected_take_no_bits() {
    let scratch = tempfile::tempdir().unwrap();
    let mut tables = TableWriter::default();
    (0..100).for_each(|node| tables.push([node, 100].into_iter(), 2));
    let (tables, _) = tables.compress(101);
    let mut writer = LabelWriter::create(&scratch.path().join("labels"), tables).unwrap();
    let flags = LinkFlags::from_stored(2);
    let arcs: Vec<ArcLabel> = (0..100).map(|target| ArcLabel { target, flags, rank: 0 }).collect();
    (0..100).for_each(|_| writer.push(&arcs).unwrap());
    assert_eq!(writer.finish().unwrap().0, 0);
}
