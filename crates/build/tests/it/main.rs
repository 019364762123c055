//! What follows from the pages, through the doors that others use.

mod documents;
mod identity;
mod languages;
