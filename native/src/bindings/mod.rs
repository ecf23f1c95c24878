//! What Python sees: the module `reparto.kernels._native`.

mod arrays;
mod blocks;
mod corpus;
mod greedy;
mod machine;
mod ordering;
mod seating;
mod sets;
mod terms;
mod texts;
mod vectors;

use pyo3::prelude::*;

/// Every subject's functions; a new one is one line here.
fn register_all(module: &Bound<'_, PyModule>) -> PyResult<()> {
    machine::register(module)?;
    blocks::register(module)?;
    corpus::register(module)?;
    greedy::register(module)?;
    ordering::register(module)?;
    seating::register(module)?;
    sets::register(module)?;
    terms::register(module)?;
    texts::register(module)?;
    vectors::register(module)?;
    Ok(())
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    register_all(module)
}
