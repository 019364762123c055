//! The first and the last few of many things, and how many there were.

use std::collections::VecDeque;

/// Keeps both ends of a sequence; nothing is in both.
#[derive(Debug, Clone)]
pub struct Ends<T> {
    kept: usize,
    first: Vec<T>,
    last: VecDeque<T>,
    count: u64,
}

impl<T> Ends<T> {
    /// Keeps this many of either end.
    pub fn new(kept: usize) -> Self {
        Self { kept, first: Vec::new(), last: VecDeque::new(), count: 0 }
    }

    /// Takes the next thing, which is only made if it is kept for now.
    pub fn push(&mut self, make: impl FnOnce() -> T) {
        self.count += 1;
        if self.kept == 0 {
            return;
        }
        if self.first.len() < self.kept {
            self.first.push(make());
            return;
        }
        if self.last.len() == self.kept {
            self.last.pop_front();
        }
        self.last.push_back(make());
    }

    /// Says how many there were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Says how many are in neither end.
    pub fn left_out(&self) -> u64 {
        self.count - (self.first.len() + self.last.len()) as u64
    }

    /// Gives the first ones.
    pub fn first(&self) -> &[T] {
        &self.first
    }

    /// Gives the last ones that are not among the first.
    pub fn last(&self) -> impl Iterator<Item = &T> {
        self.last.iter()
    }

    /// Changes what is kept into other things.
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> Ends<U> {
        Ends {
            kept: self.kept,
            first: self.first.into_iter().map(&mut change).collect(),
            last: self.last.into_iter().map(&mut change).collect(),
            count: self.count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_kept_and_nothing_twice() {
        let cases: [(u32, usize, &[u32], &[u32]); 5] = [
            (0, 2, &[], &[]),
            (1, 2, &[0], &[]),
            (3, 2, &[0, 1], &[2]),
            (9, 2, &[0, 1], &[7, 8]),
            (9, 0, &[], &[]),
        ];
        for (count, kept, first, last) in cases {
            let mut ends = Ends::new(kept);
            (0..count).for_each(|number| ends.push(|| number));
            assert_eq!(ends.first(), first);
            assert_eq!(ends.last().copied().collect::<Vec<_>>(), last);
            assert_eq!(ends.left_out(), u64::from(count) - (first.len() + last.len()) as u64);
        }
    }
}
