//! The lambda path and DPP for Python.

use super::arrays::{Picked, check, picked, source};
use super::machine::choose;
use crate::dpp::dpp as map_dpp;
use crate::path::mmr_path as walk;
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

fn marks<'a>(eligible: Option<&'a PyReadonlyArray1<'_, bool>>, n: usize) -> PyResult<Option<&'a [bool]>> {
    let Some(eligible) = eligible else { return Ok(None) };
    check(eligible.len() == n, || format!("{} eligibility marks for {n} entries", eligible.len()))?;
    Ok(Some(eligible.as_slice()?))
}

/// Starts, picks one after the other, and how many make one selection.
type Walked<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<i64>>, usize);

/// Every MMR selection over lambda; starts, flat picks and their length, as in the reference's `mmr_path`.
#[pyfunction]
#[pyo3(signature = (relevance, k, rows = None, similarity = None, eligible = None, isa = None))]
fn mmr_path<'py>(
    py: Python<'py>,
    relevance: PyReadonlyArray1<'py, f64>,
    k: usize,
    rows: Option<PyReadonlyArray2<'py, f32>>,
    similarity: Option<PyReadonlyArray2<'py, f64>>,
    eligible: Option<PyReadonlyArray1<'py, bool>>,
    isa: Option<&str>,
) -> PyResult<Walked<'py>> {
    let relevance = relevance.as_slice()?;
    let source = source(rows.as_ref(), similarity.as_ref(), relevance.len(), choose(isa)?)?;
    let eligible = marks(eligible.as_ref(), relevance.len())?;
    let path = py.detach(|| walk(source, relevance, k, eligible));
    Ok((PyArray1::from_vec(py, path.starts), PyArray1::from_vec(py, path.picks), path.k))
}

/// Greedy MAP of a DPP, as in the reference's `dpp`.
#[pyfunction]
#[pyo3(signature = (weight, relevance, k, rows = None, similarity = None, eligible = None, isa = None))]
#[allow(clippy::too_many_arguments)]
fn dpp<'py>(
    py: Python<'py>,
    weight: PyReadonlyArray1<'py, f64>,
    relevance: PyReadonlyArray1<'py, f64>,
    k: usize,
    rows: Option<PyReadonlyArray2<'py, f32>>,
    similarity: Option<PyReadonlyArray2<'py, f64>>,
    eligible: Option<PyReadonlyArray1<'py, bool>>,
    isa: Option<&str>,
) -> PyResult<Picked<'py>> {
    let (weight, relevance) = (weight.as_slice()?, relevance.as_slice()?);
    let n = relevance.len();
    check(weight.len() == n, || format!("{} weights for {n} entries", weight.len()))?;
    let source = source(rows.as_ref(), similarity.as_ref(), n, choose(isa)?)?;
    let eligible = marks(eligible.as_ref(), n)?;
    Ok(picked(py, py.detach(|| map_dpp(source, weight, relevance, k, eligible))))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(mmr_path, module)?)?;
    module.add_function(wrap_pyfunction!(dpp, module)?)
}
