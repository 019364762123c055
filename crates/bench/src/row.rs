//! A comparison: our number, the peer's, and whether the goal is reached.

use serde::Serialize;

/// One comparison.
#[derive(Debug, Serialize)]
pub struct Row {
    /// What was measured.
    pub name: String,
    /// In what.
    pub unit: &'static str,
    /// Our number.
    pub ours: f64,
    /// The peer's number, if it is installed.
    pub peer: Option<f64>,
    /// Who the peer is; nobody where the goal is a fixed number.
    pub peer_name: &'static str,
    /// Ours divided by the peer's: below 1 we are better.
    pub ratio: Option<f64>,
    /// What we want at most: of the ratio, or of our number where no peer is named.
    pub goal: Option<f64>,
    /// Whether we have it; unknown where a peer is named and missing.
    pub holds: Option<bool>,
    /// Why there is no peer, and how to get it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Row {
    /// Compares two numbers of which the smaller is the better.
    pub fn new(
        name: String,
        unit: &'static str,
        ours: f64,
        peer_name: &'static str,
        peer: Result<f64, String>,
        goal: Option<f64>,
    ) -> Self {
        let (peer, hint) = match peer {
            Ok(number) => (Some(number), None),
            Err(hint) => (None, Some(hint)),
        };
        let ratio = peer.map(|peer| ours / peer);
        let holds = ratio.zip(goal).map(|(ratio, goal)| ratio <= goal);
        Self { name, unit, ours, peer, peer_name, ratio, goal, holds, hint }
    }

    /// A number that belongs to the picture, without a goal.
    pub fn informative(name: String, unit: &'static str, ours: f64) -> Self {
        Self { name, unit, ours, peer: None, peer_name: "", ratio: None, goal: None, holds: None, hint: None }
    }

    /// Compares a number with a fixed one that it may not exceed: there is no peer, and the goal is in the row's unit.
    pub fn absolute(name: String, unit: &'static str, ours: f64, goal: f64) -> Self {
        let holds = Some(ours <= goal);
        Self { name, unit, ours, peer: None, peer_name: "", ratio: None, goal: Some(goal), holds, hint: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_decide_whether_a_goal_is_reached() {
        let beside = |ours, peer, goal| Row::new("x".into(), "ns", ours, "other", peer, goal);
        let cases = [
            (beside(2.0, Ok(4.0), Some(0.5)), Some(0.5), Some(true)),
            (beside(3.0, Ok(4.0), Some(0.5)), Some(0.75), Some(false)),
            (beside(3.0, Ok(4.0), None), Some(0.75), None),
            (beside(3.0, Err("not installed".into()), Some(0.5)), None, None),
            (Row::absolute("x".into(), "%", 1.0, 1.0), None, Some(true)),
            (Row::absolute("x".into(), "%", 1.01, 1.0), None, Some(false)),
            (Row::absolute("x".into(), "%", f64::NAN, 1.0), None, Some(false)),
        ];
        for (row, ratio, holds) in cases {
            assert_eq!((row.ratio, row.holds), (ratio, holds), "{row:?}");
        }
        let json = serde_json::to_value(Row::absolute("x".into(), "ns", 2.0, 3.0)).unwrap();
        assert_eq!((&json["peer"], &json["goal"]), (&serde_json::Value::Null, &3.0.into()));
    }
}
