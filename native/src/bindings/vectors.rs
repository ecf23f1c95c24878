//! Vectors as Python gives them: lists of boxed numbers.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyList};

/// A list of plain floats as an array; None where it holds anything else.
#[pyfunction]
fn floats<'py>(list: &Bound<'py, PyList>) -> Option<Bound<'py, PyArray1<f64>>> {
    let numbers: Option<Vec<f64>> =
        list.iter().map(|one| one.cast_exact::<PyFloat>().ok().map(|one| one.value())).collect();
    numbers.map(|numbers| PyArray1::from_vec(list.py(), numbers))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(floats, module)?)
}
