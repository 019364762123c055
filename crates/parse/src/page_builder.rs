//! What a stream of tags and text makes of a [`Document`].
//!
//! No tree is built: the page is a text that grows, a list of links, and a few counters for where we are (inside a
//! template, a drawing, a link, the navigation). Memory for the place in the page is bounded, so markup nested without
//! end costs nothing. What is lost against a tree are repairs of misnested markup, which move text around but make no links.
//!
//! The words of a link are the part of the text written between its tags, so they are not collected twice.

use encoding_rs::Encoding;
use html5gum::State;
use page::{Document, Link, LinkKind, PageUrl};

use crate::directives::{Robots, has_token, refresh_address};
use crate::foreign::ForeignStack;
use crate::landmarks::Landmarks;
use crate::link_base::LinkBase;
use crate::tag::{Attribute, Attributes, Tag, breaks_out_of_svg, content_state};
use crate::text_writer::TextWriter;
use crate::{ANCHOR_BYTES_MAX, LINK_BYTES_MAX, LINKS_MAX, TEXT_BYTES_MAX, TITLE_BYTES_MAX};

/// No language tag in use is longer.
const LANGUAGE_BYTES_MAX: usize = 35;

/// Where text goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Page,
    Title,
    Nowhere,
}

/// A link whose end tag has not come yet.
#[derive(Debug)]
struct OpenAnchor {
    link_index: usize,
    /// Where its words begin in the text.
    text_start: usize,
    /// The first `alt` inside, for a link that has no words.
    alt: String,
}

/// A [`Document`] in the making.
#[derive(Debug)]
pub(crate) struct PageBuilder {
    document: Document,
    base: LinkBase,
    base_is_set: bool,
    text: TextWriter,
    title: Option<TextWriter>,
    /// Where the content of the element goes whose content is not markup.
    raw_target: Option<Target>,
    anchor: Option<OpenAnchor>,
    /// Bytes of all addresses of links.
    link_bytes: usize,
    template_depth: u32,
    preformatted_depth: u32,
    foreign: ForeignStack,
    landmarks: Landmarks,
    /// XHTML: `<script/>` is a whole element.
    is_xml: bool,
    html_seen: bool,
}

impl PageBuilder {
    pub(crate) fn new(url: &PageUrl, encoding: &'static Encoding, is_xml: bool, markup_bytes: usize) -> Self {
        let mut text = TextWriter::new(TEXT_BYTES_MAX);
        // About a third of the markup of ordinary pages is text.
        text.reserve(markup_bytes / 3);
        Self {
            document: Document::default(),
            base: LinkBase::new(url, encoding),
            base_is_set: false,
            text,
            title: None,
            raw_target: None,
            anchor: None,
            link_bytes: 0,
            template_depth: 0,
            preformatted_depth: 0,
            foreign: ForeignStack::default(),
            landmarks: Landmarks::default(),
            is_xml,
            html_seen: false,
        }
    }

    /// The page as read so far.
    pub(crate) fn finish(mut self) -> Document {
        self.close_anchor();
        self.document.title = self.title.map(TextWriter::finish).unwrap_or_default();
        self.document.text = self.text.finish();
        self.document
    }

    /// A piece of text.
    #[inline]
    pub(crate) fn text(&mut self, piece: &[u8]) {
        match self.target() {
            Target::Page => self.text.push(piece, self.preformatted_depth > 0),
            Target::Title => {
                if let Some(title) = &mut self.title {
                    title.push(piece, false);
                }
            }
            Target::Nowhere => {}
        }
    }

    fn target(&self) -> Target {
        if self.template_depth > 0 || self.foreign.is_in_drawing() {
            return Target::Nowhere;
        }
        self.raw_target.unwrap_or(Target::Page)
    }

    /// Are we in a place where `<![CDATA[` begins text?
    pub(crate) fn is_foreign(&self) -> bool {
        self.is_xml || self.foreign.is_foreign()
    }

    /// A start tag. Tells the tokenizer how to go on when the content is not ordinary markup.
    pub(crate) fn start_tag(
        &mut self,
        tag: Tag,
        name: &[u8],
        attributes: &Attributes,
        is_self_closing: bool,
    ) -> Option<State> {
        self.raw_target = None;
        if self.foreign.is_foreign() && breaks_out_of_svg(name) {
            self.foreign.leave();
        }
        let is_html = !self.foreign.is_foreign();
        let has_content = !(is_self_closing && (self.is_xml || !is_html || tag == Tag::Svg));
        if tag == Tag::Template && is_html && has_content {
            self.template_depth += 1;
        }
        if self.template_depth == 0 {
            self.apply(tag, attributes, has_content);
            if has_content && !self.foreign.is_in_drawing() {
                self.landmarks.open(tag, attributes.get(Attribute::Role));
            }
        }
        if has_content {
            self.foreign.open(tag);
        }
        if !(is_html && has_content) {
            return None;
        }
        let state = content_state(name);
        if state.is_some() {
            self.raw_target = Some(self.raw_target_of(tag));
        }
        state
    }

    fn raw_target_of(&mut self, tag: Tag) -> Target {
        match tag {
            Tag::Title if self.title.is_none() && self.target() == Target::Page => {
                self.title = Some(TextWriter::new(TITLE_BYTES_MAX));
                Target::Title
            }
            Tag::Preformatted => Target::Page,
            _ => Target::Nowhere,
        }
    }

    /// What a start tag outside of templates does to text and links.
    fn apply(&mut self, tag: Tag, attributes: &Attributes, has_content: bool) {
        match tag {
            Tag::Inline | Tag::Unseen | Tag::Svg | Tag::SvgIsland | Tag::Template | Tag::Title => {}
            Tag::Block | Tag::Container(_) | Tag::Row => self.text.end_line(),
            Tag::Cell => self.text.end_word(),
            Tag::Preformatted => {
                self.text.end_line();
                self.preformatted_depth += u32::from(has_content);
            }
            Tag::Anchor => self.open_anchor(attributes, has_content),
            Tag::Area => self.area(attributes),
            Tag::Frame => self.add_link(LinkKind::Frame, attributes),
            Tag::Image => self.image(attributes),
            Tag::Link => self.link_element(attributes),
            Tag::Meta => self.meta(attributes),
            Tag::Base => self.set_base(attributes),
            Tag::Html => self.html(attributes),
        }
    }

    /// An end tag.
    pub(crate) fn end_tag(&mut self, tag: Tag, name: &[u8]) {
        self.raw_target = None;
        if tag == Tag::Template && !self.foreign.is_foreign() {
            self.template_depth = self.template_depth.saturating_sub(1);
        }
        if self.foreign.is_foreign() && matches!(name, b"p" | b"br") {
            self.foreign.leave();
        }
        self.foreign.close(tag);
        if self.template_depth > 0 {
            return;
        }
        if !self.foreign.is_in_drawing() {
            self.landmarks.close(tag);
        }
        match tag {
            Tag::Block | Tag::Container(_) | Tag::Row => self.text.end_line(),
            Tag::Cell => self.text.end_word(),
            Tag::Preformatted => {
                self.text.end_line();
                self.preformatted_depth = self.preformatted_depth.saturating_sub(1);
            }
            Tag::Anchor => self.close_anchor(),
            _ => {}
        }
    }

    fn open_anchor(&mut self, attributes: &Attributes, has_content: bool) {
        // Links do not nest: a new one ends the one before.
        self.close_anchor();
        let link_count = self.document.links.len();
        self.add_link(LinkKind::Anchor, attributes);
        if has_content && self.document.links.len() > link_count {
            self.anchor =
                Some(OpenAnchor { link_index: link_count, text_start: self.text.len(), alt: String::new() });
        }
    }

    fn close_anchor(&mut self) {
        let Some(open) = self.anchor.take() else { return };
        let words = self.text.line_since(open.text_start, ANCHOR_BYTES_MAX);
        self.document.links[open.link_index].anchor = if words.is_empty() { open.alt } else { words };
    }

    fn area(&mut self, attributes: &Attributes) {
        let link_count = self.document.links.len();
        self.add_link(LinkKind::Anchor, attributes);
        if let Some(link) = self.document.links.get_mut(link_count) {
            link.anchor = collapsed(attributes.get(Attribute::Alt).unwrap_or_default());
        }
    }

    fn image(&mut self, attributes: &Attributes) {
        if let Some(anchor) = self.anchor.as_mut().filter(|anchor| anchor.alt.is_empty()) {
            anchor.alt = collapsed(attributes.get(Attribute::Alt).unwrap_or_default());
        }
    }

    fn link_element(&mut self, attributes: &Attributes) {
        if attributes.get(Attribute::Rel).is_some_and(|rel| has_token(rel, b"canonical")) {
            self.add_link(LinkKind::Canonical, attributes);
        }
    }

    fn meta(&mut self, attributes: &Attributes) {
        let content = attributes.text(Attribute::Content).unwrap_or_default();
        if attributes.get(Attribute::Name).is_some_and(Robots::is_for_us) {
            let robots = Robots::parse(content);
            self.document.noindex |= robots.noindex;
            self.document.nofollow |= robots.nofollow;
        }
        let pragma = attributes.get(Attribute::Pragma).unwrap_or_default();
        if pragma.trim_ascii().eq_ignore_ascii_case(b"refresh")
            && let Some(address) = refresh_address(content)
        {
            self.push_link(LinkKind::Refresh, address, false);
        }
    }

    fn set_base(&mut self, attributes: &Attributes) {
        if let Some(address) = attributes.text(Attribute::Address)
            && !self.base_is_set
        {
            self.base_is_set = true;
            self.base.rebase(address);
        }
    }

    fn html(&mut self, attributes: &Attributes) {
        if self.html_seen {
            return;
        }
        self.html_seen = true;
        let declared = attributes.text(Attribute::Lang).or_else(|| attributes.text(Attribute::XmlLang));
        let language = declared.unwrap_or_default().trim().to_ascii_lowercase();
        let is_sound = !language.is_empty()
            && language.len() <= LANGUAGE_BYTES_MAX
            && language.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        self.document.language = is_sound.then_some(language);
    }

    fn add_link(&mut self, kind: LinkKind, attributes: &Attributes) {
        let nofollow = attributes.get(Attribute::Rel).is_some_and(|rel| has_token(rel, b"nofollow"));
        if let Some(address) = attributes.text(Attribute::Address) {
            self.push_link(kind, address, nofollow);
        }
    }

    fn push_link(&mut self, kind: LinkKind, address: &str, nofollow: bool) {
        if self.document.links.len() >= LINKS_MAX || self.link_bytes >= LINK_BYTES_MAX {
            return;
        }
        if let Some(target) = self.base.resolve(address) {
            self.link_bytes += target.as_str().len();
            let in_navigation = self.landmarks.is_in_navigation();
            self.document.links.push(Link { target, anchor: String::new(), kind, nofollow, in_navigation });
        }
    }
}

fn collapsed(text: &[u8]) -> String {
    let mut writer = TextWriter::new(ANCHOR_BYTES_MAX);
    writer.push(text, false);
    writer.finish()
}
