//! Files that only grow: tables and logs of checksummed records.

use std::collections::HashMap;
use std::path::Path;

use dedup::WorkRecord;
use journal::{FieldReader, Format, JournalReader, Malformed};
use page::{PageUrl, counted};
use sieve::SieveState;
use store::PageRecord;

use crate::ends::Ends;
use crate::{Error, Facts, Inspection, ShownRecord};

/// The journals of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JournalKind {
    Pages,
    Links,
    Ready,
    Hosts,
    Sieve,
    Recent,
    Sketches,
    Bands,
}

impl JournalKind {
    const ALL: [Self; 8] = [
        Self::Pages,
        Self::Links,
        Self::Ready,
        Self::Hosts,
        Self::Sieve,
        Self::Recent,
        Self::Sketches,
        Self::Bands,
    ];

    fn format(self) -> Format {
        match self {
            Self::Pages => store::PAGES_FORMAT,
            Self::Links => store::LINKS_FORMAT,
            Self::Ready => frontier::READY_FORMAT,
            Self::Hosts => frontier::HOSTS_FORMAT,
            Self::Sieve => sieve::STATE_FORMAT,
            Self::Recent => sieve::RECENT_FORMAT,
            Self::Sketches => dedup::SKETCHES_FORMAT,
            Self::Bands => dedup::BANDS_FORMAT,
        }
    }

    /// Gives the first version that this build still reads.
    fn oldest(self) -> u32 {
        match self {
            Self::Pages => store::PAGES_OLDEST,
            Self::Links => store::LINKS_OLDEST,
            Self::Ready => frontier::READY_OLDEST,
            Self::Sieve => sieve::STATE_OLDEST,
            _ => self.format().version,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Pages => "page table",
            Self::Links => "links of pages",
            Self::Ready => "addresses in the order in which they were found",
            Self::Hosts => "what is known about hosts",
            Self::Sieve => "state of a sieve",
            Self::Recent => "fingerprints of addresses that passed the sieve lately",
            Self::Sketches => "which documents are sketched, with the checksums of the columns beside",
            Self::Bands => "bands of sketches in which copies were looked for",
        }
    }

    /// Names what the records count, beside themselves.
    fn unit(self) -> Option<&'static str> {
        match self {
            Self::Pages => Some("pages"),
            Self::Links => Some("links"),
            Self::Ready => Some("addresses"),
            Self::Recent => Some("fingerprints"),
            Self::Sketches => Some("documents"),
            Self::Hosts | Self::Sieve | Self::Bands => None,
        }
    }

    /// Counts the units that a record holds; an error if it cannot be read.
    fn count_in(self, record: &[u8]) -> Result<u64, Malformed> {
        match self {
            Self::Pages => Ok(u64::from(PageRecord::decode(record)?.is_page())),
            Self::Links => FieldReader::new(record).number(),
            Self::Ready => {
                let mut count = 0;
                frontier::decode_ready(record, |_| count += 1)?;
                Ok(count)
            }
            Self::Hosts => frontier::decode_host_fact(record).map(|_| 0),
            Self::Sieve => SieveState::decode(record).map(|_| 0),
            Self::Recent => sieve::show_record(record, |_| ()).ok_or(Malformed),
            Self::Sketches => match WorkRecord::decode(record)? {
                WorkRecord::MadeFrom(_) => Ok(0),
                WorkRecord::Documents(count) => Ok(count),
            },
            Self::Bands => Ok(0),
        }
    }
}

/// Says whose first bytes these are.
pub(crate) fn kind_of(magic: &[u8]) -> Option<JournalKind> {
    JournalKind::ALL.into_iter().find(|kind| kind.format().magic == magic)
}

/// A record as it stands, kept until it is known whether it is shown.
struct KeptRecord {
    offset: u64,
    payload: Vec<u8>,
}

/// Reads a journal.
pub(crate) fn inspect(path: &Path, kind: JournalKind, count: usize) -> Result<Inspection, Error> {
    let mut reader = JournalReader::open_since(path, kind.format(), kind.oldest())?;
    let mut ends = Ends::new(count);
    let mut units = 0u64;
    while let Some(record) = reader.next_record()? {
        let in_record = kind
            .count_in(record.payload)
            .map_err(|_| Error::damaged(path, record.offset, "this build cannot read the record"))?;
        units = units.saturating_add(in_record);
        ends.push(|| KeptRecord { offset: record.offset, payload: record.payload.to_vec() });
    }
    if kind == JournalKind::Pages {
        store::check_table(path)?;
    }
    let end = reader.position();
    let mut facts = Facts::new();
    if let Some(unit) = kind.unit() {
        facts.push((unit, units.into()));
    }
    let torn = std::fs::metadata(path).map_err(|error| Error::io(path, error))?.len().saturating_sub(end);
    if torn > 0 {
        facts.push(("torn_bytes", torn.into()));
    }
    let pages = match kind {
        JournalKind::Links => pages_of(path, &ends),
        _ => HashMap::new(),
    };
    let records = ends.map(|KeptRecord { offset, payload }| {
        let text = describe(kind, &payload, pages.get(&offset));
        let unread = |Malformed| format!("{} that cannot be read", counted(payload.len() as u64, "byte"));
        ShownRecord { byte: offset, text: text.unwrap_or_else(unread) }
    });
    Ok(Inspection { kind: kind.name(), version: Some(reader.version()), facts, records: Some(records) })
}

/// Finds the pages whose links start at the given bytes, in the table beside the log. Without it links stay unread.
fn pages_of(links: &Path, ends: &Ends<KeptRecord>) -> HashMap<u64, PageUrl> {
    let wanted: Vec<u64> = ends.first().iter().chain(ends.last()).map(|record| record.offset).collect();
    let mut found = HashMap::new();
    let (path, pages) = (links.with_file_name("pages.tbl"), JournalKind::Pages);
    let Ok(mut table) = JournalReader::open_since(&path, pages.format(), pages.oldest()) else {
        return found;
    };
    // A damaged table is told when it is inspected itself.
    while let Ok(Some(record)) = table.next_record() {
        let Ok(page) = PageRecord::decode(record.payload) else { break };
        if let Some(offset) = page.links_offset.filter(|offset| wanted.contains(offset)) {
            found.insert(offset, page.url);
        }
    }
    found
}

/// Puts a record into words.
fn describe(kind: JournalKind, record: &[u8], page: Option<&PageUrl>) -> Result<String, Malformed> {
    match kind {
        JournalKind::Pages => PageRecord::decode(record).map(|page| page.to_string()),
        JournalKind::Links => describe_links(record, page),
        JournalKind::Ready => describe_ready(record),
        JournalKind::Hosts => {
            let (site, at, fact) = frontier::decode_host_fact(record)?;
            Ok(format!("{at} {site} {fact}"))
        }
        JournalKind::Sketches => Ok(match WorkRecord::decode(record)? {
            WorkRecord::MadeFrom(name) => name.to_owned(),
            WorkRecord::Documents(count) => counted(count, "document"),
        }),
        JournalKind::Bands => Ok(match WorkRecord::decode(record)? {
            WorkRecord::MadeFrom(name) => name.to_owned(),
            _ => format!("what one band joined, in {}", counted(record.len() as u64, "byte")),
        }),
        JournalKind::Sieve => SieveState::decode(record).map(|state| state.to_string()),
        JournalKind::Recent => describe_recent(record),
    }
}

fn describe_links(record: &[u8], page: Option<&PageUrl>) -> Result<String, Malformed> {
    let Some(page) = page else {
        let count = FieldReader::new(record).number()?;
        return Ok(format!("{} of a page that no pages.tbl beside this file names", counted(count, "link")));
    };
    let links = store::decode_links(page, record)?;
    let targets: Vec<&str> = links.iter().take(2).map(|link| link.target.as_str()).collect();
    let more = if links.len() > targets.len() { " …" } else { "" };
    let navigation = match links.iter().filter(|link| link.in_navigation).count() {
        0 => String::new(),
        count => format!(" ({count} in its navigation)"),
    };
    let count = counted(links.len() as u64, "link");
    Ok(format!("{count} of {}{navigation}: {}{more}", page.as_str(), targets.join(" ")))
}

fn describe_ready(record: &[u8]) -> Result<String, Malformed> {
    let mut ends = Ends::new(1);
    frontier::decode_ready(record, |ready| {
        let hops = match ready.hops {
            0 => String::new(),
            hops => format!(", {}", counted(hops.into(), "redirect")),
        };
        ends.push(|| format!("{} {} (depth {}{hops})", ready.ordinal, ready.url, ready.depth));
    })?;
    let both: Vec<&str> = ends.first().iter().chain(ends.last()).map(String::as_str).collect();
    Ok(format!("{}: {}", counted(ends.count(), "address"), both.join(" to ")))
}

fn describe_recent(record: &[u8]) -> Result<String, Malformed> {
    let mut ends = Ends::new(1);
    sieve::show_record(record, |print| ends.push(|| format!("{print:016x}"))).ok_or(Malformed)?;
    let both: Vec<&str> = ends.first().iter().chain(ends.last()).map(String::as_str).collect();
    Ok(format!("{}: {}", counted(ends.count(), "fingerprint"), both.join(" to ")))
}
