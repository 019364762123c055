//! The truth against a crawl: a client of its own, with a naive reader of HTML and of robots.txt, visits the web over
//! real sockets and must find exactly what the truth says.

mod client;
mod crawl;
mod html;
mod robots;
mod truth;
mod wire;
