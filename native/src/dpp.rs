//! Lazy greedy MAP of a determinantal point process; the algorithm is said in the reference's `dpp`.

use crate::greedy::Outcome;
use crate::lazy::{Falling, Queue, Verdict};
use crate::source::Source;

/// A residual below this is rounding noise: the entry is spanned by the seated ones.
const VANISHED: f64 = 1.0 / 65_536.0;
const LANES: usize = 8;

/// Residuals as of the seats an entry has `seen`, and its row of Cholesky factors so far.
struct Dpp<'a> {
    source: Source<'a>,
    weight: &'a [f64],
    left: Vec<f64>,
    seen: Vec<u32>,
    factors: Vec<f64>,
    k: usize,
    seats: Vec<(usize, f64)>,
    dots: u64,
}

impl Dpp<'_> {
    fn value(&self, i: usize) -> f64 {
        self.weight[i] * if self.left[i] < VANISHED { 0.0 } else { self.left[i] }
    }
}

/// Sum of products of two factor rows: term t goes to lane t mod 8, then halves are folded.
#[inline]
fn product(a: &[f64], b: &[f64]) -> f64 {
    let (a_blocks, a_rest) = a.as_chunks::<LANES>();
    let (b_blocks, b_rest) = b.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for (x, y) in a_blocks.iter().zip(b_blocks) {
        for lane in 0..LANES {
            lanes[lane] += x[lane] * y[lane];
        }
    }
    for (lane, (x, y)) in lanes.iter_mut().zip(a_rest.iter().zip(b_rest)) {
        *lane += x * y;
    }
    for half in [4, 2, 1] {
        for lane in 0..half {
            lanes[lane] += lanes[lane + half];
        }
    }
    lanes[0]
}

impl Falling for Dpp<'_> {
    fn bound(&self, i: usize) -> f64 {
        self.value(i)
    }

    fn evaluate(&mut self, i: usize, floor: f64) -> f64 {
        while (self.seen[i] as usize) < self.seats.len() {
            if self.value(i) < floor {
                break;
            }
            let t = self.seen[i] as usize;
            let (seat, root) = self.seats[t];
            let own = &self.factors[i * self.k..i * self.k + t];
            let spanned = product(own, &self.factors[seat * self.k..seat * self.k + t]);
            let factor = (self.source.pair(i, seat) - spanned) / root;
            self.factors[i * self.k + t] = factor;
            self.left[i] = (self.left[i] - factor * factor).max(0.0);
            self.seen[i] += 1;
            self.dots += 1;
        }
        self.value(i)
    }
}

/// Up to `k` picks by `weight * residual`; once the residuals have vanished, rank order.
///
/// The same picks, values and redundancies (1 - residual) as the reference's `dpp`.
pub fn dpp(
    source: Source,
    weight: &[f64],
    relevance: &[f64],
    k: usize,
    eligible: Option<&[bool]>,
) -> Outcome {
    let n = relevance.len();
    let k = k.min(n);
    let mut state = Dpp {
        source,
        weight,
        left: vec![1.0; n],
        seen: vec![0; n],
        factors: vec![0.0; n * k],
        k,
        seats: Vec::with_capacity(k),
        dots: 0,
    };
    let mut queue = Queue::new(weight, relevance);
    let judge = |i: usize| if eligible.is_none_or(|mask| mask[i]) { Verdict::Allow } else { Verdict::Never };
    let mut outcome = Outcome::default();
    while outcome.picks.len() < k {
        let Some((i, value)) = queue.best(&mut state, relevance, judge) else { break };
        outcome.picks.push(i as i64);
        outcome.values.push(value);
        outcome.redundancies.push(1.0 - state.left[i]);
        if state.left[i] >= VANISHED {
            state.seats.push((i, state.left[i].sqrt()));
        }
    }
    outcome.dots = state.dots;
    outcome
}
