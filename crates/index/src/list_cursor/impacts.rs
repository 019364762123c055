//! What a word adds to documents, and what it adds at most where nothing has been decoded.
//!
//! The first count that is asked for in a block is read alone, since in most blocks it is the only one; then all are decoded.
//! In nearly all blocks every word stands in the main text only: then there are no fields to take apart, and a count is all that
//! an impact needs.

use journal::SealedFile;

use super::{Decoded, LIST_END, ListCursor, Waiting};
use crate::codec::BLOCK;
use crate::field::{FIELD_COUNT, Field};
use crate::impact::{Bounds, ImpactTable};
use crate::list_entry::ListEntry;
use crate::skips::SkipTable;

/// What is known of a block that was not decoded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BlockBound {
    /// The greatest impact; 0 behind the last block.
    pub(crate) impact: f32,
    /// The last document; [`LIST_END`] behind the last block.
    pub(crate) last: u32,
}

/// What a document needs to be given.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Least<'b> {
    pub(crate) impact: f32,
    /// No smaller weight has it.
    pub(crate) weight: f32,
    pub(crate) bounds: &'b Bounds,
}

impl Least<'_> {
    /// Whether a block of this maximum may have such a document.
    #[inline]
    fn is_reached_in(&self, maximum: f32) -> bool {
        self.bounds.of(maximum) >= self.impact
    }
}

/// Places of a block, with their weights.
struct Chosen {
    places: [u8; BLOCK],
    weights: [f32; BLOCK],
    count: usize,
}

impl Chosen {
    /// Chooses a place if it weighs enough. There are no more than those of a block.
    #[inline]
    fn choose(&mut self, place: usize, weight: f32, least: f32) {
        let next = self.count % BLOCK;
        (self.places[next], self.weights[next]) = (place as u8, weight);
        self.count += usize::from(weight >= least);
    }
}

impl ListCursor<'_> {
    /// The impact of the term in the present document; never at the end.
    #[inline]
    pub(crate) fn impact(&mut self, table: &ImpactTable) -> f32 {
        table.of_weight(self.weight(table))
    }

    /// What the term weighs in the present document; never at the end.
    #[inline]
    pub(crate) fn weight(&mut self, table: &ImpactTable) -> f32 {
        if self.decoded == Decoded::Documents
            && !self.has_read_one
            && let Some((field, total)) = self.read_one()
        {
            return total as f32 * self.field_factor(self.present, field, table);
        }
        self.decode(Decoded::Fields);
        let (at, document) = (self.place(), self.present);
        let of_field = |field| self.field_factor(document, field, table);
        match self.is_split {
            true => self.split.weight(at, self.totals[at], of_field),
            false => self.totals[at] as f32 * of_field(Field::Main.index()),
        }
    }

    /// What an occurrence of the term weighs in the present document, if all are in the main text; never at the end.
    #[inline]
    pub(crate) fn weight_in_main_text(&mut self, table: &ImpactTable) -> Option<f32> {
        self.decode(Decoded::Fields);
        let at = self.place();
        let is_alone = !self.is_split || self.split.is_main_alone(at);
        is_alone.then(|| self.field_factor(self.present, Field::Main.index(), table))
    }

    /// What an occurrence in a field of a document weighs.
    #[inline]
    fn field_factor(&self, document: u32, field: usize, table: &ImpactTable) -> f32 {
        table.factor(field, self.files.lengths.code(document, field))
    }

    /// In which field the term occurs in the present document, and how often, if it is one alone. Nothing is decoded for it
    /// but that.
    fn read_one(&mut self) -> Option<(usize, u32)> {
        if let Waiting::AllButFirst = self.waiting {
            self.spread();
        }
        self.has_read_one = true;
        if !self.files.codecs.precision.has_counts() {
            return Some((Field::Main.index(), 1));
        }
        let (codec, mut bits, at) = (self.files.codecs.counts(), self.rest.clone(), self.place());
        let count = codec.read_one(&mut bits, self.length, at)?;
        let field = self.files.patterns.read_one(codec, &mut bits, at)?;
        Some((field, count.saturating_add(1)))
    }

    /// The codes of the lengths of the fields of the present document; zeros at the end.
    pub(crate) fn length_codes(&self) -> [u8; FIELD_COUNT] {
        self.files.lengths.codes(self.present)
    }

    /// Gives each document from the present one to `last` that weighs enough with its impact, and stands on the first one
    /// behind.
    #[inline]
    pub(crate) fn impacts_to(
        &mut self,
        last: u32,
        least: Least<'_>,
        table: &ImpactTable,
        each: &mut impl FnMut(u32, f32),
    ) {
        while self.present <= last && self.present != LIST_END {
            self.spread();
            let in_block = &self.documents[self.at..self.length];
            let end = if in_block[in_block.len() - 1] <= last {
                self.length
            } else {
                self.at + in_block.partition_point(|&document| document <= last)
            };
            if !self.table_has_blocks() || least.is_reached_in(self.table.impact(self.block)) {
                self.decode(Decoded::Fields);
                self.impacts_until(end, least.weight, table, each);
            }
            if end < self.length {
                self.stand_at(end);
            } else {
                self.load_block(self.next_worth_loading(last, least));
            }
        }
    }

    /// Gives each document from the present one on with its impact.
    pub(crate) fn for_each_impact(&mut self, table: &ImpactTable, mut each: impl FnMut(u32, f32)) {
        while self.present != LIST_END {
            self.spread();
            self.decode(Decoded::Fields);
            self.impacts_until(self.length, 0.0, table, &mut each);
            self.next_block();
        }
    }

    /// Gives those before this place of the block that weigh enough. Which do nobody can foresee, so they are chosen
    /// without a branch, before anything is made of them.
    #[inline]
    fn impacts_until(&self, end: usize, least: f32, table: &ImpactTable, each: &mut impl FnMut(u32, f32)) {
        let mut chosen = Chosen { places: [0; BLOCK], weights: [0.0; BLOCK], count: 0 };
        let (range, lengths) = (self.at..end, &self.files.lengths);
        let documents = range.clone().zip(&self.documents[range.clone()]);
        if self.is_split {
            for ((place, &document), &total) in documents.zip(&self.totals[range]) {
                let of_field = |field| table.factor(field, lengths.code(document, field));
                chosen.choose(place, self.split.weight(place, total, of_field), least);
            }
        } else {
            let main = lengths.of_field(Field::Main);
            for ((place, &document), &count) in documents.zip(&self.totals[range]) {
                let code = main.get(document as usize).copied().unwrap_or(0);
                chosen.choose(place, table.weight_of_main_text(count, code), least);
            }
        }
        for (&place, &weight) in chosen.places.iter().zip(&chosen.weights).take(chosen.count) {
            each(self.documents[usize::from(place) % BLOCK], table.of_weight(weight));
        }
    }

    /// The block after the present one, or the first one after it that may have a document that is wanted or ends
    /// behind `last`.
    fn next_worth_loading(&self, last: u32, least: Least<'_>) -> usize {
        let mut block = self.block + 1;
        while self.table_has_blocks()
            && block < self.block_count()
            && !least.is_reached_in(self.table.impact(block))
            && self.table.last(block) <= last
        {
            block += 1;
        }
        block
    }

    /// What no document of the block that `target` would be in exceeds, without decoding it. Targets do not decrease.
    #[inline]
    pub(crate) fn bound_at(&mut self, target: u32) -> BlockBound {
        if !self.table_has_blocks() {
            // So few documents are not worth a table.
            let last = self.last;
            let impact = if target > last || last == LIST_END { 0.0 } else { 1.0 };
            return BlockBound { impact, last: if impact == 0.0 { LIST_END } else { last } };
        }
        self.shallow = self.shallow.max(self.block);
        if self.shallow < self.block_count() && self.table.last(self.shallow) < target {
            self.shallow = self.table.find(self.shallow, target);
        }
        if self.shallow < self.block_count() {
            BlockBound { impact: self.table.impact(self.shallow), last: self.table.last(self.shallow) }
        } else {
            BlockBound { impact: 0.0, last: LIST_END }
        }
    }

    /// What no document from `from` to `to` exceeds, and how far that holds: to `to`. Neither decreases from one question
    /// to the next.
    pub(crate) fn bound_between(&mut self, from: u32, to: u32) -> f32 {
        let first = self.bound_at(from);
        if !self.table_has_blocks() || first.last >= to {
            return first.impact;
        }
        let mut impact = first.impact;
        for block in self.shallow + 1..self.block_count() {
            impact = impact.max(self.table.impact(block));
            if self.table.last(block) >= to {
                break;
            }
        }
        impact
    }
}

/// What no document of a list exceeds.
pub(crate) fn list_impact(entry: &ListEntry, skips: &SealedFile) -> f32 {
    let table = SkipTable::new(skips.verified_bytes(entry.skips.clone()), entry.documents, entry.occurrences);
    table.filter(|_| entry.documents as usize > BLOCK).map_or(1.0, |table| table.list_impact())
}
