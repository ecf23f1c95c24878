//! Exact lazy greedy MMR under quotas, budget, masks and seats already held.

use crate::lazy::{Falling, Queue, Verdict};
use crate::source::Source;

/// What forbids a seat; the fields' meaning and shapes are those of the reference's `Rules`.
#[derive(Clone, Copy, Default)]
pub struct Rules<'a> {
    /// (n,) who may be seated at all.
    pub eligible: Option<&'a [bool]>,
    /// (n, fields) dense group codes, -1 for none.
    pub codes: &'a [i64],
    /// Most seats a group of each field takes.
    pub caps: &'a [i64],
    /// (n,) costs, all at least 0.
    pub costs: Option<&'a [i64]>,
    /// Most that the seats may cost together.
    pub limit: i64,
    /// (steps, n) who may be seated at each step, unless no one is left there.
    pub masks: Option<&'a [bool]>,
    /// Seats held before the run.
    pub seated: &'a [usize],
}

/// A selection in the order it was made.
#[derive(Debug, Default, PartialEq)]
pub struct Outcome {
    /// Indices.
    pub picks: Vec<i64>,
    /// Values at the time of seating.
    pub values: Vec<f64>,
    /// Largest similarity to the seated at the time of seating.
    pub redundancies: Vec<f64>,
    /// Pairs whose similarity was computed.
    pub dots: u64,
}

/// MMR over one pool: an entry's redundancy is kept as of the seats it has `seen`.
struct Mmr<'a> {
    source: Source<'a>,
    relevance: &'a [f64],
    lam: f64,
    redundancy: Vec<f64>,
    seen: Vec<u32>,
    seats: Vec<usize>,
    dots: u64,
}

impl Mmr<'_> {
    #[inline]
    fn value(&self, i: usize, redundancy: f64) -> f64 {
        // The same expression as the reference's. Rounding is monotone, so with a smaller redundancy it is a bound.
        self.lam * self.relevance[i] - (1.0 - self.lam) * redundancy
    }
}

impl Falling for Mmr<'_> {
    #[inline]
    fn bound(&self, i: usize) -> f64 {
        self.value(i, self.redundancy[i])
    }

    fn evaluate(&mut self, i: usize, floor: f64) -> f64 {
        let mut value = self.value(i, self.redundancy[i]);
        while (self.seen[i] as usize) < self.seats.len() {
            let seat = self.seats[self.seen[i] as usize];
            self.redundancy[i] = self.redundancy[i].max(self.source.pair(i, seat));
            self.seen[i] += 1;
            self.dots += 1;
            value = self.value(i, self.redundancy[i]);
            if value < floor {
                break;
            }
        }
        value
    }
}

/// How full the groups and the budget are.
struct Room<'a> {
    rules: Rules<'a>,
    used: Vec<i64>,
    left: i64,
    n: usize,
}

impl<'a> Room<'a> {
    fn new(rules: Rules<'a>, n: usize) -> Room<'a> {
        let mut room = Room { rules, used: vec![0; rules.caps.len() * n], left: rules.limit, n };
        for &i in rules.seated {
            room.take(i);
        }
        room
    }

    fn take(&mut self, i: usize) {
        let fields = self.rules.caps.len();
        for field in 0..fields {
            if let Ok(code) = usize::try_from(self.rules.codes[i * fields + field]) {
                self.used[field * self.n + code] += 1;
            }
        }
        if let Some(costs) = self.rules.costs {
            self.left = self.left.saturating_sub(costs[i]);
        }
    }

    fn judge(&self, i: usize, step: Option<usize>) -> Verdict {
        let rules = &self.rules;
        // Caps and the budget only fill up, so what they refuse once they refuse for good.
        if rules.eligible.is_some_and(|eligible| !eligible[i])
            || rules.costs.is_some_and(|costs| costs[i] > self.left)
        {
            return Verdict::Never;
        }
        let fields = rules.caps.len();
        for field in 0..fields {
            if let Ok(code) = usize::try_from(rules.codes[i * fields + field])
                && self.used[field * self.n + code] >= rules.caps[field]
            {
                return Verdict::Never;
            }
        }
        match (rules.masks, step) {
            (Some(masks), Some(step)) if !masks[step * self.n + i] => Verdict::NotNow,
            _ => Verdict::Allow,
        }
    }
}

/// Up to `k` picks by `lam * relevance - (1 - lam) * largest similarity to the seated`, `lam` in 0..1.
///
/// The same picks, values and redundancies as the reference's `greedy`, from a fraction of its similarities.
pub fn greedy(source: Source, relevance: &[f64], k: usize, lam: f64, rules: Rules) -> Outcome {
    let n = relevance.len();
    let mut mmr = Mmr {
        source,
        relevance,
        lam,
        // No similarity is below -1: the bound of an entry that has met no seat.
        redundancy: vec![-1.0; n],
        seen: vec![0; n],
        seats: rules.seated.to_vec(),
        dots: 0,
    };
    let mut room = Room::new(rules, n);
    let mut out = vec![false; n];
    for &i in rules.seated {
        out[i] = true;
    }
    let mut queue = Queue::new(relevance, relevance);
    let mut outcome = Outcome::default();
    let steps = rules.masks.map_or(0, |masks| masks.len().checked_div(n).unwrap_or(0));
    while outcome.picks.len() < k {
        let step = outcome.picks.len();
        let mut found = None;
        // First under the step's mask, then, when that leaves no one, without it.
        for step in [(step < steps).then_some(step), None] {
            let judge = |i: usize| if out[i] { Verdict::Never } else { room.judge(i, step) };
            found = if mmr.seats.is_empty() {
                queue.first(relevance, judge).map(|i| (i, mmr.value(i, 0.0), 0.0))
            } else {
                let best = queue.best(&mut mmr, relevance, judge);
                best.map(|(i, value)| (i, value, mmr.redundancy[i]))
            };
            if found.is_some() || step.is_none() {
                break;
            }
        }
        let Some((i, value, redundancy)) = found else { break };
        outcome.picks.push(i as i64);
        outcome.values.push(value);
        outcome.redundancies.push(redundancy);
        out[i] = true;
        room.take(i);
        mmr.seats.push(i);
    }
    outcome.dots = mmr.dots;
    outcome
}
