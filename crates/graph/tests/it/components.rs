//! Components against those that were published with the graph.

use std::collections::HashMap;

use graph::Components;

use crate::known_graphs::{all, cnr_2000};

#[test]
fn components_are_as_many_and_as_large_as_known() {
    for known in all() {
        let components = Components::of(&known.graph);
        assert_eq!(components.sizes().len() as f64, known.number("scc_count"), "{}", known.name);
        assert_eq!(f64::from(components.sizes()[0]), known.number("largest_scc"), "{}", known.name);
    }
}

#[test]
fn components_of_cnr_2000_are_the_published_ones() {
    let Some(known) = cnr_2000() else { return };
    let numbers = |name: &str| -> Vec<u32> {
        let bytes = std::fs::read(known.folder.join(name)).expect("it is published");
        bytes.as_chunks().0.iter().map(|chunk| u32::from_be_bytes(*chunk)).collect()
    };
    let components = Components::of(&known.graph);
    assert_eq!(components.sizes(), numbers("cnr-2000.sccsizes"));
    // Equally large components may be numbered differently: each of ours must be one of theirs and the reverse.
    let published = numbers("cnr-2000.scc");
    let (mut there, mut back) = (HashMap::new(), HashMap::new());
    for (ours, theirs) in components.component_of().iter().zip(&published) {
        assert_eq!(there.entry(ours).or_insert(theirs), &theirs);
        assert_eq!(back.entry(theirs).or_insert(ours), &ours);
    }
}
