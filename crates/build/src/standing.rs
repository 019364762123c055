//! What is known of the documents of an index whatever is asked: their ranks, and what their hosts, addresses and dates say.
//!
//! Only what counts is read: a signal without weight costs neither time nor memory.

use std::sync::Arc;

use index::Index;
use page::DocId;
use search::{Known, LinkRanks, Signal, Weights};
use store::Collection;

use crate::graphs::for_search::{self, Kept};
use crate::{Error, ShelfEntry, Watcher};

/// Reads it.
pub(crate) struct Standing<'s> {
    pub(crate) entries: &'s [ShelfEntry],
    pub(crate) index: &'s Index,
    pub(crate) weights: &'s Weights,
    /// Whether what has no weight is read, too.
    pub(crate) all: bool,
    pub(crate) watcher: &'s dyn Watcher,
}

impl Standing<'_> {
    /// All that counts, given what is known beside the words.
    pub(crate) fn read(&self, known: &Known) -> Result<LinkRanks, Error> {
        let weights = self.weights;
        let counts = |weight: f64| weight > 0.0 || self.all;
        let host_ranks_count = counts(weights.host_rank);
        let ranks = known.ranks.as_ref().filter(|_| counts(weights.page_rank) || host_ranks_count);
        let mut standing = LinkRanks::new(ranks.cloned().unwrap_or_default(), 0.0);
        if counts(weights.harmonic)
            && let Some(harmonic) = self.of_graph(Kept::Harmonic)?
        {
            standing = standing.with_signal(Signal::Harmonic, harmonic.into());
        }
        if let Some(ranks) = ranks.filter(|_| host_ranks_count) {
            standing = standing.with_signal(Signal::HostRank, known.sites.sums(ranks).into());
        }
        for signal in [Signal::Depth, Signal::AddressLength, Signal::Freshness] {
            if counts(signal.weight(weights)) {
                standing = standing.with_signal(signal, self.of_known(signal, known));
            }
        }
        Ok(standing.with_weights(weights))
    }

    fn of_graph(&self, kept: Kept) -> Result<Option<Vec<f32>>, Error> {
        let collections: Vec<&Collection> = self.entries.iter().map(|entry| &entry.collection).collect();
        ranks_of_graphs(kept, &collections, self.index, self.watcher)
    }

    fn of_known(&self, signal: Signal, known: &Known) -> Arc<[f32]> {
        let documents = (0..self.index.documents()).map(DocId::new);
        match signal {
            Signal::Depth => documents.map(|doc| known.sites.depth(doc) as f32).collect(),
            Signal::AddressLength => documents.map(|doc| known.address_lengths.get(doc).into()).collect(),
            _ => known.facts.ages(self.index.documents()).collect(),
        }
    }
}

/// A rank of all documents, of each collection in multiples of the average of its own pages; `None` if none has a graph.
pub(crate) fn ranks_of_graphs(
    kept: Kept,
    collections: &[&Collection],
    index: &Index,
    watcher: &dyn Watcher,
) -> Result<Option<Vec<f32>>, Error> {
    let mut ranks = vec![0.0; index.documents() as usize];
    let mut has_any = false;
    for (collection, member) in collections.iter().zip(index.members()) {
        if let Some(of_member) = for_search::ranks_of(kept, collection, index, member, watcher)? {
            let documents = member.documents();
            ranks[documents.start.index()..documents.end.index()].copy_from_slice(&of_member);
            has_any = true;
        }
    }
    Ok(has_any.then_some(ranks))
}
