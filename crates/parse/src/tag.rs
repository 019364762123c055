//! Tags by what they do to a page's text and links. All that is known about element names stands in this file.

use html5gum::State;

/// What an element means to a reader who wants words and links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    /// `<a>`
    Anchor,
    /// `<area>`
    Area,
    /// `<base>`
    Base,
    /// `<frame>`, `<iframe>`
    Frame,
    /// `<html>`
    Html,
    /// `<img>`
    Image,
    /// `<link>`
    Link,
    /// `<meta>`
    Meta,
    /// `<svg>`: drawings, in which other rules hold.
    Svg,
    /// The elements of a drawing whose content is HTML again.
    SvgIsland,
    /// `<template>`: a stock of markup that is not part of the page.
    Template,
    /// `<title>`: also an element of drawings.
    Title,
    /// Text that nobody reads: scripts, styles, and what a form is filled with.
    Unseen,
    /// Content for readers without scripts, frames or plug-ins; see [`Fallback`](crate::fallback::Fallback).
    Fallback,
    /// Preformatted text: its lines are lines.
    Preformatted,
    /// `<h1>` to `<h6>`: a line too.
    Heading(u8),
    /// `<time>`: part of a line that may say when the page was written.
    Time,
    /// Begins and ends a line.
    Block,
    /// The same, and other blocks stand in it.
    Container(Container),
    /// A row of a table, or a part that holds rows: a line too.
    Row,
    /// A table cell: another word, but on the same line.
    Cell,
    /// Part of a line, or unknown.
    Inline,
}

/// The elements that [`Landmarks`](crate::landmarks::Landmarks) keeps a stack of, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Container {
    Article,
    Aside,
    Blockquote,
    Center,
    Details,
    Dialog,
    Div,
    DefinitionList,
    Fieldset,
    Figure,
    Footer,
    Header,
    Main,
    Menu,
    Nav,
    OrderedList,
    Search,
    Section,
    Table,
    List,
}

impl Container {
    /// How many there are.
    pub(crate) const COUNT: usize = Self::List as usize + 1;
}

/// The role of an element of that (lower-case) name.
pub(crate) fn tag_of(name: &[u8]) -> Tag {
    match name {
        b"a" => Tag::Anchor,
        b"area" => Tag::Area,
        b"base" => Tag::Base,
        b"frame" | b"iframe" => Tag::Frame,
        b"html" => Tag::Html,
        b"img" | b"image" => Tag::Image,
        b"link" => Tag::Link,
        b"meta" => Tag::Meta,
        b"svg" => Tag::Svg,
        b"foreignobject" | b"desc" => Tag::SvgIsland,
        b"template" => Tag::Template,
        b"title" => Tag::Title,
        b"script" | b"style" | b"textarea" => Tag::Unseen,
        b"noscript" | b"noembed" | b"noframes" => Tag::Fallback,
        b"pre" | b"listing" | b"plaintext" | b"xmp" => Tag::Preformatted,
        b"td" | b"th" => Tag::Cell,
        b"caption" | b"tbody" | b"tfoot" | b"thead" | b"tr" => Tag::Row,
        b"address" | b"body" | b"br" | b"button" | b"dd" | b"dir" | b"dt" | b"figcaption" | b"form"
        | b"frameset" | b"head" | b"hgroup" | b"hr" | b"legend" | b"li" | b"optgroup" | b"option" | b"p"
        | b"select" | b"summary" => Tag::Block,
        &[b'h', digit @ b'1'..=b'6'] => Tag::Heading(digit - b'0'),
        b"time" => Tag::Time,
        b"article" => Tag::Container(Container::Article),
        b"aside" => Tag::Container(Container::Aside),
        b"blockquote" => Tag::Container(Container::Blockquote),
        b"center" => Tag::Container(Container::Center),
        b"details" => Tag::Container(Container::Details),
        b"dialog" => Tag::Container(Container::Dialog),
        b"div" => Tag::Container(Container::Div),
        b"dl" => Tag::Container(Container::DefinitionList),
        b"fieldset" => Tag::Container(Container::Fieldset),
        b"figure" => Tag::Container(Container::Figure),
        b"footer" => Tag::Container(Container::Footer),
        b"header" => Tag::Container(Container::Header),
        b"main" => Tag::Container(Container::Main),
        b"menu" => Tag::Container(Container::Menu),
        b"nav" => Tag::Container(Container::Nav),
        b"ol" => Tag::Container(Container::OrderedList),
        b"search" => Tag::Container(Container::Search),
        b"section" => Tag::Container(Container::Section),
        b"table" => Tag::Container(Container::Table),
        b"ul" => Tag::Container(Container::List),
        _ => Tag::Inline,
    }
}

/// How the content of an HTML element of that name is cut into tokens, where it is not ordinary markup.
pub(crate) fn content_state(name: &[u8]) -> Option<State> {
    match name {
        // The helper of the tokenizer knows this one by a name that does not exist.
        b"noframes" => Some(State::RawText),
        _ => html5gum::emitters::naive_next_state(name),
    }
}

/// Start tags that end a drawing, because they cannot be part of one (WHATWG 13.2.6.5).
const NOT_IN_DRAWINGS: &str = "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head \
    hr i img li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var";

/// Does a start tag of that name end a drawing?
pub(crate) fn breaks_out_of_svg(name: &[u8]) -> bool {
    NOT_IN_DRAWINGS.split(' ').any(|known| known.as_bytes() == name)
}

/// The attributes that say something to us, as indices into [`Attributes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attribute {
    /// `href` of links, `src` of frames.
    Address,
    /// `rel`
    Rel,
    /// `alt`
    Alt,
    /// `name` of `<meta>`
    Name,
    /// `http-equiv` of `<meta>`
    Pragma,
    /// `content` of `<meta>`, `datetime` of `<time>`
    Content,
    /// `property` or `itemprop` of `<meta>`, `itemprop` of `<time>`
    Property,
    /// `pubdate` of `<time>`
    PubDate,
    /// `lang` of `<html>`
    Lang,
    /// `xml:lang` of `<html>`
    XmlLang,
    /// `role` of blocks in which others stand
    Role,
}

/// How many kinds there are.
const ATTRIBUTE_COUNT: usize = 11;

/// A longer value is as good as none: no address and no list of words is so long, and data in an `href` may be.
const VALUE_BYTES_MAX: usize = 64 << 10;

/// Which attribute of which element is kept; all others are dropped unread.
pub(crate) fn attribute_of(tag: Tag, name: &[u8]) -> Option<Attribute> {
    use Attribute::*;
    match (tag, name) {
        (Tag::Anchor | Tag::Area | Tag::Base | Tag::Link, b"href") | (Tag::Frame, b"src") => Some(Address),
        (Tag::Anchor | Tag::Area | Tag::Link, b"rel") => Some(Rel),
        (Tag::Area | Tag::Image, b"alt") => Some(Alt),
        (Tag::Meta, b"name") => Some(Name),
        (Tag::Meta, b"http-equiv") => Some(Pragma),
        (Tag::Meta, b"content") | (Tag::Time, b"datetime") => Some(Content),
        (Tag::Meta, b"property") | (Tag::Meta | Tag::Time, b"itemprop") => Some(Property),
        (Tag::Time, b"pubdate") => Some(PubDate),
        (Tag::Html, b"lang") => Some(Lang),
        (Tag::Html, b"xml:lang") => Some(XmlLang),
        (Tag::Container(_), b"role") => Some(Role),
        _ => None,
    }
}

/// The kept attributes of one tag. The buffers are used again for the next one.
#[derive(Debug, Default)]
pub(crate) struct Attributes {
    values: [Vec<u8>; ATTRIBUTE_COUNT],
    present: [bool; ATTRIBUTE_COUNT],
}

impl Attributes {
    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.present = [false; ATTRIBUTE_COUNT];
    }

    /// Begins a value; `false` when the tag had that attribute before: the first one counts.
    pub(crate) fn begin(&mut self, attribute: Attribute) -> bool {
        let index = attribute as usize;
        if self.present[index] {
            return false;
        }
        self.present[index] = true;
        self.values[index].clear();
        true
    }

    /// Appends to a value.
    pub(crate) fn extend(&mut self, attribute: Attribute, piece: &[u8]) {
        let value = &mut self.values[attribute as usize];
        // One byte too many tells that there were more.
        let room = (VALUE_BYTES_MAX + 1).saturating_sub(value.len());
        value.extend_from_slice(&piece[..piece.len().min(room)]);
    }

    /// The value, when the tag has that attribute.
    pub(crate) fn get(&self, attribute: Attribute) -> Option<&[u8]> {
        let index = attribute as usize;
        let value = self.present[index].then_some(self.values[index].as_slice());
        value.filter(|value| value.len() <= VALUE_BYTES_MAX)
    }

    /// The value as text.
    pub(crate) fn text(&self, attribute: Attribute) -> Option<&str> {
        // Values are whole, so they are UTF-8 as the page is.
        self.get(attribute).and_then(|value| std::str::from_utf8(value).ok())
    }
}
