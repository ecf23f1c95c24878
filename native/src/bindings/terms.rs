//! Kernels of terms for Python: distinct words of texts, and sums over them.

use super::arrays::{ascend, check};
use super::texts::{hold, lent};
use crate::text::sketch::Text;
use crate::text::terms::{sums, terms as numbered};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

/// Numbers of terms, offsets, and how many there are.
type TermColumns<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, usize);

/// Distinct terms of texts that the query does not hold.
#[pyfunction]
fn terms<'py>(
    py: Python<'py>,
    texts: Vec<Bound<'py, PyAny>>,
    query: &Bound<'py, PyAny>,
) -> PyResult<TermColumns<'py>> {
    let held = texts.iter().chain([query]).map(hold).collect::<PyResult<Vec<_>>>()?;
    let found = py.detach(|| {
        let mut lent = lent(&held);
        let query = lent.pop().unwrap_or(Text::Plain(""));
        numbered(&lent, &query)
    });
    Ok((PyArray1::from_vec(py, found.terms), PyArray1::from_vec(py, found.offsets), found.vocabulary))
}

/// Sum of weights over each text's terms, in their order.
#[pyfunction]
fn term_sums<'py>(
    py: Python<'py>,
    terms: PyReadonlyArray1<'py, i64>,
    offsets: PyReadonlyArray1<'py, i64>,
    weights: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (terms, offsets, weights) = (terms.as_slice()?, offsets.as_slice()?, weights.as_slice()?);
    let sound = ascend(offsets, terms.len())
        && offsets.last() == Some(&(terms.len() as i64))
        && terms.iter().all(|&term| 0 <= term && (term as usize) < weights.len());
    check(sound, || "offsets must ascend over the terms, and terms must have weights".into())?;
    Ok(PyArray1::from_vec(py, py.detach(|| sums(terms, offsets, weights))))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(terms, module)?)?;
    module.add_function(wrap_pyfunction!(term_sums, module)?)
}
