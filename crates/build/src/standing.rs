//! What is known of the documents of an index whatever is asked: their ranks, and what their hosts, addresses and dates say.
//!
//! Only what counts is read: a signal without weight costs neither time nor memory.

use std::sync::Arc;

use index::Index;
use page::DocId;
use search::{LinkRanks, Signal, Weights};

use crate::across::PageTables;
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
    /// All that counts, given what page tables say.
    pub(crate) fn read(&self, tables: &PageTables) -> Result<LinkRanks, Error> {
        let weights = self.weights;
        let counts = |weight: f64| weight > 0.0 || self.all;
        let host_ranks_count = counts(weights.host_rank);
        let mut ranks = None;
        if counts(weights.page_rank) || host_ranks_count {
            ranks = self.of_graph(Kept::PageRank)?;
        }
        let of_hosts = ranks.as_ref().filter(|_| host_ranks_count).map(|ranks| tables.sites.sums(ranks));
        let mut standing = LinkRanks::new(ranks.unwrap_or_default().into(), 0.0);
        if counts(weights.harmonic)
            && let Some(harmonic) = self.of_graph(Kept::Harmonic)?
        {
            standing = standing.with_signal(Signal::Harmonic, harmonic.into());
        }
        if let Some(of_hosts) = of_hosts {
            standing = standing.with_signal(Signal::HostRank, of_hosts.into());
        }
        for signal in [Signal::Depth, Signal::AddressLength, Signal::Freshness] {
            if counts(signal.weight(weights)) {
                standing = standing.with_signal(signal, self.of_tables(signal, tables));
            }
        }
        Ok(standing.with_weights(weights))
    }

    /// A rank of all documents, of each collection in multiples of the average of its own pages; `None` if none has a graph.
    fn of_graph(&self, kept: Kept) -> Result<Option<Vec<f32>>, Error> {
        let mut ranks = vec![0.0; self.index.documents() as usize];
        let mut has_any = false;
        for (entry, member) in self.entries.iter().zip(self.index.members()) {
            let of_member = for_search::ranks_of(kept, &entry.collection, self.index, member, self.watcher)?;
            if let Some(of_member) = of_member {
                let documents = member.documents();
                ranks[documents.start.index()..documents.end.index()].copy_from_slice(&of_member);
                has_any = true;
            }
        }
        Ok(has_any.then_some(ranks))
    }

    fn of_tables(&self, signal: Signal, tables: &PageTables) -> Arc<[f32]> {
        let documents = (0..self.index.documents()).map(DocId::new);
        match signal {
            Signal::Depth => documents.map(|doc| tables.sites.depth(doc) as f32).collect(),
            Signal::AddressLength => documents.map(|doc| tables.address_length(doc) as f32).collect(),
            _ => tables.facts.ages(self.index.documents()).collect(),
        }
    }
}
