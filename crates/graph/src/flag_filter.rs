//! Leaves out arcs by what is known of them: nofollow, navigation, within a host.
//!
//! Cost: the labels of a list are decoded with it, some 50 ns an arc; nothing if all arcs count.

use crate::labels::Labels;
use crate::{ArcFilter, KeepArcs};

/// An [`ArcFilter`] with what it has to know of the arcs of a folder.
#[derive(Debug)]
pub struct FlagFilter<'a> {
    labels: &'a Labels,
    /// The first node of each host.
    host_starts: Vec<u32>,
    filter: ArcFilter,
}

impl<'a> FlagFilter<'a> {
    pub(crate) fn new(labels: &'a Labels, host_starts: Vec<u32>, filter: ArcFilter) -> Self {
        Self { labels, host_starts, filter }
    }
}

impl KeepArcs for FlagFilter<'_> {
    fn keep(&self, source: u32, targets: &[u32], kept: &mut Vec<u32>) {
        if self.filter == ArcFilter::default() {
            return kept.extend_from_slice(targets);
        }
        let host = self.host_starts.partition_point(|start| *start <= source);
        let own = self.host_starts[host - 1]..self.host_starts.get(host).copied().unwrap_or(u32::MAX);
        let flags = self.labels.flags(source, targets).into_iter();
        let arcs = flags.zip(targets).map(|(mut flags, target)| {
            flags.is_same_host = own.contains(target);
            (flags, *target)
        });
        let admitted = arcs.filter(|(flags, target)| self.filter.admits(source, *target, *flags));
        kept.extend(admitted.map(|(_, target)| target));
    }
}
