//! One binary for all tests that need a socket, a file or the shared data.

mod codings;
mod conformance;
mod failures;
mod framing;
mod keep_alive;
mod limits;
mod llhttp;
mod properties;
mod resolving;
mod robots;
mod scripted;
mod tls;
