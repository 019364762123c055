//! The index of a collection: made from its pages, or added to.
//!
//! What an index covers tells what is new. New pages are added as a segment of their own, together with those to which
//! links lead with other words than before ([`crate::anchors`]), whose documents they replace; they are looked for when there
//! is another graph. Documents of pages that are
//! gone ([`Gone`]) are buried. That is one commit. Then segments are merged in tiers, without reading pages
//! ([`index::merge_tiers`]), each merge committed by itself; the next build goes on where one was killed.

use std::collections::HashMap;
use std::ops::Range;
use std::time::Instant;

use index::{Analysis, Codecs, Field, Index, IndexBuilder, IndexDocument, IndexReport, Order, Piece, Split};
use page::{PageKey, PageUrl, SetId};
use serde::Serialize;
use store::{Collection, StoreReader};

use crate::anchors::{AnchorText, AnchorTexts, RULES, present_graph};
use crate::arrangement::Arrangement;
use crate::clicks::Clicks;
use crate::documents::{DocumentStore, StoredDocument};
use crate::gone::{Gone, gone_stamp};
use crate::{Covered, Error, Notice, Progress, Watcher, Work};

/// How an index is made; later builds keep it.
#[derive(Debug, Clone, Copy, Default)]
pub struct IndexSettings {
    /// How its lists are written.
    pub codecs: Codecs,
    /// How much it knows of words.
    pub analysis: Analysis,
    /// How its documents are numbered.
    pub order: Order,
    /// Into how many parts it is divided.
    pub split: Split,
}

/// What an index is made with; what comes out does not depend on it.
#[derive(Debug, Clone, Copy)]
pub struct Means {
    /// What all threads may use together.
    pub memory_bytes: u64,
    /// How many threads read words and write lists.
    pub threads: usize,
}

impl Means {
    /// As many threads as there are processors.
    pub fn with_all_cores(memory_bytes: u64) -> Self {
        Self { memory_bytes, threads: std::thread::available_parallelism().map_or(1, usize::from) }
    }
}

/// What making an index came to.
#[derive(Debug, Serialize)]
pub struct IndexSummary {
    /// What the index holds.
    #[serde(flatten)]
    pub report: IndexReport,
    /// Nothing had to be done.
    pub up_to_date: bool,
    /// Only new pages were indexed, as a segment of their own.
    pub appended: bool,
    /// Documents that were there and were indexed again, since links lead to them with other words than before.
    pub replaced: u64,
    /// How long it took.
    pub elapsed_seconds: f64,
}

/// Makes the index, or adds to it, if it does not cover all pages.
pub fn bring_up_to_date(
    collection: &Collection,
    documents: &DocumentStore,
    memory_bytes: u64,
    watcher: &dyn Watcher,
) -> Result<IndexSummary, Error> {
    let means = Means::with_all_cores(memory_bytes);
    let covered = Covered::of(collection, documents.covered());
    let index = match Index::open(&collection.part("index")?) {
        Ok(index) => index,
        Err(error) => {
            if !matches!(error, index::Error::Missing { .. }) {
                watcher.tell(Notice::MadeAnew { what: "the index is", why: &error });
            }
            let wanted = Wanted { settings: IndexSettings::default(), start: Start::Anew, covered };
            return make(collection, documents, means, wanted, watcher);
        }
    };
    let start = match Covered::parse(index.source_stamp()) {
        Some(before) if before == covered && index.dead_stamp() == present_stamp(collection, covered)? => {
            return Ok(IndexSummary {
                report: index.report().clone(),
                up_to_date: true,
                appended: false,
                replaced: 0,
                elapsed_seconds: 0.0,
            });
        }
        Some(before) if before.table != covered.table => {
            let why = Error::OtherPages(collection.part("index")?);
            watcher.tell(Notice::MadeAnew { what: "the index is", why: &why });
            Start::Anew
        }
        Some(before) => Start::for_growth(before, covered),
        // An earlier version did not say whose the pages are.
        None => Start::Anew,
    };
    let wanted = Wanted { settings: settings_of(&index), start, covered };
    make(collection, documents, means, wanted, watcher)
}

/// Makes the index in any case, as `settings` say.
pub fn make_anew(
    collection: &Collection,
    documents: &DocumentStore,
    means: Means,
    settings: IndexSettings,
    watcher: &dyn Watcher,
) -> Result<IndexSummary, Error> {
    let covered = Covered::of(collection, documents.covered());
    make(collection, documents, means, Wanted { settings, start: Start::Anew, covered }, watcher)
}

/// Replaces the documents to which links lead with other words than before, and adds no page.
pub fn follow_links(
    collection: &Collection,
    documents: &DocumentStore,
    memory_bytes: u64,
    watcher: &dyn Watcher,
) -> Result<(), Error> {
    let index = match Index::open(&collection.part("index")?) {
        Err(index::Error::Missing { .. }) => return Ok(()),
        index => index?,
    };
    // One that is of other pages, or of more than were read, is made anew by the next build.
    let covered = Covered::parse(index.source_stamp());
    let fits =
        |covered: &Covered| covered.table == collection.table() && covered.table_bytes <= documents.covered();
    let Some(covered) = covered.filter(fits) else { return Ok(()) };
    let wanted = Wanted { settings: settings_of(&index), start: Start::Behind(covered), covered };
    make(collection, documents, Means::with_all_cores(memory_bytes), wanted, watcher).map(drop)
}

fn settings_of(index: &Index) -> IndexSettings {
    let (codecs, analysis, order) = (index.codecs(), index.analysis(), index.order());
    IndexSettings { codecs, analysis, order, split: index.report().split }
}

/// What documents depend on beside their pages: what is gone, the graph whose links lead to them, and clicks.
fn stamp(gone: &str, graph: Option<SetId>, clicks: &Clicks) -> String {
    format!("{gone}{}", links_stamp(graph, clicks))
}

/// What the words of links and clicks depend on; the end of the stamp.
fn links_stamp(graph: Option<SetId>, clicks: &Clicks) -> String {
    let graph = graph.map_or_else(|| "no graph".to_owned(), |graph| format!("graph {}", graph.to_digits()));
    format!(", links of {graph} by rules {RULES}{}", clicks.stamp())
}

/// The stamp of an index that would be made now.
fn present_stamp(collection: &Collection, covered: Covered) -> Result<String, Error> {
    Ok(stamp(&gone_stamp(collection, covered)?, present_graph(collection), &Clicks::of(collection)?))
}

/// Where a build begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// At the first page; the index becomes one segment.
    Anew,
    /// Behind what is covered; the new pages become one more segment.
    Behind(Covered),
}

impl Start {
    /// What an index that covers less or more than there is needs.
    fn for_growth(before: Covered, now: Covered) -> Self {
        // A table that has become shorter is another one.
        if before.table_bytes <= now.table_bytes { Self::Behind(before) } else { Self::Anew }
    }
}

/// An index that is to be made.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    settings: IndexSettings,
    start: Start,
    /// How far it shall go.
    covered: Covered,
}

/// If links to more than one document in so many have other words, all are indexed anew: that is no dearer, and leaves
/// nothing dead.
const REPLACED_SHARE_MAX: u64 = 4;

/// One part in so many of the memory is for documents on their way, words of links and what is written.
const BESIDE_WORDS: u64 = 8;

fn make(
    collection: &Collection,
    documents: &DocumentStore,
    means: Means,
    Wanted { settings, mut start, covered }: Wanted,
    watcher: &dyn Watcher,
) -> Result<IndexSummary, Error> {
    let started = Instant::now();
    let dir = collection.part("index")?;
    let mut anchors = AnchorTexts::of(collection, means.memory_bytes)?;
    let graph = anchors.as_ref().map(AnchorTexts::graph_id);
    let (gone, clicks) = (Gone::of(collection, covered)?, Clicks::of(collection)?);
    let stamp = stamp(gone.stamp(), graph, &clicks);
    let mut replaced = Vec::new();
    if let Start::Behind(before) = start {
        let index = Index::open(&dir)?;
        // The same graph and clicks say the same of the pages that were there.
        if !index.dead_stamp().ends_with(&links_stamp(graph, &clicks)) {
            replaced = with_other_anchors(collection, &index, before, &gone, anchors.as_mut(), &clicks)?;
        }
        if replaced.len() as u64 * REPLACED_SHARE_MAX > index.report().documents {
            start = Start::Anew;
            replaced.clear();
        }
    }
    let words_bytes = means.memory_bytes - means.memory_bytes / BESIDE_WORDS;
    let (builder, first) = match start {
        Start::Anew => {
            let builder = IndexBuilder::create(&dir, words_bytes)?;
            let builder = builder.with_codecs(settings.codecs).with_analysis(settings.analysis);
            (builder.with_order(settings.order).with_split(settings.split), PageKey::START)
        }
        Start::Behind(before) => (IndexBuilder::append(&dir, words_bytes)?, before.end()),
    };
    let builder = builder.with_threads(means.threads);
    let prevailing = prevailing_language(documents)?;
    watcher.memory_is_free();
    let arrangement = Arrangement::new(builder.order(), collection, builder.scratch(), means.memory_bytes)?;
    let mut indexer = Indexer {
        builder,
        arrangement,
        anchors,
        clicks,
        gone: &gone,
        prevailing,
        watcher,
        total: covered.table_bytes,
        counted: 0,
    };
    for key in &replaced {
        if let Some(document) = documents.get(*key)? {
            indexer.add(&document)?;
        }
    }
    for document in documents.read(first..covered.end()) {
        indexer.add(&document?)?;
    }
    indexer.show(covered.table_bytes, "merging");
    let mut builder = indexer.builder;
    if let Some(documents) = indexer.arrangement.order()? {
        builder.arrange(documents);
    }
    builder.bury(&[&replaced, gone.keys()].concat(), &stamp);
    builder.finish(&covered.to_string())?;
    let report = index::merge_tiers(&dir)?.index;
    Ok(IndexSummary {
        report,
        up_to_date: false,
        appended: start != Start::Anew,
        replaced: replaced.len() as u64,
        elapsed_seconds: started.elapsed().as_secs_f64(),
    })
}

/// So many documents tell in which language the others are.
const LANGUAGE_SAMPLE: usize = 256;

/// The language in which nine of ten documents are. A title alone, or a text of a few words, does not show its language, and
/// without one it would be found by no other form of its words.
fn prevailing_language(documents: &DocumentStore) -> Result<Option<String>, Error> {
    let step = (documents.len() as usize).div_ceil(LANGUAGE_SAMPLE).max(1);
    let (mut languages, mut known) = (HashMap::<String, usize>::new(), 0);
    for key in documents.keys().step_by(step) {
        if let Some(language) = documents.get(key)?.and_then(|document| document.language) {
            let code = language.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
            *languages.entry(code).or_default() += 1;
            known += 1;
        }
    }
    // Pages from all over needed most dictionaries; whoever reads them in order needs one at a time.
    documents.let_go();
    let most = languages.into_iter().max_by_key(|(_, count)| *count);
    Ok(most.filter(|(_, count)| count * 10 >= known * 9).map(|(language, _)| language))
}

/// The pages, increasing, whose documents were indexed with other words of links than lead to them now.
fn with_other_anchors(
    collection: &Collection,
    index: &Index,
    covered: Covered,
    gone: &Gone,
    mut anchors: Option<&mut AnchorTexts>,
    clicks: &Clicks,
) -> Result<Vec<PageKey>, Error> {
    let (mut pages, mut others) = (StoreReader::open(collection)?.pages()?, Vec::new());
    while let Some((key, record)) = pages.next()? {
        if key >= covered.end() {
            break;
        }
        if !record.is_page() || gone.has(key) {
            continue;
        }
        let Some(doc) = index.find_key(key) else { continue };
        let print = anchors.as_mut().map_or(Ok(0), |anchors| anchors.print(&record.url))?;
        if index.print(doc) != clicks.print(&record.url, print) {
            others.push(key);
        }
    }
    Ok(others)
}

/// Gives documents to the builder of an index.
struct Indexer<'i> {
    builder: IndexBuilder,
    arrangement: Arrangement,
    anchors: Option<AnchorTexts>,
    clicks: Clicks,
    gone: &'i Gone,
    /// The language of documents whose own nobody knows.
    prevailing: Option<String>,
    watcher: &'i dyn Watcher,
    total: u64,
    counted: u64,
}

impl Indexer<'_> {
    fn show(&self, done: u64, detail: &str) {
        let (total, counted) = (Some(self.total), self.counted);
        self.watcher.progress(Progress { work: Work::Indexing, done, total, counted, detail });
    }

    /// Adds a document, if it can be found.
    fn add(&mut self, document: &StoredDocument) -> Result<(), Error> {
        self.counted += 1;
        self.show(document.key.get(), "");
        let is_empty = document.title.is_empty() && document.text.is_empty();
        if document.noindex || is_empty || self.gone.has(document.key) {
            return Ok(());
        }
        let url = PageUrl::parse(&document.url).ok();
        self.arrangement.add(url.as_ref())?;
        let mut called = match (&mut self.anchors, &url) {
            (Some(anchors), Some(url)) => anchors.texts(url)?,
            _ => (Vec::new(), 0),
        };
        url.iter().for_each(|url| self.clicks.add_to(url, &mut called));
        let (anchors, print) = called;
        let address = address_words(&document.url);
        let mut pieces = pieces(document);
        pieces.push(Piece { field: Field::Address, text: &address });
        for AnchorText { text, times } in &anchors {
            pieces.extend((0..*times).map(|_| Piece { field: Field::Anchor, text }));
        }
        let (key, language) = (document.key, document.language.as_deref().or(self.prevailing.as_deref()));
        Ok(self.builder.add_with_print(&IndexDocument { key, language, pieces: &pieces }, print)?)
    }
}

/// The host and the path of an address, as people read them: `%C3%A9` is é. What follows a question mark is for machines, and a
/// host that cannot be says nothing; neither does a number behind it, which an import gave to a line.
fn address_words(url: &str) -> String {
    let address = url.split_once("://").map_or(url, |(_, address)| address);
    let mut address = address.split(['?', '#']).next().unwrap_or_default();
    if let Some((host, path)) = address.split_once('/')
        && host.ends_with(".invalid")
    {
        address = if path.bytes().all(|byte| byte.is_ascii_digit()) { "" } else { path };
    }
    let (mut bytes, mut rest) = (Vec::with_capacity(address.len()), address.as_bytes());
    while let [first, behind @ ..] = rest {
        let code = behind.get(..2).filter(|_| *first == b'%').and_then(|code| str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The title, and the text cut where main text and headings begin and end. What stands beside the main text is the rest,
/// headings of menus included.
fn pieces(document: &StoredDocument) -> Vec<Piece<'_>> {
    let outline = document.outline();
    let mut pieces = vec![Piece { field: Field::Title, text: &document.title }];
    let mut at = 0;
    let mut headings = outline.heading_ranges().peekable();
    let mut push = |field: Field, range: Range<usize>| {
        if !range.is_empty() {
            pieces.push(Piece { field, text: &document.text[range] });
        }
    };
    for main in outline.main_ranges() {
        push(Field::Rest, at..main.start);
        at = main.start;
        while headings.next_if(|heading| heading.end <= at).is_some() {}
        while let Some(heading) = headings.next_if(|heading| heading.start < main.end) {
            push(Field::Main, at..heading.start.max(at));
            push(Field::Heading, heading.start.max(at)..heading.end.min(main.end));
            at = heading.end.min(main.end);
        }
        push(Field::Main, at..main.end);
        at = main.end;
    }
    push(Field::Rest, at..document.text.len());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_where_its_parts_begin_and_end() {
        use page::{Span, SpanKind::*};
        let text = "home news | the sieve | a sieve lets pass | more | of it | imprint";
        let span = |words: &str, kind| {
            let start = text.find(words).unwrap() as u32;
            Span { start, end: start + words.len() as u32, kind }
        };
        let spans = vec![
            span("home news", Navigation),
            span("home", Heading(2)),
            span("the sieve", Heading(1)),
            span("more", Heading(2)),
            span("imprint", Footer),
        ];
        let document =
            StoredDocument { title: "Sieves".into(), text: text.into(), spans, ..Default::default() };
        let cut: Vec<(Field, &str)> = pieces(&document)
            .iter()
            .map(|piece| (piece.field, piece.text.trim_matches([' ', '|'])))
            .collect();
        let cut: Vec<_> = cut.into_iter().filter(|(_, text)| !text.is_empty()).collect();
        let expected = [
            (Field::Title, "Sieves"),
            (Field::Rest, "home news"),
            (Field::Heading, "the sieve"),
            (Field::Main, "a sieve lets pass"),
            (Field::Heading, "more"),
            (Field::Main, "of it"),
            (Field::Rest, "imprint"),
        ];
        assert_eq!(cut, expected);
    }

    #[test]
    fn the_words_of_an_address_are_those_that_people_read() {
        let rows = [
            (
                "https://docs.example.org/guide/quick-start.html?id=7#top",
                "docs.example.org/guide/quick-start.html",
            ),
            ("http://a.org:81/caf%C3%A9/%e6%9d%b1", "a.org:81/café/東"),
            ("http://a.org/100%/%zz/%ff", "a.org/100%/%zz/\u{fffd}"),
            ("", ""),
        ];
        for (url, words) in rows {
            assert_eq!(address_words(url), words, "{url}");
        }
    }

    #[test]
    fn new_pages_are_added_unless_the_table_became_shorter() {
        let covering = |table_bytes| Covered { table: page::SetId::new(1), table_bytes };
        for (before, now, start) in [
            (100, 101, Start::Behind(covering(100))),
            (0, 100, Start::Behind(covering(0))),
            (100, 100, Start::Behind(covering(100))),
            (100, 50, Start::Anew),
        ] {
            assert_eq!(Start::for_growth(covering(before), covering(now)), start, "{before} of {now}");
        }
    }
}
