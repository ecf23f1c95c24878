//! Text kernels for Python: strings are read in place, the interpreter is released while they run.

use super::arrays::check;
use crate::text::facts;
use crate::text::form;
use crate::text::overlaps::{Sketches, overlaps as pairs, star as group};
use crate::text::shingles::Window;
use crate::text::signatures;
use crate::text::sketch::{Sketch, Spec, Text, fingerprint as sketch};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyString};

/// A Python string, held for a call.
pub(super) enum Held {
    Plain(PyBackedStr),
    Wide(Vec<u32>),
}

/// A Python string; with lone surrogates, which UTF-8 cannot carry, as code points.
pub(super) fn hold(text: &Bound<'_, PyAny>) -> PyResult<Held> {
    let text = text.cast::<PyString>()?;
    if let Ok(plain) = PyBackedStr::try_from(text.clone()) {
        return Ok(Held::Plain(plain));
    }
    let bytes = text.call_method1("encode", ("utf-32-le", "surrogatepass"))?;
    let bytes = bytes.cast::<PyBytes>()?.as_bytes();
    Ok(Held::Wide(
        bytes.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect(),
    ))
}

/// What the algorithms see of held strings.
pub(super) fn lent(held: &[Held]) -> Vec<Text<'_>> {
    held.iter()
        .map(|one| match one {
            Held::Plain(text) => Text::Plain(text),
            Held::Wide(codes) => Text::Wide(codes),
        })
        .collect()
}

/// Hashes, offsets, sizes, limits, digests (2 a text), characters.
type Columns<'py> = (
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<i64>>,
);

/// Sketches of texts as the columns of the reference's `Sketches`.
#[pyfunction]
#[pyo3(signature = (texts, words, characters, scale, least, seed, threads = 1))]
#[allow(clippy::too_many_arguments)]
fn fingerprint<'py>(
    py: Python<'py>,
    texts: Vec<Bound<'py, PyAny>>,
    words: usize,
    characters: usize,
    scale: u64,
    least: usize,
    seed: u64,
    threads: usize,
) -> PyResult<Columns<'py>> {
    check(words > 0 && characters > 0 && scale > 0 && least > 0, || {
        "words, characters, scale and least must be positive".into()
    })?;
    let spec = Spec { window: Window { words, characters }, scale, least, seed };
    let held = texts.iter().map(hold).collect::<PyResult<Vec<_>>>()?;
    let columns = py.detach(|| columns(&sketch(&lent(&held), spec, threads)));
    Ok((
        PyArray1::from_vec(py, columns.0),
        PyArray1::from_vec(py, columns.1),
        PyArray1::from_vec(py, columns.2),
        PyArray1::from_vec(py, columns.3),
        PyArray1::from_vec(py, columns.4),
        PyArray1::from_vec(py, columns.5),
    ))
}

/// Stored signatures of one spec as columns; `None` where one is damaged or made otherwise.
#[pyfunction]
fn read_signatures<'py>(
    py: Python<'py>,
    stored: Vec<Bound<'py, PyBytes>>,
    mark: &[u8],
) -> Option<Columns<'py>> {
    let lent: Vec<&[u8]> = stored.iter().map(|one| one.as_bytes()).collect();
    let found = py.detach(|| signatures::read(&lent, mark))?;
    Some((
        PyArray1::from_vec(py, found.hashes),
        PyArray1::from_vec(py, found.offsets),
        PyArray1::from_vec(py, found.sizes),
        PyArray1::from_vec(py, found.limits),
        PyArray1::from_vec(py, found.digests),
        PyArray1::from_vec(py, found.characters),
    ))
}

type Raw = (Vec<u64>, Vec<i64>, Vec<i64>, Vec<u64>, Vec<u64>, Vec<i64>);

fn columns(sketches: &[Sketch]) -> Raw {
    let total = sketches.iter().map(|one| one.hashes.len()).sum();
    let mut hashes = Vec::with_capacity(total);
    let mut offsets = vec![0];
    for one in sketches {
        hashes.extend_from_slice(&one.hashes);
        offsets.push(hashes.len() as i64);
    }
    (
        hashes,
        offsets,
        sketches.iter().map(|one| one.size as i64).collect(),
        sketches.iter().map(|one| one.limit).collect(),
        sketches.iter().flat_map(|one| one.digest).collect(),
        sketches.iter().map(|one| one.characters as i64).collect(),
    )
}

/// The columns of the reference's `Pairs`.
type PairColumns<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
);

/// All pairs that reach a threshold.
#[pyfunction]
#[pyo3(signature = (hashes, offsets, limits, digests, characters, resemblance, containment, threads = 1))]
#[allow(clippy::too_many_arguments)]
fn overlaps<'py>(
    py: Python<'py>,
    hashes: PyReadonlyArray1<'py, u64>,
    offsets: PyReadonlyArray1<'py, i64>,
    limits: PyReadonlyArray1<'py, u64>,
    digests: PyReadonlyArray1<'py, u64>,
    characters: PyReadonlyArray1<'py, i64>,
    resemblance: Option<f64>,
    containment: Option<f64>,
    threads: usize,
) -> PyResult<PairColumns<'py>> {
    let sketches = Sketches {
        hashes: hashes.as_slice()?,
        offsets: offsets.as_slice()?,
        limits: limits.as_slice()?,
        digests: digests.as_slice()?,
        characters: characters.as_slice()?,
    };
    let n = sketches.len();
    let shapes =
        sketches.offsets.len() == n + 1 && sketches.digests.len() == 2 * n && sketches.characters.len() == n;
    let last = sketches.hashes.len() as i64;
    let ascending = shapes
        && sketches.offsets[0] == 0
        && sketches.offsets[n] == last
        && sketches.offsets.windows(2).all(|two| two[0] <= two[1]);
    check(ascending, || "columns of sketches do not fit one another".into())?;
    check(sketches.hashes.len() < u32::MAX as usize, || "too many hashes for one call".into())?;
    let found = py.detach(|| pairs(&sketches, resemblance, containment, threads));
    Ok((
        PyArray1::from_iter(py, found.iter().map(|one| one.0)),
        PyArray1::from_iter(py, found.iter().map(|one| one.1)),
        PyArray1::from_iter(py, found.iter().map(|one| one.2)),
        PyArray1::from_iter(py, found.iter().map(|one| one.3)),
        PyArray1::from_iter(py, found.iter().map(|one| one.4)),
    ))
}

/// The centre of each text, over verified pairs.
#[pyfunction]
fn star<'py>(
    py: Python<'py>,
    n: usize,
    i: PyReadonlyArray1<'py, i64>,
    j: PyReadonlyArray1<'py, i64>,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let listed: Vec<(i64, i64)> = i.as_slice()?.iter().copied().zip(j.as_slice()?.iter().copied()).collect();
    check(i.as_slice()?.len() == j.as_slice()?.len(), || "i and j differ in length".into())?;
    check(listed.iter().all(|&(x, y)| 0 <= x && x < y && y < n as i64), || {
        "pairs must be 0 <= i < j < n".into()
    })?;
    Ok(PyArray1::from_vec(py, py.detach(|| group(n, &listed))))
}

/// Where two near-identical texts disagree: (a, b, why) each. `ValueError` for lone surrogates.
#[pyfunction]
fn disagreements(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
) -> PyResult<Vec<(String, String, String)>> {
    let (a, b) = (plain(a)?, plain(b)?);
    let found = py.detach(|| facts::facts(&a, &b));
    Ok(found.into_iter().map(|one| (one.a, one.b, one.why)).collect())
}

/// Whether two texts can state the same. `ValueError` for lone surrogates.
#[pyfunction]
fn figures_agree(py: Python<'_>, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<bool> {
    let (a, b) = (plain(a)?, plain(b)?);
    Ok(py.detach(|| facts::figures_agree(&a, &b)))
}

/// Strings without lone surrogates; `ValueError` for those.
pub(super) fn plain_texts(texts: &[Bound<'_, PyAny>]) -> PyResult<Vec<PyBackedStr>> {
    texts.iter().map(plain).collect()
}

fn plain(text: &Bound<'_, PyAny>) -> PyResult<PyBackedStr> {
    match hold(text)? {
        Held::Plain(text) => Ok(text),
        Held::Wide(_) => Err(PyValueError::new_err("lone surrogates")),
    }
}

/// The comparison form of each text, in UTF-32LE.
#[pyfunction]
fn forms<'py>(py: Python<'py>, texts: Vec<Bound<'py, PyAny>>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let form_of = |text: &Bound<'py, PyAny>| {
        let mut codes = Vec::new();
        match hold(text)? {
            Held::Plain(text) => form::form(text.chars().map(u32::from), &mut codes),
            Held::Wide(wide) => form::form(wide.into_iter(), &mut codes),
        }
        let bytes: Vec<u8> = codes.iter().flat_map(|code| code.to_le_bytes()).collect();
        Ok(PyBytes::new(py, &bytes))
    };
    texts.iter().map(form_of).collect()
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(fingerprint, module)?)?;
    module.add_function(wrap_pyfunction!(read_signatures, module)?)?;
    module.add_function(wrap_pyfunction!(overlaps, module)?)?;
    module.add_function(wrap_pyfunction!(star, module)?)?;
    module.add_function(wrap_pyfunction!(disagreements, module)?)?;
    module.add_function(wrap_pyfunction!(figures_agree, module)?)?;
    module.add_function(wrap_pyfunction!(forms, module)?)
}
