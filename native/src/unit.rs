//! Unit rows: vectors divided by their length, in single precision. See the reference, whose numbers these are.

use crate::sums::weighted;

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

/// The square root of the sum of squares.
fn length_of(own: &[f64]) -> f64 {
    weighted(own.len(), |at| own[at] * own[at]).sqrt()
}
