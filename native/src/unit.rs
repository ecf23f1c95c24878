//! Unit rows: vectors divided by their length, in single precision. See the reference, whose numbers these are.

use crate::simd::LANES;

/// Lengths outside of this are taken again after division by the largest element.
const SOUND: std::ops::Range<f64> = 1e-100..1e100;

/// Appends a vector, divided by its length, to `out`; a zero vector as it is. `own` is scratch space. O(d).
pub fn push_unit<T: Copy + Into<f64>>(
    vector: impl Iterator<Item = T>,
    own: &mut Vec<f64>,
    out: &mut Vec<f32>,
) {
    own.clear();
    own.extend(vector.map(Into::into));
    let mut length = length_of(own);
    if !(SOUND.contains(&length) && length > SOUND.start) {
        let largest = own.iter().fold(0.0f64, |most, one| most.max(one.abs()));
        if largest > 0.0 {
            own.iter_mut().for_each(|one| *one /= largest);
        }
        length = length_of(own);
    }
    let length = if length > 0.0 { length } else { 1.0 };
    out.extend(own.iter().map(|one| (one / length) as f32));
}

/// The square root of the sum of squares, in double precision: 32 lanes, then halves, as cosines are summed.
fn length_of(own: &[f64]) -> f64 {
    let (blocks, rest) = own.as_chunks::<LANES>();
    let mut lanes = [0.0f64; LANES];
    for block in blocks {
        for lane in 0..LANES {
            lanes[lane] += block[lane] * block[lane];
        }
    }
    for (lane, one) in lanes.iter_mut().zip(rest) {
        *lane += one * one;
    }
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            lanes[lane] += lanes[lane + half];
        }
        half /= 2;
    }
    lanes[0].sqrt()
}
