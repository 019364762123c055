//! What pages say: titles, sentences and planted words, in something like English.
//!
//! A page has a subject (an adjective, a noun of its topic, a place); sentences come from templates whose gaps are
//! filled from the subject, the host's own places and people, and a vocabulary in which few words are frequent and
//! many rare. So a search for a noun and a place finds pages about them. Everything is appended to one buffer: no
//! allocation per word.

use crate::FakeWeb;
use crate::names::{push_number, write_person, write_place};
use crate::rng::{Purpose, Rng};
use crate::web::PageKey;
use crate::words::{ADJECTIVES, NOUNS, PLANTED, TIMES, TOPICS, VERBS};

/// How many places and people a host likes to write about.
const FAVOURITES_PER_HOST: u32 = 10;
/// One content in so many has a planted word.
const PLANTED_ONE_IN: u32 = 10;

/// What a page is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Title {
    /// Index into [`TOPICS`].
    pub topic: usize,
    pub noun: &'static str,
    pub place: u32,
    /// Empty on home pages.
    pub adjective: &'static str,
    form: u32,
}

/// A hole in a sentence.
#[derive(Clone, Copy)]
enum Gap {
    Subject,
    Noun,
    Adjective,
    Verb,
    Time,
    Place,
    Person,
    Year,
    Number,
}
use Gap::*;

/// How a sentence begins, then gaps and what follows each. Text and gaps in pairs, because what costs time is each
/// jump to the next piece, not the bytes.
type Sentence = (&'static str, &'static [(Gap, &'static str)]);

#[rustfmt::skip]
const SENTENCES: &[Sentence] = &[
    ("The ", &[(Adjective, " "), (Subject, " of "), (Place, " was "), (Verb, " by "), (Person, " in "), (Year, ".")]),
    ("", &[(Person, " "), (Verb, " the "), (Noun, " and the "), (Adjective, " "), (Noun, " "), (Time, ".")]),
    ("In ", &[(Year, " a "), (Noun, " from "), (Place, " "), (Verb, " "), (Number, " "), (Adjective, " letters.")]),
    ("", &[(Place, " is known for its "), (Subject, ", its "), (Noun, " and a "), (Adjective, " "), (Noun, ".")]),
    ("Nobody ", &[(Verb, " the "), (Subject, " until "), (Person, " came from "), (Place, ".")]),
    ("A ", &[(Noun, ", "), (Adjective, " and "), (Adjective, ", stands beside the "), (Subject, ".")]),
    ("Some ", &[(Verb, " it, others "), (Verb, " it; the "), (Noun, " of "), (Place, " did neither.")]),
    ("", &[(Time, ", as "), (Person, " wrote, the "), (Noun, " "), (Verb, " every "), (Noun, " of "), (Place, ".")]),
    ("The road from ", &[(Place, " to "), (Place, " passes a "), (Adjective, " "), (Subject, ".")]),
    ("", &[(Number, " visitors "), (Verb, " the "), (Adjective, " "), (Noun, " in "), (Year, " alone.")]),
    ("When the ", &[(Noun, " "), (Verb, " the "), (Noun, ", "), (Place, " "), (Verb, " its "), (Subject, ".")]),
    ("Without ", &[(Person, " the "), (Subject, " would be a "), (Noun, " "), (Time, ".")]),
    ("It is ", &[(Number, " steps from the "), (Noun, " to the "), (Adjective, " "), (Subject, ".")]),
    ("", &[(Person, " of "), (Place, " and "), (Person, " "), (Verb, " a "), (Adjective, " "), (Noun, " together.")]),
    ("The ", &[(Noun, " says: who "), (Verb, " a "), (Noun, ", "), (Verb, " the "), (Subject, ".")]),
    ("Under the ", &[(Subject, " lies a "), (Noun, " that "), (Place, " "), (Verb, " in "), (Year, ".")]),
    ("They still sell ", &[(Adjective, " "), (Noun, " there, "), (Time, ", near "), (Place, ".")]),
    ("Old maps show the ", &[(Subject, " east of "), (Place, ", where a "), (Noun, " "), (Verb, " it.")]),
    ("Of the ", &[(Number, " houses, "), (Person, " "), (Verb, " the "), (Adjective, " one and the "), (Noun, ".")]),
    ("Each ", &[(Noun, " has a "), (Noun, ", each "), (Subject, " a "), (Noun, " of its own.")]),
];

impl FakeWeb {
    /// What a page is about; a copy is about what its source is about.
    pub(crate) fn title(&self, page: PageKey) -> Title {
        let content = self.content_of(page);
        let home_topic = self.host(content.host).topic;
        if content.local == 0 {
            let noun = TOPICS[home_topic].nouns[0];
            return Title { topic: home_topic, noun, place: content.host, adjective: "", form: 0 };
        }
        let mut rng = self.rng(Purpose::Title, content.id);
        let topic = if rng.chance(0.8) { home_topic } else { rng.below(TOPICS.len() as u32) as usize };
        Title {
            topic,
            noun: rng.pick_skewed(TOPICS[topic].nouns),
            place: self.favourite_place(content.host, &mut rng),
            adjective: rng.pick_skewed(ADJECTIVES),
            form: 1 + rng.below(5),
        }
    }

    /// Appends a title, its words apart by `separator`.
    pub(crate) fn write_title(&self, title: &Title, separator: char, out: &mut String) {
        let words: &[&str] = match title.form {
            0 => &[title.noun, "of"],
            1 => &["the", title.adjective, title.noun, "of"],
            2 => &[title.adjective, title.noun, "near"],
            3 => &["a", title.noun, "in"],
            4 => &["how", "the", title.noun, "came", "to"],
            _ => &["the", title.noun, "and", "the", title.adjective, "road", "to"],
        };
        for word in words {
            out.push_str(word);
            out.push(separator);
        }
        write_place(self.config().seed, title.place, out);
    }

    /// Appends one sentence about a subject, as a host would write it.
    pub(crate) fn write_sentence(&self, host: u32, title: &Title, rng: &mut Rng, out: &mut String) {
        let start = out.len();
        let (beginning, gaps) = rng.pick(SENTENCES);
        out.push_str(beginning);
        for &(gap, after) in gaps {
            self.fill(gap, host, title, rng, out);
            out.push_str(after);
        }
        out[start..start + 1].make_ascii_uppercase();
    }

    fn fill(&self, gap: Gap, host: u32, title: &Title, rng: &mut Rng, out: &mut String) {
        match gap {
            Subject if rng.below(2) == 0 => out.push_str(title.noun),
            Subject => out.push_str(rng.pick(TOPICS[title.topic].nouns)),
            Noun => out.push_str(rng.pick_skewed(NOUNS)),
            Adjective => out.push_str(rng.pick_skewed(ADJECTIVES)),
            Verb => out.push_str(rng.pick_skewed(VERBS)),
            Time => out.push_str(rng.pick(TIMES)),
            Place if rng.below(2) == 0 => write_place(self.config().seed, title.place, out),
            Place => write_place(self.config().seed, self.favourite_place(host, rng), out),
            Person => write_person(self.config().seed, self.favourite(host, rng), out),
            Year => push_number(1100 + rng.below(920), out),
            Number => push_number(2 + rng.skewed(5000), out),
        }
    }

    /// The word planted in a content, if there is one.
    pub(crate) fn planted_word(&self, content: PageKey) -> Option<&'static str> {
        let mut rng = self.rng(Purpose::Planted, content.id);
        (rng.below(PLANTED_ONE_IN) == 0).then(|| rng.pick_skewed(PLANTED))
    }

    fn favourite_place(&self, host: u32, rng: &mut Rng) -> u32 {
        if rng.below(3) == 0 { host } else { self.favourite(host, rng) }
    }

    /// One of the few places, or people, that a host writes about, out of all there are.
    fn favourite(&self, host: u32, rng: &mut Rng) -> u32 {
        let key = u64::from(host) << 8 | u64::from(rng.skewed(FAVOURITES_PER_HOST));
        Rng::keyed(self.config().seed, Purpose::HostPlaces, key).below(30 + 3 * self.host_count())
    }
}
