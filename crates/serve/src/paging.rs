//! Which pages of results there are, and which are offered.

/// Results on one page.
pub(crate) const RESULTS_PER_PAGE: usize = 10;

/// Results that can be reached by paging: no more are ranked.
pub(crate) const RESULTS_REACHABLE_MAX: usize = search::RESULTS_MAX;

/// Numbers shown on each side of the present page.
const NUMBERS_EACH_SIDE: usize = 4;

/// A link to a page of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageLink {
    /// Counted from 1.
    pub(crate) number: usize,
    /// Where it starts, counted from 0.
    pub(crate) from: usize,
    /// It is the page that is shown.
    pub(crate) is_current: bool,
}

/// The links under a page of results.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Paging {
    pub(crate) previous: Option<usize>,
    pub(crate) next: Option<usize>,
    pub(crate) numbers: Vec<PageLink>,
}

impl Paging {
    /// For the page that starts at `from` among `total` results.
    pub(crate) fn new(from: usize, total: u64) -> Self {
        let reachable = usize::try_from(total).unwrap_or(usize::MAX).min(RESULTS_REACHABLE_MAX);
        let page_count = reachable.div_ceil(RESULTS_PER_PAGE);
        if page_count <= 1 && from == 0 {
            return Self::default();
        }
        let current = from / RESULTS_PER_PAGE;
        let first = current.saturating_sub(NUMBERS_EACH_SIDE);
        let last = (current + NUMBERS_EACH_SIDE + 1).min(page_count);
        let link = |index| PageLink {
            number: index + 1,
            from: index * RESULTS_PER_PAGE,
            is_current: index == current,
        };
        Self {
            previous: (from > 0).then(|| from.saturating_sub(RESULTS_PER_PAGE)),
            next: Some(from + RESULTS_PER_PAGE).filter(|next| *next < reachable),
            numbers: (first..last).map(link).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_offered_around_the_present_one() {
        type Case = (usize, u64, Option<usize>, Option<usize>, &'static [usize]);
        let cases: [Case; 8] = [
            (0, 0, None, None, &[]),
            (0, 10, None, None, &[]),
            (0, 11, None, Some(10), &[1, 2]),
            (10, 11, Some(0), None, &[1, 2]),
            (50, 5000, Some(40), Some(60), &[2, 3, 4, 5, 6, 7, 8, 9, 10]),
            (990, 5000, Some(980), None, &[96, 97, 98, 99, 100]),
            (5, 30, Some(0), Some(15), &[1, 2, 3]),
            (90, 3, Some(80), None, &[]),
        ];
        for (from, total, previous, next, numbers) in cases {
            let paging = Paging::new(from, total);
            assert_eq!((paging.previous, paging.next), (previous, next), "from {from} of {total}");
            let found: Vec<_> = paging.numbers.iter().map(|link| link.number).collect();
            assert_eq!(found, numbers, "from {from} of {total}");
        }
    }
}
