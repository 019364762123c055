//! Fields: the parts of a document whose words are counted apart.
//!
//! A field belongs to a space of positions. Headings, main text and the rest of a page share one, since a reader goes
//! from one into the other and a phrase may too; title, address and the words of links to the page have one each. A word
//! at a position of a field is a [`Place`]: 32 bits, ordered by field and then by position.
//!
//! Another field is a variant here, with its space and its place in [`BY_FREQUENCY`], and whoever gives its text.

use serde::{Deserialize, Serialize};

/// A part of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// The title of the page.
    Title,
    /// Its headings.
    Heading,
    /// Its main text.
    Main,
    /// What else is written on it: menus, headers, footers.
    Rest,
    /// The words of its address.
    Address,
    /// The words of the links that lead to it.
    Anchor,
}

impl Field {
    /// All fields, in the order of their numbers.
    pub const ALL: [Self; FIELD_COUNT] =
        [Self::Title, Self::Heading, Self::Main, Self::Rest, Self::Address, Self::Anchor];

    /// Its number, from 0.
    pub fn index(self) -> usize {
        self as usize
    }

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Heading => "headings",
            Self::Main => "text",
            Self::Rest => "rest",
            Self::Address => "address",
            Self::Anchor => "links",
        }
    }

    /// The field that alone has positions like this one, as [`crate::PostingsCursor::positions`] gives them; none for those
    /// of the page itself.
    pub fn with_own_positions(position: u32) -> Option<Self> {
        match position >> POSITION_BITS {
            0 => Some(Self::Title),
            2 => Some(Self::Address),
            3 => Some(Self::Anchor),
            _ => None,
        }
    }

    /// How many words of its line come before a position, as [`crate::PostingsCursor::positions`] gives it.
    pub fn words_before(position: u32) -> u32 {
        Self::place_of(position).1
    }

    /// Whether no phrase goes from one piece of it to the next: words of two links are not one text.
    pub(crate) fn stands_apart(self) -> bool {
        self == Self::Anchor
    }

    /// Takes a position apart, as [`crate::PostingsCursor::positions`] gives it: the field if it alone has such positions, and
    /// how many words of its line come before.
    pub(crate) fn place_of(position: u32) -> (Option<Self>, u32) {
        (Self::with_own_positions(position), position & ((1 << POSITION_BITS) - 1))
    }

    /// Which positions it shares with others.
    pub(crate) fn space(self) -> Space {
        match self {
            Self::Title => Space(0),
            Self::Heading | Self::Main | Self::Rest => Space(1),
            Self::Address => Space(2),
            Self::Anchor => Space(3),
        }
    }
}

/// The fields as they are met: most often first. Which fields a posting has is written the shorter the earlier they stand.
pub(crate) const BY_FREQUENCY: [Field; FIELD_COUNT] =
    [Field::Main, Field::Rest, Field::Heading, Field::Title, Field::Address, Field::Anchor];

/// How many fields there are.
pub const FIELD_COUNT: usize = 6;

/// A line of positions that a phrase does not leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Space(u8);

/// How many spaces there are.
pub(crate) const SPACES: usize = 4;

impl Space {
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The position in a line that has all spaces one after the other, so far from each other that no word of one is
    /// next to a word of another.
    pub(crate) fn locate(self, position: u32) -> u32 {
        u32::from(self.0) << POSITION_BITS | position
    }
}

const POSITION_BITS: u32 = 28;

/// Words behind this position are not found by phrases: they all stand on it.
pub(crate) const POSITION_MAX: u32 = (1 << POSITION_BITS) - 2;

/// Whether a position in the line of all spaces is the last of its space, on which several words may stand.
pub(crate) fn is_last_position(located: u32) -> bool {
    located & ((1 << POSITION_BITS) - 1) == POSITION_MAX
}

/// Where a word stands in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place(pub(crate) u32);

impl Place {
    pub(crate) fn new(field: Field, position: u32) -> Self {
        Self((field as u32) << POSITION_BITS | position.min(POSITION_MAX))
    }

    pub(crate) fn field_index(self) -> usize {
        (self.0 >> POSITION_BITS) as usize
    }

    /// The first place of its field.
    pub(crate) fn first(self) -> Self {
        Self(self.0 & !((1 << POSITION_BITS) - 1))
    }
}

/// How often a word occurs in each field of a document.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FieldCounts(pub [u32; FIELD_COUNT]);

impl FieldCounts {
    /// How often it occurs in all of them.
    pub fn total(&self) -> u32 {
        self.0.iter().fold(0, |sum, &count| sum.saturating_add(count))
    }

    /// How often it occurs in one.
    pub fn of(&self, field: Field) -> u32 {
        self.0[field.index()]
    }

    /// What it has in one field alone.
    #[must_use]
    pub fn only(&self, field: Field) -> Self {
        let mut only = Self::default();
        only.0[field.index()] = self.of(field);
        only
    }

    /// Those of a word that has these places, in order.
    #[inline]
    pub(crate) fn of_places(places: &[Place]) -> Self {
        let mut counts = Self::default();
        match places {
            // They are in order, so nearly always they are all in one.
            [first, .., last] | [first @ last] if first.field_index() == last.field_index() => {
                counts.0[first.field_index()] = places.len() as u32;
            }
            _ => places.iter().for_each(|place| counts.0[place.field_index()] += 1),
        }
        counts
    }

    /// So many, all in the main text.
    #[inline]
    pub fn in_main(count: u32) -> Self {
        let mut counts = Self::default();
        counts.0[Field::Main.index()] = count;
        counts
    }

    /// How many there are in the main text, if there are none elsewhere.
    #[inline]
    pub(crate) fn main_alone(&self) -> Option<u32> {
        let main = self.of(Field::Main);
        (*self == Self::in_main(main)).then_some(main)
    }

    /// A bit for each field in which it occurs.
    pub(crate) fn mask(&self) -> u8 {
        (0..FIELD_COUNT).filter(|&field| self.0[field] > 0).fold(0, |mask, field| mask | 1 << field)
    }
}
