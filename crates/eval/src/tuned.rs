//! What came of learning weights, in numbers and as a table.

use std::fmt::Write as _;

use serde::Serialize;

use crate::measures::{Measures, Rise};

/// What was learned.
#[derive(Debug, Clone, Serialize)]
pub struct Tuned {
    /// The best values, one for each dial.
    #[serde(skip)]
    pub values: Vec<f64>,
    /// Each collection at the start, by what was learned, and by what was learned without each question.
    pub collections: Vec<TunedCollection>,
    /// What each dial that makes a difference gains, against being turned off.
    pub gains: Vec<Gain>,
    /// How many different values were measured.
    pub measured: usize,
}

/// What became of a collection.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct TunedCollection {
    /// With the values of the start.
    pub before: Measures,
    /// With those that were learned.
    pub after: Measures,
    /// Each question with values that were learned without it, if there are folds.
    pub held_out: Option<Measures>,
}

/// What a signal gains.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Gain {
    /// Which.
    pub name: &'static str,
    /// The value with which it makes no difference.
    pub off: f64,
    /// What was learned for it.
    pub value: f64,
    /// How much higher nDCG@10 and MAP are with it, in the mean of all collections; none where nothing is right without it.
    #[serde(flatten)]
    pub rise: Rise,
}

impl Tuned {
    /// As people read it; `names` are those of the collections.
    pub fn table(&self, names: &[String]) -> String {
        let mut text = format!(
            "{:<24}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}\n",
            "collection", "ndcg_10", "map", "learned", "learned", "held out", "held out"
        );
        for (of, name) in self.collections.iter().zip(names) {
            let _ = write!(text, "{name:<24}{}{}", pair(&of.before), pair(&of.after));
            let _ = writeln!(text, "{}", of.held_out.as_ref().map(pair).unwrap_or_default());
        }
        let _ = write!(
            text,
            "{:<24}{}{}",
            "against the start",
            change(None),
            change(self.change(|of| Some(of.after)))
        );
        let _ = writeln!(text, "{}\n", change(self.change(|of| of.held_out)));
        let _ = writeln!(text, "{:<24}{:>10}{:>10}{:>10}{:>10}", "signal", "weight", "off", "ndcg_10", "map");
        for Gain { name, value, off, rise } in &self.gains {
            let gains = change(Some(*rise));
            let _ = writeln!(text, "{name:<24}{value:>10}{off:>10}{gains}");
        }
        let _ = write!(text, "{} different weights were measured", self.measured);
        text
    }

    /// By what share nDCG@10 and MAP are above those of the start, in the mean of all collections.
    pub fn change(&self, of: impl Fn(&TunedCollection) -> Option<Measures>) -> Option<Rise> {
        let rise = |collection: &TunedCollection| Some(of(collection)?.rise_from(collection.before));
        let rises: Option<Vec<Rise>> = self.collections.iter().map(rise).collect();
        rises.map(|rises| Rise::mean(&rises))
    }
}

fn pair(measures: &Measures) -> String {
    format!("{:>10.4}{:>10.4}", measures.ndcg_10, measures.map)
}

/// A share of nothing is called `all`.
fn change(rise: Option<Rise>) -> String {
    let share = |rise: Option<f64>| {
        rise.map_or_else(|| format!("{:>10}", "all"), |rise| format!("{:>8.2} %", rise * 100.0))
    };
    rise.map_or(" ".repeat(20), |rise| share(rise.ndcg_10) + &share(rise.map))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_says_what_changed_and_what_each_signal_gains() {
        let measures = |ndcg_10: f64, map: f64| Measures { ndcg_10, map, ..Measures::default() };
        let gain = |name: &'static str, rise: Rise| Gain { name, off: 1.0, value: 2.0, rise };
        let tuned = Tuned {
            values: vec![2.0],
            collections: vec![TunedCollection {
                before: measures(0.5, 0.4),
                after: measures(0.55, 0.42),
                held_out: Some(measures(0.51, 0.4)),
            }],
            gains: vec![
                gain("title", Rise { ndcg_10: Some(0.05), map: Some(-0.01) }),
                gain("words", Rise { ndcg_10: None, map: None }),
            ],
            measured: 7,
        };
        let table = tuned.table(&["small".to_owned()]);
        for row in [
            "small                       0.5000    0.4000    0.5500    0.4200    0.5100    0.4000",
            "against the start                              10.00 %    5.00 %    2.00 %    0.00 %",
            "title                            2         1    5.00 %   -1.00 %",
            "words                            2         1       all       all",
            "7 different weights were measured",
        ] {
            assert!(table.contains(row), "{table}");
        }
    }
}
