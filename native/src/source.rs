//! Where similarities come from: unit rows, or a matrix that someone has already filled.

use crate::simd::{Isa, cosine};

/// Pairwise similarity of n entries, each within -1..1.
#[derive(Clone, Copy)]
pub enum Source<'a> {
    /// `n` unit rows of length `d`, one after the other.
    Rows {
        /// The rows, `n * d` elements.
        data: &'a [f32],
        /// Length of a row.
        d: usize,
        /// How the products are summed.
        isa: Isa,
    },
    /// An `n` by `n` matrix, row by row.
    Matrix {
        /// The matrix, `n * n` elements.
        data: &'a [f64],
        /// Its side.
        n: usize,
    },
}

impl Source<'_> {
    /// Similarity of entries i and j; symmetric for rows. O(d).
    #[inline]
    pub fn pair(&self, i: usize, j: usize) -> f64 {
        match *self {
            Source::Rows { data, d, isa } => {
                cosine(isa, &data[i * d..(i + 1) * d], &data[j * d..(j + 1) * d])
            }
            // Row of the seated one, as the reference reads it; a lexical similarity need not be symmetric.
            Source::Matrix { data, n } => data[j * n + i].clamp(-1.0, 1.0) + 0.0,
        }
    }
}
