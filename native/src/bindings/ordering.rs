//! Orders of many documents for Python.

use super::arrays::check;
use crate::corpus::ordering;
use numpy::{PyArray1, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use xxhash_rust::xxh3::xxh3_128;

/// The strings of a list, read in place. A lone surrogate raises `UnicodeEncodeError`.
fn held<'py>(texts: &Bound<'py, PyList>) -> PyResult<Vec<Bound<'py, PyString>>> {
    texts.iter().map(|one| Ok(one.cast_into::<PyString>()?)).collect()
}

fn lent<'a>(held: &'a [Bound<'_, PyString>]) -> PyResult<Vec<&'a str>> {
    held.iter().map(|one| one.to_str()).collect()
}

/// Indices of strings in order of their code points; equal ones in the order given.
#[pyfunction]
fn text_order<'py>(py: Python<'py>, texts: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let held = held(texts)?;
    let texts = lent(&held)?;
    Ok(PyArray1::from_vec(py, py.detach(|| ordering::by_text(&texts))))
}

/// Indices in order of priority; as in `reparto.corpus.leaders`.
#[pyfunction]
fn priority_order<'py>(
    py: Python<'py>,
    gold: PyReadonlyArray1<'py, bool>,
    moments: PyReadonlyArray1<'py, f64>,
    characters: PyReadonlyArray1<'py, i64>,
    texts: &Bound<'py, PyList>,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let held = held(texts)?;
    let texts = lent(&held)?;
    let n = texts.len();
    check(gold.len() == n && moments.len() == n && characters.len() == n, || {
        "columns differ in length".into()
    })?;
    let (gold, moments, characters) = (gold.as_slice()?, moments.as_slice()?, characters.as_slice()?);
    check(moments.iter().all(|one| !one.is_nan()), || "a moment is NaN".into())?;
    check(characters.iter().all(|&one| one >= 0), || "a length is negative".into())?;
    let order = py.detach(|| ordering::by_priority(gold, moments, characters, &texts));
    Ok(PyArray1::from_vec(py, order))
}

/// XXH3-128 of each string in UTF-8, in hex. A lone surrogate raises `UnicodeEncodeError`.
#[pyfunction]
fn hex_digests<'py>(py: Python<'py>, texts: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyList>> {
    let digits = b"0123456789abcdef";
    let hex = |one: Bound<'py, PyAny>| {
        let digest = xxh3_128(one.cast::<PyString>()?.to_str()?.as_bytes()).to_be_bytes();
        let mut out = [0u8; 32];
        for (two, byte) in out.chunks_exact_mut(2).zip(digest) {
            two.copy_from_slice(&[digits[usize::from(byte >> 4)], digits[usize::from(byte & 15)]]);
        }
        Ok(PyString::new(py, &String::from_utf8_lossy(&out)))
    };
    PyList::new(py, texts.iter().map(hex).collect::<PyResult<Vec<_>>>()?)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(text_order, module)?)?;
    module.add_function(wrap_pyfunction!(priority_order, module)?)?;
    module.add_function(wrap_pyfunction!(hex_digests, module)?)
}
