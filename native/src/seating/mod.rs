//! Seating under constraints and reserves: one greedy loop, whatever the objective. See `stages.seat`, whose seats
//! these are.

pub mod coverage;
pub mod reserves;
pub mod rules;

use reserves::Reserves;
use rules::{Rule, Rules};

/// Rounds of filling: in each, more is allowed than in the one before.
const ROUNDS: u8 = 4;
/// Gains are rounded to so many steps in 1: rounding in the last bits must not order a tie.
const STEPS: f64 = 1e12;

/// An objective over one pool.
pub trait Run {
    /// Value of seating each entry next.
    fn gains(&mut self, out: &mut [f64]);
    /// Largest similarity of each entry to the seated.
    fn redundancy(&self, i: usize) -> f64;
    /// Entry i is seated.
    fn take(&mut self, i: usize);
}

/// What kept a better entry from a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Nothing did.
    None,
    /// A reserve.
    Reserve,
    /// The constraint at this place of the list.
    Rule(usize),
}

/// One seat: the entry, its numbers at that moment, the round, what bound the choice.
pub struct Place {
    /// The entry.
    pub entry: usize,
    /// Largest similarity to those seated before.
    pub redundancy: f64,
    /// Rounded gain.
    pub value: f64,
    /// Round of filling.
    pub round: u8,
    /// What bound the choice.
    pub bound: Bound,
}

/// Why seats stayed empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Empty {
    /// Nothing was left.
    Pool,
    /// A constraint that is never lifted, at this place of the list, kept the best of the rest out.
    Rule(usize),
}

/// The outcome: places in the order of seating, entries passed over for the budget, why seats stayed empty.
pub struct Seating {
    /// Places in the order of seating.
    pub places: Vec<Place>,
    /// Whether an entry was passed over for the budget, for each.
    pub over_budget: Vec<bool>,
    /// Why seats stayed empty; `None` where none did.
    pub empty: Option<Empty>,
}

/// Gives up to k seats. Ties go by value, then rank.
pub fn seat(
    run: &mut impl Run,
    n: usize,
    rules: &mut Rules<'_>,
    reserves: &mut Reserves<'_>,
    k: usize,
) -> Seating {
    let mut outcome = Seating { places: Vec::new(), over_budget: vec![false; n], empty: None };
    let (mut free, mut gains, mut stale) = (vec![true; n], vec![0.0; n], true);
    for round in 0..ROUNDS {
        if round > 0 && !rules.lifts_at(round) {
            continue;
        }
        let eligible = rules.allowed(&free, round, true);
        reserves.aim(&eligible, rules, round, outcome.places.len());
        while outcome.places.len() < k {
            let unpaid = rules.allowed(&free, round, false);
            let allowed = rules.allowed(&free, round, true);
            let passed = |i: usize| unpaid[i] && !allowed[i];
            if !allowed.contains(&true) {
                (0..n).filter(|&i| passed(i)).for_each(|i| outcome.over_budget[i] = true);
                break;
            }
            if stale {
                run.gains(&mut gains);
                gains.iter_mut().for_each(|gain| *gain = rounded(*gain));
                stale = false;
            }
            let (i, mut bound) = pick(&gains, &allowed, outcome.places.len(), reserves, rules, round);
            (0..n).filter(|&j| passed(j) && better(&gains, j, i)).for_each(|j| outcome.over_budget[j] = true);
            if bound == Bound::None {
                bound = binding(&gains, i, &free, rules, round);
            }
            let (redundancy, value) = (run.redundancy(i), gains[i]);
            outcome.places.push(Place { entry: i, redundancy, value, round, bound });
            free[i] = false;
            rules.take(i);
            reserves.take(i, outcome.places.len() - 1);
            if outcome.places.len() < k {
                run.take(i);
                stale = true;
            }
        }
    }
    if outcome.places.len() < k {
        outcome.empty = Some(why_empty(&free, rules));
    }
    outcome
}

/// To the nearest step, ties to even, as numpy rounds; gains are within 0..1.
fn rounded(gain: f64) -> f64 {
    const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52: what is added to it loses its fraction
    ((gain * STEPS + ROUND) - ROUND) / STEPS
}

/// Whether entry j comes before entry i by value, then rank.
fn better(gains: &[f64], j: usize, i: usize) -> bool {
    gains[j] > gains[i] || (gains[j] == gains[i] && j < i)
}

/// The first of the best among those marked.
fn best(gains: &[f64], marked: &[bool]) -> usize {
    let among = (0..gains.len()).filter(|&i| marked[i]);
    among.reduce(|best, i| if gains[i] > gains[best] { i } else { best }).unwrap_or(0)
}

/// The best allowed entry after which every reserve can still be met.
fn pick(
    gains: &[f64],
    allowed: &[bool],
    place: usize,
    reserves: &Reserves<'_>,
    rules: &Rules<'_>,
    round: u8,
) -> (usize, Bound) {
    if !reserves.binding(place) {
        return (best(gains, allowed), Bound::None);
    }
    let mut tried = allowed.to_vec();
    let mut bound = Bound::None;
    while tried.contains(&true) {
        let i = best(gains, &tried);
        if reserves.allow(i, place, allowed, rules, round) {
            return (i, bound);
        }
        tried[i] = false;
        bound = Bound::Reserve;
    }
    match reserves.next_needed(place, allowed, rules, round) {
        Some(needed) => (needed, Bound::Reserve),
        None => (best(gains, allowed), Bound::None),
    }
}

/// The first constraint that kept a better entry from this seat.
fn binding(gains: &[f64], i: usize, free: &[bool], rules: &Rules<'_>, round: u8) -> Bound {
    let ahead: Vec<usize> = (0..gains.len()).filter(|&j| free[j] && better(gains, j, i)).collect();
    let kept = |rule: &Rule<'_>| rule.lifted > round && ahead.iter().any(|&j| !rule.allows(j));
    rules.list.iter().position(kept).map_or(Bound::None, Bound::Rule)
}

fn why_empty(free: &[bool], rules: &Rules<'_>) -> Empty {
    let left = (0..free.len()).filter(|&i| free[i]);
    let mut kept =
        left.filter_map(|i| rules.list.iter().position(|rule| rule.lifted >= ROUNDS && !rule.allows(i)));
    kept.next().map_or(Empty::Pool, Empty::Rule)
}
