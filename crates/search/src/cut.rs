//! A query that fits: of more terms than can be looked for at once, the rarest.
//!
//! Every word or phrase is a leaf. The heaviest leaf that is looked for stays; then whatever must hold or is excluded, the
//! heaviest first; then plain words, the rarest first, one that was typed twice counting twice. Words that occur nowhere weigh nothing: they find nothing. What
//! does not fit is left out and named.

use std::borrow::Cow;

use crate::Error;
use crate::formula::Node;
use crate::function_words;
use crate::limits::QUERY_TERMS_MAX;
use crate::lists::Lists;
use crate::query::Query;
use crate::word::Word;

/// A query that fits, and the words that it left out.
pub(crate) struct Fitted<'q> {
    pub(crate) query: Cow<'q, Query>,
    pub(crate) left_out: Vec<String>,
    /// Those that only made a question of the others, as they were typed.
    pub(crate) unasked: Vec<String>,
}

struct Leaf {
    /// In the order of the query.
    number: usize,
    typed: String,
    term_count: usize,
    weight: f64,
    is_plain: bool,
    is_wanted: bool,
}

impl Lists<'_> {
    /// What of a query can be looked for at once.
    pub(crate) fn fit<'q>(&self, query: &'q Query) -> Result<Fitted<'q>, Error> {
        let weigh = |terms: &[String]| Ok(self.entries(terms)?.map_or(0.0, |entries| self.idf(&entries)));
        let Some((telling, unasked)) = self.telling(query)? else { return fit(query, &weigh) };
        let Fitted { query, left_out, .. } = fit(&telling, &weigh)?;
        Ok(Fitted { query: Cow::Owned(query.into_owned()), left_out, unasked })
    }

    /// A question without the words that only make it one, and these, if there are any.
    fn telling(&self, query: &Query) -> Result<Option<(Query, Vec<String>)>, Error> {
        if !query.is_question() {
            return Ok(None);
        }
        let occurs = |word: &Word| Ok::<_, Error>(self.entries(&word.terms)?.is_some());
        let Some(are) = function_words::of_question(query.words(), occurs)? else { return Ok(None) };
        let chosen = |wanted: bool| {
            let words = query.words().iter().zip(&are).filter(move |(_, is)| **is == wanted);
            words.map(|(word, _)| word.clone())
        };
        let unasked = chosen(true).map(|word| word.typed).collect();
        Ok(Some((query.with_telling(chosen(false).collect()), unasked)))
    }
}

/// `query`, or what of it fits; `weigh` tells what terms weigh that stand one after the other.
fn fit<'q>(query: &'q Query, weigh: &dyn Fn(&[String]) -> Result<f64, Error>) -> Result<Fitted<'q>, Error> {
    let mut room: usize = query.words().iter().map(|word| word.terms.len()).sum();
    query.for_each_leaf(&mut |node, _| room += node.operator().room());
    if room <= QUERY_TERMS_MAX {
        return Ok(Fitted { query: Cow::Borrowed(query), left_out: Vec::new(), unasked: Vec::new() });
    }
    let mut leaves = Vec::new();
    let mut of_formula = Vec::new();
    query.for_each_leaf(&mut |node, is_wanted| of_formula.push((node.operator(), is_wanted)));
    for (leaf, is_wanted) in of_formula {
        // What is no word cannot be weighed, and was typed on purpose.
        let weight = if leaf.terms().is_empty() { f64::MAX } else { weigh(leaf.terms())? };
        push(leaf.to_string(), leaf.room(), weight, (false, is_wanted), &mut leaves);
    }
    for word in query.words() {
        let typed = word.typed.clone();
        let weight = weigh(&word.terms)? * f64::from(word.times);
        push(typed, word.terms.len(), weight, (true, true), &mut leaves);
    }
    let keeps = choose(&leaves);
    let left_out = leaves.into_iter().filter(|leaf| !keeps[leaf.number]).map(|leaf| leaf.typed).collect();
    let mut number = 0;
    let must = query.must().and_then(|node| kept(node, &keeps, &mut number));
    let words: Vec<Word> = query
        .words()
        .iter()
        .zip(&keeps[number..])
        .filter(|(_, keeps)| **keeps)
        .map(|(word, _)| word.clone())
        .collect();
    Ok(Fitted { query: Cow::Owned(query.with(must, words)), left_out, unasked: Vec::new() })
}

fn push(
    typed: String,
    term_count: usize,
    weight: f64,
    (is_plain, is_wanted): (bool, bool),
    leaves: &mut Vec<Leaf>,
) {
    leaves.push(Leaf { number: leaves.len(), typed, term_count, weight, is_plain, is_wanted });
}

/// Which leaves stay, by number.
fn choose(leaves: &[Leaf]) -> Vec<bool> {
    let mut order: Vec<&Leaf> = leaves.iter().collect();
    order.sort_by(|a, b| {
        a.is_plain.cmp(&b.is_plain).then(b.weight.total_cmp(&a.weight)).then(a.number.cmp(&b.number))
    });
    // What is excluded does not make a query: something that is looked for comes first.
    if let Some(place) = order.iter().position(|leaf| leaf.is_wanted && leaf.term_count <= QUERY_TERMS_MAX) {
        order[..=place].rotate_right(1);
    }
    let (mut keeps, mut room) = (vec![false; leaves.len()], QUERY_TERMS_MAX);
    for (place, leaf) in order.into_iter().enumerate() {
        let finds_something = leaf.weight > 0.0 || !leaf.is_plain || place == 0;
        if finds_something && leaf.term_count <= room {
            room -= leaf.term_count;
            keeps[leaf.number] = true;
        }
    }
    keeps
}

/// The formula without the leaves that do not stay.
fn kept(node: &Node, keeps: &[bool], number: &mut usize) -> Option<Node> {
    match node.operator().parts() {
        [] => {
            *number += 1;
            keeps[*number - 1].then(|| node.clone())
        }
        parts => {
            let parts = parts.iter().filter_map(|part| kept(part, keeps, number)).collect::<Vec<_>>();
            if parts.is_empty() { None } else { node.operator().with_parts(parts) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A term weighs the number that it ends with.
    fn weigh(terms: &[String]) -> Result<f64, Error> {
        Ok(terms.iter().map(|term| term[1..].parse::<f64>().unwrap_or(0.0)).sum())
    }

    fn fitted(text: &str) -> (Vec<String>, usize) {
        let query = Query::parse(text).unwrap();
        let fitted = fit(&query, &weigh).unwrap();
        (fitted.query.terms().to_vec(), fitted.left_out.len())
    }

    fn numbers(range: impl Iterator<Item = u32>) -> Vec<String> {
        range.map(|number| format!("w{number}")).collect()
    }

    #[test]
    fn the_heaviest_words_stay_in_their_order() {
        let words = numbers(1..=40);
        assert_eq!(fitted(&words.join(" ")), (words[8..].to_vec(), 8));
        assert_eq!(fitted(&words.join(" OR ")), (words[8..].to_vec(), 8));
        assert_eq!(fitted(&words[..32].join(" ")), (words[..32].to_vec(), 0));
        let (terms, left_out) = fitted(&format!("{} xnowhere +w0 +\"v0 v0\" -u9", words.join(" ")));
        assert!(terms.starts_with(&["w0".to_owned(), "v0".to_owned()]), "what must hold stays: {terms:?}");
        assert!(!terms.contains(&"xnowhere".to_owned()));
        assert_eq!(left_out, 13);
        let nowhere: Vec<String> = ('a'..='z').flat_map(|c| [format!("x{c}"), format!("y{c}")]).collect();
        assert_eq!(fitted(&format!("{} w1", nowhere.join(" "))), (vec!["w1".to_owned()], 52));
        assert_eq!(fitted(&nowhere.join(" ")), (vec!["xa".to_owned()], 51));
    }

    #[test]
    fn something_is_left_to_look_for_however_much_is_excluded() {
        let excluded = numbers(1..=50).join(" -");
        let query = Query::parse(&format!("v1 -{excluded}")).unwrap();
        let fitted = fit(&query, &weigh).unwrap();
        assert_eq!(fitted.query.terms(), ["v1"]);
        assert_eq!(fitted.left_out.len(), 50 - 31);
    }

    #[test]
    fn long_phrases_are_cut_and_fit() {
        let phrase = numbers(1..=40).join(" ");
        let (terms, left_out) = fitted(&format!("\"{phrase}\" \"{phrase} x\""));
        assert_eq!((terms, left_out), (numbers(1..=32), 1));
    }
}
