//! The whole crate on the data of others.

mod trec_eval;
