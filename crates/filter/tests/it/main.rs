//! The filters from outside: against real sets, at their stated rates, as bytes, under threads.

mod adaptive;
mod bytes;
mod rates;
mod sets;
mod threads;
mod visits;
