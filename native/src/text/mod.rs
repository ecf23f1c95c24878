//! Kernels of texts: comparison forms, shingles, sketches, overlaps and the fact guard, as in the Python reference.

pub mod alignment;
pub mod ascii;
pub mod breaks;
pub mod credits;
pub mod facts;
pub mod folding;
pub mod form;
pub mod hashing;
pub mod lexicon;
pub mod listing;
mod names;
pub mod numbering;
pub mod numbers;
pub mod overlaps;
pub mod shingles;
pub mod signatures;
pub mod sketch;
pub mod spelling;
mod swaps;
pub mod terms;
mod unspaced;
pub mod wording;
