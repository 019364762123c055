//! When does a page say that it was published, and last changed?
//!
//! In `<meta>` elements of many names and in `<time>` elements that schema.org or an early HTML 5 marks. The name that
//! means it most clearly wins, and of equal ones the first. What is written for people alone is not read, and neither
//! are scripts. A date without time zone is taken for UTC.

use page::Timestamp;

use crate::tag::{Attribute, Attributes};

/// What a date tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    Published,
    Modified,
}

/// The names of `<meta>` (and `itemprop` of `<time>`), from the clearest to the vaguest.
const NAMES: [(&str, Event); 24] = [
    ("article:published_time", Event::Published),
    ("article:modified_time", Event::Modified),
    ("datepublished", Event::Published),
    ("datemodified", Event::Modified),
    ("citation_publication_date", Event::Published),
    ("citation_date", Event::Published),
    ("dcterms.issued", Event::Published),
    ("dc.date.issued", Event::Published),
    ("dcterms.created", Event::Published),
    ("dc.date.created", Event::Published),
    ("dcterms.modified", Event::Modified),
    ("dc.date.modified", Event::Modified),
    ("parsely-pub-date", Event::Published),
    ("sailthru.date", Event::Published),
    ("og:published_time", Event::Published),
    ("og:updated_time", Event::Modified),
    ("pubdate", Event::Published),
    ("publishdate", Event::Published),
    ("publish-date", Event::Published),
    ("last-modified", Event::Modified),
    ("dcterms.date", Event::Published),
    ("dc.date", Event::Published),
    ("datecreated", Event::Published),
    ("date", Event::Published),
];

/// The clearest dates so far.
#[derive(Debug, Default)]
pub(crate) struct Dates {
    published: Option<Said>,
    modified: Option<Said>,
}

/// A date, and how clearly it was said: the place of its name in [`NAMES`].
#[derive(Debug, Clone, Copy)]
struct Said {
    moment: Timestamp,
    rank: usize,
}

impl Dates {
    /// When the page was published.
    pub(crate) fn published(&self) -> Option<Timestamp> {
        self.published.map(|said| said.moment)
    }

    /// When the page was last changed.
    pub(crate) fn modified(&self) -> Option<Timestamp> {
        self.modified.map(|said| said.moment)
    }

    /// Reads a `<meta>`.
    pub(crate) fn meta(&mut self, attributes: &Attributes, content: &str) {
        for attribute in [Attribute::Property, Attribute::Name, Attribute::Pragma] {
            if let Some(name) = attributes.get(attribute) {
                self.read(name, content);
            }
        }
    }

    /// Reads a `<time>`.
    pub(crate) fn time(&mut self, attributes: &Attributes) {
        let Some(content) = attributes.text(Attribute::Content) else { return };
        if let Some(property) = attributes.get(Attribute::Property) {
            self.read(property, content);
        } else if attributes.get(Attribute::PubDate).is_some() {
            self.read(b"pubdate", content);
        }
    }

    fn read(&mut self, name: &[u8], content: &str) {
        let name = name.trim_ascii();
        let is_name = |(known, _): &(&str, Event)| known.as_bytes().eq_ignore_ascii_case(name);
        let Some(rank) = NAMES.iter().position(is_name) else { return };
        let kept = match NAMES[rank].1 {
            Event::Published => &mut self.published,
            Event::Modified => &mut self.modified,
        };
        if kept.is_none_or(|known| rank < known.rank)
            && let Some(moment) = parse_date(content)
        {
            *kept = Some(Said { moment, rank });
        }
    }
}

/// No date is longer.
const DATE_BYTES_MAX: usize = 64;

/// Reads a date as ISO 8601 or as mails and HTTP have it.
fn parse_date(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if text.len() > DATE_BYTES_MAX || !text.is_ascii() {
        return None;
    }
    if text.starts_with(|first: char| first.is_ascii_digit()) && text.get(..4).is_some_and(all_digits) {
        iso_date(text)
    } else {
        mail_date(text)
    }
}

/// `2024`, `2024-05`, `2024-05-17`, `2024/5/17`, `20240517`, each with or without a time behind it.
fn iso_date(text: &str) -> Option<Timestamp> {
    let (date, time) = text.split_at(text.find(['T', 't', ' ']).unwrap_or(text.len()));
    let mut fields = [0, 1, 1];
    if date.len() == 8 && all_digits(date) {
        fields = [number(&date[..4])?, number(&date[4..6])?, number(&date[6..])?];
    } else {
        for (place, digits) in date.split(['-', '/']).enumerate() {
            *fields.get_mut(place)? = number(digits)?;
        }
    }
    let [year, month, day] = fields;
    moment((year, month, day), time.get(1..).unwrap_or_default().trim_start())
}

/// `Tue, 15 Nov 1994 12:45:26 GMT`, with or without the day of the week and the time.
fn mail_date(text: &str) -> Option<Timestamp> {
    const MONTHS: &str = "janfebmaraprmayjunjulaugsepoctnovdec";
    let text = text.split_once(',').map_or(text, |(_, date)| date).trim_start();
    let mut words = text.splitn(4, ' ');
    let day = number(words.next()?)?;
    let name = words.next()?.get(..3)?.to_ascii_lowercase();
    let month = MONTHS.find(&name).filter(|at| at % 3 == 0)? / 3 + 1;
    let year = words.next()?;
    let year = number(year).filter(|_| year.len() == 4)?;
    moment((year, month as u32, day), words.next().unwrap_or_default())
}

/// A day and what stands behind it: `12:45`, `12:45:26.123Z`, `12:45:26 +0100`, or something that is no time.
fn moment(date: (u32, u32, u32), time: &str) -> Option<Timestamp> {
    let is_clock = |c: char| c.is_ascii_digit() || c == ':' || c == '.';
    let (clock, zone) = time.split_at(time.find(|c| !is_clock(c)).unwrap_or(time.len()));
    let mut parts = clock.split([':', '.']).map(number);
    let mut next = || parts.next().flatten().unwrap_or(0);
    let at = Timestamp::from_civil(date, (next(), next(), next()))?;
    let offset_ms = zone_minutes(zone.trim()).unwrap_or(0) * 60_000;
    at.0.checked_add_signed(-offset_ms).map(Timestamp)
}

/// How far the clocks of a zone are ahead: `+01:00`, `-0330`, `+02`. Names are not known but for that of UTC.
fn zone_minutes(zone: &str) -> Option<i64> {
    let (sign, digits) = match zone.as_bytes().first()? {
        b'+' => (1, &zone[1..]),
        b'-' => (-1, &zone[1..]),
        _ => return None,
    };
    let digits = digits.replace(':', "");
    let (hours, minutes) = digits.split_at_checked(2)?;
    let minutes = if minutes.is_empty() { 0 } else { number(minutes)? };
    let ahead = number(hours)? * 60 + minutes;
    (ahead <= 16 * 60).then_some(sign * i64::from(ahead))
}

fn all_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A number of a date, which is short.
fn number(digits: &str) -> Option<u32> {
    (digits.len() <= 9 && all_digits(digits)).then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_as_pages_write_them() {
        let cases = [
            ("2024-05-17", "2024-05-17T00:00:00Z"),
            ("2024-05-17T10:20:30Z", "2024-05-17T10:20:30Z"),
            ("2024-05-17T10:20:30.123+02:00", "2024-05-17T08:20:30Z"),
            ("2024-05-17T10:20-0330", "2024-05-17T13:50:00Z"),
            (" 2024-05-17 10:20:30 +02 ", "2024-05-17T08:20:30Z"),
            ("2024-05-17 10:20:30 UTC", "2024-05-17T10:20:30Z"),
            ("2024/5/7", "2024-05-07T00:00:00Z"),
            ("20240517", "2024-05-17T00:00:00Z"),
            ("2024-05", "2024-05-01T00:00:00Z"),
            ("2024", "2024-01-01T00:00:00Z"),
            ("2024-05-17T", "2024-05-17T00:00:00Z"),
            ("Tue, 15 Nov 1994 12:45:26 GMT", "1994-11-15T12:45:26Z"),
            ("15 November 1994 12:45:26 +0100", "1994-11-15T11:45:26Z"),
            ("15 Nov 1994", "1994-11-15T00:00:00Z"),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_date(text).map(|at| at.to_string()).as_deref(), Some(expected), "for {text:?}");
        }
    }

    #[test]
    fn what_is_no_date_says_nothing() {
        let cases = [
            "",
            "yesterday",
            "2024-13-01",
            "2024-05-32",
            "1066-10-14",
            "2024-05-17-3",
            "99999999999",
            "2024-x",
            "15 Nov",
            "15 anf 1994",
            "Nov 15, 1994",
            "1970-01-01T00:00:00+01:00",
            "２０２４-05-17",
            "2024-05-17T25:00",
        ];
        for text in cases.into_iter().map(str::to_owned).chain(["2024-05-17T0".repeat(100)]) {
            assert_eq!(parse_date(&text), None, "for {text:?}");
        }
    }
}
