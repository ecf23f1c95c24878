//! Seating kernels for Python: arrays are read in place, the interpreter is released while they run.

use super::arrays::{Picked, check, picked, source};
use super::machine::choose;
use crate::greedy::{Outcome, Rules, greedy as seat};
use crate::parallel;
use crate::simd::cosine;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
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
    check(row.len() == d, || format!("the vector has {} elements, the rows have {d}", row.len()))?;
    let found: Vec<f64> = py.detach(|| (0..n).map(|i| cosine(isa, &data[i * d..(i + 1) * d], row)).collect());
    Ok(PyArray1::from_vec(py, found))
}

/// Cosines of all pairs of unit rows, (n, n).
#[pyfunction]
#[pyo3(signature = (rows, isa = None))]
fn cosine_matrix<'py>(
    py: Python<'py>,
    rows: PyReadonlyArray2<'py, f32>,
    isa: Option<&str>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let isa = choose(isa)?;
    let [n, d] = [rows.shape()[0], rows.shape()[1]];
    let data = rows.as_slice()?;
    let flat = py.detach(|| crate::simd::cosine_matrix(isa, data, n, d));
    PyArray1::from_vec(py, flat).reshape([n, n])
}

fn check_codes(codes: &[i64], fields: usize, n: usize) -> PyResult<()> {
    check(codes.len() == n * fields, || format!("{} codes for {n} entries and {fields} caps", codes.len()))?;
    check(codes.iter().all(|&code| code >= -1 && code < n as i64), || {
        "codes must be dense: -1, or 0 up to the number of entries".into()
    })
}

/// Greedy MMR; arguments and answer as in the reference's `greedy`, whose `Rules` are spread out here.
#[pyfunction]
#[pyo3(signature = (relevance, k, lam, rows = None, similarity = None, eligible = None, codes = None, caps = None,
                    costs = None, limit = None, masks = None, seated = Vec::new(), isa = None))]
#[allow(clippy::too_many_arguments)] // spread out so that every array stays borrowed for the call
fn greedy<'py>(
    py: Python<'py>,
    relevance: PyReadonlyArray1<'py, f64>,
    k: usize,
    lam: f64,
    rows: Option<PyReadonlyArray2<'py, f32>>,
    similarity: Option<PyReadonlyArray2<'py, f64>>,
    eligible: Option<PyReadonlyArray1<'py, bool>>,
    codes: Option<PyReadonlyArray2<'py, i64>>,
    caps: Option<PyReadonlyArray1<'py, i64>>,
    costs: Option<PyReadonlyArray1<'py, i64>>,
    limit: Option<i64>,
    masks: Option<PyReadonlyArray2<'py, bool>>,
    seated: Vec<usize>,
    isa: Option<&str>,
) -> PyResult<Picked<'py>> {
    let relevance = relevance.as_slice()?;
    let n = relevance.len();
    let source = source(rows.as_ref(), similarity.as_ref(), n, choose(isa)?)?;
    let mut rules = Rules { limit: limit.unwrap_or(i64::MAX), seated: &seated, ..Rules::default() };
    if let Some(eligible) = &eligible {
        rules.eligible = Some(eligible.as_slice()?);
        check(eligible.len() == n, || format!("{} eligibility marks for {n} entries", eligible.len()))?;
    }
    if let (Some(codes), Some(caps)) = (&codes, &caps) {
        (rules.codes, rules.caps) = (codes.as_slice()?, caps.as_slice()?);
        check_codes(rules.codes, rules.caps.len(), n)?;
    }
    if let (Some(costs), Some(_)) = (&costs, limit) {
        rules.costs = Some(costs.as_slice()?);
        check(costs.len() == n, || format!("{} costs for {n} entries", costs.len()))?;
        check(costs.as_slice()?.iter().all(|&cost| cost >= 0), || "costs must not be negative".into())?;
    }
    if let Some(masks) = &masks {
        rules.masks = Some(masks.as_slice()?);
        check(masks.shape()[1] == n, || format!("masks of {} for {n} entries", masks.shape()[1]))?;
    }
    let mut held = vec![false; n];
    for &i in &seated {
        check(i < n && !held[i], || format!("seated {i} is out of range or twice there"))?;
        held[i] = true;
    }
    Ok(picked(py, py.detach(|| seat(source, relevance, k, lam, rules))))
}

/// (pools, k) indices, values and redundancies, then (pools,) seats taken and similarities done. Packed, because
/// three arrays a pool would cost more than the pool.
type Batched<'py> = (
    Bound<'py, PyArray2<i64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
);

/// One greedy MMR a pool, pools in parallel: rows and relevance are lists of equal length, the rest is shared.
/// Places without a seat hold -1 and 0.
#[pyfunction]
#[pyo3(signature = (rows, relevance, k, lam, codes = None, caps = None, threads = 0, isa = None))]
#[allow(clippy::too_many_arguments)]
fn greedy_batch<'py>(
    py: Python<'py>,
    rows: Vec<PyReadonlyArray2<'py, f32>>,
    relevance: Vec<PyReadonlyArray1<'py, f64>>,
    k: usize,
    lam: f64,
    codes: Option<Vec<PyReadonlyArray2<'py, i64>>>,
    caps: Option<PyReadonlyArray1<'py, i64>>,
    threads: usize,
    isa: Option<&str>,
) -> PyResult<Batched<'py>> {
    let isa = choose(isa)?;
    check(rows.len() == relevance.len(), || {
        format!("{} pools of rows and {} of relevance", rows.len(), relevance.len())
    })?;
    let caps = caps.as_ref().map_or(Ok(&[][..]), |caps| caps.as_slice())?;
    if let Some(codes) = &codes {
        check(codes.len() == rows.len(), || format!("{} codes for {} pools", codes.len(), rows.len()))?;
    }
    let mut pools = Vec::with_capacity(rows.len());
    for (place, (rows, relevance)) in rows.iter().zip(&relevance).enumerate() {
        let relevance = relevance.as_slice()?;
        let mut rules = Rules { limit: i64::MAX, ..Rules::default() };
        if let (Some(codes), false) = (&codes, caps.is_empty()) {
            (rules.codes, rules.caps) = (codes[place].as_slice()?, caps);
            check_codes(rules.codes, caps.len(), relevance.len())?;
        }
        pools.push((source(Some(rows), None, relevance.len(), isa)?, relevance, rules));
    }
    let outcomes: Vec<Option<Outcome>> = py.detach(|| {
        parallel::map(pools.len(), threads, |place| {
            let (source, relevance, rules) = pools[place];
            let finite = relevance.iter().all(|one| one.is_finite());
            finite.then(|| seat(source, relevance, k, lam, rules))
        })
    });
    let outcomes: Vec<Outcome> = outcomes
        .into_iter()
        .enumerate()
        .map(|(pool, one)| one.ok_or_else(|| format!("relevance must be finite (pool {pool})")))
        .collect::<Result<_, _>>()
        .map_err(PyValueError::new_err)?;
    // No wider than the longest: k may be far beyond every pool.
    let width = outcomes.iter().map(|one| one.picks.len()).max().unwrap_or(0);
    let shape = [outcomes.len(), width];
    let indices = PyArray1::from_vec(py, padded(&outcomes, width, -1, |one| &one.picks)).reshape(shape)?;
    let values = PyArray1::from_vec(py, padded(&outcomes, width, 0.0, |one| &one.values)).reshape(shape)?;
    let redundancies =
        PyArray1::from_vec(py, padded(&outcomes, width, 0.0, |one| &one.redundancies)).reshape(shape)?;
    let seats = outcomes.iter().map(|one| one.picks.len() as i64).collect();
    let dots = outcomes.iter().map(|one| one.dots as i64).collect();
    Ok((indices, values, redundancies, PyArray1::from_vec(py, seats), PyArray1::from_vec(py, dots)))
}

/// One row an outcome, filled up to the width.
fn padded<T: Copy>(
    outcomes: &[Outcome],
    width: usize,
    empty: T,
    part: impl Fn(&Outcome) -> &Vec<T>,
) -> Vec<T> {
    let mut flat = Vec::with_capacity(outcomes.len() * width);
    for one in outcomes {
        flat.extend_from_slice(part(one));
        flat.resize(flat.len() + width - part(one).len(), empty);
    }
    flat
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(cosines, module)?)?;
    module.add_function(wrap_pyfunction!(cosine_matrix, module)?)?;
    module.add_function(wrap_pyfunction!(greedy, module)?)?;
    module.add_function(wrap_pyfunction!(greedy_batch, module)?)
}
