//! What follows from the pages? Everything that a collection holds beside them, made from them and nothing else.
#![forbid(unsafe_code)]
