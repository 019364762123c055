//! What each signal of a score counts: all numbers of the model, in one place, and as a file.
//!
//! The table below is the only list of them: the type, the file, what is learned (`crivello tune`) and what is refused come
//! from it. A file has lines of `name = number`; what stands behind `#` is for people. What a file does not name counts as it
//! does by default.

use std::fmt;

use index::{Field, ImpactModel};

/// A number of the model: its name, what it says, and between which bounds it makes sense.
#[derive(Clone, Copy)]
pub struct Knob {
    /// As in the file.
    pub name: &'static str,
    /// What it says, in a sentence.
    pub about: &'static str,
    /// The least that makes sense.
    pub least: f64,
    /// The most.
    pub most: f64,
    /// The value with which this signal makes no difference: how much it gains is measured against that.
    pub off: f64,
    place: fn(&mut Weights) -> &mut f64,
}

impl Knob {
    /// What these weights say.
    pub fn get(&self, weights: &Weights) -> f64 {
        *(self.place)(&mut { *weights })
    }

    /// The same weights with another number, or the nearest to it that makes sense.
    #[must_use]
    pub fn set(&self, mut weights: Weights, value: f64) -> Weights {
        *(self.place)(&mut weights) = value.clamp(self.least, self.most);
        weights
    }
}

impl fmt::Debug for Knob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}..={}", self.name, self.least, self.most)
    }
}

/// Makes [`Weights`] and [`KNOBS`] of one table.
macro_rules! weights {
    ($($(#[doc = $about:literal])+ $name:ident = $default:literal, $least:literal..=$most:literal, off $off:literal;)+) => {
        /// What each signal counts; scores are [`crate::LinkRanks`] and [`index::ImpactModel`] by these numbers.
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct Weights {
            $($(#[doc = $about])+ pub $name: f64,)+
        }

        impl Default for Weights {
            fn default() -> Self {
                Self { $($name: $default,)+ }
            }
        }

        /// All numbers of [`Weights`], in the order of the file.
        pub const KNOBS: &[Knob] = &[$(Knob {
            name: stringify!($name),
            about: concat!($($about),+),
            least: $least,
            most: $most,
            off: $off,
            place: |weights| &mut weights.$name,
        },)+];
    };
}

// Chosen by `crivello tune` on Cranfield, CISI, CACM, ADI and XQuAD in English, German and Spanish (`benches/runs/` has the
// table). In the mean of the seven, beside BM25 with stemming (k1 1.2, b 0.75) as 1, nDCG@10 is 1.025 and MAP 1.041, and on none
// is either below. The optimum is flat: three rounds of steps gain 0.2 %. Against being off, forms gain 6.7 and 8.4 % (nDCG@10 and
// MAP), main_b 3.5 and 3.4 %, rarity 1.4 and 2.2 %, title 1.9 and 1.6 %, title_b 0.6 and 0.5 %, proximity 0.5 and 0.3 %.
// These collections have neither links nor headings: what those and addresses count was set by hand on sites of manuals: with a
// heading of 2 and an address of 8 instead of 1 each, 26 of 30 questions that name a manual have the right page of it among the
// first three, 23 before; nothing changes for 400 titles. A whole_title of 0.2
// brings 400 of 400 titles of pages of 27 sites among the first three, 387 come there without. Of 40 questions about three
// manuals the right page comes first for 30 with a page_rank of 0.5, 28 without. A harmonic of 0.25 brings one more, which may be
// luck; the other signals of weight 0 change nothing there.
weights! {
    /// How much repetition counts: a word that is there twice counts nearly twice if this is large.
    k1 = 1.75, 0.01..=1000.0, off 0.01;
    /// How much more a rare word counts than a frequent one: the exponent of its idf, 1 in BM25.
    rarity = 1.4, 0.0..=4.0, off 1.0;
    /// How much of the score of a word any form of it has; the rest is for the very word.
    forms = 0.8, 0.0..=1.0, off 0.0;
    /// What a word of the title counts.
    title = 4.0, 0.0..=1000.0, off 1.0;
    /// What a word of a heading counts.
    heading = 2.0, 0.0..=1000.0, off 1.0;
    /// What a word of the main text counts.
    main = 1.0, 0.001..=1000.0, off 1.0;
    /// What a word of menus, headers and footers counts.
    rest = 0.25, 0.0..=1000.0, off 1.0;
    /// What a word of the address counts.
    address = 8.0, 0.0..=1000.0, off 0.0;
    /// What a word of links that lead to the page counts.
    anchor = 8.0, 0.0..=1000.0, off 0.0;
    /// How much a long title is held back.
    title_b = 0.75, 0.0..=1.0, off 0.0;
    /// How much long headings are held back.
    heading_b = 0.75, 0.0..=1.0, off 0.0;
    /// How much a long main text is held back.
    main_b = 0.75, 0.0..=1.0, off 0.0;
    /// How much long menus, headers and footers are held back.
    rest_b = 0.75, 0.0..=1.0, off 0.0;
    /// How much a long address is held back.
    address_b = 0.75, 0.0..=1.0, off 0.0;
    /// How much a page with many words of links is held back.
    anchor_b = 0.25, 0.0..=1.0, off 0.0;
    /// What two words of the query add by standing near each other, as a share of what the weaker of them adds.
    proximity = 0.3, 0.0..=10.0, off 0.0;
    /// What is added to a page whose title is the query, as a share of the most that its words can add; less by words in the title.
    whole_title = 0.2, 0.0..=10.0, off 0.0;
    /// The most that a page can gain by its PageRank.
    page_rank = 0.5, 0.0..=1000.0, off 0.0;
    /// What a page gains that is in a language of the reader, or in none that is known.
    readable = 1.0, 0.0..=1000.0, off 0.0;
    /// The most that a page can gain by its harmonic centrality: by being near to many others.
    harmonic = 0.0, 0.0..=1000.0, off 0.0;
    /// The most that a page can gain by the PageRank of all pages of its host.
    host_rank = 0.0, 0.0..=1000.0, off 0.0;
    /// The most that a page can gain by having few folders in its address.
    depth = 0.0, 0.0..=1000.0, off 0.0;
    /// The most that a page can gain by a short address.
    address_length = 0.0, 0.0..=1000.0, off 0.0;
    /// The most that a page can gain by being as new as the newest.
    freshness = 0.0, 0.0..=1000.0, off 0.0;
}

/// A line of a file that cannot be meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct WeightsError {
    /// Which line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl Weights {
    /// Reads the text of a file.
    pub fn parse(text: &str) -> Result<Self, WeightsError> {
        let (mut weights, mut named) = (Self::default(), Vec::new());
        for (line, content) in (1..).zip(text.lines()) {
            let content = content.split('#').next().unwrap_or_default().trim();
            if content.is_empty() {
                continue;
            }
            let refused = |reason: String| WeightsError { line, reason };
            let (name, value) = content
                .split_once('=')
                .ok_or_else(|| refused(format!("`{content}` is not `name = number`")))?;
            let (name, value) = (name.trim(), value.trim());
            let knob = KNOBS
                .iter()
                .find(|knob| knob.name == name)
                .ok_or_else(|| refused(format!("there is no weight `{name}`")))?;
            if named.contains(&name) {
                return Err(refused(format!("`{name}` is there twice")));
            }
            named.push(name);
            let value = value.parse::<f64>().ok().filter(|value| (knob.least..=knob.most).contains(value));
            let value = value.ok_or_else(|| {
                refused(format!("`{name}` needs a number between {} and {}", knob.least, knob.most))
            })?;
            weights = knob.set(weights, value);
        }
        Ok(weights)
    }

    /// The same weights, where long titles are held back by `b`, and all other fields more or less in proportion.
    #[must_use]
    pub fn with_b(mut self, b: f64) -> Self {
        let change = b / self.title_b.max(f64::MIN_POSITIVE);
        let fields = [&mut self.title_b, &mut self.heading_b, &mut self.main_b];
        let others = [&mut self.rest_b, &mut self.address_b, &mut self.anchor_b];
        fields.into_iter().chain(others).for_each(|field| *field = (*field * change).min(1.0));
        self
    }

    /// The parameters of BM25F, with the averages of an index.
    pub(crate) fn impacts(&self, averages: [f32; index::FIELD_COUNT]) -> ImpactModel {
        let field = |field: Field| match field {
            Field::Title => (self.title, self.title_b),
            Field::Heading => (self.heading, self.heading_b),
            Field::Main => (self.main, self.main_b),
            Field::Rest => (self.rest, self.rest_b),
            Field::Address => (self.address, self.address_b),
            Field::Anchor => (self.anchor, self.anchor_b),
        };
        ImpactModel {
            k1: self.k1 as f32,
            b: Field::ALL.map(|name| field(name).1 as f32),
            weights: Field::ALL.map(|name| field(name).0 as f32),
            averages,
        }
    }
}

/// A file, with what each number says.
impl fmt::Display for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# What each signal of a score counts. What is left out counts as it does by default.")?;
        for knob in KNOBS {
            writeln!(f, "\n#{}", knob.about)?;
            writeln!(f, "# From {} to {}.", knob.least, knob.most)?;
            writeln!(f, "{} = {}", knob.name, knob.get(self))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn by_default_words_count_as_the_maxima_of_an_index_are_made_for() {
        let model = ImpactModel::default();
        assert_eq!(Weights::default().impacts(model.averages), model);
        for knob in KNOBS {
            let default = knob.get(&Weights::default());
            assert!((knob.least..=knob.most).contains(&default), "{knob:?}");
            assert!((knob.least..=knob.most).contains(&knob.off), "{knob:?}");
        }
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_its_line() {
        let rows = [
            ("", None),
            ("# nothing\n\n  k1=2 # more\n", None),
            ("k1 = 2\nk2 = 2", Some("line 2: there is no weight `k2`")),
            ("k1 = 2\n\nk1 = 3", Some("line 3: `k1` is there twice")),
            ("title 4", Some("line 1: `title 4` is not `name = number`")),
            ("title_b = 1.5", Some("line 1: `title_b` needs a number between 0 and 1")),
            ("k1 = NaN", Some("line 1: `k1` needs a number between 0.01 and 1000")),
            ("rarity = inf", Some("line 1: `rarity` needs a number between 0 and 4")),
            ("forms = -0.1", Some("line 1: `forms` needs")),
            ("forms =", Some("line 1: `forms` needs")),
        ];
        for (text, expected) in rows {
            match (Weights::parse(text), expected) {
                (Ok(_), None) => {}
                (Err(error), Some(words)) => assert!(error.to_string().starts_with(words), "{error}"),
                (read, _) => panic!("{text}: {read:?}"),
            }
        }
        assert_eq!(Weights::parse("k1=2").unwrap(), Weights { k1: 2.0, ..Weights::default() });
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(values in prop::collection::vec(0.0..1000.0, KNOBS.len())) {
            let weights = KNOBS.iter().zip(values).fold(Weights::default(), |weights, (knob, value)| knob.set(weights, value));
            prop_assert_eq!(Weights::parse(&weights.to_string()).unwrap(), weights);
        }
    }
}
