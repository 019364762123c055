//! The truncated singular value decomposition of a sparse matrix, by randomised subspace iteration.
//!
//! A few more random directions than are wanted are sent through the matrix and back again and again; each time those along
//! which it stretches most grow most, and they are made to stand at right angles. What they span then holds the singular
//! vectors of the largest singular values nearly exactly, and a small eigenproblem tells which they are.
//!
//! Everything is done on the side of the terms: documents are only passed by. So memory does not grow with documents times
//! dimensions, and what a document's place is comes out at the end, in the same way as for one that is folded in later.
//!
//! Cost: [`PASSES`] + 1 passes of 4 · entries · columns operations; 8 · terms · columns bytes.
//!
//! After Halko, Martinsson, Tropp, "Finding structure with randomness", SIAM Review 53 (2011), algorithms 4.4 and 5.3. We differ
//! in that the iteration goes on with the product of the matrix and its transpose, so that its squares decide what is lost
//! in single precision: nothing that eight bits would keep.

use crate::eigen::Eigen;
use crate::matrix::Matrix;
use crate::panels::{Panels, WIDTH};

/// How often directions are sent there and back before the last time. On Cranfield, the singular values from the second on
/// are then within 0.1 % of the exact ones, and the last of 200 within 1 %.
const PASSES: usize = 4;

/// So many more directions than are wanted are looked along, at least.
const MORE: usize = 16;

/// A direction that is stretched less than this, compared with the first, is none: its square drowns in rounding.
const NOTHING: f64 = 1e-9;

/// Where each term is, and how much each dimension matters.
#[derive(Debug, Clone)]
pub struct Basis {
    dimensions: usize,
    terms: Vec<f32>,
    singular_values: Vec<f32>,
}

impl Basis {
    /// How many dimensions there are: as many as were wanted, or as the matrix has.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The place of a term: a row of the left singular vectors.
    pub fn term(&self, term: usize) -> &[f32] {
        &self.terms[term * self.dimensions..(term + 1) * self.dimensions]
    }

    /// By how much the matrix stretches along each dimension, the most first.
    pub fn singular_values(&self) -> &[f32] {
        &self.singular_values
    }
}

/// Finds the `dimensions` most important directions of a matrix, the same ones whatever the number of threads.
pub fn decompose(matrix: &Matrix, dimensions: usize, threads: usize) -> Basis {
    let possible = matrix.terms().min(matrix.documents());
    let columns = (dimensions + MORE).min(possible).max(1);
    let mut directions = Panels::random(matrix.terms(), columns.div_ceil(WIDTH));
    for _ in 0..PASSES {
        let through = directions.through(matrix, threads);
        // Not three of them at a time.
        drop(directions);
        directions = at_right_angles(&through, threads);
    }
    let Eigen { values, mut vectors } =
        directions.products(&directions.through(matrix, threads), threads).eigen();
    let greatest = values.first().copied().unwrap_or(0.0);
    let kept = values.iter().take(dimensions).take_while(|value| **value > NOTHING * greatest).count();
    vectors.truncate(kept);
    let singular = directions.combined(&vectors, threads);
    drop(directions);
    let mut terms = Vec::with_capacity(matrix.terms() * kept);
    (0..matrix.terms()).for_each(|term| terms.extend(singular.row(term, kept)));
    Basis {
        dimensions: kept,
        terms,
        singular_values: values[..kept].iter().map(|value| value.sqrt() as f32).collect(),
    }
}

/// Columns that span the same, each of length 1 and at right angles to the others.
fn at_right_angles(columns: &Panels, threads: usize) -> Panels {
    let Eigen { values, vectors } = columns.products(columns, threads).eigen();
    let greatest = values.first().copied().unwrap_or(0.0);
    let scaled = values.iter().zip(vectors).map(|(value, mut vector)| {
        let factor = if *value > NOTHING * greatest { value.sqrt().recip() } else { 0.0 };
        vector.iter_mut().for_each(|x| *x *= factor);
        vector
    });
    columns.combined(&scaled.collect::<Vec<_>>(), threads)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The matrix that is left when only the dimensions of a basis are kept: each document's shadow in it.
    fn reduced(matrix: &Matrix, basis: &Basis) -> Vec<Vec<f32>> {
        let dot = |one: &[f32], other: &[f32]| one.iter().zip(other).map(|(x, y)| x * y).sum::<f32>();
        let shadow = |document: usize| {
            let mut place = vec![0.0; basis.dimensions()];
            for entry in matrix.row(document) {
                place
                    .iter_mut()
                    .zip(basis.term(entry.term as usize))
                    .for_each(|(x, y)| *x += entry.weight * y);
            }
            (0..matrix.terms()).map(|term| dot(&place, basis.term(term))).collect()
        };
        (0..matrix.documents()).map(shadow).collect()
    }

    /// The example of the notes, chapter 9: "io parlo di cani", "cani e gatti", "io parlo di gatti".
    #[test]
    fn without_the_smallest_singular_value_dogs_and_cats_are_animals() {
        let rows: [&[(u32, f32)]; 3] = [
            &[(0, 1.0), (1, 1.0), (2, 1.0), (3, 1.0)],
            &[(3, 1.0), (4, 1.0), (5, 1.0)],
            &[(0, 1.0), (1, 1.0), (2, 1.0), (5, 1.0)],
        ];
        let matrix = Matrix::of_rows(6, &rows);
        let expected =
            [[1.0, 1.0, 1.0, 0.5, 0.0, 0.5], [0.0, 0.0, 0.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 0.5, 0.0, 0.5]];
        let found = reduced(&matrix, &decompose(&matrix, 2, 1));
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-5), "{found:?}");
        }
        let whole = decompose(&matrix, 9, 1);
        assert_eq!(whole.dimensions(), 3, "there are no more");
        let exact = reduced(&matrix, &whole);
        assert!((exact[0][3] - 1.0).abs() < 1e-5 && exact[0][5].abs() < 1e-5, "{exact:?}");
    }

    /// Entries as good as random, and a few directions that matter more.
    fn noisy(documents: usize, terms: usize) -> Matrix {
        let entry = |document: usize, term: usize| {
            let noise = ((document * 7919 + term * 104_729) % 1009) as f32 / 1009.0;
            (noise > 0.8 || document % 7 == term % 7).then_some((term as u32, 0.2 + noise))
        };
        let rows: Vec<Vec<(u32, f32)>> = (0..documents)
            .map(|document| (0..terms).filter_map(|term| entry(document, term)).collect())
            .collect();
        Matrix::of_rows(terms, &rows.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    #[test]
    fn the_largest_singular_values_are_those_of_the_whole_decomposition() {
        let matrix = noisy(90, 70);
        let (whole, some) = (decompose(&matrix, 70, 1), decompose(&matrix, 10, 1));
        let energy: f64 = whole.singular_values().iter().map(|value| f64::from(*value).powi(2)).sum();
        assert!((energy - matrix.energy()).abs() < 1e-3 * matrix.energy());
        for (one, other) in some.singular_values().iter().zip(whole.singular_values()) {
            assert!((one - other).abs() < 0.01 * other, "{one} {other}");
        }
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bytes() {
        let matrix = noisy(120, 100);
        let one = decompose(&matrix, 60, 1);
        for threads in [2, 3, 8] {
            let many = decompose(&matrix, 60, threads);
            assert!(one.terms == many.terms && one.singular_values == many.singular_values);
        }
    }

    #[test]
    fn nothing_has_no_dimensions() {
        for matrix in [Matrix::of_rows(0, &[]), Matrix::of_rows(3, &[&[], &[]]), Matrix::of_rows(0, &[&[]])] {
            assert_eq!(decompose(&matrix, 5, 2).dimensions(), 0);
        }
    }
}
