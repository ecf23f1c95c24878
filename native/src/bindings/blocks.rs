//! Blocks of documents for Python: bytes and offsets in, columns out, without a string of Python a text.

use super::arrays::{ascend, check};
use crate::corpus::bands::Shape;
use crate::corpus::lines::{self, Strings};
use crate::corpus::prints::{self, Recipe};
use crate::text::hashing::Map;
use crate::text::shingles::Window;
use crate::text::sketch::Spec;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

/// Bytes, offsets and absence of one field.
type Field<'py> = (Bound<'py, PyArray1<u8>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<bool>>);
type Fields<'py> = (Vec<Field<'py>>, Bound<'py, PyArray1<bool>>);

/// Id, text, source, date and address of the documents of a block of JSON lines, and which are gold; `None` where one
/// is not plain. As `reparto.corpus.readers.jsonl` reads them.
#[pyfunction]
fn document_lines<'py>(py: Python<'py>, block: &[u8]) -> Option<Fields<'py>> {
    let found = py.detach(|| lines::columns(block))?;
    let field = |one: Strings| {
        let offsets = PyArray1::from_vec(py, one.offsets);
        (PyArray1::from_vec(py, one.bytes), offsets, PyArray1::from_vec(py, one.absent))
    };
    Some((found.fields.into_iter().map(field).collect(), PyArray1::from_vec(py, found.gold)))
}

/// Hashes, offsets, digests (2 a text), characters, bands (band by band), sentences, their offsets, figures, edges
/// (2 a text), whether a text may credit an agency, and whether its edges are still to be looked at.
type Columns<'py> = (
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray1<bool>>,
);

/// The columns of strings: bytes, where each begins and the last ends, and which are absent.
#[derive(FromPyObject)]
struct Packed<'py>(PyReadonlyArray1<'py, u8>, PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, bool>);

impl Packed<'_> {
    fn strings(&self) -> PyResult<Vec<Option<&str>>> {
        let (bytes, offsets, absent) = (self.0.as_slice()?, self.1.as_slice()?, self.2.as_slice()?);
        check(ascend(offsets, bytes.len()) && absent.len() + 1 == offsets.len(), || {
            "offsets must start at 0, ascend, and stay within the bytes".into()
        })?;
        let plain = std::str::from_utf8(bytes).map_err(|fault| PyValueError::new_err(fault.to_string()))?;
        let one = |(two, absent): (&[i64], &bool)| {
            let own = plain.get(two[0] as usize..two[1] as usize);
            own.map(|own| (!absent).then_some(own))
                .ok_or_else(|| PyValueError::new_err("offsets must not split a character"))
        };
        offsets.windows(2).zip(absent).map(one).collect()
    }
}

/// The strings that packed columns hold; with `few`, equal ones are one object. `ValueError` where they are not UTF-8.
#[pyfunction]
fn unpacked<'py>(py: Python<'py>, packed: Packed<'py>, few: bool) -> PyResult<Bound<'py, PyList>> {
    let strings = packed.strings()?;
    let mut known: Map<&str, Bound<'py, PyString>> = Map::default();
    let made = strings.into_iter().map(|one| {
        let one = one?;
        Some(if few {
            known.entry(one).or_insert_with(|| PyString::new(py, one)).clone()
        } else {
            PyString::new(py, one)
        })
    });
    PyList::new(py, made.collect::<Vec<_>>())
}

/// Slots of the bands, rows of a band, and the seed of the shingles; sentences: least characters and seed; credits:
/// pattern and characters of an end.
#[derive(FromPyObject)]
struct Asked<'py> {
    #[pyo3(item)]
    words: usize,
    #[pyo3(item)]
    characters: usize,
    #[pyo3(item)]
    seed: u64,
    #[pyo3(item)]
    multipliers: PyReadonlyArray1<'py, u32>,
    #[pyo3(item)]
    masks: PyReadonlyArray1<'py, u32>,
    #[pyo3(item)]
    rows: usize,
    #[pyo3(item)]
    least: usize,
    #[pyo3(item)]
    sentence_seed: u64,
    #[pyo3(item)]
    credit: String,
    #[pyo3(item)]
    edge: usize,
}

/// Fingerprints of texts on whole shingle sets, with all else that is read off a text; as in
/// `reparto.corpus.fingerprint`. `ValueError` where the bytes are not UTF-8.
#[pyfunction]
fn document_prints<'py>(
    py: Python<'py>,
    texts: Packed<'py>,
    sources: Packed<'py>,
    asked: Asked<'py>,
    threads: usize,
) -> PyResult<Columns<'py>> {
    let (multipliers, masks) = (asked.multipliers.as_slice()?, asked.masks.as_slice()?);
    let whole = asked.rows > 0 && masks.len() == multipliers.len() && masks.len().is_multiple_of(asked.rows);
    check(whole && asked.words > 0 && asked.characters > 0 && asked.edge > 0, || {
        "slots must be whole bands, with a mask and a multiplier each; lengths must be positive".into()
    })?;
    let credit =
        regex::Regex::new(&asked.credit).map_err(|fault| PyValueError::new_err(fault.to_string()))?;
    let window = Window { words: asked.words, characters: asked.characters };
    let recipe = Recipe {
        spec: Spec { window, scale: 1, least: 1, seed: asked.seed },
        shape: Shape { multipliers, masks, rows: asked.rows },
        least: asked.least,
        seed: asked.sentence_seed,
        credit: &credit,
        edge: asked.edge,
    };
    let (texts, sources) = (texts.strings()?, sources.strings()?);
    check(texts.len() == sources.len(), || "a source for each text".into())?;
    let both: Vec<(&str, Option<&str>)> =
        texts.into_iter().map(Option::unwrap_or_default).zip(sources).collect();
    let bands = masks.len() / asked.rows;
    let (found, keys) = py.detach(|| {
        let found = prints::prints(&both, recipe, threads);
        let keys = prints::turned(&found.bands, bands);
        (found, keys)
    });
    let offsets = |sizes: &[i64]| {
        let mut end = 0;
        let ends = sizes.iter().map(|size| {
            end += size;
            end
        });
        PyArray1::from_vec(py, std::iter::once(0).chain(ends).collect())
    };
    let mark = |at: usize| PyArray1::from_iter(py, found.marks.iter().map(|marks| marks[at]));
    Ok((
        PyArray1::from_vec(py, found.hashes),
        offsets(&found.sizes),
        PyArray1::from_vec(py, found.digests),
        PyArray1::from_vec(py, found.characters),
        PyArray1::from_vec(py, keys),
        PyArray1::from_vec(py, found.said),
        offsets(&found.said_sizes),
        PyArray1::from_vec(py, found.figures),
        PyArray1::from_vec(py, found.edges),
        mark(0),
        mark(1),
    ))
}

/// Which pairs of texts disagree in a fact, on all processors. `ValueError` for lone surrogates.
#[pyfunction]
fn revisions<'py>(
    py: Python<'py>,
    a: Vec<Bound<'py, PyAny>>,
    b: Vec<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    check(a.len() == b.len(), || "a and b differ in length".into())?;
    let (a, b) = (super::texts::plain_texts(&a)?, super::texts::plain_texts(&b)?);
    let found = py.detach(|| crate::text::facts::revisions(&a, &b));
    Ok(PyArray1::from_vec(py, found))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(document_lines, module)?)?;
    module.add_function(wrap_pyfunction!(document_prints, module)?)?;
    module.add_function(wrap_pyfunction!(unpacked, module)?)?;
    module.add_function(wrap_pyfunction!(revisions, module)?)
}
