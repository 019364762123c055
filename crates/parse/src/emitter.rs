//! From the tokenizer's calls to tags and text.
//!
//! html5gum reports a tag in pieces: its name, each attribute's name, each value. This emitter gathers a tag in
//! buffers that are used again and again, keeps only the attributes that [`attribute_of`] asks for, and hands
//! whole tags and pieces of text to the [`PageBuilder`]. Nothing is allocated per token, and a tag with a million
//! attributes costs a million cheap calls: only the first ones are looked at.

use std::convert::Infallible;

use html5gum::emitters::Emitter;
use html5gum::{Error, State, Tokenizer};

use crate::ATTRIBUTES_MAX;
use crate::paced_reader::{PacedReader, TokenBudget, Unwind};
use crate::page_builder::PageBuilder;
use crate::tag::{Attribute, Attributes, Tag, attribute_of, tag_of};

/// Reads markup into a page, as far as the budget goes, with what it says to readers without scripts.
pub(crate) fn read_markup(markup: &[u8], budget: &TokenBudget, page: &mut PageBuilder) {
    let reader = PacedReader::new(markup, budget);
    for round in Tokenizer::new_with_emitter(reader, PageEmitter::new(page, budget)) {
        // Nothing is given but the wish to go on: tokens went to the page.
        let Err(Unwind) = round;
    }
    // An element that the end of the page has ended.
    read_fallback(budget, page);
}

/// Reads the fallback that has just ended, if one has. Inside of one there is none, so this goes one level deep.
fn read_fallback(budget: &TokenBudget, page: &mut PageBuilder) {
    if let Some(markup) = page.enter_fallback() {
        read_markup(&markup, budget, page);
        page.leave_fallback();
    }
}

/// No name that we know is longer.
const NAME_BYTES_MAX: usize = 16;

/// A name up to the length that matters; a longer one is equal to none that we know.
#[derive(Debug, Default)]
struct Name {
    bytes: [u8; NAME_BYTES_MAX],
    len: usize,
}

impl Name {
    fn clear(&mut self) {
        self.len = 0;
    }

    fn push(&mut self, piece: &[u8]) {
        if let Some(room) = self.bytes.get_mut(self.len..self.len + piece.len()) {
            room.copy_from_slice(piece);
        }
        self.len = self.len.saturating_add(piece.len()).min(NAME_BYTES_MAX + 1);
    }

    fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or(b"?")
    }
}

/// Gathers tokens for a [`PageBuilder`].
struct PageEmitter<'a> {
    page: &'a mut PageBuilder,
    budget: &'a TokenBudget,
    name: Name,
    /// Of which element the tag is; known when its name is complete.
    tag: Option<Tag>,
    is_end_tag: bool,
    is_self_closing: bool,
    attributes: Attributes,
    attribute_name: Name,
    /// The attribute whose value comes next, if we keep it.
    attribute: Option<Attribute>,
    attribute_is_open: bool,
    attribute_count: usize,
    last_start_tag: Vec<u8>,
}

impl<'a> PageEmitter<'a> {
    fn new(page: &'a mut PageBuilder, budget: &'a TokenBudget) -> Self {
        Self {
            page,
            budget,
            name: Name::default(),
            tag: None,
            is_end_tag: false,
            is_self_closing: false,
            attributes: Attributes::default(),
            attribute_name: Name::default(),
            attribute: None,
            attribute_is_open: false,
            attribute_count: 0,
            last_start_tag: Vec::new(),
        }
    }

    fn begin_tag(&mut self, is_end_tag: bool) {
        self.name.clear();
        self.tag = None;
        self.is_end_tag = is_end_tag;
        self.is_self_closing = false;
        self.attribute_is_open = false;
        self.attribute_count = 0;
    }

    fn tag(&mut self) -> Tag {
        *self.tag.get_or_insert_with(|| tag_of(self.name.as_bytes()))
    }

    /// The name of an attribute is complete: do we keep it?
    fn settle_attribute_name(&mut self) {
        if !self.attribute_is_open {
            return;
        }
        self.attribute_is_open = false;
        self.attribute = match self.tag() {
            _ if self.is_end_tag => None,
            tag => attribute_of(tag, self.attribute_name.as_bytes()),
        };
        if let Some(attribute) = self.attribute
            && !self.attributes.begin(attribute)
        {
            self.attribute = None;
        }
    }
}

impl Emitter for PageEmitter<'_> {
    type Token = Infallible;

    fn set_last_start_tag(&mut self, last_start_tag: Option<&[u8]>) {
        self.last_start_tag.clear();
        self.last_start_tag.extend_from_slice(last_start_tag.unwrap_or_default());
    }

    fn emit_eof(&mut self) {}

    fn emit_error(&mut self, _: Error) {}

    #[inline]
    fn should_emit_errors(&mut self) -> bool {
        false
    }

    #[inline]
    fn pop_token(&mut self) -> Option<Infallible> {
        None
    }

    #[inline]
    fn emit_string(&mut self, piece: &[u8]) {
        self.budget.spend();
        self.page.text(piece);
    }

    fn init_start_tag(&mut self) {
        self.begin_tag(false);
        self.attributes.clear();
    }

    fn init_end_tag(&mut self) {
        self.begin_tag(true);
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        self.budget.spend();
        self.settle_attribute_name();
        let tag = self.tag();
        if self.is_end_tag {
            self.page.end_tag(tag, self.name.as_bytes());
            if tag == Tag::Fallback {
                read_fallback(self.budget, self.page);
            }
            return None;
        }
        self.last_start_tag.clear();
        self.last_start_tag.extend_from_slice(self.name.as_bytes());
        self.page.start_tag(tag, self.name.as_bytes(), &self.attributes, self.is_self_closing)
    }

    fn set_self_closing(&mut self) {
        self.is_self_closing = true;
    }

    #[inline]
    fn push_tag_name(&mut self, piece: &[u8]) {
        self.name.push(piece);
    }

    fn init_attribute(&mut self) {
        self.budget.spend();
        self.settle_attribute_name();
        self.attribute_name.clear();
        self.attribute = None;
        self.attribute_count += 1;
        self.attribute_is_open = self.attribute_count <= ATTRIBUTES_MAX;
    }

    #[inline]
    fn push_attribute_name(&mut self, piece: &[u8]) {
        self.attribute_name.push(piece);
    }

    #[inline]
    fn push_attribute_value(&mut self, piece: &[u8]) {
        self.settle_attribute_name();
        if let Some(attribute) = self.attribute {
            self.attributes.extend(attribute, piece);
        }
    }

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        self.is_end_tag && !self.last_start_tag.is_empty() && self.last_start_tag == self.name.as_bytes()
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        self.page.is_foreign()
    }

    // Comments and document types say nothing to a reader.
    fn init_comment(&mut self) {
        self.budget.spend();
    }
    fn emit_current_comment(&mut self) {}
    fn push_comment(&mut self, _: &[u8]) {}
    fn init_doctype(&mut self) {}
    fn emit_current_doctype(&mut self) {}
    fn set_force_quirks(&mut self) {}
    fn push_doctype_name(&mut self, _: &[u8]) {}
    fn set_doctype_public_identifier(&mut self, _: &[u8]) {}
    fn set_doctype_system_identifier(&mut self, _: &[u8]) {}
    fn push_doctype_public_identifier(&mut self, _: &[u8]) {}
    fn push_doctype_system_identifier(&mut self, _: &[u8]) {}
}
