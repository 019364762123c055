//! Are we inside a drawing?
//!
//! Inside `<svg>` other rules hold: its `<title>` is not the page's, `<style>` holds ordinary markup, `/>` closes;
//! and inside `<foreignObject>` the rules of HTML hold again. A stack of one bit per level remembers which; it is a
//! number, so that drawings nested without end cost nothing. Below level 64 nothing changes any more.

use crate::tag::Tag;

/// The drawings and islands of HTML that are open, innermost in the lowest bit: 1 for a drawing.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct ForeignStack {
    levels: u64,
    depth: u32,
}

impl ForeignStack {
    /// Inside a drawing, on whatever level.
    pub(crate) fn is_in_drawing(&self) -> bool {
        self.depth > 0
    }

    /// Directly inside a drawing, where the rules of HTML do not hold.
    pub(crate) fn is_foreign(&self) -> bool {
        self.depth > 0 && self.levels & 1 == 1
    }

    /// A start tag with content.
    pub(crate) fn open(&mut self, tag: Tag) {
        match tag {
            Tag::Svg => self.push(1),
            Tag::SvgIsland | Tag::Title if self.is_foreign() => self.push(0),
            _ => {}
        }
    }

    /// An end tag.
    pub(crate) fn close(&mut self, tag: Tag) {
        match tag {
            Tag::Svg => while self.depth > 0 && !self.pop_is_drawing() {},
            Tag::SvgIsland | Tag::Title if self.depth > 0 && !self.is_foreign() => {
                self.pop_is_drawing();
            }
            _ => {}
        }
    }

    /// A tag came that cannot be in a drawing: it ends here.
    pub(crate) fn leave(&mut self) {
        while self.is_foreign() {
            self.pop_is_drawing();
        }
    }

    fn push(&mut self, level: u64) {
        if self.depth < u64::BITS {
            self.levels = self.levels << 1 | level;
            self.depth += 1;
        }
    }

    fn pop_is_drawing(&mut self) -> bool {
        let is_drawing = self.levels & 1 == 1;
        self.levels >>= 1;
        self.depth -= 1;
        is_drawing
    }
}
