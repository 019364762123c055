//! An index as a latent space ([`latent`]): [`words`] says which of its words span the space and reads them as a matrix,
//! [`making`] makes the space or puts new documents into one.

mod making;
mod words;

pub use making::{SpaceSettings, fold_into_space, is_due, make_space};
