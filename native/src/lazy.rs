//! Lazy greedy choice: only candidates whose upper bound still beats the best so far are evaluated.
//!
//! Exact when a candidate's value never rises from one seat to the next (M. Minoux, "Accelerated greedy algorithms for
//! maximizing submodular set functions", 1978): an old value is then an upper bound of the new one. Bounds lie side by
//! side, and a scan of them costs less than keeping a heap: one comparison a candidate, where a heap's pop costs as
//! much as a dot product. Candidates never looked at are not even scanned: they wait in rank order.

use std::cmp::Ordering;

/// What decides between candidates: value, then relevance, then lower index.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The objective's value, or an upper bound of it.
    pub value: f64,
    /// Relevance.
    pub relevance: f64,
    /// Place in the input.
    pub index: u32,
}

impl Key {
    /// Negative zero becomes zero, so that the total order below is the one of the numbers.
    pub fn new(value: f64, relevance: f64, index: usize) -> Key {
        Key { value: value + 0.0, relevance: relevance + 0.0, index: index as u32 }
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        self.value
            .total_cmp(&other.value)
            .then(self.relevance.total_cmp(&other.relevance))
            .then(other.index.cmp(&self.index))
    }
}
impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Key {}

/// An objective whose values only fall.
pub trait Falling {
    /// An upper bound of i's value, without work.
    fn bound(&self, i: usize) -> f64;
    /// i's value now. May stop early with any upper bound below `floor`.
    fn evaluate(&mut self, i: usize, floor: f64) -> f64;
}

/// What the constraints say about a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may be seated.
    Allow,
    /// Not at this step.
    NotNow,
    /// Not any more in this run.
    Never,
}

/// Candidates with the highest bounds that are evaluated before the scan: a good start spares evaluations.
const LEADERS: usize = 3;

/// The candidates that are still in the run.
pub struct Queue {
    /// Untouched ones in the order of their bounds; `None` when the input came in that order.
    order: Option<Vec<u32>>,
    next: usize,
    /// Those that have been evaluated before, and the value they had then.
    touched: Vec<u32>,
    bounds: Vec<f64>,
}

impl Queue {
    /// All candidates, untouched, by descending `first` (in whose order the bounds start), relevance and index.
    /// O(n) when they come in that order, else a sort.
    pub fn new(first: &[f64], relevance: &[f64]) -> Queue {
        let key = |i: usize| Key::new(first[i], relevance[i], i);
        let sorted = (1..first.len()).all(|i| key(i) < key(i - 1));
        let order = (!sorted).then(|| {
            let mut order: Vec<u32> = (0..first.len() as u32).collect();
            order.sort_unstable_by_key(|&i| std::cmp::Reverse(key(i as usize)));
            order
        });
        Queue { order, next: 0, touched: Vec::new(), bounds: Vec::new() }
    }

    fn untouched(&self, place: usize, n: usize) -> Option<usize> {
        let i = self.order.as_ref().map_or(Some(place), |order| order.get(place).map(|&i| i as usize))?;
        (i < n).then_some(i)
    }

    /// The first allowed in rank order; for objectives that start with the most relevant. It stays in the queue.
    pub fn first(&self, n: usize, judge: impl Fn(usize) -> Verdict) -> Option<usize> {
        // Nobody has been touched before the first seat, so rank order is all there is.
        (self.next..n).map_while(|place| self.untouched(place, n)).find(|&i| judge(i) == Verdict::Allow)
    }

    /// The allowed candidate with the highest key, which leaves the queue, and its value.
    ///
    /// The bound of untouched candidates must not rise along the rank order.
    pub fn best(
        &mut self,
        objective: &mut impl Falling,
        relevance: &[f64],
        judge: impl Fn(usize) -> Verdict,
    ) -> Option<(usize, f64)> {
        let mut winner: Option<(Key, usize)> = None;
        for _ in 0..LEADERS.min(self.touched.len()) {
            let leader = highest(&self.bounds);
            if winner.is_some_and(|(_, place)| place == leader) {
                break;
            }
            if !self.visit(leader, objective, relevance, &judge, &mut winner) {
                break;
            }
        }
        let mut place = 0;
        while place < self.touched.len() {
            let floor = winner.map_or(f64::NEG_INFINITY, |(best, _)| best.value);
            // Not `>=`: a bound that is no number must be looked at, not skipped for good.
            let settled = self.bounds[place] < floor || winner.is_some_and(|(_, own)| own == place);
            if settled || self.visit(place, objective, relevance, &judge, &mut winner) {
                place += 1;
            }
        }
        while let Some(i) = self.untouched(self.next, relevance.len()) {
            let bound = Key::new(objective.bound(i), relevance[i], i);
            if winner.is_some_and(|(best, _)| bound < best) {
                break;
            }
            self.next += 1;
            self.touched.push(i as u32);
            self.bounds.push(bound.value);
            self.visit(self.touched.len() - 1, objective, relevance, &judge, &mut winner);
        }
        let (key, place) = winner?;
        self.remove(place);
        Some((key.index as usize, key.value))
    }

    /// Evaluates the candidate at a place and keeps the better winner; false when it left the queue instead.
    #[inline]
    fn visit(
        &mut self,
        place: usize,
        objective: &mut impl Falling,
        relevance: &[f64],
        judge: &impl Fn(usize) -> Verdict,
        winner: &mut Option<(Key, usize)>,
    ) -> bool {
        let i = self.touched[place] as usize;
        match judge(i) {
            Verdict::Never => {
                // The last one moves to this place; should it be the winner, it is found there.
                self.remove(place);
                if let Some((_, own)) = winner
                    && *own == self.touched.len()
                {
                    *own = place;
                }
                return false;
            }
            Verdict::NotNow => return true,
            Verdict::Allow => {}
        }
        let floor = winner.map_or(f64::NEG_INFINITY, |(best, _)| best.value);
        let value = objective.evaluate(i, floor);
        self.bounds[place] = value;
        let key = Key::new(value, relevance[i], i);
        if winner.is_none_or(|(best, _)| key > best) {
            *winner = Some((key, place));
        }
        true
    }

    fn remove(&mut self, place: usize) {
        self.touched.swap_remove(place);
        self.bounds.swap_remove(place);
    }
}

/// Place of the highest of some numbers, 0 when there are none.
fn highest(values: &[f64]) -> usize {
    // Two passes without a branch in the first, which the compiler turns into vector code.
    let mut best = [f64::NEG_INFINITY; 8];
    let (blocks, rest) = values.as_chunks::<8>();
    for block in blocks {
        for lane in 0..8 {
            best[lane] = if block[lane] > best[lane] { block[lane] } else { best[lane] };
        }
    }
    let most = best.iter().chain(rest).fold(f64::NEG_INFINITY, |a, &b| if b > a { b } else { a });
    values.iter().position(|&value| value == most).unwrap_or(0)
}
