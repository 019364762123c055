//! The best documents of a formula that asks for no words: what is known of them beside their words decides, and their ranks
//! alone put them in order. Whole stretches of documents that no rank brings among the best are passed over.

use page::DocId;

use super::Collector;
use crate::Error;
use crate::operators::DocIterator;
use crate::top::Scored;

/// Ranks are bounded for so many documents at a time.
const STRETCH: u32 = 256;

/// Offers every document that matches and may come among the best.
pub(crate) fn walk(
    mut documents: Box<dyn DocIterator + '_>,
    collector: &mut Collector<'_>,
) -> Result<(), Error> {
    let mut doc = documents.doc();
    while doc < collector.end() && !collector.must_stop() {
        let Some(least) = collector.least(true, doc) else { break };
        let last = DocId::new(doc.get() | (STRETCH - 1));
        if collector.rank_bound(doc, last) < least {
            doc = documents.advance(last.next());
            continue;
        }
        if collector.rank(doc) >= least && documents.matches()? {
            collector.offer(Scored { has_all: true, points: collector.rank(doc), doc })?;
        }
        doc = documents.next();
    }
    Ok(())
}
