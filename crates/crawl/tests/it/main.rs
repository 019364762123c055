//! Whole crawls on the lab's web, compared with its truth.

mod changed_rules;
mod copies;
mod fake_web;
mod gate;
mod large_pages;
mod manners;
mod moving;
mod policies;
mod redirects;
mod restart;
mod scripted;
mod visits;
mod waiting;
mod whole_crawl;
