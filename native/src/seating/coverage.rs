//! Coverage's run: new terms, the pool stood for, and no near-copy of a seat. See `objectives.coverage`.

use super::Run;
use crate::source::Source;
use crate::sums::weighted;
use crate::text::terms::sums;

/// What a run keeps; formulas and weights come from the Python side.
pub struct Coverage<'a> {
    /// Kinship times relevance to its power, for each entry.
    pub worth: &'a [f64],
    /// One over the power of an entry's own idf mass.
    pub per_mass: &'a [f64],
    /// What each term is still worth.
    pub fresh: Vec<f64>,
    /// Terms of entry i at `offsets[i]..offsets[i + 1]`.
    pub terms: &'a [i64],
    /// One more than there are entries.
    pub offsets: &'a [i64],
    /// How far each entry stands for each of the first m, n by m.
    pub near: &'a [f64],
    /// Weights of the first m.
    pub weights: &'a [f64],
    /// How far a seat stands for each of the first m already.
    pub nearest: Vec<f64>,
    /// Largest novelty, largest breadth before the first seat, and the powers they are taken to.
    pub most: [f64; 2],
    /// Powers of novelty and breadth.
    pub powers: [f64; 2],
    /// Cosine from which a seat makes another redundant.
    pub band: f64,
    /// What is left of a term's worth after a seat that holds it.
    pub decay: f64,
    /// Similarities.
    pub source: Source<'a>,
    /// Largest similarity to the seated.
    pub redundancy: Vec<f64>,
    /// Seats taken.
    pub seats: usize,
}

impl Run for Coverage<'_> {
    fn gains(&mut self, out: &mut [f64]) {
        let [most_new, most_broad] = self.most;
        let [novelty, breadth] = self.powers;
        let fresh = sums(self.terms, self.offsets, &self.fresh);
        let m = self.weights.len();
        for (i, value) in out.iter_mut().enumerate() {
            *value = self.worth[i] * (fresh[i] * self.per_mass[i] / most_new).powf(novelty);
            if breadth > 0.0 {
                let near = &self.near[i * m..(i + 1) * m];
                let broad = weighted(m, |j| larger(near[j] - self.nearest[j], 0.0) * self.weights[j]);
                *value *= (broad / most_broad).powf(breadth);
            }
            if self.band < 1.0 {
                let beyond = (self.redundancy[i] - self.band) / (1.0 - self.band);
                *value *= 1.0 - beyond.clamp(0.0, 1.0);
            }
        }
    }

    fn redundancy(&self, i: usize) -> f64 {
        self.redundancy[i]
    }

    fn take(&mut self, i: usize) {
        for (j, most) in self.redundancy.iter_mut().enumerate() {
            let pair = self.source.pair(j, i);
            *most = if self.seats == 0 { pair } else { most.max(pair) };
        }
        self.seats += 1;
        for &term in &self.terms[self.offsets[i] as usize..self.offsets[i + 1] as usize] {
            self.fresh[term as usize] *= self.decay;
        }
        let m = self.weights.len();
        let own = &self.near[i * m..(i + 1) * m];
        self.nearest.iter_mut().zip(own).for_each(|(most, &near)| *most = larger(*most, near));
    }
}

/// The larger of two numbers, neither of which is NaN: one instruction, where `f64::max` takes four.
#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}
