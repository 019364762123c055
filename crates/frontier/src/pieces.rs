//! A list and a heap that grow by pieces: however long they are, nothing is copied and little is there for more.
//!
//! The lists of the standard library double, and have the old half beside the new whole while they do.

use std::ops::{Index, IndexMut};

/// A piece has about so many bytes: a size that allocators have room for without gaps, which count where the system gives memory
/// by huge pages.
const PIECE_BYTES: usize = 128 << 10;

/// A list.
#[derive(Debug)]
pub(crate) struct Pieces<E>(Vec<Vec<E>>);

impl<E> Default for Pieces<E> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<E> Pieces<E> {
    /// Elements of a piece.
    const PIECE: usize = PIECE_BYTES / size_of::<E>();

    pub(crate) fn len(&self) -> usize {
        self.0.last().map_or(0, |last| (self.0.len() - 1) * Self::PIECE + last.len())
    }

    pub(crate) fn push(&mut self, element: E) {
        if self.0.last().is_none_or(|last| last.len() == Self::PIECE) {
            self.0.push(Vec::with_capacity(Self::PIECE));
        }
        self.0.last_mut().expect("it was put there").push(element);
    }

    /// Takes the last away. No piece is empty.
    fn pop(&mut self) -> Option<E> {
        let last = self.0.last_mut()?;
        let element = last.pop();
        if last.is_empty() {
            self.0.pop();
        }
        element
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &E> {
        self.0.iter().flatten()
    }

    fn get(&self, index: usize) -> Option<&E> {
        self.0.get(index / Self::PIECE)?.get(index % Self::PIECE)
    }
}

impl<E> Index<u32> for Pieces<E> {
    type Output = E;

    fn index(&self, index: u32) -> &E {
        &self.0[index as usize / Self::PIECE][index as usize % Self::PIECE]
    }
}

impl<E> IndexMut<u32> for Pieces<E> {
    fn index_mut(&mut self, index: u32) -> &mut E {
        &mut self.0[index as usize / Self::PIECE][index as usize % Self::PIECE]
    }
}

/// A binary heap with the least element first; fewer than four billion.
#[derive(Debug)]
pub(crate) struct Heap<E>(Pieces<E>);

impl<E> Default for Heap<E> {
    fn default() -> Self {
        Self(Pieces::default())
    }
}

impl<E: Ord + Copy> Heap<E> {
    /// The least one.
    pub(crate) fn peek(&self) -> Option<&E> {
        self.0.get(0)
    }

    pub(crate) fn push(&mut self, element: E) {
        self.0.push(element);
        let mut place = self.0.len() as u32 - 1;
        while place > 0 && element < self.0[(place - 1) / 2] {
            self.0[place] = self.0[(place - 1) / 2];
            place = (place - 1) / 2;
        }
        self.0[place] = element;
    }

    /// Takes the least one away.
    pub(crate) fn pop(&mut self) -> Option<E> {
        let last = self.0.pop()?;
        let Some(&least) = self.peek() else { return Some(last) };
        // The place of the least goes down to where the last one fits.
        let (len, mut place) = (self.0.len() as u32, 0);
        while let Some(child) = self.lesser_child(place, len).filter(|child| self.0[*child] < last) {
            self.0[place] = self.0[child];
            place = child;
        }
        self.0[place] = last;
        Some(least)
    }

    fn lesser_child(&self, place: u32, len: u32) -> Option<u32> {
        let (left, right) = (2 * place + 1, 2 * place + 2);
        let right_is_less = right < len && self.0[right] < self.0[left];
        (left < len).then_some(if right_is_less { right } else { left })
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    use super::*;

    proptest::proptest! {
        #[test]
        fn a_heap_gives_what_that_of_the_standard_library_gives(
            steps in proptest::collection::vec((0u32..100, 0usize..4), 1..400), many in 0u32..20_000,
        ) {
            let (mut heap, mut model) = (Heap::default(), BinaryHeap::new());
            let scattered = (0..many).map(|number| (number.wrapping_mul(0x9e37_79b9) >> 8, 0));
            for (element, pops) in scattered.chain(steps) {
                heap.push(element);
                model.push(Reverse(element));
                for _ in 0..pops {
                    proptest::prop_assert_eq!(heap.peek().copied(), model.peek().map(|least| least.0));
                    proptest::prop_assert_eq!(heap.pop(), model.pop().map(|least| least.0));
                }
            }
            while let Some(Reverse(least)) = model.pop() {
                proptest::prop_assert_eq!(heap.pop(), Some(least));
            }
            proptest::prop_assert!(heap.pop().is_none() && heap.0.0.is_empty());
        }
    }

    #[test]
    fn a_heap_that_grows_leaves_everything_where_it_is() {
        let mut heap = Heap::default();
        heap.push(0);
        let front = heap.0.0[0].as_ptr();
        (1..100_000).for_each(|number| heap.push(number));
        assert_eq!(heap.0.0[0].as_ptr(), front);
        assert!(heap.0.0.len() > 1 && heap.0.0.iter().all(|piece| piece.capacity() == Pieces::<i32>::PIECE));
    }
}
