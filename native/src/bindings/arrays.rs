//! What the seating kernels' bindings share: checked sources, and outcomes as arrays.

use crate::greedy::Outcome;
use crate::simd::Isa;
use crate::source::Source;
use numpy::{PyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Indices, values, redundancies, similarities done.
pub type Picked<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, u64);

/// An outcome as arrays.
pub fn picked(py: Python<'_>, outcome: Outcome) -> Picked<'_> {
    (
        PyArray1::from_vec(py, outcome.picks),
        PyArray1::from_vec(py, outcome.values),
        PyArray1::from_vec(py, outcome.redundancies),
        outcome.dots,
    )
}

/// `ValueError` unless it holds.
pub fn check(holds: bool, message: impl FnOnce() -> String) -> PyResult<()> {
    if holds { Ok(()) } else { Err(PyValueError::new_err(message())) }
}

/// Whether offsets start at 0 and ascend to `end` at most.
pub fn ascend(offsets: &[i64], end: usize) -> bool {
    offsets.first() == Some(&0)
        && offsets.windows(2).all(|pair| pair[0] <= pair[1])
        && offsets.last().is_some_and(|&last| last as usize <= end)
}

/// Rows or a matrix, of the right shape, read in place (C-contiguous; the Python side sees to that).
pub fn source<'a>(
    rows: Option<&'a PyReadonlyArray2<'_, f32>>,
    similarity: Option<&'a PyReadonlyArray2<'_, f64>>,
    n: usize,
    isa: Isa,
) -> PyResult<Source<'a>> {
    match (rows, similarity) {
        (Some(rows), None) => {
            check(rows.shape()[0] == n, || format!("{} rows for {n} entries", rows.shape()[0]))?;
            Ok(Source::Rows { data: rows.as_slice()?, d: rows.shape()[1], isa })
        }
        (None, Some(matrix)) => {
            let shape = matrix.shape();
            check(shape == [n, n], || format!("a {} by {} matrix for {n} entries", shape[0], shape[1]))?;
            Ok(Source::Matrix { data: matrix.as_slice()?, n })
        }
        _ => Err(PyValueError::new_err("give either rows or similarity")),
    }
}
