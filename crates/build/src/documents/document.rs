//! One document, and the bytes of all but its text.
//!
//! ```text
//! about       = url title flags(1) language published+1 modified+1 canonical
//! ```
//!
//! A field that comes is written and read here, and has its row in the test below.

use journal::{FieldReader, FieldWriter, Malformed};
use page::{Document, Outline, PageKey, PageUrl, Span, SpanKind, Timestamp};

use super::language::detect_language;

/// The version of the bytes, of all files of the documents: it goes up when a field comes or goes.
pub const VERSION: u32 = 3;

const NOINDEX: u8 = 1;
const LANGUAGE_IS_DECLARED: u8 = 2;
const CANONICAL_IS_URL: u8 = 4;

/// What was read of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredDocument {
    /// The place of the page in `pages.tbl`.
    pub key: PageKey,
    /// The address of the page.
    pub url: String,
    /// The title, empty when there is none.
    pub title: String,
    /// The words a reader sees, one line per block.
    pub text: String,
    /// What parts of the text are, links included, in the order of their starts.
    pub spans: Vec<Span>,
    /// The language, as the page declares it or as it was recognised.
    pub language: Option<String>,
    /// Whether the page declares its language.
    pub language_is_declared: bool,
    /// When the page says that it was published.
    pub published: Option<Timestamp>,
    /// When the page says that it was last changed.
    pub modified: Option<Timestamp>,
    /// The address that the page says it should be known by.
    pub canonical: Option<String>,
    /// Whether the page asks not to be found.
    pub noindex: bool,
}

/// What a document says of itself, without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentAbout {
    /// The place of the page in `pages.tbl`.
    pub key: PageKey,
    /// The language, as the page declares it or as it was recognised.
    pub language: Option<String>,
    /// When the page says that it was published.
    pub published: Option<Timestamp>,
    /// When the page says that it was last changed.
    pub modified: Option<Timestamp>,
}

impl DocumentAbout {
    /// Reads it from what [`StoredDocument::encode_about`] wrote.
    pub(super) fn decode(key: PageKey, fields: &mut FieldReader<'_>) -> Result<Self, Malformed> {
        let _url_and_title = (fields.bytes()?, fields.bytes()?);
        let _flags = fields.fixed::<1>()?;
        let language = Some(fields.text()?.to_owned()).filter(|language| !language.is_empty());
        let [published, modified] = [fields.number()?, fields.number()?].map(moment);
        let _canonical = fields.bytes()?;
        Ok(Self { key, language, published, modified })
    }
}

/// A moment as it is written; 0 is none.
fn moment(number: u64) -> Option<Timestamp> {
    number.checked_sub(1).map(Timestamp)
}

impl StoredDocument {
    /// Takes what the parser read; where the page declares no language, it is recognised by the main text.
    pub fn new(key: PageKey, url: &PageUrl, document: Document) -> Self {
        let language_is_declared = document.language.is_some();
        let detected = || detect_language(document.outline().main_text()).map(str::to_owned);
        let language = document.language.clone().or_else(detected);
        let canonical = document.canonical().map(|target| target.as_str().to_owned());
        Self {
            key,
            url: url.as_str().to_owned(),
            language,
            language_is_declared,
            published: document.published,
            modified: document.modified,
            canonical,
            noindex: document.noindex,
            title: document.title,
            text: document.text,
            spans: document.spans,
        }
    }

    /// Shows the text with its parts: the main text, the headings.
    pub fn outline(&self) -> Outline<'_> {
        Outline { text: &self.text, spans: &self.spans }
    }

    /// Writes all but key, text and spans.
    pub(super) fn encode_about(&self, fields: &mut FieldWriter) {
        let canonical = self.canonical.as_deref();
        let canonical_is_url = canonical == Some(&self.url);
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        let flags = flag(self.noindex, NOINDEX)
            | flag(self.language_is_declared, LANGUAGE_IS_DECLARED)
            | flag(canonical_is_url, CANONICAL_IS_URL);
        let moment = |at: Option<Timestamp>| at.map_or(0, |at| at.0.saturating_add(1));
        fields.text(&self.url).text(&self.title).fixed(&[flags]);
        fields.text(self.language.as_deref().unwrap_or_default());
        fields.number(moment(self.published)).number(moment(self.modified));
        fields.text(canonical.filter(|_| !canonical_is_url).unwrap_or_default());
    }

    /// Writes what the parts of the text are.
    pub(super) fn encode_spans(&self, fields: &mut FieldWriter) {
        fields.bytes(&encoded_spans(&self.spans));
    }

    /// Steps over what a document says of itself.
    pub(super) fn skip_about(fields: &mut FieldReader<'_>) -> Result<(), Malformed> {
        DocumentAbout::decode(PageKey::START, fields).map(drop)
    }

    /// Puts together a text and what [`encode_about`](Self::encode_about) and [`encode_spans`](Self::encode_spans) wrote. Of a
    /// text that is not whole, what its parts are is known as far as it goes; if its main text lies behind, an empty one is told.
    pub(super) fn decode(
        key: PageKey,
        abouts: &mut FieldReader<'_>,
        spans: &[u8],
        text: String,
        is_whole: bool,
    ) -> Result<Self, Malformed> {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let (url, title) = (abouts.text()?.to_owned(), abouts.text()?.to_owned());
        let [flags] = abouts.fixed()?;
        let language = some(abouts.text()?);
        let (published, modified) = (abouts.number()?, abouts.number()?);
        let canonical = some(abouts.text()?);
        let spans = decoded_spans(spans, &text, is_whole)?;
        Ok(Self {
            key,
            canonical: if flags & CANONICAL_IS_URL != 0 { Some(url.clone()) } else { canonical },
            url,
            title,
            text,
            spans,
            language,
            language_is_declared: flags & LANGUAGE_IS_DECLARED != 0,
            published: moment(published),
            modified: moment(modified),
            noindex: flags & NOINDEX != 0,
        })
    }
}

/// Kinds, lengths and steps each in a row: equal ones in a row cost next to nothing.
fn encoded_spans(spans: &[Span]) -> Vec<u8> {
    let mut fields = FieldWriter::new();
    fields.number(spans.len() as u64);
    for span in spans {
        fields.fixed(&[span.kind.number()]);
    }
    for span in spans {
        fields.number(u64::from(span.end - span.start));
    }
    let mut before = Span { start: 0, end: 0, kind: SpanKind::Main };
    for span in spans {
        fields.number(step(&before, span.start));
        before = *span;
    }
    fields.into_bytes()
}

/// How far a start is from the span before it: from its end, which is nearly always one byte away, or if it is inside, from
/// its start.
fn step(before: &Span, start: u32) -> u64 {
    match start.checked_sub(before.end) {
        Some(gap) => 2 * u64::from(gap),
        None => 2 * u64::from(start - before.start) + 1,
    }
}

/// The start of which this is the step.
fn start_of(before: &Span, step: u64) -> Result<u32, Malformed> {
    let from = if step.is_multiple_of(2) { before.end } else { before.start };
    u32::try_from(step / 2).ok().and_then(|step| from.checked_add(step)).ok_or(Malformed)
}

fn decoded_spans(bytes: &[u8], text: &str, is_whole: bool) -> Result<Vec<Span>, Malformed> {
    let mut fields = FieldReader::new(bytes);
    let count: usize = fields.small()?;
    // Each has at least three bytes, whatever a damaged number says.
    let mut spans = Vec::with_capacity(count.min(bytes.len() / 3));
    for _ in 0..count {
        let kind = SpanKind::from_number(fields.fixed::<1>()?[0]).ok_or(Malformed)?;
        spans.push(Span { start: 0, end: 0, kind });
    }
    for span in &mut spans {
        span.end = fields.small()?;
    }
    let (mut before, mut known) = (Span { start: 0, end: 0, kind: SpanKind::Main }, spans.len());
    for (place, span) in spans.iter_mut().enumerate() {
        span.start = start_of(&before, fields.number()?)?;
        span.end = span.start.checked_add(span.end).ok_or(Malformed)?;
        before = *span;
        if !is_whole && span.start as usize >= text.len() {
            known = place;
            break;
        }
        if !is_whole {
            span.end = span.end.min(text.len() as u32);
        }
        text.get(span.range()).ok_or(Malformed)?;
    }
    let is_main = |span: &Span| span.kind == SpanKind::Main;
    if !spans[..known].iter().any(is_main) && spans[known..].iter().any(is_main) {
        return Ok(vec![Span { start: 0, end: 0, kind: SpanKind::Main }]);
    }
    spans.truncate(known);
    Ok(spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_comes_back() {
        let document = StoredDocument {
            key: PageKey::new(7),
            url: "http://a.test/".into(),
            title: "Sieves".into(),
            text: "of all kinds".into(),
            spans: vec![Span { start: 0, end: 6, kind: SpanKind::Main }],
            language: Some("en".into()),
            language_is_declared: true,
            published: Some(Timestamp(0)),
            modified: Some(Timestamp(1000)),
            canonical: Some("http://a.test/sieves".into()),
            noindex: true,
        };
        // What nobody says is nothing when it comes back.
        let silent = StoredDocument { key: document.key, ..StoredDocument::default() };
        for document in [document, silent] {
            let mut about = FieldWriter::new();
            document.encode_about(&mut about);
            let (mut fields, spans) = (FieldReader::new(about.as_bytes()), encoded_spans(&document.spans));
            let text = document.text.clone();
            let read = StoredDocument::decode(document.key, &mut fields, &spans, text, true).unwrap();
            assert_eq!(read, document);
            assert!(fields.is_empty());
            StoredDocument::skip_about(&mut FieldReader::new(about.as_bytes())).unwrap();
        }
    }
}
