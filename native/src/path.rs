//! Every distinct MMR selection over lambda in 0..1; the algorithm is said in the reference's `path`.

use crate::lazy::Key;
use crate::source::Source;
use std::collections::HashMap;
use std::rc::Rc;

/// Selection r holds from `starts[r]` up to the next start, the last one up to 1 inclusive.
#[derive(Debug, Default, PartialEq)]
pub struct Path {
    /// Left ends.
    pub starts: Vec<f64>,
    /// Selections, `k` indices each.
    pub picks: Vec<i64>,
    /// Length of a selection.
    pub k: usize,
}

struct Piece {
    chosen: Vec<u32>,
    redundancy: Rc<Vec<f64>>,
    low: f64,
    high: f64,
}

/// The whole path of an unconstrained MMR run.
pub fn mmr_path(source: Source, relevance: &[f64], k: usize, eligible: Option<&[bool]>) -> Path {
    let n = relevance.len();
    let mut ranking: Vec<u32> =
        (0..n).filter(|&i| eligible.is_none_or(|mask| mask[i])).map(|i| i as u32).collect();
    ranking.sort_by_key(|&i| std::cmp::Reverse(Key::new(0.0, relevance[i as usize], i as usize)));
    let k = k.min(ranking.len());
    if k == 0 {
        return Path { starts: vec![0.0], picks: Vec::new(), k: 0 };
    }
    let mut path = Path { k, ..Path::default() };
    let mut rows: HashMap<u32, Vec<f64>> = HashMap::new();
    let mut envelope = Envelope::default();
    let start = Piece { chosen: vec![ranking[0]], redundancy: Rc::new(vec![-1.0; n]), low: 0.0, high: 1.0 };
    let mut open = vec![start];
    while let Some(piece) = open.pop() {
        if piece.chosen.len() == k {
            path.starts.push(piece.low);
            path.picks.extend(piece.chosen.iter().map(|&i| i64::from(i)));
            continue;
        }
        let last = piece.chosen[piece.chosen.len() - 1];
        let row = rows.entry(last).or_insert_with(|| (0..n).map(|i| source.pair(i, last as usize)).collect());
        let redundancy: Rc<Vec<f64>> =
            Rc::new(piece.redundancy.iter().zip(row.iter()).map(|(a, b)| a.max(*b)).collect());
        envelope.load(relevance, &redundancy, &piece.chosen, eligible);
        let first_new = open.len();
        envelope.walk(piece.low, piece.high, |i, low, high| {
            let mut chosen = Vec::with_capacity(k);
            chosen.extend_from_slice(&piece.chosen);
            chosen.push(i);
            open.push(Piece { chosen, redundancy: Rc::clone(&redundancy), low, high });
        });
        open[first_new..].reverse(); // the leftmost is taken up first
    }
    let ranked = ranking[..k].iter().map(|&i| i64::from(i));
    if !path.picks[path.picks.len() - k..].iter().copied().eq(ranked.clone()) {
        path.starts.push(1.0);
        path.picks.extend(ranked);
    }
    path
}

/// The free entries of one step, packed; the buffers are used again from piece to piece.
#[derive(Default)]
struct Envelope {
    entry: Vec<u32>,
    relevance: Vec<f64>,
    redundancy: Vec<f64>,
}

impl Envelope {
    fn load(&mut self, relevance: &[f64], redundancy: &[f64], chosen: &[u32], eligible: Option<&[bool]>) {
        self.entry.clear();
        self.relevance.clear();
        self.redundancy.clear();
        for i in 0..relevance.len() {
            if eligible.is_none_or(|mask| mask[i]) && !chosen.contains(&(i as u32)) {
                self.entry.push(i as u32);
                self.relevance.push(relevance[i]);
                self.redundancy.push(redundancy[i]);
            }
        }
    }

    /// Winners over low..high, left to right. O(n) a winner; a line that has won is dropped.
    fn walk(&mut self, low: f64, high: f64, mut emit: impl FnMut(u32, f64, f64)) {
        let mut now = 0;
        let at = |e: &Envelope, p: usize| low * e.relevance[p] - (1.0 - low) * e.redundancy[p];
        let mut value = at(self, 0);
        for p in 1..self.entry.len() {
            let other = at(self, p);
            let slope = self.relevance[p] + self.redundancy[p];
            if other > value || (other == value && slope > self.relevance[now] + self.redundancy[now]) {
                (now, value) = (p, other);
            }
        }
        let mut passed = vec![false; self.entry.len()];
        let mut start = low;
        loop {
            passed[now] = true;
            let (rel, red) = (self.relevance[now], self.redundancy[now]);
            let (mut end, mut steepest, mut next) = (f64::INFINITY, f64::NEG_INFINITY, now);
            for (p, &gone) in passed.iter().enumerate() {
                let rise = self.redundancy[p] - red;
                let steeper = (self.relevance[p] - rel) + rise;
                if steeper > 0.0 && !gone {
                    let crossing = (rise / steeper).max(start);
                    if crossing < end || (crossing == end && steeper > steepest) {
                        (end, steepest, next) = (crossing, steeper, p);
                    }
                }
            }
            if end >= high {
                emit(self.entry[now], start, high);
                return;
            }
            if end > start {
                emit(self.entry[now], start, end);
            }
            (now, start) = (next, end);
        }
    }
}
