//! Kernels of corpus de-duplication for Python: arrays are read in place, the interpreter is released.

use super::arrays::{ascend, check};
use crate::corpus::{bands, buckets, sentences, shared, wire};
use numpy::{PyArray1, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

fn check_sets(hashes: usize, offsets: &[i64]) -> PyResult<()> {
    check(ascend(offsets, hashes), || "offsets must start at 0, ascend, and stay within the hashes".into())
}

/// Band keys of shingle sets, flat; as in `reparto.corpus.bands`.
#[pyfunction]
fn band_keys<'py>(
    py: Python<'py>,
    hashes: PyReadonlyArray1<'py, u64>,
    offsets: PyReadonlyArray1<'py, i64>,
    multipliers: PyReadonlyArray1<'py, u32>,
    masks: PyReadonlyArray1<'py, u32>,
    rows: usize,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let (hashes, offsets) = (hashes.as_slice()?, offsets.as_slice()?);
    check_sets(hashes.len(), offsets)?;
    let shape = bands::Shape { multipliers: multipliers.as_slice()?, masks: masks.as_slice()?, rows };
    check(
        rows > 0 && shape.masks.len() == shape.multipliers.len() && shape.masks.len().is_multiple_of(rows),
        || "slots must be whole bands, with a mask and a multiplier each".into(),
    )?;
    let keys = py.detach(|| bands::band_keys(hashes, offsets, shape));
    Ok(PyArray1::from_vec(py, keys))
}

/// Proposals of one band, as codes; as in `reparto.corpus.candidates`.
#[pyfunction]
fn band_pairs<'py>(
    py: Python<'py>,
    keys: PyReadonlyArray1<'py, u64>,
    ranks: PyReadonlyArray1<'py, i64>,
    figures: PyReadonlyArray1<'py, u64>,
    bucket: usize,
    each: usize,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let n = keys.len();
    check(ranks.len() == n && figures.len() == n, || "keys, ranks and figures must have one length".into())?;
    let (keys, ranks, figures) = (keys.as_slice()?, ranks.as_slice()?, figures.as_slice()?);
    check(ranks.iter().all(|&rank| (0..1 << 32).contains(&rank)), || "ranks must be below 2^32".into())?;
    let codes = py.detach(|| buckets::band_pairs(keys, ranks, figures, bucket, each));
    Ok(PyArray1::from_vec(py, codes))
}

/// Proposals of sentences, as codes; as in `reparto.corpus.candidates`.
#[pyfunction]
fn sentence_pairs<'py>(
    py: Python<'py>,
    keys: PyReadonlyArray1<'py, u64>,
    ranks: PyReadonlyArray1<'py, i64>,
    bucket: usize,
    most: usize,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let (keys, ranks) = (keys.as_slice()?, ranks.as_slice()?);
    check(ranks.len() == keys.len(), || "keys and ranks must have one length".into())?;
    check(ranks.iter().all(|&rank| (0..1 << 32).contains(&rank)), || "ranks must be below 2^32".into())?;
    let codes = py.detach(|| buckets::sentence_pairs(keys, ranks, bucket, most));
    Ok(PyArray1::from_vec(py, codes))
}

/// Values and offsets.
type Ragged<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<i64>>);

/// Some rows of a ragged array, with their offsets; as in `reparto.corpus.fingerprint`.
#[pyfunction]
fn gathered<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, u64>,
    offsets: PyReadonlyArray1<'py, i64>,
    chosen: PyReadonlyArray1<'py, i64>,
) -> PyResult<Ragged<'py>> {
    let (values, offsets, chosen) = (values.as_slice()?, offsets.as_slice()?, chosen.as_slice()?);
    check_sets(values.len(), offsets)?;
    let rows = offsets.len() as i64 - 1;
    check(chosen.iter().all(|i| (0..rows).contains(i)), || "rows must be there".into())?;
    let (found, ends) = py.detach(|| shared::gathered(values, offsets, chosen));
    Ok((PyArray1::from_vec(py, found), PyArray1::from_vec(py, ends)))
}

/// How many hashes pairs of sets share; as in `reparto.corpus.verify`.
#[pyfunction]
fn shared_counts<'py>(
    py: Python<'py>,
    hashes: PyReadonlyArray1<'py, u64>,
    offsets: PyReadonlyArray1<'py, i64>,
    a: PyReadonlyArray1<'py, i64>,
    b: PyReadonlyArray1<'py, i64>,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let (hashes, offsets) = (hashes.as_slice()?, offsets.as_slice()?);
    check_sets(hashes.len(), offsets)?;
    let (a, b) = (a.as_slice()?, b.as_slice()?);
    let sets = offsets.len() as i64 - 1;
    check(a.len() == b.len() && a.iter().chain(b).all(|&i| (0..sets).contains(&i)), || {
        "pairs must name sets that are there".into()
    })?;
    let counts = py.detach(|| shared::shared_counts(hashes, offsets, a, b));
    Ok(PyArray1::from_vec(py, counts))
}

/// Keys, offsets and figures.
type SaidArrays<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<u64>>);

/// Sentence keys of texts; as in `reparto.corpus.sentences`. A lone surrogate raises `UnicodeEncodeError`.
#[pyfunction]
fn sentence_keys<'py>(
    py: Python<'py>,
    texts: &Bound<'py, PyList>,
    least: usize,
    seed: u64,
) -> PyResult<SaidArrays<'py>> {
    let held: Vec<Bound<'py, PyString>> =
        texts.iter().map(|one| Ok(one.cast_into::<PyString>()?)).collect::<PyResult<_>>()?;
    let plain: Vec<&str> = held.iter().map(|one| one.to_str()).collect::<PyResult<_>>()?;
    let said = py.detach(|| sentences::sentence_keys(&plain, least, seed));
    let (mut keys, mut offsets, mut figures) = (Vec::new(), vec![0i64], Vec::with_capacity(said.len()));
    for one in said {
        keys.extend(one.keys);
        offsets.push(keys.len() as i64);
        figures.push(one.figures);
    }
    Ok((PyArray1::from_vec(py, keys), PyArray1::from_vec(py, offsets), PyArray1::from_vec(py, figures)))
}

/// Whether a pattern is found in the first or last `edge` characters of each text. A lone surrogate raises
/// `UnicodeEncodeError`.
#[pyfunction]
fn mentions<'py>(
    py: Python<'py>,
    texts: &Bound<'py, PyList>,
    pattern: &str,
    edge: usize,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    check(edge > 0, || "edge must be positive".into())?;
    let pattern = regex::Regex::new(pattern).map_err(|fault| PyValueError::new_err(fault.to_string()))?;
    let held: Vec<Bound<'py, PyString>> =
        texts.iter().map(|one| Ok(one.cast_into::<PyString>()?)).collect::<PyResult<_>>()?;
    let plain: Vec<&str> = held.iter().map(|one| one.to_str()).collect::<PyResult<_>>()?;
    Ok(PyArray1::from_vec(py, py.detach(|| wire::mentions(&plain, &pattern, edge))))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(band_keys, module)?)?;
    module.add_function(wrap_pyfunction!(band_pairs, module)?)?;
    module.add_function(wrap_pyfunction!(sentence_pairs, module)?)?;
    module.add_function(wrap_pyfunction!(gathered, module)?)?;
    module.add_function(wrap_pyfunction!(shared_counts, module)?)?;
    module.add_function(wrap_pyfunction!(sentence_keys, module)?)?;
    module.add_function(wrap_pyfunction!(mentions, module)?)
}
