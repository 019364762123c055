//! Which number each document of an index gets, by the address or the rank of its page ([`index::Order`]).
//!
//! Addresses are sorted host first (`org.example.www/a`), so that the pages of a site and of a folder are together, on disk
//! if they do not fit into memory. Of pages with the same rank the one that came first is first.
//!
//! Cost: 4 bytes for each document beside the memory of the sort, 12 by rank.

use std::path::Path;

use index::Order;
use journal::StringSort;
use page::PageUrl;
use store::Collection;

use crate::Error;
use crate::graphs::fronts::Standings;
use crate::graphs::ranks::page_ranks;

/// Takes the addresses of documents in the order in which they are added to an index.
pub(crate) enum Arrangement {
    /// The index knows itself.
    None,
    /// By address: each with the number of its document behind it.
    Addresses { sort: StringSort, documents: u32 },
    /// By rank.
    Ranks { standings: Box<Standings>, ranks: Vec<f64> },
}

/// Of the memory of a build, the part that addresses are sorted in: one in ...
const MEMORY_SHARE: u64 = 8;

impl Arrangement {
    /// For an index in this order. Without ranks its documents stay as they come.
    pub(crate) fn new(
        order: Order,
        collection: &Collection,
        scratch: &Path,
        memory_bytes: u64,
    ) -> Result<Self, Error> {
        Ok(match order {
            Order::Arrival | Order::Bisection => Self::None,
            Order::Address => {
                let memory_bytes = (memory_bytes / MEMORY_SHARE) as usize;
                Self::Addresses { sort: StringSort::new(scratch, memory_bytes), documents: 0 }
            }
            Order::Rank => match page_ranks(collection)? {
                Some(ranks) => Self::Ranks { standings: Box::new(Standings::of(ranks)), ranks: Vec::new() },
                None => Self::None,
            },
        })
    }

    /// Takes the address of the next document, if it is one.
    pub(crate) fn add(&mut self, url: Option<&PageUrl>) -> Result<(), Error> {
        match self {
            Self::None => {}
            Self::Addresses { sort, documents } => {
                let mut key = url.map(|url| graph::key_of(url).into_bytes()).unwrap_or_default();
                key.extend_from_slice(&documents.to_be_bytes());
                sort.push(&key)?;
                *documents += 1;
            }
            Self::Ranks { standings, ranks } => {
                ranks.push(url.map_or(0.0, |url| standings.standing(url)));
            }
        }
        Ok(())
    }

    /// The documents in their order, if it is not for the index to say.
    pub(crate) fn order(self) -> Result<Option<Vec<u32>>, Error> {
        Ok(match self {
            Self::None => None,
            Self::Addresses { sort, documents } => {
                let (mut order, mut sorted) = (Vec::with_capacity(documents as usize), sort.finish()?);
                while let Some(key) = sorted.next()? {
                    let document = key.last_chunk().expect("the number of a document is behind each address");
                    order.push(u32::from_be_bytes(*document));
                }
                Some(order)
            }
            Self::Ranks { ranks, .. } => {
                let mut order: Vec<u32> = (0..ranks.len() as u32).collect();
                order.sort_by(|&one, &other| ranks[other as usize].total_cmp(&ranks[one as usize]));
                Some(order)
            }
        })
    }
}
