//! The plain words of a query, of which a page should have as many as it can.

use std::collections::HashMap;

/// A plain word of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// As it was typed.
    pub typed: String,
    /// As the analyzer takes it: one term, or a few for one that it takes apart, such as `e-mail`.
    pub terms: Vec<String>,
    /// How often it was typed; a word that is typed twice counts twice.
    pub times: u32,
}

/// The terms of plain words, each once, and how often it was typed.
pub(crate) fn terms_of(words: &[Word]) -> Vec<(&str, u32)> {
    let (mut terms, mut places) = (Vec::<(&str, u32)>::new(), HashMap::new());
    for (term, times) in
        words.iter().flat_map(|word| word.terms.iter().map(|term| (term.as_str(), word.times)))
    {
        let place = *places.entry(term).or_insert_with(|| {
            terms.push((term, 0));
            terms.len() - 1
        });
        terms[place].1 += times;
    }
    terms
}
