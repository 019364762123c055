//! What is known of a document whatever was asked, beside its PageRank: how central it is, how its host stands, how deep and
//! how long its address is, how old it is.
//!
//! Each is a number of the document, and becomes a share from 0 to 1, of which the better half is the lesser part: what is
//! twice as good is not twice as likely to be wanted.
//!
//! ```text
//! harmonic, host_rank   r / (1 + r)             in multiples of the average
//! depth                 1 / (1 + folders)       1 for the front page
//! address_length        1 / (1 + letters / 64)
//! freshness             1 / (1 + days / 365)    days since the newest page of all
//! ```

use crate::weights::Weights;

/// What may be known of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Harmonic centrality, in multiples of the average.
    Harmonic,
    /// The PageRank of all pages of its host together, in multiples of the average host's.
    HostRank,
    /// How many folders its address has.
    Depth,
    /// How many letters its address has.
    AddressLength,
    /// How many days it is older than the newest.
    Freshness,
}

impl Signal {
    /// As in the file of weights.
    pub fn name(self) -> &'static str {
        match self {
            Self::Harmonic => "harmonic",
            Self::HostRank => "host_rank",
            Self::Depth => "depth",
            Self::AddressLength => "address_length",
            Self::Freshness => "freshness",
        }
    }

    /// The most that it can add.
    pub fn weight(self, weights: &Weights) -> f64 {
        match self {
            Self::Harmonic => weights.harmonic,
            Self::HostRank => weights.host_rank,
            Self::Depth => weights.depth,
            Self::AddressLength => weights.address_length,
            Self::Freshness => weights.freshness,
        }
    }

    /// The share of that which a document with this number has. What is no number has nothing.
    pub(crate) fn share(self, number: f32) -> f32 {
        if number.is_nan() {
            return 0.0;
        }
        let number = number.clamp(0.0, f32::MAX);
        match self {
            Self::Harmonic | Self::HostRank => number / (1.0 + number),
            Self::Depth => 1.0 / (1.0 + number),
            Self::AddressLength => 1.0 / (1.0 + number / 64.0),
            Self::Freshness => 1.0 / (1.0 + number / 365.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_shares() {
        let rows = [
            (Signal::Harmonic, 1.0, 0.5),
            (Signal::HostRank, 3.0, 0.75),
            (Signal::HostRank, f32::INFINITY, 1.0),
            (Signal::Depth, 0.0, 1.0),
            (Signal::Depth, 3.0, 0.25),
            (Signal::AddressLength, 64.0, 0.5),
            (Signal::Freshness, 0.0, 1.0),
            (Signal::Freshness, 365.0, 0.5),
            (Signal::Freshness, f32::NAN, 0.0),
            (Signal::Depth, -1.0, 1.0),
        ];
        for (signal, number, share) in rows {
            assert!((signal.share(number) - share).abs() < 1e-6, "{signal:?} {number}");
        }
    }
}
