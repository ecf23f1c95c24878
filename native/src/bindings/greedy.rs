//! Seating kernels for Python: arrays are read in place, the interpreter is released while they run.

use super::machine::choose;
use crate::simd::cosine;
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Cosine of each unit row with one unit vector.
#[pyfunction]
#[pyo3(signature = (rows, row, isa = None))]
fn cosines<'py>(
    py: Python<'py>,
    rows: PyReadonlyArray2<'py, f32>,
    row: PyReadonlyArray1<'py, f32>,
    isa: Option<&str>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let isa = choose(isa)?;
    let [n, d] = [rows.shape()[0], rows.shape()[1]];
    let (data, row) = (rows.as_slice()?, row.as_slice()?);
    if row.len() != d {
        return Err(PyValueError::new_err(format!("the vector has {} elements, the rows {d}", row.len())));
    }
    let found: Vec<f64> = py.detach(|| {
        (0..n).map(|i| cosine(isa, &data[i * d..(i + 1) * d], row)).collect()
    });
    Ok(PyArray1::from_vec(py, found))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(cosines, module)?)
}
