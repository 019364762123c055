//! What the parts of the text are, noted while it grows.
//!
//! A part is known by how long the text was when it began; when it ends, what was written since is its words. So a part
//! without words leaves nothing, and nothing is ever copied. Parts of one landmark that only empty blocks divide are one.
//!
//! Cost: O(1) per tag, and at the end one sort of spans that are nearly in order. Their number is bounded.

use std::ops::Range;

use page::{Span, SpanKind};

use crate::landmarks::Place;
use crate::text_writer::TextWriter;
use crate::{HEADING_BYTES_MAX, SPANS_MAX};

/// The parts of a text in the making.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    place: Place,
    landmark_start: usize,
    main_start: usize,
    heading: Option<OpenHeading>,
    landmarks: Vec<Span>,
    mains: Vec<Span>,
    headings: Vec<Span>,
    links: Vec<Span>,
}

/// A heading whose end tag has not come yet.
#[derive(Debug)]
struct OpenHeading {
    level: u8,
    text_start: usize,
}

impl Outline {
    /// From here on words stand at `place`.
    #[inline]
    pub(crate) fn enter(&mut self, place: Place, text: &TextWriter) {
        if place != self.place {
            self.change_place(place, text);
        }
    }

    fn change_place(&mut self, place: Place, text: &TextWriter) {
        let before = std::mem::replace(&mut self.place, place);
        if before.landmark != place.landmark {
            let words = before.landmark.zip(text.words_since(self.landmark_start));
            self.landmark_start = text.len();
            if let Some((kind, words)) = words {
                push_joined(&mut self.landmarks, kind, &words);
            }
        }
        if before.is_in_main && !place.is_in_main {
            if let Some(words) = text.words_since(self.main_start) {
                push_joined(&mut self.mains, SpanKind::Main, &words);
            }
        } else if place.is_in_main && !before.is_in_main {
            self.main_start = text.len();
        }
    }

    /// A heading begins.
    pub(crate) fn begin_heading(&mut self, level: u8, text: &TextWriter) {
        self.heading = Some(OpenHeading { level, text_start: text.len() });
    }

    /// The heading that is open, if one is, ends.
    pub(crate) fn end_heading(&mut self, text: &TextWriter) {
        let Some(open) = self.heading.take() else { return };
        let words = text.words_since(open.text_start).filter(|words| words.len() <= HEADING_BYTES_MAX);
        if let Some(words) = words {
            push(&mut self.headings, SpanKind::Heading(open.level), &words);
        }
    }

    /// A link ends that began at `start`. Their number is bounded by that of links.
    pub(crate) fn link(&mut self, start: usize, text: &TextWriter) {
        if let Some(words) = text.words_since(start) {
            self.links.push(span(SpanKind::Link, &words));
        }
    }

    /// The page ends, and all that is open with it.
    pub(crate) fn end(&mut self, text: &TextWriter) {
        self.end_heading(text);
        self.enter(Place::default(), text);
    }

    /// Gives the spans in the order of their starts, the longest first.
    pub(crate) fn finish(self, text: &str) -> Vec<Span> {
        let mut spans = self.landmarks;
        spans.extend(self.mains);
        spans.extend(self.headings);
        spans.extend(self.links);
        // Only a limit that cuts a character in two could make one that does not fit.
        spans.retain(|span| text.get(span.range()).is_some());
        spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        spans
    }
}

fn span(kind: SpanKind, words: &Range<usize>) -> Span {
    // Texts are shorter than `TEXT_BYTES_MAX`.
    Span { start: words.start as u32, end: words.end as u32, kind }
}

/// Adds a part, unless there are too many.
fn push(spans: &mut Vec<Span>, kind: SpanKind, words: &Range<usize>) {
    if spans.len() < SPANS_MAX {
        spans.push(span(kind, words));
    }
}

/// Adds a part to the one before, if it is of the same kind and no word stands between.
fn push_joined(spans: &mut Vec<Span>, kind: SpanKind, words: &Range<usize>) {
    match spans.last_mut() {
        Some(last) if last.kind == kind && words.start <= last.end as usize + 1 => {
            last.end = words.end as u32
        }
        _ => push(spans, kind, words),
    }
}
