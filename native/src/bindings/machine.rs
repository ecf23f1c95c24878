//! Which instruction sets this machine offers; the answers are the same on each.

use crate::simd::Isa;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Names of the instruction sets that can run here, best first.
#[pyfunction]
fn instruction_sets() -> Vec<&'static str> {
    Isa::available().into_iter().map(Isa::name).collect()
}

/// Reads the optional `isa` argument of a kernel.
pub fn choose(name: Option<&str>) -> PyResult<Isa> {
    match name {
        None => Ok(Isa::detect()),
        Some(name) => Isa::named(name)
            .ok_or_else(|| PyValueError::new_err(format!("instruction set {name:?} cannot run here"))),
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(instruction_sets, module)?)
}
