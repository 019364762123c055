//! The best documents in which words follow each other: an intersection that reads positions last.
//!
//! Like [`super::all_words`], with the least instead of the sum: a phrase says no more in a document than any one of its
//! words does. So as soon as it is known what the best have, every word of its own has to reach it. The rarest word leads:
//! blocks of its list in which some word does not reach it are passed over, and of a block that is decoded only the
//! documents in which the leader reaches it are looked up in the other lists, where the same is asked of their blocks, then
//! of their counts. Positions are read of what remains.
//!
//! Cost: a nanosecond for each document of the rarest word, and positions of the few that may be among the best.

use super::Collector;
use super::spans::{FIRST_BLOCKS, Span, all_but, in_order};
use crate::Error;
use crate::operators::{Bound, Phrase, PhraseLead};
use crate::top::Scored;

/// Offers every document that has the phrase and may come among the best; `phrase` gives it, and its rarest word apart, as
/// often as it is asked.
pub(crate) fn walk<'i>(
    phrase: impl Fn() -> Result<Option<(PhraseLead<'i>, Phrase<'i>)>, Error>,
    collector: &mut Collector<'_>,
) -> Result<(), Error> {
    let Some((lead, all)) = phrase()? else { return Ok(()) };
    let first = in_order(lead.strongest_blocks(FIRST_BLOCKS));
    if !first.is_empty()
        && let Some((lead, phrase)) = phrase()?
    {
        walk_spans(lead, phrase, &first, collector)?;
    }
    walk_spans(lead, all, &all_but(&first, collector.end()), collector)
}

fn walk_spans(
    mut lead: PhraseLead<'_>,
    mut phrase: Phrase<'_>,
    spans: &[Span],
    collector: &mut Collector<'_>,
) -> Result<(), Error> {
    let mut block = Vec::new();
    for span in spans {
        let mut from = lead.doc().max(span.first);
        while from <= span.last && !collector.must_stop() {
            let Some(least) = collector.least(true, from) else { return Ok(()) };
            let Bound { points, last } = phrase.bound_between(from, span.last, &mut lead);
            let rank = collector.rank_bound(from, last);
            if points + rank < least {
                from = last.next();
                continue;
            }
            block.clear();
            lead.give_to(from, last, rank.missing_to(least), |doc| block.push(doc));
            for &doc in &block {
                if collector.must_stop() {
                    break;
                }
                let Some(least) = collector.least(true, doc) else { break };
                let of_rank = collector.rank(doc);
                if let Some(points) = phrase.look_at(doc, of_rank.missing_to(least))? {
                    collector.offer(Scored { has_all: true, points: points + of_rank, doc })?;
                }
            }
            from = lead.doc().max(last.next());
        }
    }
    Ok(())
}
