//! Vectors as Python gives them: lists of boxed numbers, arrays of several kinds.

use super::arrays::check;
use crate::unit::push_unit;
use numpy::ndarray::ArrayView1;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyList};

/// A list of plain floats as an array; None where it holds anything else.
#[pyfunction]
fn floats<'py>(list: &Bound<'py, PyList>) -> Option<Bound<'py, PyArray1<f64>>> {
    let numbers: Option<Vec<f64>> =
        list.iter().map(|one| one.cast_exact::<PyFloat>().ok().map(|one| one.value())).collect();
    numbers.map(|numbers| PyArray1::from_vec(list.py(), numbers))
}

/// A vector of either precision, read in place, strided or not.
enum Given<'py> {
    Single(PyReadonlyArray1<'py, f32>),
    Double(PyReadonlyArray1<'py, f64>),
}

/// The same without Python.
enum Seen<'a> {
    Single(ArrayView1<'a, f32>),
    Double(ArrayView1<'a, f64>),
}

impl<'py> Given<'py> {
    fn of(vector: &Bound<'py, PyAny>) -> Option<Given<'py>> {
        match vector.extract::<PyReadonlyArray1<'py, f32>>() {
            Ok(single) => Some(Given::Single(single)),
            Err(_) => vector.extract::<PyReadonlyArray1<'py, f64>>().ok().map(Given::Double),
        }
    }

    fn seen(&self) -> Seen<'_> {
        match self {
            Given::Single(one) => Seen::Single(one.as_array()),
            Given::Double(one) => Seen::Double(one.as_array()),
        }
    }

    fn len(&self) -> usize {
        match self {
            Given::Single(one) => one.len(),
            Given::Double(one) => one.len(),
        }
    }
}

/// Vectors as unit rows, (n, d) in single precision; None where one is of another kind than float32 and float64.
#[pyfunction]
fn unit_rows<'py>(
    py: Python<'py>,
    vectors: &Bound<'py, PyList>,
) -> PyResult<Option<Bound<'py, PyArray2<f32>>>> {
    let Some(given) = vectors.iter().map(|one| Given::of(&one)).collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    let (n, d) = (given.len(), given.first().map_or(0, Given::len));
    check(given.iter().all(|one| one.len() == d), || "vectors must have one length".into())?;
    let seen: Vec<Seen<'_>> = given.iter().map(Given::seen).collect();
    let rows = py.detach(|| {
        let (mut own, mut rows) = (Vec::with_capacity(d), Vec::with_capacity(n * d));
        for one in &seen {
            match one {
                Seen::Single(one) => push_unit(one.iter().copied(), &mut own, &mut rows),
                Seen::Double(one) => push_unit(one.iter().copied(), &mut own, &mut rows),
            }
        }
        rows
    });
    PyArray1::from_vec(py, rows).reshape([n, d]).map(Some)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(floats, module)?)?;
    module.add_function(wrap_pyfunction!(unit_rows, module)?)
}
