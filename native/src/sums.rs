//! Sums in double precision in the one order in which cosines are summed: 32 lanes, then halves are folded.

use crate::simd::LANES;

/// The sum of `term(0), …, term(count - 1)`.
#[inline(always)]
pub fn weighted(count: usize, term: impl Fn(usize) -> f64) -> f64 {
    let mut lanes = [0.0f64; LANES];
    let whole = count - count % LANES;
    for start in (0..whole).step_by(LANES) {
        for (lane, sum) in lanes.iter_mut().enumerate() {
            *sum += term(start + lane);
        }
    }
    for (lane, sum) in lanes.iter_mut().take(count - whole).enumerate() {
        *sum += term(whole + lane);
    }
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            lanes[lane] += lanes[lane + half];
        }
        half /= 2;
    }
    lanes[0]
}
