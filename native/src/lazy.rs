//! Lazy greedy choice: only candidates whose upper bound still beats the best so far are evaluated.
//!
//! Exact when a candidate's value never rises from one seat to the next (M. Minoux, "Accelerated greedy algorithms for
//! maximizing submodular set functions", 1978): an old value is then an upper bound of the new one. Candidates never
//! looked at stay in rank order, outside the heap; in a long list most of them are never touched.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

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

/// The candidates that are still in the run.
pub struct Queue {
    /// Untouched ones in the order of their bounds; `None` when the input came in that order.
    order: Option<Vec<u32>>,
    next: usize,
    heap: BinaryHeap<Key>,
    aside: Vec<Key>,
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
        Queue { order, next: 0, heap: BinaryHeap::new(), aside: Vec::new() }
    }

    fn untouched(&self, relevance: &[f64]) -> Option<usize> {
        let i = match &self.order {
            Some(order) => *order.get(self.next)? as usize,
            None => self.next,
        };
        (i < relevance.len()).then_some(i)
    }

    /// The first allowed in rank order; for objectives that start with the most relevant. It stays in the queue.
    pub fn first(&mut self, relevance: &[f64], mut judge: impl FnMut(usize) -> Verdict) -> Option<usize> {
        // Nobody has been touched before the first seat, so rank order is all there is.
        let start = self.next;
        let found = std::iter::from_fn(|| {
            let i = self.untouched(relevance)?;
            self.next += 1;
            Some(i)
        })
        .find(|&i| judge(i) == Verdict::Allow);
        self.next = start;
        found
    }

    /// The allowed candidate with the highest key, which leaves the queue, and its value.
    ///
    /// The bound of untouched candidates must not rise along the rank order.
    pub fn best(
        &mut self,
        objective: &mut impl Falling,
        relevance: &[f64],
        mut judge: impl FnMut(usize) -> Verdict,
    ) -> Option<(usize, f64)> {
        let mut winner: Option<Key> = None;
        loop {
            let fresh = self.untouched(relevance).map(|i| Key::new(objective.bound(i), relevance[i], i));
            let from_heap = match (self.heap.peek(), fresh) {
                (Some(top), Some(fresh)) => *top > fresh,
                (top, _) => top.is_some(),
            };
            let Some(key) = (if from_heap { self.heap.peek().copied() } else { fresh }) else { break };
            if winner.is_some_and(|best| key < best) {
                break;
            }
            if from_heap {
                self.heap.pop();
            } else {
                self.next += 1;
            }
            let i = key.index as usize;
            match judge(i) {
                Verdict::Never => continue,
                Verdict::NotNow => {
                    self.aside.push(key);
                    continue;
                }
                Verdict::Allow => {}
            }
            let floor = winner.map_or(f64::NEG_INFINITY, |best| best.value);
            let now = Key::new(objective.evaluate(i, floor), relevance[i], i);
            match winner {
                Some(best) if now < best => self.aside.push(now),
                _ => self.aside.extend(winner.replace(now)),
            }
        }
        self.heap.extend(self.aside.drain(..));
        winner.map(|key| (key.index as usize, key.value))
    }
}
