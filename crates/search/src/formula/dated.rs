//! The pages of a time: `after:2024-01-31` from that day on, `before:2025` until the last of 2024.
//!
//! The date of a page is the one that it gives for its last change, or for its publication; of a page that says none it is the
//! day on which it was fetched, and a note tells of how many.

use std::fmt;

use page::Timestamp;

use super::{Documents, Named, Node, Operator, Reader, Syntax};
use crate::facts::day_of;
use crate::lists::Lists;
use crate::operators::Filter;
use crate::{Error, Note};

/// The pages from a day on, or before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dated {
    typed: String,
    day: u16,
    is_before: bool,
}

pub(super) const SYNTAX: Syntax = Syntax::Named { names: &["after", "since", "before", "until"], read };

fn read(named: &Named<'_>, reader: &mut Reader<'_>) -> Option<Node> {
    let Some(day) = first_day(named.value) else {
        reader.cannot_use(named, "a date is a year, a month or a day: 2024, 2024-05, 2024-05-31");
        return None;
    };
    let is_before = matches!(named.name, "before" | "until");
    let name = if is_before { "before" } else { "after" };
    Some(Dated { typed: format!("{name}:{}", named.value), day, is_before }.into())
}

/// The first day of a year, of a month, or a day itself.
fn first_day(text: &str) -> Option<u16> {
    let mut numbers = [0, 1, 1];
    let mut parts = text.split(['-', '/', '.']);
    for (place, number) in numbers.iter_mut().enumerate() {
        let Some(part) = parts.next() else { break };
        let digits = if place == 0 { 4..=4 } else { 1..=2 };
        let is_number = digits.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        *number = part.parse().ok().filter(|_| is_number)?;
    }
    let [year, month, day] = numbers;
    // Nothing on the web is older than 1970; what is asked for may be.
    let at = Timestamp::from_civil((year.max(1970), month, day), (0, 0, 0))?;
    parts.next().is_none().then(|| if year < 1970 { 1 } else { day_of(at) })
}

impl fmt::Display for Dated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.typed)
    }
}

impl Operator for Dated {
    fn documents<'s>(&self, lists: &Lists<'s>) -> Result<Documents<'s>, Error> {
        let (facts, Self { day, is_before, .. }) = (&lists.searcher.facts, self.clone());
        let is_of_the_time = move |doc| facts.day(doc).is_some_and(|of| (of < day) == is_before);
        Ok(Box::new(Filter::new(lists.searcher.index.documents(), is_of_the_time)))
    }

    fn note(&self, lists: &Lists<'_>) -> Result<Option<Note>, Error> {
        let (dated, documents) = (lists.searcher.facts.dated(), lists.searcher.index.documents().into());
        Ok((dated < documents).then_some(Note::FetchedDates { dated, documents }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_days_or_the_first_of_a_month_or_a_year() {
        let day = |year, month, day| {
            Some(day_of(Timestamp::from_civil((year, month, day), (0, 0, 0)).expect("it is a day")))
        };
        let rows = [
            ("2024-01-31", day(2024, 1, 31)),
            ("2024/1/31", day(2024, 1, 31)),
            ("2024-05", day(2024, 5, 1)),
            ("2025", day(2025, 1, 1)),
            ("1815", Some(1)),
            ("2023-02-29", None),
            ("2024-13", None),
            ("2024-01-31-1", None),
            ("24", None),
            ("soon", None),
            ("+024", None),
            ("", None),
        ];
        for (text, expected) in rows {
            assert_eq!(first_day(text), expected, "{text}");
        }
    }
}
