//! The whole way from documents to copies.

mod licences;
