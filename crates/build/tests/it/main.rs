//! What follows from the pages, through the doors that others use.

mod anchors;
mod documents;
mod identity;
mod known;
mod languages;
