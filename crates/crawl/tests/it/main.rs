//! Whole crawls on the lab's web, compared with its truth.

mod fake_web;
mod restart;
mod whole_crawl;
