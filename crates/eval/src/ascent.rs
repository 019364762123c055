//! Coordinate ascent: the best numbers of a model, one after the other.
//!
//! One number is moved up and down by steps, in proportion to itself or, where it is a share, by a fixed amount; the best place
//! is kept, and the next number has its turn. Rounds go on until none gains anything. It needs no gradient, which measures of
//! rankings do not have. A step that gains next to nothing is not taken: it would be luck, and the number stays where it was.
//!
//! After Metzler, Croft, "Linear feature-based models for information retrieval" (2007).
//!
//! Cost: about six measurements for each number and round; a number that changes nothing is left alone after its first turn.

/// A number that is learned: between which bounds it makes sense, and where it makes no difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dial {
    /// What it is called.
    pub name: &'static str,
    /// The least that makes sense.
    pub least: f64,
    /// The most.
    pub most: f64,
    /// The value with which its signal makes no difference.
    pub off: f64,
}

/// A share of what was reached; a step that gains less is not taken.
pub const GAIN_LEAST: f64 = 0.0005;

/// Other values of a dial that are tried from one.
impl Dial {
    fn tried_from(&self, value: f64) -> Vec<f64> {
        let is_share = self.least == 0.0 && self.most <= 1.0;
        let steps: Vec<f64> = match (is_share, value > 0.0) {
            (true, _) => [-0.2, -0.05, 0.05, 0.2].map(|step| value + step).to_vec(),
            (false, true) => [0.5, 0.8, 1.25, 2.0].map(|factor| value * factor).to_vec(),
            (false, false) => vec![0.05, 0.2, 1.0],
        };
        let mut tried = Vec::new();
        for step in steps.into_iter().chain([self.off]) {
            let rounded = rounded(step.clamp(self.least, self.most));
            if rounded != value && !tried.contains(&rounded) {
                tried.push(rounded);
            }
        }
        tried
    }
}

/// To three digits, so that a file of weights can be read.
fn rounded(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

/// Moves `values`, one for each dial, to where `measure` is greatest, in at most so many rounds. The best places.
pub fn ascend<E>(
    dials: &[Dial],
    mut values: Vec<f64>,
    rounds: usize,
    measure: &mut dyn FnMut(&[f64]) -> Result<f64, E>,
) -> Result<Vec<f64>, E> {
    let mut best = measure(&values)?;
    let mut is_idle = vec![false; dials.len()];
    for _ in 0..rounds {
        let before = values.clone();
        for (place, dial) in dials.iter().enumerate() {
            if is_idle[place] {
                continue;
            }
            let (mut reached, mut differs) = ((best + best.abs() * GAIN_LEAST, values[place]), false);
            for value in dial.tried_from(values[place]) {
                let mut moved = values.clone();
                moved[place] = value;
                let measured = measure(&moved)?;
                differs |= measured != best;
                if measured > reached.0 {
                    reached = (measured, value);
                }
            }
            is_idle[place] = !differs;
            if reached.1 != values[place] {
                (best, values[place]) = reached;
            }
        }
        if values == before {
            break;
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    const SHARE: Dial = Dial { name: "share", least: 0.0, most: 1.0, off: 0.0 };
    const FREE: Dial = Dial { name: "free", least: 0.01, most: 100.0, off: 1.0 };

    #[test]
    fn the_top_of_a_hill_is_found_and_what_does_not_matter_stays() {
        let hill = |values: &[f64]| {
            let (x, y) = (values[0] - 0.4, (values[1] / 8.0).ln());
            Ok::<_, Infallible>(2.0 - x * x - y * y)
        };
        let mut measured = 0;
        let mut measure = |values: &[f64]| {
            measured += 1;
            hill(values)
        };
        let Ok(values) = ascend(&[SHARE, FREE, FREE], vec![1.0, 1.0, 3.0], 20, &mut measure);
        assert!((values[0] - 0.4).abs() < 0.05 && (values[1] / 8.0 - 1.0).abs() < 0.15, "{values:?}");
        assert_eq!(values[2], 3.0);
        assert!(measured < 100, "{measured}");
    }

    #[test]
    fn values_stay_within_their_bounds_and_small_gains_are_not_taken() {
        let mut seen = Vec::new();
        let mut measure = |values: &[f64]| {
            seen.push(values[0]);
            Ok::<_, Infallible>(values[0])
        };
        let Ok(values) = ascend(&[FREE], vec![90.0], 5, &mut measure);
        assert_eq!(values, [100.0]);
        assert!(seen.iter().all(|value| (0.01..=100.0).contains(value)));
        let Ok(values) =
            ascend(&[SHARE], vec![0.5], 5, &mut |values| Ok::<_, Infallible>(1.0 + values[0] * 1e-4));
        assert_eq!(values, [0.5]);
    }
}
