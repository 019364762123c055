//! One document, and the bytes of all but its text.

use journal::{FieldReader, FieldWriter, Malformed};
use page::{Document, Outline, PageKey, PageUrl, Span, SpanKind, Timestamp};

use super::language::detect_language;

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
    /// Reads it from what [`StoredDocument::encode_meta`] wrote.
    pub(super) fn decode(key: PageKey, fields: &mut FieldReader<'_>) -> Result<Self, Malformed> {
        let _url_and_title = (fields.bytes()?, fields.bytes()?);
        let _flags = fields.fixed::<1>()?;
        let language = Some(fields.text()?.to_owned()).filter(|language| !language.is_empty());
        let [published, modified] = [fields.number()?, fields.number()?].map(moment);
        let _canonical_text_bytes_and_spans = (fields.bytes()?, fields.number()?, fields.bytes()?);
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

    /// Writes all but key and text.
    pub(super) fn encode_meta(&self, fields: &mut FieldWriter) {
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
        fields.number(self.text.len() as u64);
        fields.bytes(&encoded_spans(&self.spans));
    }

    /// Steps over a document without making it.
    pub(super) fn skip(fields: &mut FieldReader<'_>, texts: &mut &str) -> Result<(), Malformed> {
        let _url_and_title = (fields.bytes()?, fields.bytes()?);
        let _flags_and_language = (fields.fixed::<1>()?, fields.bytes()?);
        let _dates_and_canonical = (fields.number()?, fields.number()?, fields.bytes()?);
        let (_, rest) = texts.split_at_checked(fields.small()?).ok_or(Malformed)?;
        *texts = rest;
        fields.bytes()?;
        Ok(())
    }

    /// Reads what [`encode_meta`](Self::encode_meta) wrote, and takes the text from the front of `texts`.
    pub(super) fn decode(
        key: PageKey,
        fields: &mut FieldReader<'_>,
        texts: &mut &str,
    ) -> Result<Self, Malformed> {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let (url, title) = (fields.text()?.to_owned(), fields.text()?.to_owned());
        let [flags] = fields.fixed()?;
        let language = some(fields.text()?);
        let (published, modified) = (fields.number()?, fields.number()?);
        let canonical = some(fields.text()?);
        let (text, rest) = texts.split_at_checked(fields.small()?).ok_or(Malformed)?;
        *texts = rest;
        let spans = decoded_spans(fields.bytes()?, text)?;
        Ok(Self {
            key,
            canonical: if flags & CANONICAL_IS_URL != 0 { Some(url.clone()) } else { canonical },
            url,
            title,
            text: text.to_owned(),
            spans,
            language,
            language_is_declared: flags & LANGUAGE_IS_DECLARED != 0,
            published: moment(published),
            modified: moment(modified),
            noindex: flags & NOINDEX != 0,
        })
    }
}

/// Kinds, starts and lengths each in a row: equal kinds in a row cost next to nothing.
fn encoded_spans(spans: &[Span]) -> Vec<u8> {
    let mut fields = FieldWriter::new();
    fields.number(spans.len() as u64);
    for span in spans {
        fields.fixed(&[span.kind.number()]);
    }
    let mut before = 0;
    for span in spans {
        fields.number(u64::from(span.start - before));
        before = span.start;
    }
    for span in spans {
        fields.number(u64::from(span.end - span.start));
    }
    fields.into_bytes()
}

fn decoded_spans(bytes: &[u8], text: &str) -> Result<Vec<Span>, Malformed> {
    let mut fields = FieldReader::new(bytes);
    let count: usize = fields.small()?;
    // Each has at least three bytes, whatever a damaged number says.
    let mut spans = Vec::with_capacity(count.min(bytes.len() / 3));
    for _ in 0..count {
        let kind = SpanKind::from_number(fields.fixed::<1>()?[0]).ok_or(Malformed)?;
        spans.push(Span { start: 0, end: 0, kind });
    }
    let mut start = 0u32;
    for span in &mut spans {
        start = start.checked_add(fields.small()?).ok_or(Malformed)?;
        span.start = start;
    }
    for span in &mut spans {
        span.end = span.start.checked_add(fields.small()?).ok_or(Malformed)?;
        text.get(span.range()).ok_or(Malformed)?;
    }
    Ok(spans)
}
