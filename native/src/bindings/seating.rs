//! Seating under constraints and reserves for Python: arrays are read in place, the interpreter is released.

use super::arrays::{ascend, check, source};
use super::machine::choose;
use crate::seating::coverage::Coverage;
use crate::seating::reserves::{Collect, Reserves};
use crate::seating::rules::{Kind, Rule, Rules};
use crate::seating::{Bound as Bounding, Empty, seat};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A constraint: its mask, its codes and the most seats for one, or its lengths and what is left; when it is lifted.
#[derive(FromPyObject)]
enum Given<'py> {
    Fixed(PyReadonlyArray1<'py, bool>, u8),
    AtMost(PyReadonlyArray1<'py, i64>, u8, i64, String),
}

/// A reserve: codes, whether one counts once, within how many seats, how many are wanted.
type Wanted<'py> = (PyReadonlyArray1<'py, i64>, bool, usize, usize);

/// Seats: (entry, redundancy, value, round, bound) each; entries passed over for the budget; why seats stayed empty;
/// what each reserve got. Of bounds -1 is none, -2 a reserve; of what kept seats empty -1 is the pool.
type Seated = (Vec<(usize, f64, f64, u8, i64)>, Vec<usize>, Option<i64>, Vec<usize>);

fn rule<'a>(given: &'a Given<'_>, n: usize) -> PyResult<Rule<'a>> {
    let (kind, lifted, length) = match given {
        Given::Fixed(mask, lifted) => (Kind::Fixed(mask.as_slice()?), *lifted, mask.len()),
        Given::AtMost(numbers, lifted, most, name) if name == "codes" => {
            let codes = checked(numbers, n)?;
            check(codes.iter().all(|&code| code < n as i64), || {
                "codes of a constraint must be dense".into()
            })?;
            let seated = vec![0; codes.iter().max().map_or(0, |&most| (most + 1) as usize)];
            (Kind::AtMost { codes, most: *most, seated }, *lifted, codes.len())
        }
        Given::AtMost(tokens, lifted, left, _) => {
            (Kind::Budget { tokens: tokens.as_slice()?, left: *left }, *lifted, tokens.len())
        }
    };
    check(length == n, || format!("a constraint over {length} entries of {n}"))?;
    Ok(Rule { kind, lifted })
}

/// Codes: one an entry, -1 or more.
fn checked<'a>(codes: &'a PyReadonlyArray1<'_, i64>, n: usize) -> PyResult<&'a [i64]> {
    let codes = codes.as_slice()?;
    let fits = codes.len() == n && codes.iter().all(|&code| code >= -1);
    check(fits, || "codes must be one an entry, -1 or more".into())?;
    Ok(codes)
}

/// Seats by coverage; see `reparto.kernels.covering`.
#[pyfunction]
#[pyo3(signature = (worth, per_mass, fresh, terms, offsets, near, weights, most, powers, band, decay, rows, similarity,
                    rules, reserves, k))]
#[allow(clippy::too_many_arguments)] // spread out so that every array stays borrowed for the call
fn seat_coverage<'py>(
    py: Python<'py>,
    worth: PyReadonlyArray1<'py, f64>,
    per_mass: PyReadonlyArray1<'py, f64>,
    fresh: PyReadonlyArray1<'py, f64>,
    terms: PyReadonlyArray1<'py, i64>,
    offsets: PyReadonlyArray1<'py, i64>,
    near: PyReadonlyArray2<'py, f64>,
    weights: PyReadonlyArray1<'py, f64>,
    most: [f64; 2],
    powers: [f64; 2],
    band: f64,
    decay: f64,
    rows: Option<PyReadonlyArray2<'py, f32>>,
    similarity: Option<PyReadonlyArray2<'py, f64>>,
    rules: Vec<Given<'py>>,
    reserves: Vec<Wanted<'py>>,
    k: usize,
) -> PyResult<Seated> {
    let n = worth.len();
    let source = source(rows.as_ref(), similarity.as_ref(), n, choose(None)?)?;
    let mut run = Coverage {
        worth: worth.as_slice()?,
        per_mass: per_mass.as_slice()?,
        fresh: fresh.as_slice()?.to_vec(),
        terms: terms.as_slice()?,
        offsets: offsets.as_slice()?,
        near: near.as_slice()?,
        weights: weights.as_slice()?,
        nearest: vec![0.0; weights.len()],
        most,
        powers,
        band,
        decay,
        source,
        redundancy: vec![0.0; n],
        seats: 0,
    };
    let m = run.weights.len();
    let fits = run.per_mass.len() == n
        && near.shape() == [n, m]
        && run.offsets.len() == n + 1
        && ascend(run.offsets, run.terms.len())
        && run.terms.iter().all(|&term| 0 <= term && (term as usize) < run.fresh.len());
    check(fits, || "arrays of coverage do not fit one another".into())?;
    let mut rules = Rules { list: rules.iter().map(|one| rule(one, n)).collect::<PyResult<_>>()? };
    let mut reserves = Reserves {
        list: reserves
            .iter()
            .map(|(codes, distinct, within, wanted)| {
                Ok(Collect::new(checked(codes, n)?, *distinct, *within, *wanted))
            })
            .collect::<PyResult<_>>()?,
    };
    if n == 0 {
        return Err(PyValueError::new_err("there is nothing to seat"));
    }
    let found = py.detach(|| seat(&mut run, n, &mut rules, &mut reserves, k));
    let bound = |bound| match bound {
        Bounding::None => -1,
        Bounding::Reserve => -2,
        Bounding::Rule(place) => place as i64,
    };
    let places = found.places.iter();
    Ok((
        places.map(|one| (one.entry, one.redundancy, one.value, one.round, bound(one.bound))).collect(),
        (0..n).filter(|&i| found.over_budget[i]).collect(),
        found.empty.map(|why| if let Empty::Rule(place) = why { place as i64 } else { -1 }),
        reserves.list.iter().map(|one| one.got).collect(),
    ))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(seat_coverage, module)?)
}
