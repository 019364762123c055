//! A tall dense matrix in panels of [`WIDTH`] columns, and the products that a decomposition needs.
//!
//! A panel is what one thread works on: no number of one panel depends on another, so the results are the same bytes however
//! many threads there are. A row of a panel is two lines of the cache, and is read and written as a whole.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::eigen::Symmetric;
use crate::matrix::Matrix;

/// Columns of a panel.
pub(crate) const WIDTH: usize = 32;

type Row = [f32; WIDTH];

/// Columns of numbers, one row for each term.
#[derive(Debug, Clone)]
pub(crate) struct Panels {
    panels: Vec<Vec<Row>>,
}

impl Panels {
    /// So many panels of numbers between −1 and 1 that are as good as random, and always the same.
    pub(crate) fn random(terms: usize, panels: usize) -> Self {
        let number = |panel: usize, term: usize, column: usize| {
            let place = ((panel * terms + term) * WIDTH + column) as u64;
            (mixed(place) >> 40) as f32 / (1 << 23) as f32 - 1.0
        };
        let row = |panel: usize, term: usize| std::array::from_fn(|column| number(panel, term, column));
        let panel = |panel: usize| (0..terms).map(|term| row(panel, term)).collect();
        Self { panels: (0..panels).map(panel).collect() }
    }

    /// How many columns there are.
    pub(crate) fn columns(&self) -> usize {
        self.panels.len() * WIDTH
    }

    /// The first `count` numbers of a row.
    pub(crate) fn row(&self, term: usize, count: usize) -> impl Iterator<Item = f32> {
        self.panels.iter().flat_map(move |panel| panel[term]).take(count)
    }

    /// Multiplies with the matrix and its transpose: where the terms are that occur together with each.
    ///
    /// Each document first adds up its terms and then hands the sum to each of them, so nothing is kept by document.
    pub(crate) fn through(&self, matrix: &Matrix, threads: usize) -> Self {
        let panels = in_parallel(self.panels.len(), threads, |number| {
            let panel = &self.panels[number];
            let mut out = vec![[0.0; WIDTH]; panel.len()];
            for row in matrix.rows() {
                let mut sum = [0.0; WIDTH];
                row.iter().for_each(|entry| add(&mut sum, entry.weight, &panel[entry.term as usize]));
                row.iter().for_each(|entry| add(&mut out[entry.term as usize], entry.weight, &sum));
            }
            out
        });
        Self { panels }
    }

    /// The products of all columns of `self` with all columns of `other`, where those are symmetric.
    pub(crate) fn products(&self, other: &Self, threads: usize) -> Symmetric {
        let pairs: Vec<(usize, usize)> =
            (0..self.panels.len()).flat_map(|one| (0..=one).map(move |other| (one, other))).collect();
        let blocks = in_parallel(pairs.len(), threads, |pair| {
            let (one, two) = pairs[pair];
            block(&self.panels[one], &other.panels[two])
        });
        let size = self.columns();
        let mut products = Symmetric::zero(size);
        for ((one, two), block) in pairs.into_iter().zip(blocks) {
            for (place, product) in block.into_iter().enumerate() {
                let (row, column) = (one * WIDTH + place / WIDTH, two * WIDTH + place % WIDTH);
                products.values[row * size + column] = product;
                products.values[column * size + row] = product;
            }
        }
        products
    }

    /// New columns, each made of the old ones by a vector of factors; as many as there are vectors, and zeros up to the end
    /// of a panel.
    pub(crate) fn combined(&self, vectors: &[Vec<f64>], threads: usize) -> Self {
        let panels = in_parallel(vectors.len().div_ceil(WIDTH), threads, |number| {
            let wanted = &vectors[number * WIDTH..vectors.len().min((number + 1) * WIDTH)];
            let factors: Vec<Row> = (0..self.columns())
                .map(|old| {
                    std::array::from_fn(|new| wanted.get(new).map_or(0.0, |vector| vector[old] as f32))
                })
                .collect();
            let terms = self.panels.first().map_or(0, Vec::len);
            let mut out = vec![[0.0; WIDTH]; terms];
            for (panel, factors) in self.panels.iter().zip(factors.as_chunks::<WIDTH>().0) {
                for (out, row) in out.iter_mut().zip(panel) {
                    row.iter().zip(factors).for_each(|(&x, factors)| add(out, x, factors));
                }
            }
            out
        });
        Self { panels }
    }
}

/// Adds a multiple of one row to another.
#[inline]
fn add(to: &mut Row, factor: f32, row: &Row) {
    for lane in 0..WIDTH {
        to[lane] += factor * row[lane];
    }
}

/// The products of the columns of two panels. Rows are added up in single precision by the hundred, and those sums in double.
fn block(one: &[Row], other: &[Row]) -> Vec<f64> {
    let mut products = vec![0.0; WIDTH * WIDTH];
    for (ones, others) in one.chunks(100).zip(other.chunks(100)) {
        let mut sums = [[0.0; WIDTH]; WIDTH];
        for (one, other) in ones.iter().zip(others) {
            one.iter().zip(&mut sums).for_each(|(&x, sums)| add(sums, x, other));
        }
        products.iter_mut().zip(sums.as_flattened()).for_each(|(product, sum)| *product += f64::from(*sum));
    }
    products
}

/// The results of some tasks in their order, whoever does which.
pub(crate) fn in_parallel<T: Send>(tasks: usize, threads: usize, task: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= tasks {
                return;
            }
            let result = task(number);
            done.lock().expect("nobody panics with it").push((number, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(tasks) {
            scope.spawn(work);
        }
        work();
    });
    let mut done = done.into_inner().expect("nobody panics with it");
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

/// SplitMix64: every number becomes one that tells nothing of its neighbours'.
fn mixed(number: u64) -> u64 {
    let mut x = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}
