//! What a stream of tags and text makes of a [`Document`].
//!
//! No tree is built: the page is a text that grows, a list of links, and a few counters for where we are (inside a
//! template, a drawing, a link, the navigation). Memory for the place in the page is bounded, so markup nested without
//! end costs nothing. What is lost against a tree are repairs of misnested markup, which move text around but make no links.
//!
//! The words of a link are the part of the text written between its tags, so they are not collected twice.

use encoding_rs::Encoding;
use html5gum::State;
use page::{Document, LinkKind, PageUrl};

use crate::dates::Dates;
use crate::directives::{Robots, has_token, refresh_address};
use crate::fallback::Fallback;
use crate::foreign::ForeignStack;
use crate::landmarks::Landmarks;
use crate::outline::Outline;
use crate::page_links::PageLinks;
use crate::tag::{Attribute, Attributes, Tag, breaks_out_of_svg, content_state};
use crate::text_writer::TextWriter;
use crate::{ANCHOR_BYTES_MAX, TEXT_BYTES_MAX, TITLE_BYTES_MAX};

/// The version of this reader: it goes up whenever the same bytes would be read otherwise, so that whoever keeps what was
/// read knows that it has to be read again.
pub const VERSION: u32 = 2;

/// No language tag in use is longer.
const LANGUAGE_BYTES_MAX: usize = 35;

/// Where text goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Page,
    Title,
    /// Kept as it is, to be read as markup later.
    Fallback,
    Nowhere,
}

/// A link whose end tag has not come yet.
#[derive(Debug)]
struct OpenAnchor {
    link_index: usize,
    /// Where its words begin in the text, or in that of the fallbacks.
    text_start: usize,
    is_in_fallback: bool,
    /// The first `alt` inside, for a link that has no words.
    alt: String,
}

/// What goes on behind a fallback as it was before.
#[derive(Debug)]
struct Outside {
    landmarks: Landmarks,
    preformatted_depth: u32,
    /// A link around the fallback, while one inside is open.
    anchor: Option<OpenAnchor>,
}

/// A [`Document`] in the making.
#[derive(Debug)]
pub(crate) struct PageBuilder {
    document: Document,
    links: PageLinks,
    text: TextWriter,
    outline: Outline,
    dates: Dates,
    fallback: Fallback,
    /// While a fallback is read: how things stand around it.
    outside: Option<Outside>,
    title: Option<TextWriter>,
    /// Where the content of the element goes whose content is not markup.
    raw_target: Option<Target>,
    anchor: Option<OpenAnchor>,
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
            links: PageLinks::new(url, encoding),
            text,
            outline: Outline::default(),
            dates: Dates::default(),
            fallback: Fallback::new(),
            outside: None,
            title: None,
            raw_target: None,
            anchor: None,
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
        self.outline.end(&self.text);
        self.document.text = self.fallback.completed(self.text.finish());
        self.document.spans = self.outline.finish(&self.document.text);
        (self.document.published, self.document.modified) = (self.dates.published(), self.dates.modified());
        self.document.links = self.links.finish();
        self.document
    }

    /// A fallback has ended: its markup, if it is to be read now. [`leave_fallback`](Self::leave_fallback) follows.
    pub(crate) fn enter_fallback(&mut self) -> Option<Vec<u8>> {
        let markup = self.fallback.take_markup()?;
        let (landmarks, preformatted_depth) = (self.landmarks.clone(), self.preformatted_depth);
        self.outside = Some(Outside { landmarks, preformatted_depth, anchor: None });
        self.raw_target = None;
        self.fallback.text.end_line();
        Some(markup)
    }

    /// All that was left open in the fallback ends.
    pub(crate) fn leave_fallback(&mut self) {
        self.close_anchor();
        let Some(outside) = self.outside.take() else { return };
        self.anchor = self.anchor.take().or(outside.anchor);
        self.landmarks = outside.landmarks;
        self.preformatted_depth = outside.preformatted_depth;
        self.template_depth = 0;
        self.foreign = ForeignStack::default();
        self.raw_target = None;
        self.fallback.text.end_line();
    }

    fn is_in_fallback(&self) -> bool {
        self.outside.is_some()
    }

    /// Where text is written now.
    fn writer(&mut self) -> &mut TextWriter {
        if self.is_in_fallback() { &mut self.fallback.text } else { &mut self.text }
    }

    /// A piece of text.
    #[inline]
    pub(crate) fn text(&mut self, piece: &[u8]) {
        match self.target() {
            Target::Page => {
                let keep_lines = self.preformatted_depth > 0;
                self.writer().push(piece, keep_lines);
            }
            Target::Fallback => self.fallback.push_markup(piece),
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
                self.note_place();
            }
        }
        if has_content {
            self.foreign.open(tag);
        }
        if !(is_html && has_content) {
            return None;
        }
        let is_ordinary = tag == Tag::Fallback && self.is_in_fallback();
        let state = if is_ordinary { None } else { content_state(name) };
        if state.is_some() {
            self.raw_target = Some(self.raw_target_of(tag));
        }
        state
    }

    fn raw_target_of(&mut self, tag: Tag) -> Target {
        match tag {
            _ if self.target() != Target::Page => Target::Nowhere,
            Tag::Title if self.title.is_none() && !self.is_in_fallback() => {
                self.title = Some(TextWriter::new(TITLE_BYTES_MAX));
                Target::Title
            }
            Tag::Preformatted => Target::Page,
            Tag::Fallback => Target::Fallback,
            _ => Target::Nowhere,
        }
    }

    /// Tells the outline where the words stand that come now. It knows nothing of the text of fallbacks.
    #[inline]
    fn note_place(&mut self) {
        if !self.is_in_fallback() {
            self.outline.enter(self.landmarks.place(), &self.text);
        }
    }

    /// What a start tag outside of templates does to text and links.
    fn apply(&mut self, tag: Tag, attributes: &Attributes, has_content: bool) {
        match tag {
            Tag::Inline | Tag::Unseen | Tag::Fallback => {}
            Tag::Svg | Tag::SvgIsland | Tag::Template | Tag::Title => {}
            Tag::Block | Tag::Container(_) | Tag::Row => self.writer().end_line(),
            Tag::Heading(level) => self.heading(level, has_content),
            Tag::Cell => self.writer().end_word(),
            Tag::Preformatted => {
                self.writer().end_line();
                self.preformatted_depth += u32::from(has_content);
            }
            Tag::Anchor => self.open_anchor(attributes, has_content),
            Tag::Area => self.area(attributes),
            Tag::Frame => {
                self.add_link(LinkKind::Frame, attributes);
            }
            Tag::Image => self.image(attributes),
            Tag::Meta => self.meta(attributes),
            Tag::Link | Tag::Base | Tag::Html | Tag::Time if self.is_in_fallback() => {}
            Tag::Link => self.link_element(attributes),
            Tag::Time => self.dates.time(attributes),
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
            self.note_place();
        }
        match tag {
            Tag::Block | Tag::Container(_) | Tag::Row => self.writer().end_line(),
            // As in browsers, the end of one level ends a heading of any other.
            Tag::Heading(_) => self.heading(0, false),
            Tag::Cell => self.writer().end_word(),
            Tag::Preformatted => {
                self.writer().end_line();
                self.preformatted_depth = self.preformatted_depth.saturating_sub(1);
            }
            Tag::Anchor => self.close_anchor(),
            _ => {}
        }
    }

    /// Ends the heading that is open, and begins another if there is one.
    fn heading(&mut self, level: u8, is_open: bool) {
        self.writer().end_line();
        if !self.is_in_fallback() {
            self.outline.end_heading(&self.text);
            if is_open {
                self.outline.begin_heading(level, &self.text);
            }
        }
    }

    fn open_anchor(&mut self, attributes: &Attributes, has_content: bool) {
        // Links do not nest: a new one ends the one before.
        self.close_anchor();
        let link_index = self.add_link(LinkKind::Anchor, attributes);
        let Some(link_index) = link_index.filter(|_| has_content) else { return };
        if let Some(outside) = &mut self.outside {
            outside.anchor = outside.anchor.take().or(self.anchor.take());
        }
        let (text_start, is_in_fallback) = (self.writer().len(), self.is_in_fallback());
        self.anchor = Some(OpenAnchor { link_index, text_start, is_in_fallback, alt: String::new() });
    }

    /// Ends the link that is open, unless it stands around the fallback that is read.
    fn close_anchor(&mut self) {
        let is_in_fallback = self.is_in_fallback();
        let Some(open) = self.anchor.take_if(|open| open.is_in_fallback == is_in_fallback) else { return };
        if !is_in_fallback {
            self.outline.link(open.text_start, &self.text);
        }
        let words = self.writer().line_since(open.text_start, ANCHOR_BYTES_MAX);
        self.links.name(open.link_index, if words.is_empty() { open.alt } else { words });
    }

    fn area(&mut self, attributes: &Attributes) {
        if let Some(place) = self.add_link(LinkKind::Anchor, attributes) {
            self.links.name(place, collapsed(attributes.get(Attribute::Alt).unwrap_or_default()));
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
        if !self.is_in_fallback() {
            self.dates.meta(attributes, content);
        }
        let pragma = attributes.get(Attribute::Pragma).unwrap_or_default();
        if pragma.trim_ascii().eq_ignore_ascii_case(b"refresh")
            && !self.is_in_fallback()
            && let Some(address) = refresh_address(content)
        {
            self.links.push(LinkKind::Refresh, address, false, self.landmarks.is_in_navigation());
        }
    }

    fn set_base(&mut self, attributes: &Attributes) {
        if let Some(address) = attributes.text(Attribute::Address) {
            self.links.set_base(address);
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

    /// The place of the link, if it is one.
    fn add_link(&mut self, kind: LinkKind, attributes: &Attributes) -> Option<usize> {
        let nofollow = attributes.get(Attribute::Rel).is_some_and(|rel| has_token(rel, b"nofollow"));
        let address = attributes.text(Attribute::Address)?;
        self.links.push(kind, address, nofollow, self.landmarks.is_in_navigation())
    }
}

fn collapsed(text: &[u8]) -> String {
    let mut writer = TextWriter::new(ANCHOR_BYTES_MAX);
    writer.push(text, false);
    writer.finish()
}
