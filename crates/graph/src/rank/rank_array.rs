//! Scores of all nodes on disk, two bytes each.
//!
//! A score is kept as its logarithm, in 65,534 equal steps between the smallest and the largest one above zero; zero has a
//! code of its own. For scores that are within a factor of a billion this is an error of 0.016 % at most, far below what a
//! ranking can notice, and never turns the order of two scores around. The share of nodes below a score comes from a table
//! of how often each code is used, made when the file is opened.
//!
//! ```text
//! payload (of a sealed file, kind "rank"):
//!   nodes       u64
//!   low, high   f64 each    the smallest and the largest score above zero; both zero if there is none
//!   about       u32, bytes  whose scores these are, in 16 digits, a space, and what: the rank and the arcs that it was
//!                           computed on. Earlier files do not say whose.
//!   codes       u16 each    0: zero; 1..=65535: low·(high/low)^((code − 1) / 65534)
//! ```
//!
//! The file is written under another name and renamed, so that readers see the old or the new one.

use std::path::Path;

use journal::{Bytes, Kind, u32_at, u64_at};
use page::SetId;

use crate::Error;
use crate::sealed::{GRAPH_FORMAT, open_sealed};

const KIND: Kind = *b"rank";
const FIXED_BYTES: usize = 8 + 8 + 8 + 4;
const CODE_MAX: f64 = 65535.0;

/// The longest description.
pub const ABOUT_BYTES_MAX: usize = 4096;

/// Scores as they are on disk.
#[derive(Debug, Clone)]
pub struct RankArray {
    whose: Option<SetId>,
    about: String,
    low: f64,
    high: f64,
    codes: Bytes,
    /// For each code, how many nodes have a smaller one.
    below: Vec<u64>,
}

impl RankArray {
    /// Puts scores (finite, not negative) at `path`, whatever was there before. `whose` says what the nodes are, `about`
    /// what the scores are.
    pub fn write(path: &Path, whose: SetId, about: &str, scores: &[f64]) -> Result<(), Error> {
        let about = format!("{} {about}", whose.to_digits());
        assert!(about.len() <= ABOUT_BYTES_MAX, "a description is short");
        assert!(
            scores.iter().all(|score| score.is_finite() && *score >= 0.0),
            "a score is finite and not negative"
        );
        let above_zero = || scores.iter().copied().filter(|score| *score > 0.0);
        let (low, high) = match (above_zero().reduce(f64::min), above_zero().reduce(f64::max)) {
            (Some(low), Some(high)) => (low, high),
            _ => (0.0, 0.0),
        };
        let mut payload = Vec::with_capacity(FIXED_BYTES + about.len() + 2 * scores.len());
        payload.extend((scores.len() as u64).to_le_bytes());
        payload.extend(low.to_le_bytes());
        payload.extend(high.to_le_bytes());
        payload.extend((about.len() as u32).to_le_bytes());
        payload.extend(about.as_bytes());
        payload.extend(scores.iter().flat_map(|score| code(*score, low, high).to_le_bytes()));
        journal::replace_sealed(path, GRAPH_FORMAT, KIND, &payload)?;
        Ok(())
    }

    /// Opens and verifies a file.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let payload = open_sealed(path, KIND)?;
        let lie = |reason: &str| Error::damaged(path, reason);
        if payload.len() < FIXED_BYTES {
            return Err(lie("it is too short"));
        }
        let (nodes, about_bytes) = (u64_at(&payload, 0), u32_at(&payload, 24) as usize);
        let (low, high) = (f64::from_bits(u64_at(&payload, 8)), f64::from_bits(u64_at(&payload, 16)));
        let codes_at = FIXED_BYTES + about_bytes.min(ABOUT_BYTES_MAX);
        let about = payload.get(FIXED_BYTES..codes_at).and_then(|about| std::str::from_utf8(about).ok());
        let about =
            about.filter(|about| about.len() == about_bytes).ok_or(lie("its description is no text"))?;
        if nodes.checked_mul(2) != Some((payload.len() - codes_at) as u64) {
            return Err(lie("it does not have a score for each node"));
        }
        if !(low.is_finite() && high.is_finite() && 0.0 <= low && low <= high && (low > 0.0) == (high > 0.0))
        {
            return Err(lie("its bounds make no sense"));
        }
        let codes = payload.cut(codes_at..payload.len()).expect("it was just measured");
        let mut below = vec![0; CODE_MAX as usize + 2];
        for code in codes.as_chunks().0 {
            below[usize::from(u16::from_le_bytes(*code)) + 1] += 1;
        }
        for code in 1..below.len() {
            below[code] += below[code - 1];
        }
        let (whose, about) = split_whose(about);
        Ok(Self { whose, about: about.to_owned(), low, high, codes, below })
    }

    /// What the nodes are that have these scores: scores of as many others are not theirs. `None`: it does not say.
    pub fn whose(&self) -> Option<SetId> {
        self.whose
    }

    /// What the scores are.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// How many nodes have a score.
    pub fn nodes(&self) -> usize {
        self.codes.len() / 2
    }

    /// The score of a node, absent if there is no such node.
    pub fn score(&self, node: u32) -> Option<f64> {
        let code = self.code(node)?;
        if code == 0 {
            return Some(0.0);
        }
        let part = (f64::from(code) - 1.0) / (CODE_MAX - 1.0);
        Some(self.low * ((self.high / self.low).ln() * part).exp())
    }

    /// The share of nodes with a smaller score, from 0 to below 1.
    pub fn percentile(&self, node: u32) -> Option<f64> {
        let code = self.code(node)?;
        Some(self.below[usize::from(code)] as f64 / self.nodes() as f64)
    }

    fn code(&self, node: u32) -> Option<u16> {
        self.codes.as_chunks().0.get(node as usize).map(|code| u16::from_le_bytes(*code))
    }
}

/// Takes the identity from the front of a description.
fn split_whose(about: &str) -> (Option<SetId>, &str) {
    let split = about.split_once(' ').and_then(|(digits, rest)| Some((SetId::from_digits(digits)?, rest)));
    split.map_or((None, about), |(whose, rest)| (Some(whose), rest))
}

fn code(score: f64, low: f64, high: f64) -> u16 {
    if score == 0.0 {
        return 0;
    }
    let part = if high > low { (score / low).ln() / (high / low).ln() } else { 0.0 };
    1 + (part * (CODE_MAX - 1.0)).round() as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stored(scores: &[f64]) -> RankArray {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.rank");
        RankArray::write(&path, SetId::new(7), "PageRank, all arcs", scores).unwrap();
        RankArray::open(&path).unwrap()
    }

    proptest! {
        #[test]
        fn scores_are_almost_kept_and_their_order_entirely(
            scores in prop::collection::vec(prop_oneof![Just(0.0), 1e-9f64..1.0, Just(0.25)], 0..60)
        ) {
            let array = stored(&scores);
            prop_assert_eq!((array.nodes(), array.about()), (scores.len(), "PageRank, all arcs"));
            prop_assert_eq!(array.whose(), Some(SetId::new(7)));
            for (node, score) in (0..).zip(&scores) {
                let found = array.score(node).unwrap();
                prop_assert!((found - score).abs() <= score * 2e-4, "{} instead of {}", found, score);
                let smaller = scores.iter().filter(|other| *other < score).count() as f64 / scores.len() as f64;
                let near = scores.iter().filter(|other| (*other / score - 1.0).abs() < 1e-3).count() as f64;
                prop_assert!((array.percentile(node).unwrap() - smaller).abs() <= near / scores.len() as f64);
                for (other, of_other) in (0..).zip(&scores) {
                    prop_assert!(score > of_other || found <= array.score(other).unwrap());
                }
            }
            prop_assert_eq!((array.score(scores.len() as u32), array.percentile(u32::MAX)), (None, None));
        }
    }

    #[test]
    fn a_flipped_or_missing_byte_of_a_rank_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.rank");
        RankArray::write(&path, SetId::new(7), "in-degree", &[1.0, 0.0, 3.0]).unwrap();
        let good = std::fs::read(&path).unwrap();
        for place in 0..good.len() {
            let mut bad = good.clone();
            bad[place] ^= 1;
            std::fs::write(&path, &bad).unwrap();
            assert!(RankArray::open(&path).is_err(), "byte {place}");
            std::fs::write(&path, &good[..place]).unwrap();
            assert!(RankArray::open(&path).is_err(), "{place} bytes");
        }
        // A new one takes its place.
        RankArray::write(&path, SetId::new(7), "in-degree", &[5.0]).unwrap();
        assert_eq!(RankArray::open(&path).unwrap().score(0), Some(5.0));
    }
}
